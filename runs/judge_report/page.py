"""The comparison of judges as one HTML file."""

from collections.abc import Sequence
from pathlib import Path

from ...html.page import read_asset, render_page, write_page
from ..judge_comparison import JudgeComparison, format_cost
from .frontier import draw_frontier


def write_judge_report(path: Path, comparison: JudgeComparison, sets: Sequence[str]) -> None:
    """Writes the report of a comparison on these sets. Raises `UsageError` when it cannot be written."""
    write_page(path, render_judge_report(comparison, sets))


def render_judge_report(comparison: JudgeComparison, sets: Sequence[str]) -> str:
    """Renders the report as HTML: no script, no network; names of judges and sets are escaped."""
    chart = draw_frontier(comparison)
    view = {
        "comparison": comparison,
        "sets": sets,
        "chart": chart,
        "keys": {point.name: point.key for point in chart.points} if chart else {},
        "beyond": {point.name for point in chart.points if point.beyond} if chart else set(),
        "cost_of": lambda cost: format_cost(cost, comparison.unit),
        "sentence": comparison.advice[:1].upper() + comparison.advice[1:],
    }
    return render_page(__package__, "judges.html", view, style=read_asset(__package__, "frontier.css"))
