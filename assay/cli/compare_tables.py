"""A comparison of two runs as a person reads it in a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..metrics.specification import BASELINES
from ..runs.compare import Comparison, Difference
from ..runs.report import format_interval
from .output import STYLES, Column, make_table, one_line, open_console, terminal_text
from .sample_audit import audit_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..runs import Store

_SIGNIFICANT = 0.05  # the largest p-value at which a table says which run is better


def print_comparison(store: "Store", comparison: Comparison, metric: str, count: int) -> None:
    """Prints the tables, then the samples whose `metric` changed most with both audits side by side.

    Args:
        store: Where both runs are.
        comparison: The two runs.
        metric: The metric whose changes are shown.
        count: The most samples to show.
    """
    from rich.text import Text

    console = open_console()
    console.print(Text(f"A: {_run_line(store, comparison.a)}\nB: {_run_line(store, comparison.b)}"))
    console.print(_pairing(comparison))
    _print_table(console, "All samples", "", comparison.overall)
    _print_table(console, "By language", "language", comparison.languages)
    _print_table(console, "By message type", "message type", comparison.message_types)
    changes = comparison.most_changed(metric, count)
    if not changes:
        console.print(Text(f"\nNo sample's {one_line(metric)} changed."))
    for sample, change in changes:
        console.print(Text(f"\n{one_line(sample)}: {one_line(metric)} {change:+.3f}", style="bold"))
        _print_side_by_side(console, store, comparison, sample, metric)


def _run_line(store: "Store", run: str) -> str:
    row = store.run(run)
    return one_line(f"run {row.id} ({row.status}), judge: {row.plan.judge.label if row.plan.judge else 'no judge'}")


def _pairing(comparison: Comparison) -> str:
    line = f"{len(comparison.samples)} samples in both, {comparison.changed_answers} of them with another answer"
    for count, what in [
        (len(comparison.only_a), "only in A"),
        (len(comparison.only_b), "only in B"),
        (len(comparison.other_question), "with another question (not compared)"),
        (comparison.pairing.by_question, "without ids of their own paired by question"),
        (comparison.pairing.by_content, "paired by question and content, because the question occurs more often"),
    ]:
        line += f"; {count} {what}" if count else ""
    return line


def _print_table(console: "Console", title: str, part: str, differences: tuple[Difference, ...]) -> None:
    if not differences:
        return
    columns = [
        Column("metric", is_text=True),
        *([Column(part, is_text=True)] if part else []),
        Column("pairs", is_extra=True),
        Column("A", is_extra=True),
        Column("B", is_extra=True),
        Column("B - A [95% interval]", is_text=True),
        Column("p"),
        Column("remark", is_text=True),
    ]
    rows: list[Sequence[str | Text]] = [
        (
            row.metric,
            *([row.part] if part else []),
            str(row.paired.n),
            _mean(row.mean_a),
            _mean(row.mean_b),
            _change(row),
            _p_value(row.p_of_all),
            _remark(row),
        )
        for row in differences
    ]
    styles = [STYLES["baseline"] if row.metric in BASELINES else "" for row in differences]
    console.print(make_table(title, columns, rows, styles))
    console.print("p: sign-flip test over groups, adjusted for the rows of the table (Holm)", style="dim")


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _change(row: Difference) -> str:
    if row.paired.value is None:
        return row.paired.problem
    change = format_interval(row.paired.value, row.paired.low, row.paired.high, "+.3f")
    return change if row.paired.low is not None else f"{change} ({row.paired.problem})"


def _p_value(p: float | None) -> str:
    return "-" if p is None else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _remark(row: Difference) -> "Text":
    from rich.text import Text

    remarks, style = [], ""
    if row.p_of_all is not None and row.p_of_all < _SIGNIFICANT and row.is_improvement is not None:
        remarks.append("better in B" if row.is_improvement else "worse in B")
        style = STYLES["better" if row.is_improvement else "worse"]
    for count, what in [(row.lost, "scored in A only"), (row.gained, "scored in B only")]:
        if count:
            remarks.append(f"{count} {what}")
    return Text(", ".join(remarks), style=style)


def _print_side_by_side(console: "Console", store: "Store", comparison: Comparison, sample: str, metric: str) -> None:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    sample_a, sample_b = store.sample(comparison.a, comparison.id_in_a(sample)), store.sample(comparison.b, sample)
    console.print(Text(one_line(sample_a.user_input)))
    table = Table(show_lines=True)
    for side in ("A", "B"):
        table.add_column(side, ratio=1, overflow="fold")
    cells = []
    for run, judged in ((comparison.a, sample_a), (comparison.b, sample_b)):
        lines = [Text(terminal_text(judged.response))]
        for _, name, score in store.scores(run, judged.id):
            if name == metric:
                lines += audit_lines(name, score)
        cells.append(Group(*lines))
    table.add_row(*cells)
    console.print(table)
