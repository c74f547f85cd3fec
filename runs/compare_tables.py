"""Two runs as a person reads them: the differences over all answers, by language and by message type."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..metrics.specification import BASELINES
from ..presentation.figure import Figure
from ..presentation.result_table import Content, Field, Paragraph, ReportBlock, ResultTable, TableCell, Tone, tabulate
from .compare import Difference, RunComparison

if TYPE_CHECKING:
    from .store import Store

_SIGNIFICANT = 0.05  # the largest p-value at which a table says which run is better
_NOTE = "p: sign-flip test over groups, adjusted for the rows of the table (Holm)"


def comparison_block(store: "Store", comparison: RunComparison) -> ReportBlock:
    """Which runs are compared, how their samples were paired, and the tables.

    Args:
        store: Where both runs are.
        comparison: The two runs.
    """
    return ReportBlock(
        (
            Paragraph(f"A: {_run_line(store, comparison.a)}"),
            Paragraph(f"B: {_run_line(store, comparison.b)}"),
            Paragraph(_pairing(comparison)),
            *comparison_tables(comparison),
        )
    )


def comparison_tables(comparison: RunComparison) -> tuple[ResultTable, ...]:
    """The differences over all answers, then by language and by message type where there is more than one."""
    tables = (
        ("All samples", "", comparison.overall),
        ("By language", "language", comparison.languages),
        ("By message type", "message type", comparison.message_types),
    )
    return tuple(difference_table(caption, part, rows) for caption, part, rows in tables if rows)


def difference_table(caption: str, part: str, differences: Sequence[Difference]) -> ResultTable:
    """The differences between two runs, B minus A.

    Args:
        caption: What stands above it.
        part: The head of the column of languages or message types; "" for none.
        differences: One row each.
    """
    fields = (
        Field(
            "metric", "name", lambda row: TableCell(row.metric, note="" if row.higher_is_better else "lower is better")
        ),
        *([Field(part, "text", lambda row: row.part)] if part else []),
        Field("pairs", "count", lambda row: row.paired.n, "wide"),
        Field("A", "mean", lambda row: row.mean_a, "wide"),
        Field("B", "mean", lambda row: row.mean_b, "wide"),
        Field("B - A [95% interval]", "change", lambda row: row.paired, is_left=True),
        Field("p", "p", lambda row: row.p_of_all),
        Field("B is", "text", _direction, "page"),
        Field("remark", "text", _remark),
    )
    return tabulate(
        caption, differences, fields, tone=lambda row: "baseline" if row.metric in BASELINES else "", note=_NOTE
    )


def change_line(sample: str, metric: str, change: float | None) -> Paragraph:
    """How much a sample's score changed; without a change, that none has."""
    if change is None:
        return Paragraph(f"No sample's {metric} changed.")
    return Paragraph(f"{sample}: {metric} {Figure('change', change)}", "strong")


def _run_line(store: "Store", run: str) -> str:
    row = store.run(run)
    return f"run {row.id} ({row.status}), judge: {row.plan.judge.label if row.plan.judge else 'no judge'}"


def _pairing(comparison: RunComparison) -> str:
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


def _direction(row: Difference) -> Content:
    """Which way the mean went, beyond noise or not."""
    if row.is_improvement is None:
        return ""
    return TableCell("better", "better") if row.is_improvement else TableCell("worse", "worse")


def _remark(row: Difference) -> TableCell:
    remarks: list[str] = []
    tone: Tone = ""
    if row.p_of_all is not None and row.p_of_all < _SIGNIFICANT and row.is_improvement is not None:
        remarks.append("better in B" if row.is_improvement else "worse in B")
        tone = "better" if row.is_improvement else "worse"
    for count, what in [(row.lost, "scored in A only"), (row.gained, "scored in B only")]:
        if count:
            remarks.append(f"{count} {what}")
    return TableCell(", ".join(remarks), tone)
