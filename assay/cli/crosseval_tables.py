"""Tables 3 and 4 of the Twente paper, and the averages of a split with their intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..generation.crosseval.summary import FACTS, RATES, SplitSummary
from ..meta_eval.estimate import Estimate
from .output import Column, make_table, one_line, open_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_summaries(summaries: Sequence[SplitSummary]) -> None:
    """Prints the tables of each split of each bot, and which of several bots validation chose.

    Args:
        summaries: One summary per bot and split.
    """
    console = open_console()
    bots = list(dict.fromkeys(summary.bot for summary in summaries))
    for summary in summaries:
        console.print()
        _print_split(console, summary)
    if len(bots) > 1:
        best = max(
            (summary for summary in summaries if summary.split == "validation"), key=lambda each: each.balance or 0.0
        )
        console.print(
            f"\nValidation chose {one_line(best.bot)}: it answered or declined {best.balance or 0.0:.1%} correctly "
            "(the mean over answerable and unanswerable questions)"
        )


def _print_split(console: "Console", summary: SplitSummary) -> None:
    from rich.text import Text

    console.print(Text(f"{one_line(summary.bot)}: {summary.split} split, {summary.exchanges} answers", style="bold"))
    if summary.failed:
        console.print(f"{summary.failed} answers are missing and count in no figure")
    console.print(cross_evaluation_table(summary))
    console.print(declined_table(summary))
    console.print("Q1_CTX2 corr.: questions of fold 1 that are declined while fold 2 is loaded", style="dim")
    console.print(averages_table(summary))
    for metric, reason in summary.skipped.items():
        console.print(Text(f"{metric} is left out: {one_line(reason, 200)}", style="dim"))


def cross_evaluation_table(summary: SplitSummary) -> "Table":
    """Makes Table 3: the share of questions answered with each fold loaded, and the metrics with the right one."""
    rows = []
    for loaded in summary.folds:
        figures = [summary.answered[loaded][fold] for fold in summary.folds]
        rows.append((f"answered with fold {loaded}", *map(_percent, figures)))
    for name, by_fold in summary.by_fold.items():
        if name not in RATES and name not in summary.skipped:
            rows.append((name, *(_number(by_fold[fold]) for fold in summary.folds)))
    rows.append((FACTS, *(_percent(summary.by_fold[FACTS][fold]) for fold in summary.folds)))
    columns = [Column("metric", is_text=True), *(Column(f"questions of fold {fold}") for fold in summary.folds)]
    return make_table("Table 3: cross-evaluation", columns, rows)


def declined_table(summary: SplitSummary) -> "Table":
    """Makes Table 4: the share of questions declined while another fold is loaded, and the share of correct facts.

    One row per pair of folds, so that any number of them fits.
    """
    rows = [
        (
            f"Q{fold}_CTX{loaded} corr.",
            _percent(_declined(summary.answered[loaded][fold])),
        )
        for fold in summary.folds
        for loaded in summary.folds
        if fold != loaded
    ]
    rows.append(("factoids corr.", _percent(summary.average[FACTS])))
    columns = (Column("", is_text=True), Column("share"))
    return make_table("Table 4: unanswerable and factoid questions", columns, rows)


def averages_table(summary: SplitSummary) -> "Table":
    """Makes the table of averages over iterations, each with its interval."""
    rows = []
    for name, figure in summary.average.items():
        if name in summary.skipped:
            continue
        number_format = ".1%" if name in RATES else ".3f"
        mean = "-" if figure.value is None else format(figure.value, number_format)
        if figure.low is not None and figure.high is not None:
            interval = f"{figure.low:{number_format}} to {figure.high:{number_format}}"
        else:
            interval = "too few documents" if figure.n else "-"
        rows.append((name, str(figure.n), mean, interval))
    columns = (Column("metric", is_text=True), Column("n"), Column("mean"), Column("95% interval"))
    return make_table("Average over iterations", columns, rows)


def _declined(answered: Estimate) -> Estimate:
    """Returns the share of questions declined, from the share answered."""
    if answered.value is None:
        return answered
    low, high = (None if edge is None else 1 - edge for edge in (answered.high, answered.low))
    return Estimate(1 - answered.value, low, high, n=answered.n, groups=answered.groups)


def _percent(figure: Estimate) -> str:
    if figure.value is None:
        return "-"
    interval = "" if figure.low is None or figure.high is None else f" [{figure.low:.0%}, {figure.high:.0%}]"
    return f"{figure.value:.1%}{interval} (n={figure.n})"


def _number(figure: Estimate) -> str:
    if figure.value is None:
        return "-"
    interval = "" if figure.low is None or figure.high is None else f" [{figure.low:.2f}, {figure.high:.2f}]"
    return f"{figure.value:.3f}{interval} (n={figure.n})"
