"""Parsing replies: strictly first, then repaired without a model; nothing is guessed."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ReplyError
from ..text.wording import count_of
from .probabilities import check_log_probabilities, check_word, chosen_option
from .question import MemberReply, PlainText, Question, RawReply

T = TypeVar("T", bound=BaseModel)

# Strings stay as they are: the first alternative matches each of them whole.
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_NOT_JSON = re.compile(r"\b(?:NaN|Infinity)\b")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_MEMBERS = json.JSONDecoder(object_pairs_hook=list, parse_constant=lambda _: None)  # objects within become lists
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


def parse_reply(question: Question[T], reply: RawReply) -> T:
    """Parses a reply into the question's schema.

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
    check_log_probabilities(reply)
    if question.schema is PlainText:
        return question.schema.model_validate({"text": reply.text})
    if question.options:
        check_word(reply, question.options)
        option = chosen_option(reply, question.options)
        if option is None:
            raise ReplyError(f"it is not one of the words {', '.join(question.options)}", reply.text)
        return question.schema.model_validate({"word": option})
    value = _parse_json(question.schema, reply.text)
    if reply.logprobs:
        _check_tokens(question, reply, value)
    return value


def _check_tokens(question: Question[T], reply: RawReply, value: T) -> None:
    """Refuses a reply whose tokens, for which it has probabilities, say something else than its text."""
    spelled = "".join([next(iter(place)) for place in reply.logprobs or ()])
    if reply.text in spelled:
        return
    try:
        said = _parse_json(question.schema, spelled)
    except ReplyError:
        return  # tokens in a notation of the provider's own
    if said != value:
        raise ReplyError("its text and its tokens say different things", reply.text, is_contradiction=True)


def _parse_json(schema: type[T], text: str) -> T:
    try:
        value = schema.model_validate_json(text)
    except ValidationError as strict:
        return _repair(schema, text, describe_problem(strict))
    if ("NaN" in text or "Infinity" in text) and _NOT_JSON.search(text):  # pydantic lets NaN through
        return _repair(schema, text, "it holds NaN or Infinity, which is no JSON")
    _finish(value, text, 0 if text[0] == "{" else text.index("{"))
    return value


def _finish(value: BaseModel, text: str, start: int) -> None:
    """Notes the members of a reply that is read by them; else refuses one in which a field has two values."""
    if isinstance(value, MemberReply):
        value.__dict__.update(members=_MEMBERS.raw_decode(text, start)[0], place=start)  # beside pydantic: it is slow
    else:
        json.loads(text[start:], object_pairs_hook=lambda pairs: _refuse_duplicates(pairs, text))


def find_values(text: str, start: int) -> list[int]:
    """Finds where the value of each member begins, of an object of valid JSON that begins here.

    Example:
        >>> find_values('So: {"1": "Yes", "2": [1]}', 4)
        [10, 22]
    """
    values, place = list[int](), start + 1
    while True:
        place = _between(text, place)
        if text[place] == "}":
            return values
        _, place = _DECODER.raw_decode(text, place)
        place = _between(text, place)
        values.append(place)
        _, place = _DECODER.raw_decode(text, place)


def _between(text: str, place: int) -> int:
    while text[place] in " \t\n\r:,":
        place += 1
    return place


def _refuse_duplicates(pairs: list[tuple[str, Any]], text: str) -> dict[str, Any]:
    """The fields of an object; pydantic would take the last of several values."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values and values[name] != value:
            raise ReplyError(f"{name} is there twice, with different values", text)
        values[name] = value
    return values


def _repair(schema: type[T], text: str, problem: str) -> T:
    """The value of the object in a text that fits, of which all must be the same; not of one inside a broken one."""
    found = list[tuple[T, str, int]]()
    broken: int | None = None
    thought = _THOUGHT.match(text)
    start = text.find("{", thought.end() if thought else 0)
    for _ in range(_MOST_OBJECTS_TRIED):
        if start < 0:
            break
        try:
            value, end, mended = _decode(text, start)
        except json.JSONDecodeError:
            broken, end = start if broken is None else broken, start + 1
        except RecursionError:
            break
        else:
            is_inside = broken is not None and text.count("{", broken, start) > text.count("}", broken, start)
            try:
                if not is_inside:
                    found.append((schema.model_validate(value), mended, start))
            except ValidationError as wrong_shape:
                problem = describe_problem(wrong_shape)
        start = text.find("{", end)
    if not found:
        raise ReplyError(problem, text)
    if any(other != found[0][0] for other, _, _ in found):
        raise ReplyError(f"it holds {count_of(len(found), 'answer')} that differ", text)
    for value, mended, start in found:
        _finish(value, mended, start)
    return found[0][0]


def _decode(text: str, start: int) -> tuple[object, int, str]:
    """The JSON value that begins here, where it ends, and the text up to there as it was read, of the same length."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end, text[:end]
    except json.JSONDecodeError as error:
        # Only from the brace on, so that a quotation mark in the prose before it does not turn strings inside out.
        mended = _TRAILING_COMMA.sub(lambda match: match[1] or " ", text[start:])
        if mended == text[start:]:
            raise error from None
        value, length = _DECODER.raw_decode(mended)
        return value, start + length, text[:start] + mended[:length]


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
