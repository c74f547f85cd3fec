"""Parsing replies, once: the JSON of the reply itself, repaired without a model where needed; nothing is guessed."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from ..errors import ReplyError
from ..text.wording import count_of
from .probabilities import check_log_probabilities, weigh_options
from .question import PlainText, Question, RawReply

T = TypeVar("T")

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
# What may stand around the JSON of a reply: thoughts, up to where they end, and a code fence.
_BEFORE = re.compile(r"\ufeff?(?:(?!\s*[{`]).*?</think>)?\s*(?:```\w*\s*)?", re.DOTALL)
_AFTER = re.compile(r"\s*(?:```\s*)?\Z")
_BESIDE = "it says more than its JSON, of which nobody knows what it takes back; reply with the JSON alone"
# These words are sent in a second asking and so are part of its key: pydantic keeps the kinds of errors, but not their
# wording. To change them loses recordings.
_PROBLEMS = {
    "json_invalid": "is not valid JSON",
    "missing": "is missing",
    "model_type": "is not an object",
    "list_type": "is not a list",
    "string_type": "is not a text",
}
read_json = json.JSONDecoder().raw_decode
_QUOTED = re.compile(r"'[^']*'")


@dataclass(slots=True)  # made for every reply: not frozen, which takes three times as long
class ReplyObject(Generic[T]):
    """The JSON object of a reply, read."""

    value: T
    members: list[tuple[str, Any]]  # in their order; those with one name are all there
    start: int  # where it begins in the text
    twice: str  # the name of a member, at any depth, that has two values; "" for none


def parse_reply(question: Question[T], reply: RawReply) -> T:
    """Parses a reply as its transport reads it, else into the question's schema.

    Repairs a fence or thoughts around the JSON, trailing commas and NaN (read as null). A cut-off reply is not
    completed: what is missing of it is unknown. What says anything else beside its JSON is not taken.

    Raises:
        ReplyError: The reply cannot be used; says why, and keeps the text.
    """
    if reply.finish_reason == "length" and not question.options:
        raise ReplyError(
            f"it was cut off after {count_of(reply.tokens_out, 'token')} (max_tokens); be shorter", reply.text
        )
    if reply.finish_reason == "content_filter":
        raise ReplyError("the provider's content filter withheld the reply", reply.text)
    if not reply.text.strip():
        raise ReplyError("it was empty", reply.text)
    if reply.logprobs:
        check_log_probabilities(reply)
    if question.read is not None:
        return question.read(reply)
    schema: Any = question.schema
    if schema is PlainText:
        value: Any = PlainText(text=reply.text)
    elif question.options:
        value = schema(word=weigh_options(reply, question.options)[0])
    else:
        value = read_once(reply, schema.model_validate)
    return value  # type: ignore[no-any-return]


def read_once(reply: RawReply, fit: Callable[[dict[str, Any]], T]) -> T:
    """The value of a reply's object (`read_object`), in which no name has two values."""
    found = read_object(reply, fit)
    if found.twice:
        raise ReplyError(f"{found.twice} is there twice, with different values", reply.text)
    return found.value


def read_object(reply: RawReply, fit: Callable[[dict[str, Any]], T]) -> ReplyObject[T]:
    """Reads the JSON object that a reply is; anything beside it may take it back.

    Args:
        reply: The reply.
        fit: Makes the value of an object, and raises a ValueError that says why it does not fit.

    Raises:
        ReplyError: It is no object, or more, or one that does not fit, or its tokens say something else than its text.
    """
    found = _find_object(reply.text, fit)
    if reply.logprobs:
        spelled = "".join([next(iter(place)) for place in reply.logprobs])
        if reply.text not in spelled:
            try:
                said = _find_object(spelled, fit)
            except ReplyError:
                return found  # tokens in a notation of the provider's own
            if said.value != found.value:
                raise ReplyError("its text and its tokens say different things", reply.text)
    return found


