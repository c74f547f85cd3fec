"""One experiment: variants of a metric (judges, prompts) score the same answers; one table, and one decision on it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...errors import BudgetReached, EvaluationEnded, JudgeUnavailable, UsageError
from ...eval_sets import Sample
from ...judges import Budget, Cassette, JudgeLike, LiteLLMJudge, Mode, ReplyCounts, Usage
from ...judges.judge import open_model
from ...meta_eval.correlation import spearman
from ...meta_eval.decision.variant_decision import decide_variants, variant_sentences
from ...meta_eval.estimate import Estimate
from ...meta_eval.groups import group_answers
from ...metrics import Score
from ...metrics.catalogue import higher_is_better, needs_judge
from ...metrics.metric import run_to_end
from ...presentation.figure import MISSING, Figure
from ...presentation.result_table import Field
from ..score.evaluate import aevaluate, evaluate
from ..score.scoring_request import JUDGE_FIELD
from ..show.results import Results

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats
    from ...meta_eval.decision.variant_decision import VariantDecision
    from ...meta_eval.table import ScoreTable

ANSWERS = 1000  # that a cost is for
OVERLAP = "token_overlap"

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
    injected: Scores = field(default_factory=dict)  # of the samples with an instruction to the judge in the answer

    @property
    def cost(self) -> "JudgeCost | None":
        """What 1,000 answers like these take, those included that need no call; None where no reply is there."""
        # of one that failed without a reply nobody knows what it takes
        asked = [score for score in self.scores.values() if score.status != "failed" or score.usage.calls]
        usage = Usage.total([score.usage for score in asked])
        if not usage.calls:
            return None
        times = ANSWERS / len(asked)
        return JudgeCost(
            usd=None if usage.usd is None else times * usage.usd,
            tokens_in=times * usage.tokens_in,
            tokens_out=times * usage.tokens_out,
            requests=times * usage.calls,
            seconds=times * usage.seconds / self.concurrency,
            is_at_most=usage.unstated > 0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What 1,000 answers take."""

    usd: float | None  # None where it is unknown
    tokens_in: float
    tokens_out: float
    requests: float
    seconds: float  # the duration of the calls when they were made, divided by how many ran at once
    # whether tokens and USD are the most that they may be, because not every reply stated what it took
    is_at_most: bool


def cost_fields(cost_of: Callable[[Any], JudgeCost | None], detail: Literal["always", "wide"]) -> tuple[Field, ...]:
    """The columns of what 1,000 answers take; requests and tokens may be for wide tables alone."""

    def reader(kind: Literal["price", "count"], name: str, *, is_bounded: bool) -> Callable[[Any], Figure | str]:
        def read(row: Any) -> Figure | str:
            cost = cost_of(row)
            if cost is None:
                return MISSING
            figure = Figure(kind, getattr(cost, name))
            return f"at most {figure}" if is_bounded and cost.is_at_most and figure.value else figure

        return read

    return (
        Field("USD", "price", reader("price", "usd", is_bounded=True)),
        Field("requests", "count", reader("count", "requests", is_bounded=False), detail),
        Field("tokens in", "count", reader("count", "tokens_in", is_bounded=True), detail),
        Field("tokens out", "count", reader("count", "tokens_out", is_bounded=True), detail),
        Field("s", "count", reader("count", "seconds", is_bounded=False)),
    )


def cost_note(costs: Iterable[JudgeCost | None]) -> str:
    """What stands under a table of costs."""
    note = "Seconds are those of the calls when they were made, divided by the calls at once."
    if any(cost is not None and cost.is_at_most for cost in costs):
        note += (
            " At most: not every reply stated what it took, or it stated what is impossible; such a reply counts with "
            "the most that it may have taken."
        )
    return note


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
    metric: str,
    *,
    cassette: str,
    mode: Mode = "auto",
    budget: Budget | None = None,
    injected: Sequence[Sample] = (),
    again: Sequence[Sample] = (),
) -> list[JudgeScores]:
    """Scores samples by one judge after the other: as they are, with an instruction in them, and again.

    Args:
        cassette: The file of the recorded replies; `{judge}` in it stands for the judge's name.
        injected: Those of the samples that have an instruction to the judge in the answer, as `inject` makes them.
        again: Those of the samples that are asked again, with another seed.

    Raises:
        BudgetReached: A bound is reached; the replies are in the cassette, and the same call goes on with them.
    """
    if not needs_judge(metric):
        raise UsageError(f"{metric} asks no judge and is the same for all; take faithfulness, for one")

    async def score(name: str, model: LiteLLMJudge) -> JudgeScores:
        async def score_parts(repeat: int, *parts: Sequence[Sample]) -> list[Results]:
            """The results of each part by the judge with the seed of this repeat."""
            judge = model.reopen(
                cassette=Cassette(cassette.replace(JUDGE_FIELD, name), mode),
                budget=budget or Budget(),
                parameters=model.settings.for_repeat(repeat).parameters,
            )
            async with judge:
                return [await aevaluate(part, [metric], judge=judge, progress=False) for part in parts]

        def of_metric(results: Results) -> Scores:
            return {sample: scores[metric] for sample, scores in results.scores.items()}

        first, *changed = await score_parts(0, samples, *([injected] if injected else []))
        repeated = of_metric((await score_parts(1, again))[0]) if again else {}
        of_injected = of_metric(changed[0]) if changed else {}
        return JudgeScores(name, of_metric(first), model.settings.concurrency, repeated, first.replies, of_injected)

    try:
        return [run_to_end(score(name, open_model(judge))) for name, judge in judges.items()]
    except JudgeUnavailable as ended:
        raise _without_results(ended) from ended
    except BudgetReached as reached:
        bound = _without_results(reached)
        raise BudgetReached(f"{bound}; all replies are kept: the same command goes on with them") from reached


