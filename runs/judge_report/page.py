"""The comparison of judges as one HTML file."""

from collections.abc import Sequence
from pathlib import Path

from ...meta_eval.report.html_page import read_asset, render_page, report_style, write_page
from ..judge_comparison import JudgeComparison, amount
from .frontier import frontier


def write_judge_report(path: Path, found: JudgeComparison, sets: Sequence[str]) -> None:
    """Writes the report; `sets` are named in it. Raises `UsageError` when it cannot be written."""
    write_page(path, render_judge_report(found, sets))


def render_judge_report(found: JudgeComparison, sets: Sequence[str]) -> str:
    """The report as HTML: no script, no network; names of judges and sets are escaped."""
    chart = frontier(found)
    view = {
        "found": found,
        "sets": sets,
        "chart": chart,
        "keys": {point.name: point.key for point in chart.points} if chart else {},
        "beyond": {point.name for point in chart.points if point.beyond} if chart else set(),
        "cost_of": lambda cost: amount(cost, found.unit),
        "sentence": found.advice[:1].upper() + found.advice[1:],
    }
    return render_page(__package__, "judges.html", view, style=report_style() + read_asset(__package__, "frontier.css"))
