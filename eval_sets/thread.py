"""The messages of a sample: read from any shape in which they are logged, and joined with the turn under test."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ..value_messages import describe_first_mistake, describe_type, shorten
from .logs.message_text import find_documents, join_parts, read_message
from .message import ROLES, Message, find_disorder, find_turns

_OWN_KEYS = Message.model_fields.keys()
_SPOKEN = {"user", "assistant", "system"}


def read_thread(values: object) -> tuple[Message, ...]:
    """Reads messages in OpenAI's form, or as chat logs and tools write them; what they say beside it is kept.

    What a retriever returned (role `context`, or `tool` where no tool was called) becomes `retrieved_contexts` of the
    message after it.

    Args:
        values: The messages: objects, or `Message`.

    Raises:
        ValueError: An entry is no message, a role is unknown, or the order is impossible; the message names the turn,
            counted from 0, and the cure.

    Example:
        >>> thread = read_thread([{"from": "human", "value": "Free?"}, {"role": "assistant", "content": "Yes."}])
        >>> [(message.role, message.content) for message in thread]
        [('user', 'Free?'), ('assistant', 'Yes.')]
    """
    if not isinstance(values, list | tuple) or not values:
        kind = "is empty" if isinstance(values, list | tuple) else f"is {describe_type(values)}, not a list"
        raise ValueError(f'{kind}; write [{{"role": "user", "content": "..."}}, {{"role": "assistant", ...}}]')
    messages: list[Message] = []
    documents: list[str] = []
    calls: set[str] = set()
    for place, value in enumerate(values):
        if isinstance(value, Message):
            message = value
        else:
            fields = _fields(value, place, has_calls=bool(calls))
            if fields["role"] == "context":
                documents += find_documents(fields.get("content"))
                continue
            try:
                message = Message.model_validate(fields)
            except ValidationError as error:
                raise ValueError(f"turn {place}: {describe_first_mistake(error)}") from None
        if documents:
            message = message.model_copy(update={"retrieved_contexts": (*documents, *message.retrieved_contexts)})
            documents = []
        calls |= {call.id for call in message.tool_calls}
        messages.append(message)
    if problem := find_disorder(messages):
        raise ValueError(problem)
    return tuple(messages)


def _fields(value: object, place: int, *, has_calls: bool) -> dict[str, Any]:
    """The fields of a message in any shape."""
    if not isinstance(value, Mapping):
        raise ValueError(f'turn {place} is {describe_type(value)}, not a message; write {{"role": "user", ...}}')
    fields = dict(value)
    if fields.get("role") in ROLES and not (fields["role"] == "tool" and not has_calls):
        if not isinstance(fields.get("content"), str | None):
            fields["content"] = _content(fields.pop("content"), fields)
        fields["tool_calls"] = fields.get("tool_calls") or ()
        return fields
    read = read_message(value)
    if read is None or not read.role:
        speaker = next((value[key] for key in ("role", "speaker", "sender", "from", "type") if key in value), None)
        what = "names no speaker" if speaker is None else f'has the unknown role "{shorten(str(speaker))}"'
        raise ValueError(f"turn {place} {what}; the roles are {', '.join(ROLES)}")
    rest = {key: fields[key] for key in _OWN_KEYS - {"role", "content"} if fields.get(key) is not None}
    extra = {key: kept for key, kept in fields.items() if key not in _OWN_KEYS and kept != read.text}
    return rest | extra | {"role": read.role, "content": read.text}


def _content(content: object, fields: dict[str, Any]) -> str | None:
    """The text of a message's parts; parts that are no text stay beside it."""
    if isinstance(content, list) and any(
        not isinstance(part, Mapping) or set(part) - {"type", "text"} for part in content
    ):
        fields["content_parts"] = content
    return join_parts(content)


def join_turn(values: Mapping[str, Any]) -> dict[str, Any]:
    """Joins the messages of a sample with its question and answer: the turn under test is one of the messages.

    `metadata.history` holds the messages before the turn, where there are no `messages`; it becomes part of them.

    Args:
        values: The fields of a sample.

    Returns:
        The fields with `messages`, and with the question, the answer and the contexts of the last turn where they are
        missing; the fields as they are for a sample without messages.

    Raises:
        ValueError: The messages make no conversation, or hold no turn.
    """
    metadata = values.get("metadata")
    raw, history = values.get("messages"), metadata.get("history") if isinstance(metadata, Mapping) else None
    if not raw and not history:
        return dict(values)
    joined = dict(values)
    question, answer = values.get("user_input"), values.get("response")
    if raw:
        messages = list(read_thread(raw))
    else:
        if not isinstance(question, str) or not isinstance(answer, str) or (earlier := _read_history(history)) is None:
            return joined
        rest = {key: value for key, value in dict(metadata or {}).items() if key != "history"}
        joined["metadata"] = rest
        messages = [*earlier, Message(role="user", content=question), Message(role="assistant", content=answer)]
    if isinstance(answer, str) and not any(message.is_answer and message.text == answer for message in messages):
        is_asked = bool(messages) and messages[-1].role == "user"
        if isinstance(question, str) and not (is_asked and question.endswith(messages[-1].text)):
            messages.append(Message(role="user", content=question))
        messages.append(Message(role="assistant", content=answer))
    joined["messages"] = tuple(messages)
    turns = find_turns(messages)
    if isinstance(answer, str):
        turns = [turn for turn in turns if turn.response == answer] or turns
    elif isinstance(question, str):
        turns = [turn for turn in turns if turn.question == question]
    if not turns:
        if isinstance(question, str) and isinstance(answer, str):
            return joined
        raise ValueError(
            "holds no question of a user with an answer of the assistant after it; add both, or leave it out"
        )
    last = turns[-1]
    joined |= {"user_input": question if isinstance(question, str) else last.question, "response": last.response}
    if not values.get("retrieved_contexts") and last.contexts:
        joined["retrieved_contexts"] = last.contexts
    return joined


def _read_history(history: object) -> tuple[Message, ...] | None:
    """The messages of a history; None where one of them cannot be read: then it stays where it was."""
    try:
        return read_thread(history)
    except ValueError:
        return None


def turn_under_test(messages: Sequence[Message], response: str) -> int | None:
    """Finds the place of the answer under test among messages: the last with its text; None where there is none."""
    return next((place for place, m in reversed([*enumerate(messages)]) if m.is_answer and m.text == response), None)
