"""The tables and sentences of a comparison of judges."""

from typing import TYPE_CHECKING

from ...meta_eval.decision.variant_decision import variant_sentences
from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure, format_price
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...text.wording import count_of
from .cost_bounds import AT_MOST_NOTE, bounded_figure
from .judge_comparison import JudgeComparison, JudgeFindings

if TYPE_CHECKING:
    from collections.abc import Iterator


def comparison_block(comparison: JudgeComparison) -> ReportBlock:
    """The advice, the judges, how their agreement differs, what panels give, and the decision."""
    parts: list[Paragraph | ResultTable] = [_line(comparison.advice), judge_table(comparison)]
    parts += map(_line, _pair_lines(comparison))
    parts += map(_line, _claim_lines(comparison))
    parts += map(_line, _panel_lines(comparison))
    parts += map(_line, variant_sentences(comparison.decision, comparison.judges[0].judge))
    return ReportBlock(tuple(parts))


def _line(text: str) -> Paragraph:
    return Paragraph(text, is_whole=True)


def judge_table(comparison: JudgeComparison) -> ResultTable:
    """What is known of each judge."""
    fields = (
        Field("judge", "name", lambda judge: judge.judge),
        Field("n", "count", lambda judge: judge.samples, "wide"),
        Field("failed", "share", lambda judge: judge.failed),
        Field("unparsable", "rate", _unparsable, "wide"),
        Field("Spearman with rating", "correlation", lambda judge: _agreement(judge.agreement), is_left=True),
        Field("same when asked again", "share", _consistency, "wide"),
        Field("tokens", "count", lambda judge: bounded_figure("count", judge.tokens, judge.is_at_most), "wide"),
        Field("USD", "price", lambda judge: bounded_figure("price", judge.usd, judge.is_at_most)),
        Field("s", "count", lambda judge: judge.seconds),
    )
    caption = f"Judges by {comparison.metric}; cost and time of 1,000 answers"
    note = AT_MOST_NOTE if any(judge.is_at_most for judge in comparison.judges) else ""
    return tabulate(caption, comparison.judges, fields, note=note)


def _consistency(judge: JudgeFindings) -> float | str:
    return "not asked" if judge.consistency is None else judge.consistency


def _unparsable(judge: JudgeFindings) -> str:
    if judge.unparsable is None:
        return "no reply"
    return str(Figure("rate", judge.unparsable)) + (f" ({Figure('rate', judge.lost)} lost)" if judge.lost else "")


def _agreement(rho: Estimate) -> str:
    figure = str(Figure.from_estimate("correlation", rho))
    return figure if rho.value is None else f"{figure} (n = {rho.n})"


def panel_table(comparison: JudgeComparison) -> ResultTable:
    """What several judges reach together."""
    unit = "USD" if comparison.unit == "usd" else comparison.unit
    fields = (
        Field("panel", "name", lambda panel: panel.name),
        Field("Spearman with rating", "correlation", lambda panel: panel.agreement),
        Field("n", "count", lambda panel: panel.agreement.n),
        Field(unit, "price", lambda panel: format_price(panel.cost, comparison.unit)),
    )
    return tabulate("Judges together", comparison.panels, fields)


def pair_table(comparison: JudgeComparison) -> ResultTable:
    """How the agreement of two judges differs, and how far they give the same verdicts."""
    kappas = {(first, second): kappa for first, second, kappa in comparison.claims.kappas}
    fields = (
        Field("judges", "name", lambda pair: f"{pair.first} − {pair.second}"),
        Field("n", "count", lambda pair: pair.n),
        Field("difference of agreement", "correlation", lambda pair: pair.problem or pair.difference),
        Field("p", "p", lambda pair: pair.difference.p),
        Field("kappa of the claims", "coefficient", lambda pair: kappas.get((pair.first, pair.second))),
    )
    return tabulate("Between the judges", comparison.pairs, fields)


def _pair_lines(comparison: JudgeComparison) -> "Iterator[str]":
    """What is known of two judges beside each other, in the words of `find_standing`, as the advice has them."""
    for pair in comparison.pairs:
        if pair.problem:
            yield f"{pair.first} and {pair.second} cannot be compared: {pair.problem}."
            continue
        known = pair.standing.describe(pair.first, pair.second)
        difference = Figure.from_estimate("correlation", pair.difference).describe()
        yield f"{known}: {difference}, on {count_of(pair.n, 'answer')}."


def _claim_lines(comparison: JudgeComparison) -> "Iterator[str]":
    """How far the judges give the same verdicts; the report has each pair's kappa."""
    alpha, shared = comparison.claims.alpha, f"{count_of(comparison.claims.claims, 'claim')} that all judged"
    if alpha is None:
        yield f"{shared}: too few, or too much alike, to compare the verdicts."
    else:
        agreement = Figure("coefficient", alpha)
        yield f"Verdicts on the {shared}: agreement {agreement} of 1 (Krippendorff's alpha; 0 is chance)."


def _panel_lines(comparison: JudgeComparison) -> "Iterator[str]":
    for panel in comparison.panels:
        cost = format_price(panel.cost, comparison.unit)
        yield f"panel, {panel.name}: {_agreement(panel.agreement)}, {cost}"
