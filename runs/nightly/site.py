"""The history of a suite as a static site: an index of the nights, the trends, and a page a night."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...eval_sets.writing import replaced
from ...prompts.untrusted import without_unseen
from .ledger import NightRow
from .report import NightReport, report_of

_MOST_NIGHTS = 90  # on a trend
_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)  # the charts' tooltips: nothing runs on these pages


def write_site(folder: Path, suite: str, nights: Sequence[NightRow], accepted: set[str]) -> None:
    """Writes `index.html` and a page a night into the folder; no page needs another file or the network.

    `nights` come the newest first; `accepted` are the runs that were accepted last. Pages of earlier nights are
    written too, so that a lost folder comes back whole. Raises `InputError` where it cannot be written.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("assay.runs.nightly", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    pages.filters["shown"] = shown
    pages.filters["number"] = number
    reports = [report_of(row) for row in nights]
    about: dict[str, Any] = {"suite": suite, "accepted": accepted}
    folder.mkdir(parents=True, exist_ok=True)
    for row, report in zip(nights, reports, strict=True):
        _write(folder / f"{row.id}.html", pages.get_template("night.html").render(about | {"night": report}))
    trends = [(judge, metric, _trend(reports, judge, metric)) for judge, metric in _measured(reports)]
    _write(
        folder / "index.html", pages.get_template("index.html").render(about | {"nights": reports, "trends": trends})
    )


def shown(text: str, length: int = 400) -> str:
    """Text without what no reader sees, shortened."""
    text = without_unseen(text)
    return text if len(text) <= length else text[: length - 1] + "…"


def number(value: float | None, form: str = ".3f") -> str:
    """A number, or a dash."""
    return "–" if value is None else format(value, form)


def _measured(reports: Sequence[NightReport]) -> list[tuple[str, str]]:
    found = {
        (run.judge, metric.metric): None
        for report in reports
        for run in report.runs
        for metric in run.metrics
        if metric.asked
    }
    return list(found)


def _trend(reports: Sequence[NightReport], judge: str, metric: str) -> str:
    """The metric's means with their intervals, night by night, as an SVG picture."""
    import pygal
    from markupsafe import Markup

    points = [
        (report.began[:16].replace("T", " "), found)
        for report in reversed(reports[:_MOST_NIGHTS])
        if report.status == "done"
        for run in report.runs
        if run.judge == judge
        for found in run.metrics
        if found.metric == metric and found.mean is not None
    ]
    style = pygal.style.Style(
        background="transparent",
        plot_background="transparent",
        colors=("#1f6feb", "#5b8fd0", "#5b8fd0"),
        guide_stroke_color="#8883",
        major_guide_stroke_color="#8886",
    )
    chart = pygal.Line(
        style=style,
        js=[],
        disable_xml_declaration=True,
        show_legend=True,
        legend_at_bottom=True,
        width=760,
        height=300,
        dots_size=3,
        x_label_rotation=30,
        explicit_size=True,
        pretty_print=False,
        no_prefix=True,
    )
    chart.x_labels = [began for began, _ in points]
    chart.add("mean", [found.mean for _, found in points])
    chart.add("95%, high", [found.high for _, found in points], stroke_style={"dasharray": "3, 5"}, dots_size=2)
    chart.add("95%, low", [found.low for _, found in points], stroke_style={"dasharray": "3, 5"}, dots_size=2)
    return Markup(_SCRIPT.sub("", chart.render(is_unicode=True)))


def _write(path: Path, page: str) -> None:
    with replaced(path) as file:
        file.write(page)
