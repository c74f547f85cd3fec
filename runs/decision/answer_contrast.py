"""Answers of several versions to one question, side by side, with what differs marked."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...eval_sets import Sample
from ...eval_sets.conversation import is_turn, listed_question
from ...presentation.rendered_markdown import LONGEST_MARKDOWN, RenderedText, TextMark, render_markdown

_LONGEST_DIFF = 4000  # characters of a text that is compared word by word
_TAGS = {"-": "del", "+": "ins"}
_PART = re.compile(r"\s+|[^\W_]+|.")


class NamedAnswer(NamedTuple):
    """An answer, with the name of the version that gave it."""

    name: str
    sample: Sample  # the answer, or conversation
    link: str = ""  # where its own page is; "" without one
    facts: tuple[str, ...] = ()  # what is known of it, in words, such as its rating


@dataclass(frozen=True, slots=True)
class AnswerContrast:
    """The answers of versions to one question; of whole conversations all that the chatbot said."""

    question: str  # the question; of a conversation the first
    answers: tuple[NamedAnswer, ...]
    texts: tuple[RenderedText, ...]  # of each answer; one alone where all are the same

    @property
    def is_same(self) -> bool:
        """Whether all versions gave the same answer."""
        return len(self.texts) == 1

    @property
    def is_of_conversations(self) -> bool:
        """Whether one is a whole conversation."""
        return any(answer.sample.messages and not is_turn(answer.sample) for answer in self.answers)

    @property
    def has_unseen_changes(self) -> bool:
        """Whether some of what changed is in Markdown's marks, which are not shown."""
        return any(text.unplaced for text in self.texts)


def contrast_answers(answers: Sequence[NamedAnswer]) -> AnswerContrast:
    """Puts answers to one question side by side.

    Of two answers each has the words marked that the other does not have; of more, each but the first has those marked
    that the first does not have.
    """
    question, samples = listed_question(answers[-1].sample), [answer.sample for answer in answers]
    said = [_text_of(sample) for sample in samples]
    if all(sample.has_same_texts(samples[0]) for sample in samples[1:]):
        return AnswerContrast(question, tuple(answers), (render_markdown(said[-1], length=LONGEST_MARKDOWN),))
    texts = [render_difference(said[0], text) for text in said[1:]]
    first = texts[0][0] if len(texts) == 1 else render_markdown(said[0], length=LONGEST_MARKDOWN)
    return AnswerContrast(question, tuple(answers), (first, *(second for _, second in texts)))


def _text_of(sample: Sample) -> str:
    """What the chatbot wrote: the answer, and of a whole conversation all of them."""
    if not sample.messages or is_turn(sample):
        return sample.response
    return "\n\n".join(message.text for message in sample.messages if message.is_answer)


def render_difference(before: str, after: str) -> tuple[RenderedText, RenderedText]:
    """Renders the Markdown of two versions of a text; `<del>` is only in the first, `<ins>` only in the second."""
    removed, added = word_difference(before, after)
    return _render_parts(removed), _render_parts(added)


def _render_parts(parts: tuple[tuple[str, str], ...]) -> RenderedText:
    from markupsafe import Markup

    marks, start = list[TextMark](), 0
    for sign, text in parts:
        if tag := _TAGS.get(sign):
            marks.append(TextMark(start, start + len(text), Markup(f"<{tag}>"), Markup(f"</{tag}>")))
        start += len(text)
    return render_markdown("".join(text for _, text in parts), marks, length=LONGEST_MARKDOWN)


def word_difference(before: str, after: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Two texts cut into parts: `=` what both have, `-` what only the first has, `+` what only the second has.

    Long texts are not compared: each is one part.

    Example:
        >>> word_difference("Press OK.", "Press Save.")
        ((('=', 'Press '), ('-', 'OK'), ('=', '.')), (('=', 'Press '), ('+', 'Save'), ('=', '.')))
    """
    if before == after:
        return (("=", before),), (("=", after),)
    if max(len(before), len(after)) > _LONGEST_DIFF:
        return (("-", before),), (("+", after),)
    first, second = _PART.findall(before), _PART.findall(after)
    removed, added = [], []
    for tag, start, end, other_start, other_end in difflib.SequenceMatcher(None, first, second, False).get_opcodes():
        sign = "=" if tag == "equal" else ""
        if start < end:
            removed.append((sign or "-", "".join(first[start:end])))
        if other_start < other_end:
            added.append((sign or "+", "".join(second[other_start:other_end])))
    return tuple(removed), tuple(added)
