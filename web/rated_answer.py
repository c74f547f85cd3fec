"""An answer on the rating page, with sentences that can be marked as wrong; where sentences and claims stand in it."""

import re
from dataclasses import dataclass

from markupsafe import Markup

from ..languages import language_or_fallback
from ..presentation.rendered_markdown import RenderedText, TextMark, VisibleText, read_visible_text, render_markdown
from ..presentation.texts import LONGEST_TEXT, make_readable
from ..text.sentences import sentences
from ..text.text_matching import find_quote

_OPENING = Markup('<label class="sentence"><input type="checkbox" name="wrong" value="{}"><span>')
_MOST_MISSES = 200  # sentences that do not stand in the answer: after so many the others are not looked for
_CLOSING = Markup("</span></label>")
_MOST_WORDS = 80  # of a text that is looked for word by word
_BETWEEN = r"[\W_]{1,20}"  # between two words
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """An answer whose sentences can be marked one by one."""

    sentences: tuple[str, ...]  # its sentences; the number of each is its value in the form
    text: RenderedText  # the answer, each sentence with a box
    # the boxes of the sentences that do not stand in it as they are, such as a table's row with its header
    apart: tuple[Markup, ...]


def split_answer(response: str, language: str | None) -> tuple[str, ...]:
    """Returns the sentences of the first `LONGEST_TEXT` characters of an answer."""
    return tuple(sentences(response[:LONGEST_TEXT], language_or_fallback(language)))


def render_answer(response: str, language: str | None, prefix: str = "") -> RatedAnswer:
    """Returns an answer as the rating page shows it."""
    split, seen = split_answer(response, language), read_visible_text(response)
    marks, without, end = dict[int, TextMark](), list[int](), 0
    for number, sentence in enumerate(split):
        place = find_place(sentence, response, seen, end) if len(without) < _MOST_MISSES else None
        if place:
            marks[number] = TextMark(*place, _OPENING.format(f"{prefix}{number}"), _CLOSING)
            end = max(end, place[1])
        else:
            without.append(number)
    text = render_markdown(response, list(marks.values()))
    unplaced = set(text.unplaced)
    without += [number for number, mark in marks.items() if mark in unplaced]
    apart = (
        _OPENING.format(f"{prefix}{number}") + make_readable(split[number]) + _CLOSING for number in sorted(without)
    )
    return RatedAnswer(split, text, tuple(apart))


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
