"""The page of a judge's card and of judges compared: headings with sentences and tables below them."""

from collections.abc import Sequence

from ...presentation.page import render_page
from ...presentation.result_table import Paragraph, ResultTable
from ...text.wording import Phrase

Part = Paragraph | ResultTable
Section = tuple[str, Sequence[Part]]
"""A heading, and what stands below it."""


def render_sections(kind: str, title: str, lead: str, sections: Sequence[Section], about: Phrase) -> str:
    """Renders sections as HTML: no script, no network; names and reasons are escaped.

    Args:
        kind: What the page is.
        title: Its heading.
        lead: What a reader should know first.
        sections: The sections.
        about: Of what it is, and its day.
    """
    shown = [(heading, [(isinstance(part, Paragraph), part) for part in parts]) for heading, parts in sections]
    view = {"kind": kind, "title": title, "lead": lead, "sections": shown, "about": about}
    return render_page(__package__, "judging.html", view, style="section p { overflow-wrap: anywhere; }")
