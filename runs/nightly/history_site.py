"""The history of a suite as a static site: an index of its nightly runs, the trends, and one page per nightly run."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...atomic_files import replace_file
from ...text.untrusted import without_unseen
from .ledger import NightlyRunRow
from .nightly_report import NightlyReport, read_report

if TYPE_CHECKING:
    from markupsafe import Markup

_MOST_POINTS = 90  # on a trend
_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)  # the charts' tooltips: nothing runs on these pages


def write_site(folder: Path, suite: str, rows: Sequence[NightlyRunRow], accepted: set[str]) -> None:
    """Writes `index.html` and one page per nightly run; no page needs another file or the network.

    The pages of earlier nightly runs are written too, so that a lost folder comes back whole.

    Args:
        folder: Where to write; made if it does not exist.
        suite: The suite's name.
        rows: The suite's nightly runs, the newest first.
        accepted: The ids of the runs that are accepted now.

    Raises:
        InputError: A page cannot be written.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("assay.runs.nightly", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    pages.filters |= {
        "shown": shorten,
        "number": format_number,
        "markdown": render_markdown,
        "state_class": state_class,
        "time": lambda moment: moment[:16].replace("T", " "),
    }
    reports = [read_report(row) for row in rows]
    common: dict[str, Any] = {"suite": suite, "accepted": accepted}
    folder.mkdir(parents=True, exist_ok=True)
    page = pages.get_template("nightly_run.html")
    for row, report in zip(rows, reports, strict=True):
        _write(folder / f"{row.id}.html", page.render(common | {"report": report}))
    trends = [(judge, metric, _trend(reports, judge, metric)) for judge, metric in _trend_lines(reports)]
    _write(
        folder / "index.html", pages.get_template("index.html").render(common | {"reports": reports, "trends": trends})
    )


def shorten(text: str, length: int = 400) -> str:
    """Returns the text without invisible characters, with an ellipsis where it is longer than `length`."""
    text = without_unseen(text)
    return text if len(text) <= length else text[: length - 1] + "…"


def format_number(value: float | None, form: str = ".3f") -> str:
    """Returns the number in this format, or a dash for None.

    >>> format_number(0.5), format_number(None)
    ('0.500', '–')
    """
    return "–" if value is None else format(value, form)


def render_markdown(text: str, length: int = 400) -> "Markup":
    """Returns an answer as the HTML of its Markdown, shortened. Nothing in it links, loads or runs anything.

    >>> str(render_markdown("**Bold** <b>"))
    '<p><strong>Bold</strong> &lt;b&gt;</p>\\n'
    """
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.disable(["link", "image", "autolink", "reference"])
    return Markup(renderer.render(shorten(text, length)))


def state_class(state: str) -> str:
    """Returns the style of a gate's state or a verdict: `passed`, `failed` or `other`.

    >>> state_class("gate failed"), state_class("undecided")
    ('failed', 'other')
    """
    return {"passed": "passed", "failed": "failed", "gate failed": "failed", "error": "failed"}.get(state, "other")


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


def _trend(reports: Sequence[NightlyReport], judge: str, metric: str) -> str:
    """The metric's means with their intervals, one point per nightly run, as an SVG picture."""
    import pygal
    from markupsafe import Markup

    points = [
        (report.began[:16].replace("T", " "), shown)
        for report in reversed(reports[:_MOST_POINTS])
        if report.status == "done"
        for run in report.runs
        if run.judge == judge
        for shown in run.metrics
        if shown.metric == metric and shown.mean is not None
    ]
    style = pygal.style.Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--text)",
        foreground_strong="var(--text)",
        foreground_subtle="var(--muted)",
        colors=("var(--link)", "var(--muted)", "var(--muted)"),
        guide_stroke_color="var(--line)",
        major_guide_stroke_color="var(--line)",
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
        pretty_print=False,
        no_prefix=True,
    )
    labelled = max(1, len(points) // 12)  # labels that fit beside each other
    chart.x_labels_major_every = labelled
    chart.show_minor_x_labels = False
    chart.x_labels = [began for began, _ in points]
    chart.add("mean", [shown.mean for _, shown in points])
    chart.add("95%, high", [shown.high for _, shown in points], stroke_style={"dasharray": "3, 5"}, dots_size=2)
    chart.add("95%, low", [shown.low for _, shown in points], stroke_style={"dasharray": "3, 5"}, dots_size=2)
    return Markup(_SCRIPT.sub("", chart.render(is_unicode=True)))


def _write(path: Path, page: str) -> None:
    with replace_file(path) as file:
        file.write(page)
