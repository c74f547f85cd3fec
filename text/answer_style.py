"""The style of an answer: how long it is, and how much of it is lists, bold and headings."""

import math
from dataclasses import astuple, dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

STYLES = ("length", "lists", "bold", "headings")
_LONGEST = 20_000  # characters whose marks are counted: Markdown is parsed in more than linear time


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """What an answer looks like.

    Attributes:
        words: Its words.
        list_items: Items of lists.
        bold: Stretches in bold.
        headings: Headings.
    """

    words: int
    list_items: int
    bold: int
    headings: int

    @property
    def logarithms(self) -> dict[str, float]:
        """The logarithm of each count and 1, by the names in `STYLES`: the first item of a list changes most."""
        return dict(zip(STYLES, (math.log1p(count) for count in astuple(self)), strict=True))


def measure_style(answer: str) -> AnswerStyle:
    """Counts words, and as Markdown has them list items, bold stretches and headings.

    Args:
        answer: The text.

    Example:
        >>> measure_style("# Steps\\n\\n1. Open **Settings**.\\n2. Save.")
        AnswerStyle(words=7, list_items=2, bold=1, headings=1)
    """
    tokens = _parser().parse(answer[:_LONGEST])
    kinds = [inner.type for token in tokens for inner in (token, *(token.children or ()))]
    return AnswerStyle(
        len(answer.split()), kinds.count("list_item_open"), kinds.count("strong_open"), kinds.count("heading_open")
    )


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 20})
