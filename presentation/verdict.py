"""A verdict: what a report says first, in at most four short lines that need no knowledge of statistics."""

from dataclasses import dataclass

from ..text.wording import Phrase, phrase, reader_language
from .result_table import Paragraph
from .texts import one_line

MOST_LINES = 4
LONGEST_LINE = 90
"""Characters of what a line says, beside what it is about."""
_ABOUT = 16  # characters of the longest word at its start


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report says first, the same in the terminal, on pages, in files and in JSON.

    Raises:
        ValueError: There are more lines than a reader takes in.
    """

    # what each line is about, as `verdict.yaml` calls it; what it says, and what it says where that has no room
    statements: tuple[tuple[str, *tuple[Phrase, ...]], ...]

    def __post_init__(self) -> None:
        if len(self.statements) > MOST_LINES:
            raise ValueError(f"a verdict has at most {MOST_LINES} lines: {self.statements}")

    def __str__(self) -> str:
        """The lines in the reader's language, what they are about in a column of its own."""
        return "\n".join(f"{about:<{_ABOUT}}  {says}" for about, says in self.lines(reader_language()))

    def lines(self, language: str | None = None) -> list[tuple[str, str]]:
        """What each line is about, and what it says: the first text that has room, else the last, whole."""
        return [
            (phrase(f"about_{about}").write(language), _fit([one.write(language) for one in says]))
            for about, *says in self.statements
        ]

    def as_json(self) -> dict[str, str]:
        """What each line says, by what it is about; in English, whoever reads."""
        return dict(self.lines())

    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The lines as parts of a block, in the reader's language."""
        return tuple(
            Paragraph(says, "strong", label=about, label_width=_ABOUT, is_whole=len(says) <= LONGEST_LINE)
            for about, says in self.lines(reader_language())
        )


def _fit(texts: list[str]) -> str:
    return one_line(next((text for text in texts if len(text) <= LONGEST_LINE), texts[-1]))
