"""Messages and documents in the shapes in which tools log them: texts, messages, objects around them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ...languages import packs_with

ROLES = ("user", "assistant", "context", "system")
_QUESTION_KEYS = ("user_input", "question", "query", "input", "message", "prompt", "text", "content", "value")
_ANSWER_KEYS = ("response", "answer", "output", "result", "completion", "message", "text", "content", "value")
_REFERENCE_KEYS = ("reference", "ground_truth", "expected_output", "expected_answer", "reference_answer")
_LIST_KEYS = ("messages", "chat_history", "history", "input", "output", "choices", "generations")
_DOCUMENT_KEYS = (
    *("retrieved_contexts", "contexts", "context", "documents", "docs", "source_documents", "retrieved_documents"),
    *("chunks", "results", "output"),
)
_DOCUMENT_TEXT_KEYS = ("page_content", "document.content", "content", "text", "pageContent", "chunk", "body")


class LogMessage(NamedTuple):
    """One message: its speaker's role (one of `ROLES`, or "" where it is unknown) and its text."""

    role: str
    text: str


@cache
def _roles() -> dict[str, str]:
    speakers = [language.speakers for language in packs_with("speakers")]
    return {name.casefold(): role for roles in speakers for role, names in roles for name in names}


def find_role(name: object) -> str:
    """Finds the role of a speaker's name in any language: `user`, `assistant`, `context` or `system`; "" for another.

    Examples:
        >>> find_role("Klant"), find_role("gpt"), find_role("Maria")
        ('user', 'assistant', '')
    """
    return _roles().get(str(name).strip().casefold(), "")


