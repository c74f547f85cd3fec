"""A comparison of judges as sentences and tables, in a terminal and as one HTML file."""

from collections.abc import Iterator, Sequence

from ...meta_eval.decision.variant_decision import variant_sentences
from ...presentation.figure import Figure, Kind, format_price
from ...presentation.report import Report
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.verdict import describe_report
from ...text.wording import count_of, phrase
from .judge_comparison import JudgeComparison, JudgeFindings, Panel

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
    between = [*_pair_lines(comparison), _claim_line(comparison), *panels]
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


def _claim_line(comparison: JudgeComparison) -> str:
    """How far the judges give the same verdicts."""
    alpha, shared = comparison.claims.alpha, f"{count_of(comparison.claims.claims, 'claim')} that all judged"
    if alpha is None:
        return f"{shared}: too few, or too much alike, to compare the verdicts."
    agreement = Figure("coefficient", alpha)
    return f"Verdicts on the {shared}: agreement {agreement} of 1 (Krippendorff's alpha; 0 is chance)."
