"""The style of an answer: how long it is, and how much of it is lists, bold and headings."""

import math
import re
from dataclasses import astuple, dataclass

STYLES = ("length", "lists", "bold", "headings")

# as those who control for style in comparisons of chatbots count (as on Chatbot Arena); a parser of Markdown would find
# little else, and take minutes for the answers of a year
_CODE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\S", re.MULTILINE)
_BOLD = re.compile(r"(\*\*|__)(?=[^\s*_])[^*_\n]+\1")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)


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
    """Counts words, and what Markdown shows as list items, bold stretches and headings; none of them in code.

    Example:
        >>> measure_style("# Steps\\n\\n1. Open **Settings**.\\n2. Save.")
        AnswerStyle(words=7, list_items=2, bold=1, headings=1)
    """
    text = _CODE.sub("", answer)
    counts = (sum(1 for _ in pattern.finditer(text)) for pattern in (_LIST_ITEM, _BOLD, _HEADING))
    return AnswerStyle(len(answer.split()), *counts)