def parse_nested_json(value: Any) -> Any:
    """Parses a text that holds a JSON object or list; returns anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def find_question(value: Any) -> str | None:
    """Finds the question in a logged input: the last message of a person, or the one text named as the question.

    Examples:
        >>> find_question({"messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}]})
        'How?'
    """
    return _text(parse_nested_json(value), "user", _QUESTION_KEYS)


def find_answer(value: Any) -> str | None:
    """Finds the answer in a logged output: the last message of the assistant, or the text named as the answer."""
    return _text(parse_nested_json(value), "assistant", _ANSWER_KEYS)


def find_reference(value: Any) -> str | None:
    """Finds the reference answer in a logged object, where one is named so."""
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in _REFERENCE_KEYS if isinstance(value.get(name), str)), None)


def _text(value: Any, wanted: str, names: Sequence[str], depth: int = 0) -> str | None:
    if isinstance(value, str) or depth > 6:
        return value if isinstance(value, str) else None
    if isinstance(value, list):
        messages = [message for message in map(read_message, value) if message is not None]
        last = next((message.text for message in reversed(messages) if message.role == wanted), None)
        return last if last is not None else _only(value, wanted, names, depth)
    if isinstance(value, Mapping):
        if (message := read_message(value)) is not None and message.role in {wanted, ""}:
            return message.text
        for name in (*names, *_LIST_KEYS):
            if name in value and (text := _text(parse_nested_json(value[name]), wanted, names, depth + 1)) is not None:
                return text
        kwargs = value.get("kwargs")
        return _text(kwargs, wanted, names, depth + 1) if kwargs else _only(list(value.values()), wanted, names, depth)
    return None


def _only(values: list[Any], wanted: str, names: Sequence[str], depth: int) -> str | None:
    """Returns the text of a single value; None where there are several."""
    return _text(parse_nested_json(values[0]), wanted, names, depth + 1) if len(values) == 1 else None


def read_message(value: Any) -> LogMessage | None:
    """Reads a logged message: `role` or `type` and `content`, also as LangChain, OpenInference and ShareGPT wrap it.

    Returns:
        The message; None where the value is none.

    Examples:
        >>> read_message({"from": "human", "value": "How?"})
        LogMessage(role='user', text='How?')
    """
    if not isinstance(value, Mapping):
        return None
    inner = next((value[name] for name in _WRAPPER_KEYS if isinstance(value.get(name), Mapping)), None)
    if inner is not None and not {"content", "text"} & value.keys():
        within = read_message(inner)
        if within is None:
            return None
        named = value.get("id")  # LangChain: ["langchain", "schema", "messages", "HumanMessage"]
        kind = str(named[-1]).removesuffix("Message").removesuffix("Chunk") if isinstance(named, list) and named else ""
        return (
            within
            if within.role
            else LogMessage(find_role(value.get("role") or value.get("type") or kind), within.text)
        )
    speaker = next((value[name] for name in _SPEAKER_KEYS if isinstance(value.get(name), str)), None)
    content = next((value[name] for name in _CONTENT_KEYS if value.get(name) is not None), None)
    text = join_parts(content)
    return None if speaker is None or text is None else LogMessage(find_role(speaker), text)


_WRAPPER_KEYS = ("message", "kwargs", "data")
_SPEAKER_KEYS = ("role", "message.role", "speaker", "sender", "author", "from", "type")
_CONTENT_KEYS = ("content", "message.content", "text", "message", "value", "body")


_THREAD_KEYS = (
    *("messages", "conversations", "conversation", "turns", "user_input", "dialogue", "dialog", "chat", "traj"),
    "trajectory",
)


def find_messages_key(values: Mapping[str, Any]) -> str | None:
    """Finds the key of an object that holds its messages: `messages`, ShareGPT's `conversations`, DeepEval's `turns`.

    Ragas has them in `user_input`. A list counts whose first entry is a message.

    Example:
        >>> find_messages_key({"id": 7, "turns": [{"role": "user", "content": "Hello."}]})
        'turns'
    """
    return next((key for key in _THREAD_KEYS if _begins_as_thread(values.get(key))), None)


def _begins_as_thread(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and is_message_like(value[0])


def is_thread(value: Any) -> bool:
    """Whether a value is a list of messages, whoever speaks in them."""
    return isinstance(value, list | tuple) and bool(value) and all(map(is_message_like, value))


def is_message_like(value: Any) -> bool:
    """Whether a value has the form of a message, whoever speaks in it."""
    if not isinstance(value, Mapping):
        return hasattr(value, "content") and (hasattr(value, "role") or hasattr(value, "type"))
    wrapped = next((value[name] for name in _WRAPPER_KEYS if isinstance(value.get(name), Mapping)), None)
    if wrapped is not None and not {"content", "text"} & value.keys():
        return is_message_like(wrapped) or {"content", "text"} <= value.keys() | wrapped.keys() or "content" in wrapped
    has_speaker = any(isinstance(value.get(name), str) for name in _SPEAKER_KEYS)
    return has_speaker and any(name in value for name in (*_CONTENT_KEYS, "tool_calls", "message.tool_calls"))


def join_parts(content: Any) -> str | None:
    """Joins a message's content: a text, or a list of parts whose texts follow one another."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)
        ]
        texts = [text for text in parts if isinstance(text, str)]
        return "".join(texts) if texts else None
    return None


def find_documents(value: Any) -> list[str]:
    """Finds the texts of retrieved documents, in order: texts, objects around them, or a list under a known name."""
    return list(_documents(parse_nested_json(value), 0))


def _documents(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _documents(entry, depth + 1)
    elif isinstance(value, Mapping) and depth < 6:
        inner = value.get("document")
        if isinstance(inner, Mapping | str):
            yield from _documents(inner, depth + 1)
            return
        for name in _DOCUMENT_TEXT_KEYS:
            if isinstance(value.get(name), str):
                yield value[name]
                return
        for name in (*_DOCUMENT_KEYS, "kwargs"):
            if isinstance(value.get(name), list | Mapping | str):
                yield from _documents(parse_nested_json(value[name]), depth + 1)
                return
