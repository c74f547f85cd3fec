"""Several judges on the same samples: which agrees with the ratings, at what cost, which to buy; and its report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from ...eval_sets import Sample
from ...judges import Usage
from ...meta_eval.comparison import find_standing, reverse
from ...meta_eval.decision.variant_decision import variant_sentences
from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure, Kind, format_agreement, format_price
from ...presentation.report import Report
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.verdict import describe_report
from ...text.wording import count_of, phrase
from ..answers.rating_direction import check_ratings_fit, rises_with_rating
from .experiment import (
    ANSWERS,
    JudgeScores,
    Scores,
    build_value_table,
    build_variant_table,
    correlate,
    supported_claims,
)

if TYPE_CHECKING:
    from ...meta_eval.comparison import Comparison
    from ...meta_eval.decision import Decision


Unit = Literal["usd", "tokens", "seconds"]


@dataclass(frozen=True, slots=True)
class JudgeFindings:
    """What is known of one judge; costs are those of 1,000 answers."""

    judge: str
    samples: int  # how many samples it scored or failed on
    failed: float  # the share of them that failed, in [0, 1]
    agreement: Estimate
    tokens: float
    usd: float | None  # the cost; None where it is unknown
    seconds: float  # the duration of its calls, divided by how many run at once
    failure: str = ""  # the first reason why a sample failed
    unparsable: float | None = None  # the share of questions whose first reply could not be used; None without a reply
    lost: float | None = None  # the share of questions that got no usable reply at all; None where nothing was asked
    # whether tokens and USD are the most that they may be, because not every reply stated what it took
    is_at_most: bool = False

    def cost(self, unit: Unit) -> float:
        """What 1,000 answers take."""
        return {"usd": self.usd or 0.0, "tokens": self.tokens, "seconds": self.seconds}[unit]


@dataclass(frozen=True, slots=True)
class Panel:
    """How judges that are put together agree with the ratings."""

    name: str
    agreement: Estimate
    cost: float  # what 1,000 answers take, in the comparison's unit


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """The result of `assay judges compare`."""

    metric: str  # the metric that they are compared by
    unit: Unit  # the unit of all costs
    judges: tuple[JudgeFindings, ...]  # what is known of each judge
    pairs: tuple["Comparison", ...]  # the difference in agreement per pair of judges
    panels: tuple[Panel, ...]
    advice: str
    # whether another judge agrees better with the ratings than the first, which is in use today; None where none can be
    # compared with it
    decision: "Decision | None" = None

    @property
    def is_said_by_advice(self) -> bool:
        """Whether the advice says already how the only two judges compare: that nobody can tell."""
        return len(self.pairs) == 1 and self.pairs[0].standing.kind == "unsettled" and "; it could be" in self.advice


def compare_judges(metric: str, samples: Sequence[Sample], judge_scores: Sequence[JudgeScores]) -> JudgeComparison:
    """Compares judges that scored the same samples."""
    from ...meta_eval.comparison import compare_metrics
    from ...meta_eval.decision import decide_variants

    check_ratings_fit("the samples", samples, metric)
    oriented = judge_scores if rises_with_rating(metric) else [_negate(judge) for judge in judge_scores]
    scores = {judge.judge: judge.scores for judge in oriented}
    table = build_variant_table(samples, scores)
    judges = tuple(_describe(samples, judge, correlate(table.column(judge.judge), table)) for judge in oriented)
    unit = _choose_unit(judges)
    pairs = tuple(compare_metrics(table, first, second) for first, second in combinations(table.metrics, 2))
    return JudgeComparison(
        metric,
        unit,
        judges,
        pairs,
        _compare_panels(samples, scores, sum(judge.cost(unit) for judge in judges)),
        _advise(judges, pairs, unit, is_rated=any(sample.rating_share is not None for sample in samples)),
        decide_variants(table, measure=metric),
    )


def _negate(judge: JudgeScores) -> JudgeScores:
    """Scores that fall where the ratings rise, turned so that agreement with the ratings is positive."""
    negated = {
        sample: score if score.value is None else replace(score, value=-score.value)
        for sample, score in judge.scores.items()
    }
    return replace(judge, scores=negated)


def _choose_unit(judges: Sequence[JudgeFindings]) -> Unit:
    if any(judge.usd is None for judge in judges):
        return "tokens"
    return "usd" if any(judge.usd for judge in judges) else "seconds"


def _describe(samples: Sequence[Sample], judge: JudgeScores, agreement: Estimate) -> JudgeFindings:
    scores = [judge.scores[sample.id] for sample in samples if sample.id in judge.scores]
    usage, times = Usage.total([score.usage for score in judge.asked]), ANSWERS / max(1, len(judge.asked))
    replies = judge.replies
    return JudgeFindings(
        judge.judge,
        len(scores),
        sum(score.status == "failed" for score in scores) / max(1, len(scores)),
        agreement,
        times * (usage.tokens_in + usage.tokens_out),
        None if usage.usd is None else times * usage.usd,
        times * usage.seconds / judge.concurrency,
        next((score.reason for score in scores if score.status == "failed"), ""),
        replies.unparsable / replies.questions if replies.questions else None,
        replies.without_usable_reply / replies.asked if replies.asked else None,
        is_at_most=usage.unstated > 0,
    )


def _compare_panels(samples: Sequence[Sample], scores: Mapping[str, Scores], cost: float) -> tuple[Panel, ...]:
    """Puts the judges together, over the rated samples that all of them scored.

    Returns:
        The mean of their scores; and where all of them judged the same claims, the share of an answer's claims that
        more than half of the judges support. None without such a sample.
    """
    common = {
        sample.id: [of_judge[sample.id] for of_judge in scores.values()]
        for sample in samples
        if sample.rating_share is not None
        and all(sample.id in of_judge and of_judge[sample.id].value is not None for of_judge in scores.values())
    }
    if len(scores) < 2 or not common:
        return ()
    means = {name: sum(score.value or 0.0 for score in judged) / len(judged) for name, judged in common.items()}
    shares = {name: _majority([supported_claims(score) for score in judged]) for name, judged in common.items()}
    panels = {"mean": means}
    if len(known := {name: share for name, share in shares.items() if share is not None}) == len(shares):
        panels["majority"] = known
    table = build_value_table(samples, panels)
    return tuple(Panel(name, correlate(table.column(name), table), cost) for name in panels)


def _majority(by_judge: Sequence[Mapping[str, bool]]) -> float | None:
    """The share of claims that more than half of the judges support; None unless all judged the same ones."""
    first = by_judge[0]
    if not first or any(claims.keys() != first.keys() for claims in by_judge):
        return None
    votes = [sum(claims[text] for claims in by_judge) for text in first]
    return sum(2 * vote > len(by_judge) for vote in votes) / len(votes)


def _advise(judges: Sequence[JudgeFindings], pairs: Sequence["Comparison"], unit: Unit, *, is_rated: bool) -> str:
    """The cheapest judge whose agreement is surely above 0 and that is not shown to be worse than the best.

    Of several at one price it is the one that agrees best.
    """
    if not is_rated:
        return "no judge can be recommended: none of these answers is rated"
    comparable = [judge for judge in judges if judge.agreement.value is not None]
    if not comparable:
        return "no judge can be recommended: none has scores that vary on answers with ratings that vary"
    best = max(comparable, key=lambda judge: judge.agreement.value or 0.0)
    if best.agreement.low is None or best.agreement.low <= 0:
        agreement = format_agreement(best.agreement)
        return f"buy none of them on this evidence: even {best.judge} may not agree with the ratings: {agreement}"
    beside_best = {pair.first: pair.difference for pair in pairs if pair.second == best.judge}
    beside_best |= {pair.second: reverse(pair.difference) for pair in pairs if pair.first == best.judge}
    standings = {name: find_standing(difference) for name, difference in beside_best.items()}
    worse = {name for name, standing in standings.items() if standing.kind == "worse"}
    sure = [judge for judge in comparable if judge.judge not in worse and (judge.agreement.low or 0) > 0]
    chosen = min(sure, key=lambda judge: (judge.cost(unit), -(judge.agreement.value or 0.0)))
    bound = "no more than " if chosen.is_at_most and unit != "seconds" else ""
    cost = f"{bound}{format_price(chosen.cost(unit), unit)} per 1,000 answers"
    if chosen is best:
        return f"buy {best.judge}, which agrees best here: {format_agreement(best.agreement)}, at {cost}"
    known = standings[chosen.judge].describe("it", f"{best.judge}, the best here")
    return f"buy {chosen.judge}: {format_agreement(chosen.agreement)}, at {cost}; {known}"


AT_MOST_NOTE = (
    "At most: not every reply stated what it took, or it stated what is impossible; such a reply counts with the most "
    "that it may have taken."
)


def bounded_figure(kind: Kind, value: float | None, is_at_most: bool) -> Figure | str:
    """A figure of what was taken; of a bound with words that say so.

    Example:
        >>> str(bounded_figure("count", 4412, True)), str(bounded_figure("count", 4412, False))
        ('at most 4,412', '4,412')
    """
    figure = Figure(kind, value)
    return f"at most {figure}" if is_at_most and value else figure


def comparison_report(comparison: JudgeComparison, sets: Sequence[str]) -> Report:
    """The comparison as a report on these sets: the judges, how their agreement differs, and the decision."""
    decision = variant_sentences(comparison.decision, comparison.judges[0].judge)
    if comparison.is_said_by_advice:
        decision = []
    last = ReportBlock([Paragraph(text, is_whole=True) for text in decision], "Instead of the first judge?")
    panels = (
        f"All judges together, {panel.name}: agreement {_agreement(panel)}, at "
        f"{format_price(panel.cost, comparison.unit)} per 1,000 answers."
        for panel in comparison.panels
    )
    between = [*_pair_lines(comparison), *panels]
    lead = (
        f"By {comparison.metric} on {', '.join(sets)}. Agreement is Spearman's correlation with the ratings; brackets "
        "hold 95% intervals. Costs are of 1,000 answers; seconds are those of the calls when they were made, divided "
        "by the calls at once. Unparsable: the share of the questions whose first reply could not be used as it came; "
        "lost: of those that had no usable reply at last."
    )
    return Report(
        "judges compared",
        f"{comparison.advice[:1].upper()}{comparison.advice[1:]}.",
        lead,
        describe_report([phrase("file", name=name) for name in sets]),
        (
            ReportBlock([judge_table(comparison)], "The judges"),
            ReportBlock([Paragraph(text, is_whole=True) for text in between], "Between the judges"),
            *((last,) if decision else ()),
        ),
    )


def judge_table(comparison: JudgeComparison) -> ResultTable:
    """What is known of each judge."""
    fields = (
        Field("judge", "name", lambda judge: judge.judge),
        Field("n", "count", lambda judge: judge.samples, "wide"),
        Field("failed", "share", lambda judge: judge.failed),
        Field("unparsable", "rate", _unparsable, "wide"),
        Field("Spearman with rating", "correlation", _agreement, is_left=True),
        Field("tokens", "count", lambda judge: bounded_figure("count", judge.tokens, judge.is_at_most), "wide"),
        Field("USD", "price", lambda judge: bounded_figure("price", judge.usd, judge.is_at_most)),
        Field("s", "count", lambda judge: judge.seconds),
    )
    caption = f"Judges by {comparison.metric}; cost and time of 1,000 answers"
    note = AT_MOST_NOTE if any(judge.is_at_most for judge in comparison.judges) else ""
    return tabulate(caption, comparison.judges, fields, note=note)


def _unparsable(judge: JudgeFindings) -> str:
    if judge.unparsable is None:
        return "no reply"
    return str(Figure("rate", judge.unparsable)) + (f" ({Figure('rate', judge.lost)} lost)" if judge.lost else "")


def _agreement(judged: JudgeFindings | Panel) -> str:
    figure = str(Figure.from_estimate("correlation", judged.agreement))
    return figure if judged.agreement.value is None else f"{figure} (n = {judged.agreement.n})"


def _pair_lines(comparison: JudgeComparison) -> Iterator[str]:
    """What is known of two judges beside each other, in the words of `find_standing`, as the advice has them.

    Where nobody can tell, the figure alone: the advice or the decision says so.
    """
    for pair in comparison.pairs:
        if pair.problem:
            yield f"{pair.first} and {pair.second} cannot be compared: {pair.problem}."
            continue
        is_open = pair.standing.kind == "unsettled"
        known = f"{pair.first} beside {pair.second}" if is_open else pair.standing.describe(pair.first, pair.second)
        difference = Figure.from_estimate("correlation", pair.difference).describe()
        yield f"{known}: {difference}, on {count_of(pair.n, 'answer')}."
