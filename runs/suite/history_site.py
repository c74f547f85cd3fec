"""The history of a suite as a static site: an index of its nightly runs, the trends, and one page per nightly run."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...meta_eval.estimate import Estimate
from ...presentation.charts import Band, draw_band
from ...presentation.figure import Figure
from ...presentation.page import render_page, typeset, write_page
from .ledger import NightlyRunRow
from .nightly_report import NightlyReport, read_report
from .report_tables import TABLES

_MOST_POINTS = 90  # on a trend


def write_site(folder: Path, suite: str, rows: Sequence[NightlyRunRow], accepted: set[str]) -> None:
    """Writes `index.html` and one page per nightly run; no page needs another file or the network.

    The pages of earlier nightly runs are written too, so that a lost folder comes back whole.
    """
    reports = [read_report(row) for row in rows]
    common: dict[str, Any] = {"suite": suite, "accepted": accepted, "report_url": "{}.html".format}
    folder.mkdir(parents=True, exist_ok=True)
    for row, report in zip(rows, reports, strict=True):
        page = render_page(__package__, "nightly_run.html", common | {"report": report, "tables": TABLES})
        write_page(folder / f"{row.id}.html", page)
    index = common | {"reports": reports, "charts": draw_trends(reports)}
    write_page(folder / "index.html", render_page(__package__, "index.html", index))


def draw_trends(reports: Sequence[NightlyReport]) -> list[tuple[str, Band]]:
    """(judge, chart) of every metric that the suite names: its means with intervals, one point per nightly run."""
    charts = []
    for judge, metric in _trend_lines(reports):
        rows = []
        for report in reversed(reports[:_MOST_POINTS]):
            for run in report.runs if report.status == "done" else ():
                for row in run.metrics:
                    if (run.judge, row.metric) == (judge, metric):
                        mean = Estimate(row.mean, row.low, row.high)
                        rows.append(
                            (datetime.fromisoformat(report.began), mean, typeset(Figure.from_estimate("mean", mean)))
                        )
        if chart := draw_band(metric, rows):
            charts.append((judge, chart))
    return charts


def _trend_lines(reports: Sequence[NightlyReport]) -> list[tuple[str, str]]:
    """(judge, metric) of all metrics that the suite names, each once."""
    lines = (
        (run.judge, metric.metric)
        for report in reports
        for run in report.runs
        for metric in run.metrics
        if metric.asked
    )
    return list(dict.fromkeys(lines))
