"""Parsing replies: strictly first, then repaired without a model; nothing is guessed."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ReplyError
from ..text.wording import count_of
from .probabilities import check_log_probabilities, chosen_option
from .question import PlainText, Question, RawReply

T = TypeVar("T", bound=BaseModel)

# Strings stay as they are: the first alternative matches each of them whole.
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_NOT_JSON = re.compile(r"\b(?:NaN|Infinity)\b")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
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
        option = chosen_option(reply, question.options)
        if option is None:
            raise ReplyError(f"it is not one of the words {', '.join(question.options)}", reply.text)
        return question.schema.model_validate({"word": option})
    try:
        value = question.schema.model_validate_json(reply.text)
    except ValidationError as strict:
        return _repair(question.schema, reply.text, describe_problem(strict))
    _refuse_duplicates(question.schema, reply.text)
    if ("NaN" in reply.text or "Infinity" in reply.text) and _NOT_JSON.search(reply.text):  # pydantic lets NaN through
        return _repair(question.schema, reply.text, "it holds NaN or Infinity, which is no JSON")
    return value


def _refuse_duplicates(schema: type[BaseModel], text: str) -> None:
    """Refuses a reply in which a field has two values, of which pydantic takes the last; `Listed` looks for itself."""
    if schema.model_config.get("extra") == "allow":
        return

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name in values and values[name] != value:
                raise ReplyError(f"{name} is there twice, with different values", text)
            values[name] = value
        return values

    json.loads(text, object_pairs_hook=check)


def _repair(schema: type[T], text: str, problem: str) -> T:
    reply = _THOUGHT.sub("", text)
    values, start = list[T](), reply.find("{")
    for _ in range(_MOST_OBJECTS_TRIED):
        if start < 0:
            break
        try:
            value, end, mended = _decode(reply, start)
        except json.JSONDecodeError:
            end = start + 1
        except RecursionError:
            break
        else:
            try:
                values.append(schema.model_validate(value))
                _refuse_duplicates(schema, mended)
            except ValidationError as wrong_shape:
                problem = describe_problem(wrong_shape)
        start = reply.find("{", end)
    if not values:
        raise ReplyError(problem, text)
    if any(other != values[0] for other in values):
        raise ReplyError(f"it holds {count_of(len(values), 'answer')} that differ", text)
    return values[0]


def _decode(text: str, start: int) -> tuple[object, int, str]:
    """The JSON value that begins here, where it ends, and its text as it was read."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end, text[start:end]
    except json.JSONDecodeError as error:
        # Only from the brace on, so that a quotation mark in the prose before it does not turn strings inside out.
        mended = _TRAILING_COMMA.sub(lambda match: match[1] or " ", text[start:])
        if mended == text[start:]:
            raise error from None
        value, length = _DECODER.raw_decode(mended)
        return value, start + length, mended[:length]


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
