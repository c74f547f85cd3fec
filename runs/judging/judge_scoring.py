"""The same samples scored by several judges: as they are, changed by probes, and again for consistency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import BudgetReached, UsageError
from ...eval_sets import Sample
from ...judges import Budget, Cassette, JudgeLike, LiteLLMJudge, Mode, ReplyCounts
from ...judges.judge import open_model
from ...metrics import Score
from ...metrics.catalogue import needs_judge
from ...metrics.metric import run_to_end
from ..score.evaluate import aevaluate
from ..score.options import JUDGE_FIELD
from ..show.results import Results


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The scores of one judge."""

    judge: str
    scores: Mapping[str, Score]
    concurrency: int
    repeats: tuple[Mapping[str, Score], ...] = ()  # its scores when asked again, by sample
    replies: ReplyCounts = field(default_factory=ReplyCounts)  # how many of its replies for `scores` could not be used
    # its scores of the samples that a probe changed, by probe and sample
    probed: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScoring:
    """How judges score the samples that they are compared on."""

    metric: str  # the metric that they are compared by
    cassette: str  # the file of the recorded replies; `{judge}` in it stands for the judge's name
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)
    repeats: int = 0  # how often each judge is asked again, with another seed

    def __post_init__(self) -> None:
        if not needs_judge(self.metric):
            raise UsageError(f"{self.metric} asks no judge and is the same for all; take faithfulness, for one")


def load_judges(judges: Sequence[str]) -> dict[str, LiteLLMJudge]:
    """Opens judges by the short names that they have in tables and file names."""
    if len(set(judges)) < 2:
        raise UsageError("name two judges or more (--judge A --judge B)")
    names: dict[str, str] = {}
    for judge in dict.fromkeys(judges):
        name = short_name(judge)
        if name in names:
            raise UsageError(f"{names[name]} and {judge} would both be called {name}; rename one of the files")
        names[name] = judge
    return {name: open_model(judge) for name, judge in names.items()}


def short_name(judge: str) -> str:
    """Returns the name that a judge has in tables and file names.

    Example:
        >>> short_name("judges/mine.yaml"), short_name("openai/gpt-4o-mini"), short_name("qwen1.5b")
        ('mine', 'openai-gpt-4o-mini', 'qwen1.5b')
    """
    return Path(judge).stem if judge.endswith((".yaml", ".yml", ".gguf")) else judge.replace("/", "-")


def score_by_judges(
    judges: Mapping[str, JudgeLike],
    samples: Sequence[Sample],
    scoring: JudgeScoring,
    probed_samples: Mapping[str, Sequence[Sample]] | None = None,
) -> list[JudgeScores]:
    """Scores samples by one judge after the other."""
    try:
        return [
            run_to_end(_score(name, open_model(judge), samples, scoring, probed_samples or {}))
            for name, judge in judges.items()
        ]
    except BudgetReached as reached:
        bound = reached.__cause__ or reached  # what `evaluate` adds is about its results, which nobody has here
        raise BudgetReached(f"{bound}; all replies are kept: the same command goes on with them") from reached


async def _score(
    name: str,
    model: LiteLLMJudge,
    samples: Sequence[Sample],
    scoring: JudgeScoring,
    probed_samples: Mapping[str, Sequence[Sample]],
) -> JudgeScores:
    def open_judge(repeat: int) -> LiteLLMJudge:
        return model.reopen(
            cassette=Cassette(scoring.cassette.replace(JUDGE_FIELD, name), scoring.mode),
            budget=scoring.budget,
            parameters=model.settings.for_repeat(repeat).parameters,
        )

    async def score(judge: LiteLLMJudge, these: Sequence[Sample]) -> Results:
        return await aevaluate(these, [scoring.metric], judge=judge, progress=False)

    def by_sample(results: Results) -> dict[str, Score]:
        return {sample: scores[scoring.metric] for sample, scores in results.scores.items()}

    async with open_judge(0) as judge:
        results = await score(judge, samples)
        probed = {probe: by_sample(await score(judge, changed)) for probe, changed in probed_samples.items()}
    repeats = []
    for repeat in range(1, scoring.repeats + 1):
        async with open_judge(repeat) as judge:
            repeats.append(by_sample(await score(judge, samples)))
    settings = model.settings
    replies = results.replies
    return JudgeScores(name, by_sample(results), settings.concurrency, tuple(repeats), replies, probed)
