"""Tables 3 and 4 of the Twente paper, and the averages of a split with their intervals."""

from collections.abc import Iterator, Sequence, Set
from typing import Literal

from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure
from ...presentation.result_table import Column, Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.texts import one_line
from ...presentation.verdict import describe_report
from ...text.wording import count_of, phrase, reader_language
from .summary import FACTS, RATES, SplitSummary

_LONGEST_REASON = 200


def crosseval_blocks(summaries: Sequence[SplitSummary], source: str) -> Iterator[ReportBlock]:
    """Of what set it is, the tables of each split of each bot, and which of several bots validation chose."""
    about = describe_report([phrase("file", name=source)])
    yield ReportBlock((Paragraph(about.write(reader_language()), "quiet"),))
    told = set[tuple[str, str]]()  # the metrics that are left out, and why: once for all splits
    for summary in summaries:
        yield _split_block(summary, told)
        told |= set(summary.skipped.items())
    if len({summary.bot for summary in summaries}) > 1:
        validated = (summary for summary in summaries if summary.split == "validation")
        best = max(validated, key=lambda summary: summary.balance or 0.0)
        share = Figure("share", best.balance or 0.0)
        line = (
            f"Validation chose {best.bot}: it answered or declined {share} correctly (the mean over answerable and "
            "unanswerable questions)"
        )
        yield ReportBlock((Paragraph(line),))


def _split_block(summary: SplitSummary, told: Set[tuple[str, str]]) -> ReportBlock:
    title = Paragraph(f"{summary.bot}: {summary.split} split, {count_of(summary.exchanges, 'answer')}", "strong")
    skipped = (
        Paragraph(f"{metric} is left out: {one_line(reason, _LONGEST_REASON)}", "quiet")
        for metric, reason in summary.skipped.items()
        if (metric, reason) not in told
    )
    tables = (cross_evaluation_table(summary), declined_table(summary), averages_table(summary))
    return ReportBlock((title, *summary.give_verdict().paragraphs(), Paragraph(""), *tables, *skipped))


def cross_evaluation_table(summary: SplitSummary) -> ResultTable:
    """Makes Table 3: the share of questions answered with each fold loaded, and the metrics with the right one."""
    rows = []
    for loaded in summary.folds:
        shares = [summary.answered[loaded][fold] for fold in summary.folds]
        rows.append((f"answered with fold {loaded}", *map(_share, shares)))
    for name, by_fold in summary.by_fold.items():
        if name not in RATES and name not in summary.skipped:
            rows.append((name, *(_counted("mean", by_fold[fold]) for fold in summary.folds)))
    rows.append((FACTS, *(_share(summary.by_fold[FACTS][fold]) for fold in summary.folds)))
    columns = (Column("metric", "name"), *(Column(f"questions of fold {fold}") for fold in summary.folds))
    return ResultTable("Table 3: cross-evaluation", columns, tuple(rows))


def declined_table(summary: SplitSummary) -> ResultTable:
    """Makes Table 4: the share of questions declined while another fold is loaded, and the share of correct facts.

    One row per pair of folds, so that any number of them fits.
    """
    rows = [
        (f"Q{fold}_CTX{loaded} corr.", _share(_declined(summary.answered[loaded][fold])))
        for fold in summary.folds
        for loaded in summary.folds
        if fold != loaded
    ]
    rows.append(("factoids corr.", _share(summary.average[FACTS])))
    note = "Q1_CTX2 corr.: questions of fold 1 that are declined while fold 2 is loaded"
    columns = (Column("", "text"), Column("share"))
    return ResultTable("Table 4: unanswerable and factoid questions", columns, tuple(rows), note=note)


def averages_table(summary: SplitSummary) -> ResultTable:
    """Makes the table of averages over the questions of all folds, each with its interval."""

    def kind(name: str) -> Literal["share", "mean"]:
        return "share" if name in RATES else "mean"

    fields = (
        Field("metric", "name", lambda row: row[0]),
        Field("n", "count", lambda row: row[1].n),
        Field("mean", "mean", lambda row: Figure(kind(row[0]), row[1].value)),
        Field("95% interval", "mean", lambda row: _interval(kind(row[0]), row[1])),
    )
    averages = [(name, average) for name, average in summary.average.items() if name not in summary.skipped]
    return tabulate("Over the questions of all folds", averages, fields)


def _interval(kind: Literal["share", "mean"], average: Estimate) -> str:
    if average.value is None and average.low is not None:
        return f"{_bounds(kind, average)}: {average.problem}"
    if average.low is None or average.high is None:
        return "too few documents" if average.n else "-"
    low, high = (Figure(kind, end) for end in (average.low, average.high))
    return f"{low} to {high}"


def _bounds(kind: Literal["share", "mean"], rate: Estimate) -> str:
    """The bounds of a rate of which answers are not judged."""
    return f"{Figure(kind, rate.low)} to {Figure(kind, rate.high)}"


def _declined(answered: Estimate) -> Estimate:
    """Returns the share of questions declined, from the share answered."""
    value, low, high = (None if end is None else 1 - end for end in (answered.value, answered.high, answered.low))
    return Estimate(value, low, high, n=answered.n, groups=answered.groups, problem=answered.problem)


def _share(share: Estimate) -> str:
    return _counted("share", share)


def _counted(kind: Literal["share", "mean"], estimate: Estimate) -> str:
    """A figure with the number of answers that it is of."""
    if estimate.value is None and estimate.low is not None:
        return f"{_bounds(kind, estimate)} (n={estimate.n})"
    figure = Figure(kind, estimate.value, estimate.low, estimate.high)
    return str(figure) if estimate.value is None else f"{figure} (n={estimate.n})"
