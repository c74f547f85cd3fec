"""The messages of a conversation as a page shows them: who speaks, with tools and policy folded, in bounded size."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from ..eval_sets import Sample
from ..eval_sets.message import Message, tool_names
from ..eval_sets.turns import is_turn
from ..languages import Language, language_or_fallback
from ..presentation.rendered_markdown import RenderedText, render_markdown
from ..presentation.texts import format_time, make_readable, shorten
from ..presentation.wording import format_rating
from .rated_answer import RatedAnswer
from .turn_notes import TurnNote

MOST_TURNS = 300
"""The most messages on one page; the others stand on pages before and after it."""
_CUTS = (20_000, 5_000, 2_000, 1_000, 200)  # characters of one text; the greatest with which all of them fit is taken
_MOST_TOOL_CHARACTERS = 5_000
_LONGEST_PARSED = 100_000  # characters of JSON that is written readably
_MOST_PARTS = 20  # tool calls, contexts or notes of one message
_LONGEST_NAME = 120
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", re.ASCII)

Kind = Literal["customer", "assistant", "tool", "policy", "system"]
_KINDS: dict[str, Kind] = {"user": "customer", "assistant": "assistant", "tool": "tool", "system": "system"}
RenderAnswer = Callable[[int, str], RatedAnswer | None]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text that is shown on demand."""

    title: str
    text: str
    left_out: int = 0  # how many characters are not shown
    is_markup: bool = False


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message."""

    turn: int  # its place in the conversation, counted from 0
    kind: Kind
    speaker: str
    time: str
    text: RenderedText | None  # the text; None where it is folded, or there is none
    apart: tuple[Markup, ...]  # boxes of the sentences that do not stand in the text as they are
    left_out: int  # how many characters of the text are not shown
    folded: tuple[FoldedText, ...]  # the calls of tools, the result of one, the policy, contexts
    more_folded: int  # how many of these are not shown
    other_parts: int  # how many parts are no text, which are not shown
    is_tested: bool
    rating: str  # its rating on the sample's scale; empty without one, and where raters are blind
    notes: tuple[TurnNote, ...]
    more_notes: int  # how many of these are not shown


@dataclass(frozen=True, slots=True)
class ThreadView:
    """The messages of a conversation on a page."""

    messages: tuple[MessageView, ...]  # those of this page, in their order
    last: int
    earlier: int | None  # the turn to ask for to see the page before; None on the first
    later: int | None  # the turn to ask for to see the page after; None on the last

    @property
    def is_whole(self) -> bool:
        """Whether no answer in it is marked as the one under test."""
        return not any(message.is_tested for message in self.messages)

    @property
    def is_part(self) -> bool:
        """Whether there are messages on other pages."""
        return self.earlier is not None or self.later is not None


def find_tested_turn(sample: Sample) -> int | None:
    """Finds the place of the answer under test among the messages; None for a sample without messages."""
    turn = sample.metadata.get("turn") if is_turn(sample) else None
    is_there = isinstance(turn, int) and 0 <= turn < len(sample.messages) and sample.messages[turn].is_answer
    return turn if is_there else sample.turn


def view_thread(
    sample: Sample,
    language: Language,
    *,
    tested: int | None,
    around: int | None = None,
    answer: RenderedText | None = None,
    render: RenderAnswer | None = None,
    notes: Mapping[int, Sequence[TurnNote]] | None = None,
    has_ratings: bool = False,
    most_characters: int = 300_000,
) -> ThreadView:
    """A conversation as a page shows it.

    A conversation of more than 300 messages stands on several pages. All texts of a page together have a bound: long
    texts are cut, and each says how many of its characters are not shown.
    """
    messages = sample.messages
    first, end = _page(len(messages), (tested or 0) if around is None else around)
    shown = messages[first:end]
    texts = [text for message in shown for text in _texts(message)]
    cut = next((cut for cut in _CUTS if _total(texts, cut) <= most_characters), _CUTS[-1])
    maker = _MessageMaker(language, cut, tool_names(messages), _find_policy(messages))
    views = []
    for turn, message in enumerate(shown, first):
        is_tested = turn == tested
        boxes = render if message.is_answer and (is_tested or len(message.text) <= cut) else None
        views.append(
            maker.make(
                turn,
                message,
                is_tested=is_tested,
                rated=boxes(turn, message.text) if boxes else None,
                text=answer if is_tested else None,
                rating=_rating_of(sample, message) if has_ratings else "",
                notes=(notes or {}).get(turn, ()),
            )
        )
    return ThreadView(
        tuple(views), len(messages) - 1, first - 1 if first > 0 else None, end if end < len(messages) else None
    )


def _page(count: int, turn: int) -> tuple[int, int]:
    """The first message of the page with a turn, and the one after its last."""
    first = min(max(turn, 0), max(count - 1, 0)) // MOST_TURNS * MOST_TURNS
    return first, min(first + MOST_TURNS, count)


def _texts(message: Message) -> list[str]:
    calls = [call.function.arguments for call in message.tool_calls[:_MOST_PARTS]]
    return [message.text, *calls, *message.retrieved_contexts[:_MOST_PARTS]]


def _total(texts: Sequence[str], cut: int) -> int:
    return sum(min(len(text), cut) for text in texts)


def _find_policy(messages: Sequence[Message]) -> int | None:
    return next((place for place, message in enumerate(messages) if message.role == "system"), None)


@dataclass(frozen=True, slots=True)
class _MessageMaker:
    """Makes the views of one page's messages."""

    language: Language
    cut: int
    tools: Mapping[int, str]  # the tools of which messages are results, by their places
    policy: int | None

    def make(
        self,
        turn: int,
        message: Message,
        *,
        is_tested: bool,
        rated: RatedAnswer | None,
        text: RenderedText | None,
        rating: str,
        notes: Sequence[TurnNote],
    ) -> MessageView:
        """The view of one message."""
        kind: Kind = "policy" if turn == self.policy else _KINDS[message.role]
        is_folded = kind in ("tool", "policy", "system")
        left_out = 0
        if text is None and rated is not None:
            text = rated.text
        elif text is None and not is_folded and message.text.strip():
            text, left_out = render_markdown(message.text[: self.cut]), max(0, len(message.text) - self.cut)
        speaker = self._speaker(kind, message, turn)
        folded = self._folded(kind, message, speaker)
        more = max(0, len(message.tool_calls) - _MOST_PARTS) + max(0, len(message.retrieved_contexts) - _MOST_PARTS)
        return MessageView(
            turn,
            kind,
            speaker,
            _time_of(message),
            text,
            rated.apart if rated else (),
            left_out,
            tuple(folded),
            more,
            _count_other_parts(message),
            is_tested,
            rating,
            tuple(notes[:_MOST_PARTS]),
            max(0, len(notes) - _MOST_PARTS),
        )

    def _speaker(self, kind: Kind, message: Message, turn: int) -> str:
        statements = language_or_fallback(self.language.code, "statements").statements
        words = self.language.rating_page
        names = {"customer": statements.customer, "assistant": statements.assistant, "policy": words.policy}
        if kind == "tool":
            return statements.tool_result.format(tool=shorten(self.tools[turn], _LONGEST_NAME))
        name = names.get(kind, words.system)
        return f"{name}: {shorten(message.name, _LONGEST_NAME)}" if message.name else name

    def _folded(self, kind: Kind, message: Message, speaker: str) -> list[FoldedText]:
        words = self.language.rating_page
        statements = language_or_fallback(self.language.code, "statements").statements
        folded = []
        if kind == "tool":
            folded.append(self._data(speaker, message.text))
        elif kind in ("policy", "system"):
            folded.append(self._prose(speaker, message.text))
        for call in message.tool_calls[:_MOST_PARTS]:
            title = statements.tool_call.format(tool=shorten(call.function.name, _LONGEST_NAME))
            folded.append(self._data(title, call.function.arguments))
        folded += [self._prose(words.contexts, context) for context in message.retrieved_contexts[:_MOST_PARTS]]
        return folded

    def _data(self, title: str, text: str) -> FoldedText:
        """The arguments of a call or the result of one."""
        shown, cut = write_json_in_lines(text), min(self.cut, _MOST_TOOL_CHARACTERS)
        return FoldedText(title, make_readable(shown[:cut]), max(0, len(shown) - cut))

    def _prose(self, title: str, text: str) -> FoldedText:
        return FoldedText(title, text[: self.cut], max(0, len(text) - self.cut), is_markup=True)


