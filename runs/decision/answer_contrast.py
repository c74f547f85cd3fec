"""Answers of several versions to one question, side by side, with what differs marked."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from ...eval_sets import Sample
from ...eval_sets.conversation import listed_question
from ...eval_sets.message import Message
from ...presentation.rendered_markdown import LONGEST_MARKDOWN, RenderedText, TextMark, render_markdown

_MOST_CHANGED_TURNS = 3  # of one conversation
_LONGEST_TURN = 2000  # characters of each
_MOST_ALIGNED = 300  # messages; later ones are not compared
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
class ContrastColumn:
    """One text beside others."""

    heading: str
    text: RenderedText
    link: str = ""  # where it leads; "" for nowhere
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerContrast:
    """The answers of versions to one question."""

    question: str  # the question; of a conversation the first
    answers: tuple[NamedAnswer, ...]
    # the texts side by side. Of two conversations one row per message that differs.
    rows: tuple[tuple[ContrastColumn, ...], ...]
    messages: int = 0  # how many messages differ between two conversations; 0 where these are none
    is_same: bool = False  # whether all texts are the same; then there is one row with one text

    @property
    def is_of_conversations(self) -> bool:
        """Whether an answer is one in a conversation."""
        return any(answer.sample.messages for answer in self.answers)

    @property
    def has_unseen_changes(self) -> bool:
        """Whether some of what changed is in Markdown's marks, which are not shown."""
        return any(column.text.unplaced for row in self.rows for column in row)


def contrast_answers(answers: Sequence[NamedAnswer]) -> AnswerContrast:
    """Puts answers to one question side by side.

    Of two answers each has the words marked that the other does not have; of more, each but the first has those marked
    that the first does not have. Of two conversations the messages that differ are shown; of more, the answers under
    test.
    """
    question, samples = listed_question(answers[-1].sample), [answer.sample for answer in answers]
    if all(sample.has_same_texts(samples[0]) for sample in samples[1:]):
        column = ContrastColumn("", render_markdown(samples[-1].response, length=LONGEST_MARKDOWN))
        return AnswerContrast(question, tuple(answers), ((column,),), is_same=True)
    if len(answers) == 2 and any(sample.messages for sample in samples):
        rows, messages = _changed_turns(*answers)
        return AnswerContrast(question, tuple(answers), rows, messages)
    texts = [render_difference(samples[0].response, sample.response) for sample in samples[1:]]
    first = texts[0][0] if len(texts) == 1 else render_markdown(samples[0].response, length=LONGEST_MARKDOWN)
    row = tuple(
        ContrastColumn(answer.name, text, answer.link, answer.facts)
        for answer, text in zip(answers, (first, *(second for _, second in texts)), strict=True)
    )
    return AnswerContrast(question, tuple(answers), (row,))


def _changed_turns(
    before: NamedAnswer, after: NamedAnswer
) -> tuple[tuple[tuple[ContrastColumn, ContrastColumn], ...], int]:
    """The first messages that differ between two conversations, side by side, and how many differ."""
    texts_a, texts_b = (
        [_message_text(message) for message in one.sample.messages[:_MOST_ALIGNED]] for one in (before, after)
    )
    pairs: list[tuple[int | None, int | None]] = []
    for tag, start_a, end_a, start, end in difflib.SequenceMatcher(None, texts_a, texts_b, False).get_opcodes():
        if tag != "equal":
            pairs += zip_longest(range(start_a, end_a), range(start, end))
    rows = []
    for turn_a, turn in pairs[:_MOST_CHANGED_TURNS]:
        first, second = render_difference(
            "" if turn_a is None else texts_a[turn_a][:_LONGEST_TURN],
            "" if turn is None else texts_b[turn][:_LONGEST_TURN],
        )
        column_a = ContrastColumn(_turn_heading(before.name, turn_a), first)
        rows.append((column_a, ContrastColumn(_turn_heading(after.name, turn), second)))
    return tuple(rows), len(pairs)


def _turn_heading(name: str, turn: int | None) -> str:
    return f"not in {name}" if turn is None else f"{name}, turn {turn}"


def _message_text(message: Message) -> str:
    """A message in words: its text, and the tools that it calls."""
    calls = (f"{call.function.name} {call.function.arguments}" for call in message.tool_calls)
    return "\n".join(filter(None, (message.text, *calls)))


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