def _find_object(text: str, fit: Callable[[dict[str, Any]], T]) -> ReplyObject[T]:
    """The object that a text is, but for what may stand around it."""
    start = 0
    if text[:1] != "{":  # most replies are the object alone
        start = before.end() if (before := _BEFORE.match(text)) else 0
        if text[start : start + 1] != "{":
            raise ReplyError(_describe_text(text, fit), text)
    try:
        values, end = _READER.read(text, start)
    except (ValueError, RecursionError) as error:  # no JSON, or a number of more digits than Python reads
        raise ReplyError(f"it {_PROBLEMS['json_invalid']}", text) from error
    members, twice = _READER.members, _READER.twice
    if text[end:] and not _AFTER.match(text, end):
        raise ReplyError(_BESIDE, text)
    try:
        return ReplyObject(fit(values), members, start, twice)
    except ValueError as error:
        raise ReplyError(_describe_misfit(error), text) from error


def _read_as_null(_: str) -> None:
    """What is read for NaN and Infinity."""


class _ObjectReader(threading.local):
    """Reads a JSON object, and notes its members and which name is there twice with different values."""

    def __init__(self) -> None:
        self.members: list[tuple[str, Any]] = []  # those of the object that ended last, which is the outermost
        self.twice = ""
        self._decoder = json.JSONDecoder(object_pairs_hook=self._note, parse_constant=_read_as_null)

    def read(self, text: str, start: int) -> tuple[dict[str, Any], int]:
        """The object that begins here, and where it ends."""
        values: dict[str, Any]
        self.twice = ""
        try:
            values, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            # Only from the brace on, so that a quotation mark in the prose before it does not turn strings inside out.
            mended = _without_trailing_commas(text[start:])
            if mended == text[start:]:
                raise
            self.twice = ""
            values, length = self._decoder.raw_decode(mended)
            end = start + length
        return values, end

    def _note(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(members)
        if len(values) < len(members) and not self.twice:
            self.twice = _find_twice(members)
        self.members = members
        return values


def _without_trailing_commas(text: str) -> str:
    """JSON with a space for each comma before a closing bracket, in one pass; its strings stay as they are."""
    parts, place = list[str](), 0
    while (quote := text.find('"', place)) >= 0:
        end = read_json(text, quote)[1]  # raises where it is not closed
        parts += [_TRAILING_COMMA.sub(" ", text[place:quote]), text[quote:end]]
        place = end
    return "".join([*parts, _TRAILING_COMMA.sub(" ", text[place:])])


_READER = _ObjectReader()


def _find_twice(members: list[tuple[str, Any]]) -> str:
    """The first name that is there again with another value; "" for none."""
    values: dict[str, Any] = {}
    for name, value in members:
        if name in values and values[name] != value:
            return name
        values[name] = value
    return ""


def find_values(text: str, start: int) -> list[int]:
    """Finds where the value of each member begins, of an object that begins here and could be read.

    Example:
        >>> find_values('So: {"1": "Yes", "2": [1]}', 4)
        [10, 22]
    """
    decoder = json.JSONDecoder()
    values, place = list[int](), start + 1
    while True:
        place = _between(text, place)
        if text[place] == "}":
            return values
        _, place = decoder.raw_decode(text, place)
        place = _between(text, place)
        values.append(place)
        _, place = decoder.raw_decode(text, place)


def _between(text: str, place: int) -> int:
    while text[place] in " \t\n\r:,":
        place += 1
    return place


def _describe_text(text: str, fit: Callable[[Any], T]) -> str:
    """What is wrong with a text in which no object is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _BESIDE if "{" in text else f"it {_PROBLEMS['json_invalid']}"
    try:
        fit(value)
    except ValueError as error:
        return _describe_misfit(error)
    return f"it {_PROBLEMS['model_type']}"


def _describe_misfit(error: ValueError) -> str:
    return describe_problem(error) if isinstance(error, ValidationError) else f"it is refused: {error}"


def describe_problem(error: ValidationError) -> str:
    """Says in one line why a reply does not fit its schema: each place, and what is wrong there."""
    problems = []
    for detail in error.errors(include_url=False)[:3]:
        kind, place = detail["type"], ".".join(map(str, detail["loc"])) or "it"
        if kind == "literal_error":
            problem = f"is none of {', '.join(_QUOTED.findall(detail['ctx']['expected']))}"
        elif kind == "value_error":
            problem = f"is refused: {detail['ctx']['error']}"  # the words of our own schema
        else:
            problem = _PROBLEMS.get(kind, f"is not valid ({kind.replace('_', ' ')})")
        problems.append(f"{place} {problem}")
    return "; ".join(problems)
