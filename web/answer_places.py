"""Where the sentences and claims of an answer stand in it."""

import re

from ..presentation.rendered_markdown import VisibleText, read_visible_text
from ..text.quotes import find_quote

_MOST_WORDS = 80  # of a text that is looked for word by word
_BETWEEN = r"[\W_]{1,20}"  # between two words
_WORD = re.compile(r"[^\W_]+")


def find_place(text: str, answer: str, seen: VisibleText, begin: int = 0) -> tuple[int, int] | None:
    """Returns where a sentence or a claim stands in the answer that it comes from.

    Returns:
        The first character and the one after the last, or None.

    Example:
        >>> from assay.presentation.rendered_markdown import read_visible_text
        >>> answer = "Press [**Save**](https://example.org) now."
        >>> find_place("Press Save now.", answer, read_visible_text(answer))
        (0, 42)
        >>> row = "|plan|price|\\n|-|-|\\n|Basic|5 euros|"
        >>> find_place("plan: Basic; price: 5 euros", row, read_visible_text(row))
        (20, 33)
    """
    texts = dict.fromkeys((text, read_visible_text(text).text)) if "](" in text else (text,)
    for first in dict.fromkeys((begin, 0)):
        for form in texts:
            if (words := _WORD.findall(form)) and (place := _search(form, words, answer, seen, first)):
                return place
    return None


def _search(text: str, words: list[str], answer: str, seen: VisibleText, begin: int) -> tuple[int, int] | None:
    if (start := answer.find(text, begin)) >= 0:
        return start, start + len(text)
    first, span = seen.begin(begin), None
    text = text.strip()
    if (start := seen.text.find(text, first)) >= 0:
        span = start, start + len(text)
    elif 2 <= len(words) <= _MOST_WORDS:
        pattern = re.compile(_BETWEEN.join(words) + r"[.!?*]*", re.IGNORECASE)
        span = match.span() if (match := pattern.search(seen.text, first)) else None
    if span is None and (line := _line_pattern(text).search(seen.text, first)):
        span = line.span()
    if span is None and begin == 0 and (quote := find_quote(text, (seen.text,))):
        span = quote.start, quote.end
    return seen.span(*span) if span else None


def _line_pattern(text: str) -> re.Pattern[str]:
    """Matches whole lines that a text puts in words: "Pay by: card" of an item, "plan: Basic; price: 5" of a row."""
    values = (part.partition(": ")[2] or part for part in text.split("; "))
    words = [word for value in values for word in _WORD.findall(value)][:_MOST_WORDS]
    joined = _BETWEEN.join(words)
    return re.compile(rf"(?m)^[^\w\n]*{joined}[^\w\n]*$" if words else r"(?!)", re.IGNORECASE)
