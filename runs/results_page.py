"""Results as HTML: a table for a notebook's cell, and a page in a file. Every text in them is escaped."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..html.page import render_page, template_environment, write_page
from ..metrics.specification import BASELINES

if TYPE_CHECKING:
    from .results import Results
    from .sample_audit import Audit

_PACKAGE = __package__
_SHOWN = 5  # answers in a notebook's cell


def results_html(results: "Results") -> str:
    """Returns the figures and the worst answers, for a notebook's cell."""
    metric = results.best_metric
    worst = results.worst(_SHOWN) if metric else None
    view = {"results": results, "metric": metric, "worst": worst, "baselines": BASELINES}
    return template_environment(_PACKAGE).get_template("results_cell.html").render(view)


def audit_html(audit: "Audit") -> str:
    """Returns how one sample came by its scores, for a notebook's cell."""
    return template_environment(_PACKAGE).get_template("audit_cell.html").render(text=str(audit))


def write_results_page(results: "Results", path: Path) -> None:
    """Writes all results as one page: the figures, then every answer with its evidence, the worst first.

    Raises:
        InputError: The file cannot be written.
    """
    metric = results.best_metric
    ordered = [*results.worst(len(results.samples)).samples] if metric else []
    ids = [*ordered, *(sample for sample in results.samples if sample not in set(ordered))]
    view = {"results": results, "metric": metric, "ids": ids, "baselines": BASELINES}
    write_page(path, render_page(_PACKAGE, "results_page.html", view))
