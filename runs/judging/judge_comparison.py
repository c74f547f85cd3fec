"""Several judges on the same samples: which agrees with the ratings, at what cost, which to buy; and its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...eval_sets import Sample
from ...meta_eval.comparison import compare_metrics
from ...meta_eval.estimate import Estimate
from ...meta_eval.table import ScoreTable
from ...presentation.figure import format_agreement, format_price
from ...presentation.page import Report
from ...presentation.result_table import Field, Paragraph, ReportBlock, tabulate
from ...presentation.verdict import describe_report
from ...text.wording import phrase
from .experiment import (
    JudgeCost,
    JudgeScores,
    VariantComparison,
    compare_variants,
    cost_fields,
    cost_note,
)

Unit = Literal["usd", "tokens", "seconds"]


@dataclass(frozen=True, slots=True)
class JudgeFindings:
    """What is known of one judge."""

    judge: str
    samples: int  # how many samples it scored or failed on
    failed: int  # how many of them failed
    agreement: Estimate
    cost: JudgeCost | None  # None where no reply is there
    failure: str = ""  # the first reason why a sample failed

    def price(self, unit: Unit) -> float:
        """What 1,000 answers take."""
        if self.cost is None:
            return 0.0
        prices = {"tokens": self.cost.tokens_in + self.cost.tokens_out, "seconds": self.cost.seconds}
        return prices.get(unit, self.cost.usd or 0.0)


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """The result of `assay judges compare`."""

    metric: str  # the metric that they are compared by
    unit: Unit  # the unit of all prices
    judges: tuple[JudgeFindings, ...]  # what is known of each judge
    advice: str
    variants: VariantComparison  # how they agree beside the first, which is in use today

    @property
    def sentences(self) -> list[str]:
        """Whether another judge agrees better than the first; nothing where the advice says it of the only two."""
        is_said = len(self.judges) == 2 and "; it could be" in self.advice
        return [] if is_said else self.variants.sentences


def compare_judges(metric: str, samples: Sequence[Sample], judge_scores: Sequence[JudgeScores]) -> JudgeComparison:
    """Compares judges that scored the same samples."""
    scores = {judge.judge: judge.scores for judge in judge_scores}
    variants = compare_variants(samples, metric, scores)
    judges = tuple(_describe(samples, judge, variants.agreement[judge.judge]) for judge in judge_scores)
    unit = _choose_unit(judges)
    return JudgeComparison(metric, unit, judges, _advise(judges, variants.table, unit), variants)


def _choose_unit(judges: Sequence[JudgeFindings]) -> Unit:
    if any(judge.cost is not None and judge.cost.usd is None for judge in judges):
        return "tokens"
    return "usd" if any(judge.price("usd") for judge in judges) else "seconds"


def _describe(samples: Sequence[Sample], judge: JudgeScores, agreement: Estimate) -> JudgeFindings:
    scores = [judge.scores[sample.id] for sample in samples if sample.id in judge.scores]
    failures = [score.reason for score in scores if score.status == "failed"]
    failure = failures[0] if failures else ""
    return JudgeFindings(judge.judge, len(scores), len(failures), agreement, judge.cost, failure)


def _advise(judges: Sequence[JudgeFindings], table: ScoreTable, unit: Unit) -> str:
    """The cheapest judge whose agreement is surely above 0 and that is not shown to be worse than the best.

    Of several at one price it is the one that agrees best.
    """
    if np.isnan(table.mean_rating).all():
        return "no judge can be recommended: none of these answers is rated"
    comparable = [judge for judge in judges if judge.agreement.value is not None]
    if not comparable:
        return "no judge can be recommended: none has scores that vary on answers with ratings that vary"
    best = max(comparable, key=lambda judge: judge.agreement.value or 0.0)
    if best.agreement.low is None or best.agreement.low <= 0:
        agreement = format_agreement(best.agreement)
        return f"buy none of them on this evidence: even {best.judge} may not agree with the ratings: {agreement}"
    others = [judge.judge for judge in comparable if judge is not best]
    standings = {name: compare_metrics(table, name, best.judge).standing for name in others}
    worse = {name for name, standing in standings.items() if standing.kind == "worse"}
    sure = [judge for judge in comparable if judge.judge not in worse and (judge.agreement.low or 0) > 0]
    chosen = min(sure, key=lambda judge: (judge.price(unit), -(judge.agreement.value or 0.0)))
    bound = "no more than " if chosen.cost and chosen.cost.is_at_most and unit != "seconds" else ""
    cost = f"{bound}{format_price(chosen.price(unit), unit)} per 1,000 answers"
    if chosen is best:
        return f"buy {best.judge}, which agrees best here: {format_agreement(best.agreement)}, at {cost}"
    known = standings[chosen.judge].describe("it", f"{best.judge}, the best here")
    return f"buy {chosen.judge}: {format_agreement(chosen.agreement)}, at {cost}; {known}"


def comparison_report(comparison: JudgeComparison, sets: Sequence[str]) -> Report:
    """The comparison as a report on these sets: the judges, and the decision."""
    lead = (
        f"By {comparison.metric} on {', '.join(sets)}. Agreement is Spearman's correlation with the ratings; brackets "
        "hold 95% intervals. Costs are of 1,000 answers."
    )
    fields = (
        Field("judge", "name", lambda judge: judge.judge),
        Field("failed", "count", lambda judge: judge.failed, "wide"),
        *comparison.variants.fields(lambda judge: judge.judge),
        Field("n", "count", lambda judge: judge.agreement.n, "wide"),
        *cost_fields(lambda judge: judge.cost, "wide"),
    )
    caption = f"Judges by {comparison.metric}; cost and time of 1,000 answers"
    note = cost_note(judge.cost for judge in comparison.judges)
    said = [Paragraph(text, is_whole=True) for text in comparison.sentences]
    return Report(
        "judges compared",
        f"{comparison.advice[:1].upper()}{comparison.advice[1:]}.",
        lead,
        describe_report([phrase("file", name=name) for name in sets]),
        (
            ReportBlock([tabulate(caption, comparison.judges, fields, note=note)], "The judges"),
            *([ReportBlock(said, "Instead of the first")] if said else []),
        ),
    )
