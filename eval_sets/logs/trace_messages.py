"""The messages of traces: found in what a chatbot was given and returned, with its tools, and joined to one thread."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..message import Message
from ..message_forms import read_forms
from .message_text import find_answer, is_message_like, parse_nested_json

_LIST_KEYS = ("messages", "chat_history", "history", "conversation", "input", "output", "inputs", "outputs", "choices")


def find_thread(value: Any, depth: int = 0) -> list[Any]:
    """Finds the messages in a logged input or output; none where it holds only a text.

    Example:
        >>> find_thread({"question": "How?", "chat_history": [{"role": "user", "content": "Hello."}]})
        [{'role': 'user', 'content': 'Hello.'}]
    """
    value = parse_nested_json(value)
    if depth > 3:
        return []
    if isinstance(value, list):
        if value and all(is_message_like(entry) for entry in value):
            return value
        return find_thread(value[0], depth + 1) if len(value) == 1 else []
    if not isinstance(value, Mapping):
        return []
    if is_message_like(value):
        return [value]
    return next((thread for key in _LIST_KEYS if key in value and (thread := find_thread(value[key], depth + 1))), [])


def join_trace(
    threads: tuple[Sequence[Any], Sequence[Any]],
    texts: tuple[str, str],
    tools: Sequence[Mapping[str, Any]],
    models: Sequence[tuple[Any, Any]],
) -> list[Any]:
    """Joins the messages of one trace: the earlier ones, the question, what tools were called, and the answer."""
    question, answer = texts
    before, after = map(_forms, threads)
    if any(fields["role"] == "user" for fields in after):
        before = []  # the output repeats the whole conversation
    elif not any(fields["role"] == "user" and fields.get("content") == question for fields in before):
        before.append({"role": "user", "content": question})
    if not after or after[-1].get("content") != answer:
        after = [*after, {"role": "assistant", "content": answer}]
    prompts = (_forms(find_thread(prompt)) for prompt, made in reversed(models) if find_answer(made) == answer)
    model: list[dict[str, Any]] = next(prompts, [])
    if not any(fields["role"] == "system" for fields in before + after):
        before = [fields for fields in model if fields["role"] == "system"] + before
    if not any(fields.get("tool_calls") for fields in before + after):
        after = _tool_messages(tools, model) + after
    return before + after


def _forms(messages: Sequence[Any]) -> list[dict[str, Any]]:
    forms = []
    for place, message in enumerate(messages):
        try:
            forms += list(read_forms(message, place))
        except ValueError:
            return []  # of a speaker who is not known: the question and the answer are read without it
    return forms


def _tool_messages(tools: Sequence[Mapping[str, Any]], model: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls of tools of a trace, each with its result."""
    messages: list[dict[str, Any]] = []
    for number, tool in enumerate(tools):
        call_id = str(tool.get("id") or f"tool-{number}")
        function = {"name": str(tool.get("name") or "?")}
        if tool.get("arguments") is not None:
            function["arguments"] = parse_nested_json(tool["arguments"])
        called = {
            "role": "assistant",
            "content": "",
            "tools_called": [{"id": call_id, **function, "output": tool.get("output")}],
        }
        messages += [fields for fields in read_forms(called) if fields["role"] == "tool" or fields.get("tool_calls")]
    if messages:
        return messages
    asked = max((place for place, fields in enumerate(model) if fields["role"] == "user"), default=len(model))
    part = model[asked + 1 :]
    return part if any(fields.get("tool_calls") for fields in part) else []


def join_threads(messages: Sequence[Message], more: Sequence[Message]) -> list[Message]:
    """Joins the messages of a trace with those of the traces before it, which it may repeat.

    Example:
        >>> first = [Message(role="user", content="Hi."), Message(role="assistant", content="Hello.")]
        >>> second = [*first, Message(role="user", content="Is it free?"), Message(role="assistant", content="Yes.")]
        >>> [message.text for message in join_threads(first, second)]
        ['Hi.', 'Hello.', 'Is it free?', 'Yes.']
    """
    spoken = [(message.role, message.text) for message in messages if _is_spoken(message)]
    places = [place for place, message in enumerate(more) if _is_spoken(message)]
    repeated = [(more[place].role, more[place].text) for place in places]
    count = next((n for n in range(min(len(spoken), len(repeated) - 1), 0, -1) if spoken[-n:] == repeated[:n]), 0)
    rest = more[places[count - 1] + 1 :] if count else more
    known = {message.text for message in messages if message.role == "system"}
    policies = [message for message in more if message.role == "system" and message.text not in known]
    spoken_since = [message for message in rest if message.role != "system"]
    return [*messages, *policies, *spoken_since] if known else [*policies, *messages, *spoken_since]


def _is_spoken(message: Message) -> bool:
    return message.role in {"user", "assistant"} and bool(message.text.strip())