def _without_results(ended: EvaluationEnded) -> EvaluationEnded:
    """The error without what `evaluate` adds, which is about its results: nobody has these here."""
    return ended.__cause__ if isinstance(ended.__cause__, EvaluationEnded) else ended


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """How variants of a metric agree with the ratings of the same answers, beside the first, which is in use."""

    table: "ScoreTable"  # one column per variant, turned so that more is expected to be rated better
    agreement: Mapping[str, Estimate]  # Spearman's correlation with the ratings, by variant
    # whether another variant agrees better than the first; None where none can be compared with it
    decision: "VariantDecision | None"
    same: tuple[str, ...] = ()  # the variants that score as the first does; nothing is decided on them

    @property
    def first(self) -> str:
        """The variant that is in use today."""
        return self.table.metrics[0]

    @property
    def sentences(self) -> list[str]:
        """What is decided, last in a sentence."""
        return variant_sentences(self.decision, self.first)

    def fields(self, name_of: Callable[[Any], str]) -> tuple[Field, Field]:
        """Two columns of a table whose rows are variants: the agreement, and how much more it is than the first's."""
        differences = {each.second: each for each in self.decision.differences} if self.decision else {}

        def difference(row: Any) -> Figure | str:
            name = name_of(row)
            if name not in differences:
                return "" if name == self.first else "the same" if name in self.same else MISSING
            beside = differences[name]
            return Figure("correlation", beside.difference, beside.low, beside.high)

        return (
            Field("Spearman with rating", "correlation", lambda row: self.agreement[name_of(row)], is_left=True),
            Field("more than the first", "correlation", difference, is_left=True),
        )


def compare_variants(
    samples: Sequence[Sample], metric: str, variants: Mapping[str, Scores], same: tuple[str, ...] = ()
) -> VariantComparison:
    """Compares variants of a metric that scored the same samples; nothing is decided on those that are the same."""
    table = build_value_table(samples, rated_values(metric, variants))
    agreement = {name: correlate(table.column(name), table) for name in variants}
    others = [name for name in variants if name not in same]
    decision = decide_variants(table.only(others)) if len(others) > 1 else None
    return VariantComparison(table, agreement, decision, same)


def rated_values(metric: str, variants: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    """The values of scores by variant and sample, turned so that more is expected to be rated better."""
    sign = 1 if higher_is_better(metric) else -1
    return {
        name: {sample: sign * score.value for sample, score in scores.items() if score.value is not None}
        for name, scores in variants.items()
    }


def baseline_values(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """What is computed without a judge, by baseline and sample, higher for better answers.

    A baseline that scores none of the samples is left out. `evaluate` adds them all to whatever it computes.
    """
    results = evaluate(samples, OVERLAP, progress=False)
    values = {
        name: {
            sample: score.value if results.directions[name] else -score.value
            for sample, scores in results.scores.items()
            if (score := scores.get(name)) is not None and score.value is not None
        }
        for name in results.directions
    }
    return {name: by_sample for name, by_sample in values.items() if by_sample}


def build_value_table(
    samples: Sequence[Sample],
    values: Mapping[str, Mapping[str, float]],
    *,
    ratings: "Mapping[str, Sequence[float | None]] | None" = None,
    scale: tuple[float, float] = (0.0, 1.0),
) -> "ScoreTable":
    """Builds a table of numbers by name and sample, beside the ratings.

    Args:
        samples: The samples, one per row.
        values: The columns: numbers by the sample's id; one that is missing is NaN.
        ratings: Ratings on `scale` by rater, one per sample; None for each sample's rating as a share of its scale.
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
