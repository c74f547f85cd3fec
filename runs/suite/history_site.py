"""The tables of a nightly run, and a suite's history as a static site: an index, the trends, a page per nightly run."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...meta_eval.estimate import Estimate
from ...presentation.charts import Band, draw_band
from ...presentation.figure import Figure
from ...presentation.page import render_page, typeset, write_page
from ...presentation.result_table import Field, ResultTable, TableCell, Tone, tabulate
from ..show.run_report import CHANGE, report_table
from .gates import GateResult
from .ledger import NightlyRunRow
from .nightly_report import NightlyReport, RunReport, SampleReport, read_report

_MOST_POINTS = 90  # on a trend
STATE_TONES: dict[str, Tone] = {"passed": "good", "failed": "bad"}
"""How the state of a gate looks; another is neither good nor bad."""


def gate_table(gates: Sequence[GateResult]) -> ResultTable:
    """The gates of a nightly run: the state of each, and why."""
    fields = (
        Field("state", "text", lambda gate: TableCell(gate.state, STATE_TONES.get(gate.state, "warning"))),
        Field("gate", "name", lambda gate: gate.title),
        Field("reason", "text", lambda gate: gate.reason),
    )
    return tabulate("Gates", gates, fields)


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


def write_site(folder: Path, suite: str, rows: Sequence[NightlyRunRow], accepted: set[str]) -> None:
    """Writes `index.html` and one page per nightly run; no page needs another file or the network.

    The pages of earlier nightly runs are written too, so that a lost folder comes back whole.
    """
    reports = [read_report(row) for row in rows]
    common: dict[str, Any] = {"suite": suite, "accepted": accepted, "report_url": "{}.html".format}
    make_folder(folder)
    for row, report in zip(rows, reports, strict=True):
        page = render_page(__package__, "nightly_run.html", common | {"report": report, "tables": TABLES})
        write_page(folder / f"{row.id}.html", page)
    index = common | {"reports": reports, "charts": draw_trends(reports)}
    write_page(folder / "index.html", render_page(__package__, "index.html", index))


def make_folder(folder: Path) -> None:
    """Makes a folder for files of the suite's `outputs`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror}); check `outputs:`") from None


def draw_trends(reports: Sequence[NightlyReport]) -> list[tuple[str, Band]]:
    """(judge, chart) of every metric that the suite names: its means with intervals, one point per nightly run."""
    lines: dict[tuple[str, str], list[tuple[datetime, Estimate, str]]] = {}  # the newest first
    for report in reports[:_MOST_POINTS]:
        for run in report.runs if report.status == "done" else ():
            for row in run.metrics:
                if row.asked:
                    mean = Estimate(row.mean, row.low, row.high)
                    point = datetime.fromisoformat(report.began), mean, typeset(Figure.from_estimate("mean", mean))
                    lines.setdefault((run.judge, row.metric), []).append(point)
    charts = ((judge, draw_band(metric, points[::-1])) for (judge, metric), points in lines.items())
    return [(judge, chart) for judge, chart in charts if chart]
