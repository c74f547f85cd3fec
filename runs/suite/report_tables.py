"""The tables of a nightly run."""

from collections.abc import Sequence

from ...presentation.result_table import Field, ResultTable, TableCell, Tone, tabulate
from ..show.run_figures import CHANGE, report_table
from .gates import GateResult
from .nightly_report import RunReport, SampleReport

STATE_TONES: dict[str, Tone] = {"passed": "good", "failed": "bad"}
"""How the state of a gate looks; another is neither good nor bad."""


def gate_table(gates: Sequence[GateResult]) -> ResultTable:
    """The gates of a nightly run: the state of each, the evidence against it so far, and why."""
    fields = (
        Field("state", "text", lambda gate: TableCell(gate.state, STATE_TONES.get(gate.state, "warning"))),
        Field("gate", "name", lambda gate: gate.title),
        Field("evidence", "text", lambda gate: gate.evidence_so_far),
        Field("reason", "text", lambda gate: gate.reason),
    )
    return tabulate("Gates", gates, fields).without_empty("evidence")


def changed_table(caption: str, samples: Sequence[SampleReport]) -> ResultTable:
    """Samples that changed or newly fail, before and now."""
    fields = (
        Field("sample", "text", lambda sample: sample.sample),
        Field("metric", "name", lambda sample: sample.metric),
        Field("before", "value", lambda sample: sample.before),
        Field("now", "value", lambda sample: sample.now),
        Field("question", "markdown", lambda sample: sample.question),
        Field("answer", "markdown", lambda sample: sample.answer, "page"),
        Field("reason", "prose", lambda sample: sample.reason),
    )
    return tabulate(caption, samples, fields)


def metric_table(run: RunReport) -> ResultTable:
    """The metrics of one judge's run; without the columns of changes where nothing is compared."""
    return report_table("", run.metrics).without_empty(CHANGE, "p")


TABLES = {"gate_table": gate_table, "metric_table": metric_table, "changed_table": changed_table}
"""What the pages of a nightly run call."""
