"""The tables of a nightly run."""

from collections.abc import Sequence
from typing import NamedTuple

from ...presentation.figure import Figure
from ...presentation.result_table import Cell, Column, ResultTable, Tone
from ..run_tables import CHANGE, report_table
from .gates import GateResult
from .nightly_report import NightlyReport, SampleReport

STATE_TONES: dict[str, Tone] = {"passed": "good", "failed": "bad"}
"""How the state of a gate looks; another is neither good nor bad."""


def gate_table(gates: Sequence[GateResult]) -> ResultTable:
    """The gates of a nightly run: the state of each, and why."""
    rows = tuple((Cell(gate.state, STATE_TONES.get(gate.state, "warning")), gate.title, gate.reason) for gate in gates)
    return ResultTable("Gates", (Column("state", "text"), Column("gate", "name"), Column("reason", "text")), rows)


def changed_table(caption: str, samples: Sequence[SampleReport]) -> ResultTable:
    """Samples that changed or newly fail, before and now."""
    columns = (
        Column("sample", "text"),
        Column("metric", "name"),
        Column("before"),
        Column("now"),
        Column("question", "markdown"),
        Column("answer", "markdown", detail="page"),
        Column("reason", "prose"),
    )
    rows = tuple(
        (
            sample.sample,
            sample.metric,
            Figure("value", sample.before),
            Figure("value", sample.now),
            sample.question,
            sample.answer,
            sample.reason,
        )
        for sample in samples
    )
    return ResultTable(caption, columns, rows)


class RunTables(NamedTuple):
    """The tables of one judge's run; those of samples are None where there is none."""

    metrics: ResultTable
    newly_failing: ResultTable | None
    changed: ResultTable | None


class NightlyTables(NamedTuple):
    """The tables of a nightly run's page."""

    gates: ResultTable
    runs: tuple[RunTables, ...]


def nightly_tables(report: NightlyReport) -> NightlyTables:
    """Makes the tables of a nightly run's page."""
    return NightlyTables(
        gate_table(report.gates),
        tuple(
            RunTables(
                report_table("", run.metrics).without_empty(CHANGE, "p"),
                changed_table("Newly failing", run.newly_failing) if run.newly_failing else None,
                changed_table("Changed most", run.changed) if run.changed else None,
            )
            for run in report.runs
        ),
    )
