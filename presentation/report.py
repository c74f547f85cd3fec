"""A report: blocks below headings, which a terminal and a page both draw."""

from dataclasses import dataclass
from pathlib import Path

from ..text.wording import Phrase
from .page import PACKAGE, render_page, write_page
from .result_table import ReportBlock


@dataclass(frozen=True, slots=True)
class Report:
    """What a command tells: a terminal prints the blocks, a page has the rest too."""

    kind: str  # what the page is
    title: str  # its heading
    lead: str  # what a reader should know first
    about: Phrase  # of what it is, and its day
    blocks: tuple[ReportBlock, ...]

    def render(self) -> str:
        """The report as HTML: no script, no network; names and reasons are escaped."""
        return render_page(PACKAGE, "report.html", {"report": self}, style="section p { overflow-wrap: anywhere; }")

    def write(self, path: Path) -> None:
        """Writes the report as an HTML file. Raises `InputError` when it cannot be written."""
        write_page(path, self.render())
