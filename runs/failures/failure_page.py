"""Groups of bad answers as one HTML file, and what other pages show of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...presentation.page import render_page, write_page
from ...text.wording import Phrase
from .failure_blocks import describe_example, failure_notes, failure_sentences, group_table
from .failure_groups import FailureGroup, Failures

PACKAGE = __package__
"""Its folder `templates` has the part of a page with the groups."""

MOST_LISTED = 200
"""So many answers of a group are listed on a page."""


def write_failure_report(path: Path, failures: Failures, about: Phrase | None = None) -> None:
    """Writes the groups to a file; `about` says of what. Raises `InputError` when it cannot be written."""
    write_page(path, render_failure_report(failures, about))


def render_failure_report(failures: Failures, about: Phrase | None = None) -> str:
    """Renders the groups as HTML: no script, no network; names, questions and reasons are escaped."""
    return render_page(__package__, "failures.html", {"view": view_failures(failures), "about": about})


def view_failures(failures: Failures, answer_url: Callable[[str], str] = lambda _: "") -> dict[str, Any]:
    """Returns what a page shows of the groups, by the names that the templates know.

    Args:
        failures: The groups.
        answer_url: The address of an answer by its id; "" where a page cannot link to it.
    """
    listed = failures.listed
    anchors = {id(group): f"why-{number}" for number, group in enumerate(listed, 1)}

    def link(group: FailureGroup) -> str:
        return f"#{anchors[id(group)]}"

    return {
        "failures": failures,
        "failure_sentences": failure_sentences(failures),
        "failure_notes": failure_notes(failures),
        "failure_table": group_table(failures, link) if listed else None,
        "failure_groups": [(anchors[id(group)], group, group.answers[:MOST_LISTED]) for group in listed],
        "answer_url": answer_url,
        "describe_example": describe_example,
    }
