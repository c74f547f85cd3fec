"""A claim in the terminal with its words marked by what each was taken for."""

from collections.abc import Sequence
from typing import Protocol

_NARROWEST = 20


class TakenWord(Protocol):
    """A part of a claim and what it was taken for; an empty role is no mark."""

    @property
    def text(self) -> str:
        """Its words in the claim."""

    @property
    def role(self) -> str:
        """What kind of thing it is; "" for no mark."""

    @property
    def meaning(self) -> str:
        """What it was taken for; "" where the role says all."""


def draw_words(words: Sequence[TakenWord], width: int) -> list[str]:
    """The lines of a picture: the claim cut to a width, and under each line its words' roles and meanings.

    Example:
        >>> from assay.metrics.numeric.parse.sentence_reading import ClaimPart
        >>> words = ("The ",), ("average", "statistic", "mean"), (" was ",), ("4 ms", "number", "4 ms")
        >>> print("\\n".join(draw_words([ClaimPart(*word) for word in words], 80)))
        The average was 4 ms
            ^^^^^^^     ^^^^
            |           number: 4 ms
            statistic: mean
    """
    lines: list[str] = []
    row: list[tuple[int, TakenWord, str]] = []
    text = ""
    for word in words:
        shown = " ".join(word.text.split("\n"))
        if text and len(text) + len(shown) > max(width, _NARROWEST):
            lines += _row(text, row)
            row, text = [], ""
            shown = shown.lstrip()
        if word.role and shown.strip():
            row.append((len(text), word, shown))
        text += shown
    return [*lines, *(_row(text, row) if text.strip() else [])]


def _row(text: str, row: Sequence[tuple[int, TakenWord, str]]) -> list[str]:
    """One line of a claim, a line that underlines its words, and one label per word, the last word's first."""
    lines = [text.rstrip()]
    if row:
        lines.append(_placed([(start, "^" * len(shown)) for start, _, shown in row]))
    for place in range(len(row) - 1, -1, -1):
        start, word, _ = row[place]
        label = f"{word.role}: {word.meaning}" if word.meaning else word.role
        lines.append(_placed([*((before, "|") for before, _, _ in row[:place]), (start, label)]))
    return lines


def _placed(pieces: Sequence[tuple[int, str]]) -> str:
    line = ""
    for start, piece in pieces:
        line = line.ljust(start) + piece
    return line
