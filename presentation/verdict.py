"""A verdict: what a report says first, in at most four short lines that need no knowledge of statistics."""

from dataclasses import dataclass

from .result_table import Paragraph
from .texts import one_line

MOST_LINES = 4
LONGEST_LINE = 90
"""Characters of what a line says, beside what it is about."""
_ABOUT = 16  # characters of the longest word at its start


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report says first, the same in the terminal, on pages, in files and in JSON.

    A line that a name makes too long is cut.

    Raises:
        ValueError: There are more lines than a reader takes in.
    """

    lines: tuple[tuple[str, str], ...]  # what each line is about, and what it says

    def __post_init__(self) -> None:
        if len(self.lines) > MOST_LINES:
            raise ValueError(f"a verdict has at most {MOST_LINES} lines: {self.lines}")
        short = tuple((about, one_line(says, LONGEST_LINE)) for about, says in self.lines)
        object.__setattr__(self, "lines", short)

    def __str__(self) -> str:
        """The lines, what they are about in a column of its own."""
        return "\n".join(f"{about:<{_ABOUT}}  {says}" for about, says in self.lines)

    def as_json(self) -> dict[str, str]:
        """What each line says, by what it is about."""
        return dict(self.lines)

    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The lines as parts of a block."""
        return tuple(
            Paragraph(says, "strong", label=about, label_width=_ABOUT, is_whole=True) for about, says in self.lines
        )
