"""The comparison of judges as one HTML file."""

from collections.abc import Sequence
from pathlib import Path

from ...meta_eval.decision.variant_decision import variant_sentences
from ...presentation.page import render_page, write_page
from .comparison_tables import judge_table, pair_table, panel_table
from .judge_comparison import JudgeComparison

_STYLE = "#decision p { overflow-wrap: anywhere; }"


def write_judge_report(path: Path, comparison: JudgeComparison, sets: Sequence[str]) -> None:
    """Writes the report of a comparison on these sets. Raises `UsageError` when it cannot be written."""
    write_page(path, render_judge_report(comparison, sets))


def render_judge_report(comparison: JudgeComparison, sets: Sequence[str]) -> str:
    """Renders the report as HTML: no script, no network; names of judges and sets are escaped."""
    view = {
        "comparison": comparison,
        "sets": sets,
        "judges": judge_table(comparison),
        "panels": panel_table(comparison),
        "pairs": pair_table(comparison),
        "decision": variant_sentences(comparison.decision, comparison.judges[0].judge),
        "sentence": comparison.advice[:1].upper() + comparison.advice[1:],
    }
    return render_page(__package__, "judges.html", view, style=_STYLE)
