"""One experiment: variants of a metric (judges, prompts) score the same answers; one table holds what they scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import BudgetReached, EvaluationEnded, JudgeUnavailable, UsageError
from ...eval_sets import Sample
from ...judges import Budget, Cassette, JudgeLike, LiteLLMJudge, Mode, ReplyCounts
from ...judges.judge import open_model
from ...meta_eval.correlation import spearman
from ...meta_eval.estimate import Estimate
from ...meta_eval.groups import group_answers
from ...metrics import Score
from ...metrics.catalogue import needs_judge
from ...metrics.metric import run_to_end
from ..score.evaluate import aevaluate
from ..score.scoring_request import JUDGE_FIELD
from ..show.results import Results

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats
    from ...meta_eval.table import ScoreTable

ANSWERS = 1000  # that a cost is for

Scores = Mapping[str, Score]
"""The scores of one metric, by sample."""


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The scores of one judge."""

    judge: str
    scores: Scores
    concurrency: int
    again: Scores = field(default_factory=dict)  # of the samples that were asked again, with another seed
    replies: ReplyCounts = field(default_factory=ReplyCounts)  # how many of its replies for `scores` could not be used
    probed: Mapping[str, Scores] = field(default_factory=dict)  # of the samples that a probe changed, by probe

    @property
    def asked(self) -> list[Score]:
        """The scores by whose number costs are told: one without a value and without a reply took nothing."""
        return [score for score in self.scores.values() if score.status == "scored" or score.usage.calls]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScoring:
    """How judges score the samples of an experiment."""

    metric: str  # the metric that they are asked for
    cassette: str  # the file of the recorded replies; `{judge}` in it stands for the judge's name
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)

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
    *,
    probed: Mapping[str, Sequence[Sample]] | None = None,
    again: Sequence[Sample] = (),
) -> list[JudgeScores]:
    """Scores samples by one judge after the other: as they are, as probes change them, and again.

    Args:
        again: Those of the samples that are asked again, with another seed.

    Raises:
        BudgetReached: A bound is reached; the replies are in the cassette, and the same call goes on with them.
    """
    try:
        return [
            run_to_end(_score(name, open_model(judge), scoring, samples, probed=probed or {}, again=again))
            for name, judge in judges.items()
        ]
    except JudgeUnavailable as ended:
        raise _without_results(ended) from ended
    except BudgetReached as reached:
        bound = _without_results(reached)
        raise BudgetReached(f"{bound}; all replies are kept: the same command goes on with them") from reached


def _without_results(ended: EvaluationEnded) -> EvaluationEnded:
    """The error without what `evaluate` adds, which is about its results: nobody has these here."""
    return ended.__cause__ if isinstance(ended.__cause__, EvaluationEnded) else ended


async def _score(
    name: str,
    model: LiteLLMJudge,
    scoring: JudgeScoring,
    samples: Sequence[Sample],
    *,
    probed: Mapping[str, Sequence[Sample]],
    again: Sequence[Sample],
) -> JudgeScores:
    async def score(repeat: int, *parts: Sequence[Sample]) -> list[Results]:
        """The results of each part by the judge with the seed of this repeat."""
        judge = model.reopen(
            cassette=Cassette(scoring.cassette.replace(JUDGE_FIELD, name), scoring.mode),
            budget=scoring.budget,
            parameters=model.settings.for_repeat(repeat).parameters,
        )
        async with judge:
            return [await aevaluate(part, [scoring.metric], judge=judge, progress=False) for part in parts]

    def of_metric(results: Results) -> Scores:
        return {sample: scores[scoring.metric] for sample, scores in results.scores.items()}

    first, *changed = await score(0, samples, *probed.values())
    repeated = of_metric((await score(1, again))[0]) if again else {}
    by_probe = dict(zip(probed, map(of_metric, changed), strict=True))
    return JudgeScores(name, of_metric(first), model.settings.concurrency, repeated, first.replies, by_probe)


def build_variant_table(
    samples: Sequence[Sample], variants: Mapping[str, Scores], *, higher_is_better: bool = True
) -> "ScoreTable":
    """Builds the table of what several variants of a metric scored.

    Returns:
        One row per sample and one column per variant; ratings are shares of the way from the worst to the best.
    """
    values = {
        name: {sample: score.value for sample, score in scores.items() if score.value is not None}
        for name, scores in variants.items()
    }
    return build_value_table(samples, values, directions=dict.fromkeys(variants, higher_is_better))


def build_value_table(
    samples: Sequence[Sample],
    values: Mapping[str, Mapping[str, float]],
    *,
    ratings: "Mapping[str, Sequence[float | None]] | None" = None,
    scale: tuple[float, float] = (0.0, 1.0),
    directions: Mapping[str, bool] | None = None,
) -> "ScoreTable":
    """Builds a table of numbers by name and sample, beside the ratings.

    Args:
        samples: The samples, one per row.
        values: The columns: numbers by the sample's id; one that is missing is NaN.
        ratings: Ratings on `scale` by rater, one per sample; None for each sample's rating as a share of its scale.
        directions: Whether higher is better, by column; left out, it is.
    """
    import numpy as np

    from ...eval_sets.items import RATER
    from ...meta_eval.table import ScoreTable

    by_rater = {RATER: [sample.rating_share for sample in samples]} if ratings is None else ratings

    def columns(lists: "Sequence[Sequence[float | None]]") -> "Floats":
        return np.array(lists, float).reshape(len(lists), len(samples)).T

    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(values),
        scores=columns([[of_column.get(sample.id) for sample in samples] for of_column in values.values()]),
        ratings=columns(list(by_rater.values())),
        raters=tuple(by_rater),
        rating_min=scale[0],
        rating_max=scale[1],
        directions=directions or {},
        groups=tuple(group_answers(samples)),
    )


def correlate(values: "Floats", table: "ScoreTable") -> Estimate:
    """Spearman's correlation of a column with the mean ratings, over the samples that have both."""
    import numpy as np

    ratings = table.mean_rating
    both = np.flatnonzero(~np.isnan(values) & ~np.isnan(ratings))
    return spearman(values[both].tolist(), ratings[both].tolist(), [table.groups[place] for place in both.tolist()])


def claims_by_text(score: Score) -> dict[str, dict[str, Any]]:
    """Lists a score's claims, as its evidence has them, by their text without case and white space."""
    return {" ".join(claim["text"].casefold().split()): claim for claim in score.evidence.get("claims", [])}


def supported_claims(score: Score) -> dict[str, bool]:
    """Lists a score's claims by their text, and whether each is supported."""
    return {text: claim["verdict"] == "supported" for text, claim in claims_by_text(score).items()}
