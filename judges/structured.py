"""Parsing replies, once: the JSON of the reply itself, repaired without a model where needed; nothing is guessed."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ReplyError
from ..text.wording import count_of
from .probabilities import check_log_probabilities, weigh_options
from .question import PlainText, Question, RawReply

T = TypeVar("T")
Schema = TypeVar("Schema", bound=BaseModel)

# Strings stay as they are: the first alternative matches each of them whole.
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_THOUGHT = re.compile(r"\A\s*<think>(?:.*?</think>|.*)", re.DOTALL)  # one without an end is all of the text
_MOST_OBJECTS_TRIED = 20
# These words are sent in a second asking and so are part of its key: pydantic keeps the kinds of errors, but not their
# wording. To change them loses recordings.
_PROBLEMS = {
    "json_invalid": "is not valid JSON",
    "missing": "is missing",
    "model_type": "is not an object",
    "list_type": "is not a list",
    "string_type": "is not a text",
}
_QUOTED = re.compile(r"'[^']*'")


@dataclass(slots=True)  # made for every reply: not frozen, which takes three times as long
class ReplyObject(Generic[T]):
    """The JSON object of a reply, read."""

    value: T
    members: list[tuple[str, Any]]  # in their order; those with one name are all there
    start: int  # where it begins in the text
    twice: str  # the name of a member, at any depth, that has two values; "" for none
    after: str = ""  # what the text says after it, without objects of the same value


def parse_reply(question: Question[T], reply: RawReply) -> T:
    """Parses a reply as its transport reads it, else into the question's schema.

    Repairs fences, prose or thoughts around the JSON, trailing commas and NaN (read as null). A cut-off reply is not
    completed: what is missing of it is unknown. Where two different values stand in it, neither is taken.

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
        value = read_schema(reply, schema)
    return value  # type: ignore[no-any-return]


def read_schema(reply: RawReply, schema: type[Schema]) -> Schema:
    """Reads a reply by the model of its shape."""
    found = read_object(reply, schema.model_validate)
    if found.twice:
        raise ReplyError(f"{found.twice} is there twice, with different values", reply.text)
    return found.value


def read_object(reply: RawReply, fit: Callable[[dict[str, Any]], T]) -> ReplyObject[T]:
    """Reads the JSON object of a reply; where there are several that fit, all must be the same.

    Args:
        reply: The reply.
        fit: Makes the value of an object, and raises a ValueError that says why it does not fit.

    Raises:
        ReplyError: No object fits, or two differ, or the reply's tokens say something else than its text.
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
    """The object in a text that fits; not one inside a broken one."""
    found: list[ReplyObject[T]] = []  # `list[ReplyObject[T]]()` would make that type anew for each reply
    problem = after = ""
    last = 0  # where the last of them ends
    broken: int | None = None
    thought = _THOUGHT.match(text) if "<think>" in text else None
    start = text.find("{", thought.end() if thought else 0)
    for _ in range(_MOST_OBJECTS_TRIED):
        if start < 0:
            break
        try:
            values, end = _READER.read(text, start)
            members, twice = _READER.members, _READER.twice
        except RecursionError:
            break
        except ValueError:  # no JSON, or a number of more digits than Python reads
            broken, end = start if broken is None else broken, start + 1
        else:
            is_inside = broken is not None and text.count("{", broken, start) > text.count("}", broken, start)
            if not is_inside:
                try:
                    value = fit(values)
                except ValueError as error:
                    problem = _describe_misfit(error)
                else:
                    after += text[last:start] if found else ""
                    last = end
                    found += [ReplyObject(value, members, start, twice)]
        start = text.find("{", end)
    if not found:
        raise ReplyError(problem or _describe_text(text, fit), text)
    for other in found[1:]:
        if other.value != found[0].value:
            raise ReplyError(f"it holds {count_of(len(found), 'answer')} that differ", text)
        if other.twice:
            return other
    found[0].after = f"{after} {text[last:]}" if after or text[last:] else ""
    return found[0]


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
            mended = _TRAILING_COMMA.sub(lambda match: match[1] or " ", text[start:])
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
        return f"it {_PROBLEMS['json_invalid']}"
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
