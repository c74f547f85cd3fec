"""From a model's text to the value that was asked for: strict first, then repaired without a model, never guessed."""

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ReplyError
from .probabilities import check_log_probabilities, chosen_option
from .question import PlainText, Question, RawReply

T = TypeVar("T", bound=BaseModel)

# Inside strings nothing is touched: the first alternative eats them whole.
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_NOT_JSON = re.compile(r"\b(?:NaN|Infinity)\b")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_MOST_OBJECTS_TRIED = 20
# What is wrong stands in the second asking and so in its key: pydantic keeps the kinds of errors, not their wording.
_PROBLEMS = {
    "json_invalid": "is not valid JSON",
    "missing": "is missing",
    "model_type": "is not an object",
    "list_type": "is not a list",
    "string_type": "is not a text",
}
_QUOTED = re.compile(r"'[^']*'")


def parse_reply(question: Question[T], reply: RawReply) -> T:
    """The value of a reply, in the question's schema.

    Repairs fences, prose or thoughts around the JSON, trailing commas and NaN (read as null). A cut-off reply is not
    completed: what is missing of it is unknown. Where two different values stand in it, neither is taken. Raises
    `ReplyError` that says what was wrong, with the raw text kept.
    """
    if reply.finish_reason == "length" and not question.options:
        raise ReplyError(f"it was cut off after {reply.tokens_out} tokens (max_tokens); be shorter", reply.text)
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
        return _repaired(question.schema, reply.text, describe(strict))
    if ("NaN" in reply.text or "Infinity" in reply.text) and _NOT_JSON.search(reply.text):  # pydantic lets NaN through
        return _repaired(question.schema, reply.text, "it holds NaN or Infinity, which is no JSON")
    return value


def _repaired(schema: type[T], text: str, problem: str) -> T:
    said = _THOUGHT.sub("", text)
    found, start = list[T](), said.find("{")
    for _ in range(_MOST_OBJECTS_TRIED):
        if start < 0:
            break
        try:
            value, end = _decoded(said, start)
        except json.JSONDecodeError:
            end = start + 1
        except RecursionError:
            break
        else:
            try:
                found.append(schema.model_validate(value))
            except ValidationError as wrong_shape:
                problem = describe(wrong_shape)
        start = said.find("{", end)
    if not found:
        raise ReplyError(problem, text)
    if any(other != found[0] for other in found):
        raise ReplyError(f"it holds {len(found)} answers that differ", text)
    return found[0]


def _decoded(text: str, start: int) -> tuple[object, int]:
    """The JSON value that begins here, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        # Only from the brace on, so that a quotation mark in the prose before it does not turn strings inside out.
        mended = _TRAILING_COMMA.sub(lambda found: found[1] or " ", text[start:])
        if mended == text[start:]:
            raise error from None
        value, length = _DECODER.raw_decode(mended)
        return value, start + length


def describe(error: ValidationError) -> str:
    """Why a reply does not fit its schema, in one line: where, what was wrong."""
    problems = []
    for each in error.errors(include_url=False)[:3]:
        kind, place = each["type"], ".".join(map(str, each["loc"])) or "it"
        if kind == "literal_error":
            wrong = f"is none of {', '.join(_QUOTED.findall(each['ctx']['expected']))}"
        elif kind == "value_error":
            wrong = f"is refused: {each['ctx']['error']}"  # the words of our own schema
        else:
            wrong = _PROBLEMS.get(kind, f"is not valid ({kind.replace('_', ' ')})")
        problems.append(f"{place} {wrong}")
    return "; ".join(problems)
