"""An answer on the rating page: rendered, with sentences that can be marked as wrong."""

from dataclasses import dataclass

from markupsafe import Markup

from ..languages import language_or_fallback
from ..presentation.rendered_markdown import RenderedText, TextMark, read_visible_text, render_markdown
from ..presentation.texts import LONGEST_TEXT, make_readable
from ..text.sentences import sentences
from .answer_places import find_place

_OPENING = Markup('<label class="sentence"><input type="checkbox" name="wrong" value="{}"><span>')
_MOST_MISSES = 200  # sentences that do not stand in the answer: after so many the others are not looked for
_CLOSING = Markup("</span></label>")


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
