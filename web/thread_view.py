"""The messages of a conversation as a page shows them: who speaks, with tools and policy folded, in bounded size."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..eval_sets import Sample
from ..eval_sets.conversation import is_turn
from ..eval_sets.message import Message, tool_names
from ..languages import Language, language_or_fallback
from ..presentation.figure import format_rating
from ..presentation.rendered_markdown import RenderedText, render_markdown
from ..presentation.texts import format_time, make_readable, shorten
from .answer_view import RatedAnswer

_CUT = 20_000  # characters of one text
_MOST_TOOL_CHARACTERS = 5_000
_LONGEST_PARSED = 100_000  # characters of JSON that is written readably
_MOST_PARTS = 20  # tool calls or contexts of one message
_LONGEST_NAME = 120
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", re.ASCII)

_KINDS = {"user": "customer", "assistant": "assistant", "tool": "tool", "system": "system"}
ThreadView = list[dict[str, Any]]
"""The messages of a conversation on a page, in their order."""
RenderAnswer = Callable[[int, str], RatedAnswer | None]


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
    answer: RenderedText | None = None,
    render: RenderAnswer | None = None,
    scores: Mapping[int, tuple[str, str]] | None = None,
    has_ratings: bool = False,
    cut: int = _CUT,
) -> ThreadView:
    """A conversation as a page shows it.

    Long texts are cut, and each says how many of its characters are not shown.
    """
    messages = sample.messages
    policy = next((place for place, message in enumerate(messages) if message.role == "system"), None)
    tools = tool_names(messages)
    views = []
    for turn, message in enumerate(messages):
        is_tested = turn == tested
        kind = "policy" if turn == policy else _KINDS[message.role]
        has_boxes = render is not None and message.is_answer and (is_tested or len(message.text) <= cut)
        rated = render(turn, message.text) if render is not None and has_boxes else None
        text, left_out = answer if is_tested else None, 0
        if text is None and rated is not None:
            text = rated.text
        elif text is None and kind in ("customer", "assistant") and message.text.strip():
            text, left_out = render_markdown(message.text[:cut]), max(0, len(message.text) - cut)
        speaker = _name_speaker(kind, message, language, tools.get(turn, ""))
        folded = _fold_texts(kind, message, speaker, language, cut)
        parts = (message.tool_calls, message.retrieved_contexts)
        view = {
            "turn": turn,
            "kind": kind,
            "speaker": speaker,
            "time": _time_of(message),
            "text": text,  # None where it is folded, or there is none
            "apart": rated.apart if rated else (),  # boxes of the sentences that do not stand in the text as they are
            "left_out": left_out,  # how many characters of the text are not shown
            "folded": folded,  # the calls of tools, the result of one, the policy, contexts
            "more_folded": sum(max(0, len(part) - _MOST_PARTS) for part in parts),
            "other_parts": _count_other_parts(message),
            "is_tested": is_tested,
            "rating": _rating_of(sample, message) if has_ratings else "",
            "scores": (scores or {}).get(turn),  # what this turn scored by itself, and its page
        }
        views.append(view)
    return views


def _name_speaker(kind: str, message: Message, language: Language, tool: str) -> str:
    statements = language_or_fallback(language.code, "statements").statements
    words = language.rating_page
    if kind == "tool":
        return statements.tool_result.format(tool=shorten(tool, _LONGEST_NAME))
    names = {"customer": statements.customer, "assistant": statements.assistant, "policy": words.policy}
    name = names.get(kind, words.system)
    return f"{name}: {shorten(message.name, _LONGEST_NAME)}" if message.name else name


def _fold_texts(kind: str, message: Message, speaker: str, language: Language, cut: int) -> list[dict[str, Any]]:
    """The texts of a message that are shown on demand."""
    statements = language_or_fallback(language.code, "statements").statements
    folded = []
    if kind == "tool":
        folded.append(_fold_data(speaker, message.text, cut))
    elif kind in ("policy", "system"):
        folded.append(_fold_prose(speaker, message.text, cut))
    for call in message.tool_calls[:_MOST_PARTS]:
        title = statements.tool_call.format(tool=shorten(call.function.name, _LONGEST_NAME))
        folded.append(_fold_data(title, call.function.arguments, cut))
    title = language.rating_page.contexts
    return folded + [_fold_prose(title, context, cut) for context in message.retrieved_contexts[:_MOST_PARTS]]


def _fold_data(title: str, text: str, cut: int) -> dict[str, Any]:
    """The arguments of a call or the result of one."""
    shown, cut = write_json_in_lines(text), min(cut, _MOST_TOOL_CHARACTERS)
    left_out = max(0, len(shown) - cut)
    return {"title": title, "text": make_readable(shown[:cut]), "left_out": left_out, "is_markup": False}


def _fold_prose(title: str, text: str, cut: int) -> dict[str, Any]:
    return {"title": title, "text": text[:cut], "left_out": max(0, len(text) - cut), "is_markup": True}


def _rating_of(sample: Sample, message: Message) -> str:
    rating = message.human_rating
    return "" if rating is None else format_rating(rating, sample.rating_min, sample.rating_max)


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

    Examples:
        >>> print(write_json_in_lines('{"city": "K\\\\u00f6ln", "nights": 2}'))
        {
          "city": "Köln",
          "nights": 2
        }
        >>> write_json_in_lines("It is sunny.")
        'It is sunny.'
    """
    if len(text) > _LONGEST_PARSED or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text)
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) if value else text
    except (ValueError, RecursionError):
        return text