def _rating_of(sample: Sample, message: Message) -> str:
    return "" if message.rating is None else format_rating(message.rating, sample.rating_min, sample.rating_max)


def _time_of(message: Message) -> str:
    time = message.time or ""
    return format_time(time) if _ISO_TIME.match(time) else shorten(time, _LONGEST_NAME)


def _count_other_parts(message: Message) -> int:
    """How many parts of a message's content are no text; the reader keeps them beside it."""
    parts = (message.model_extra or {}).get("content_parts")
    if not isinstance(parts, list):
        return 0
    return sum(not isinstance(part, str) and not (isinstance(part, Mapping) and "text" in part) for part in parts)


def write_json_in_lines(text: str) -> str:
    """Writes a JSON object or list with a line for each value; any other text as it is.

    So is JSON of which something would be lost: a name that stands twice, a number beyond all numbers.

    Examples:
        >>> print(write_json_in_lines('{"city": "K\\\\u00f6ln", "nights": 2}'))
        {
          "city": "Köln",
          "nights": 2
        }
        >>> write_json_in_lines('{"a": 1, "a": 2}'), write_json_in_lines("It is sunny.")
        ('{"a": 1, "a": 2}', 'It is sunny.')
    """
    if len(text) > _LONGEST_PARSED or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text, object_pairs_hook=_once)
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) if value else text
    except (ValueError, RecursionError):
        return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name stands twice")
    return values
