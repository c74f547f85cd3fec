"""Messages in any form in which tools log them become those of OpenAI's form; and texts in what they log."""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Any

from ..languages import packs_with
from ..value_messages import describe_type, shorten
from .cell_values import find_documents, parse_nested_json, to_json_value
from .column_table import is_internal
from .message import MESSAGE_ALIASES, ROLES, Message

# The forms that are read: OpenAI's (`role`, `content`, `tool_calls`); Anthropic's, with `tool_use` and `tool_result` as
# parts of the content, and OpenTelemetry's, with `tool_call` and `tool_call_response` as `parts`; LangChain's, inside
# `kwargs` or `data`, with the role in `type` or `id`; that of Phoenix
# (`message.role`); ShareGPT's (`from`, `value`); DeepEval's (`tools_called`
# beside the answer). Langfuse, LangSmith and promptfoo log messages of one of these.
SPEAKER_KEYS = ("role", "message.role", "speaker", "sender", "author", "from", "type")
"""The keys that name who speaks, the surest first."""

CONTENT_KEYS = ("content", "message.content", *MESSAGE_ALIASES["content"], "parts")
"""The keys that hold what is said."""

_TEXTS = {"text", "output_text"}  # the types of parts of a message that are its text
_CALLS, _RESULTS = {"tool_use", "tool_call"}, {"tool_result", "tool_call_response"}  # the types of parts
_RESULT_KEYS = ("content", "response", "result")
_WRAPPERS = ("message", "kwargs", "data")
_RETRIEVAL_KEYS = ("retrieved_contexts", *MESSAGE_ALIASES["retrieved_contexts"])
_READ_KEYS = {*Message.model_fields, "function_call"} - {"content"}
_ARGUMENT_KEYS = ("arguments", "args", "input_parameters", "inputParameters", "input", "parameters")
_CALLED_KEYS = ("tools_called", "toolsCalled")  # of DeepEval: calls with their results, made before the answer
_CONSTRUCTED = "Message"  # LangChain: ["langchain", "schema", "messages", "HumanMessage"]
_QUESTION_KEYS = ("user_input", "question", "query", "input", "message", "prompt", "text", "content", "value")
_ANSWER_KEYS = ("response", "answer", "output", "result", "completion", "message", "text", "content", "value")
_REFERENCE_KEYS = (
    *("reference", "ground_truth", "expected_output", "expected_answer", "reference_answer", "expected_response"),
)
_LIST_KEYS = ("messages", "chat_history", "history", "input", "output", "choices", "generations")
_THREAD_KEYS = (
    *("messages", "conversations", "conversation", "turns", "user_input", "dialogue", "dialog", "chat", "traj"),
    "trajectory",
)
_MESSAGE_KEYS = (
    "messages",
    "chat_history",
    "history",
    "conversation",
    "input",
    "output",
    "inputs",
    "outputs",
    "choices",
)


def read_forms(value: object, place: int = 0) -> Iterator[dict[str, Any]]:
    """Yields the fields of the messages that a logged message stands for: one, and those of its tools.

    Roles are those of `Message`, and `context` for what a retriever returned. A tool's result may lack the call's id.
    Examples:
        >>> list(read_forms({"from": "gpt", "value": "Yes."}))
        [{'from': 'gpt', 'role': 'assistant', 'content': 'Yes.'}]
        >>> turn = {"role": "assistant", "content": "3.", "tools_called": [{"name": "count", "output": 3}]}
        >>> [fields["role"] for fields in read_forms(turn)]
        ['assistant', 'tool', 'assistant']
    """
    fields = _unwrap(_as_mapping(value))
    has_content = not fields.keys().isdisjoint(CONTENT_KEYS)
    fields["role"] = _take_role(fields)
    fields = {name: held for name, held in fields.items() if held is not None or name not in _READ_KEYS}
    content = _take_content(fields)
    if isinstance(content, list | tuple):
        content = [_with_text(part) for part in content]
    parts = content if isinstance(content, list) else []
    results = [part for part in parts if isinstance(part, Mapping) and part.get("type") in _RESULTS]
    for result in results:
        held = next((result[key] for key in _RESULT_KEYS if result.get(key) is not None), "")
        text = join_parts(held)
        call_id = result.get("tool_use_id", result.get("id"))
        yield {
            "role": "tool",
            "content": _write_json(held) if held and text is None else text or "",
            "tool_call_id": call_id,
        }
    if results and len(results) == len(parts):
        return
    _take_contexts(fields)
    for name, types in (("time", str | date | int | float), ("rating", int | float)):
        alias = next((alias for alias in MESSAGE_ALIASES[name] if isinstance(fields.get(alias), types)), None)
        if fields.get(name) is None and alias is not None and not isinstance(fields[alias], bool):
            fields[name] = fields.pop(alias)
    calls = _as_list(fields.pop("tool_calls", None))
    calls += [part for part in parts if isinstance(part, Mapping) and part.get("type") in _CALLS]
    calls += _as_list(fields.pop("function_call", None))
    made_before = [call for key in _CALLED_KEYS for call in _as_list(fields.pop(key, None))]
    made = [_read_call(call, f"call-{place}-{number}") for number, call in enumerate(made_before + calls)]
    yield from _made_before(made[: len(made_before)])
    if calls:
        fields["tool_calls"] = made[len(made_before) :]
    fields["content"] = _text(content, fields)
    has_more = fields.get("tool_calls") or "content_parts" in fields
    if fields["content"] is None and has_content and fields["role"] == "assistant" and not has_more:
        fields["content"] = text_of_null_reply(fields)
    yield fields


def _as_mapping(value: object) -> Mapping[str, Any]:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if not isinstance(value, Mapping):
        raise ValueError(f'is {describe_type(value)}, not a message; write {{"role": "user", "content": "..."}}')
    return value


def _unwrap(value: Mapping[str, Any]) -> dict[str, Any]:
    """The message inside another object, with what stands around it."""
    prefix = "message."
    fields = {str(key).removeprefix(prefix): held for key, held in value.items()}
    wrapper = next((key for key in _WRAPPERS if isinstance(fields.get(key), Mapping)), None)
    if wrapper is None or {"content", "text"} & fields.keys():
        return fields
    inner = _unwrap(fields.pop(wrapper))
    kind = fields.get("id")
    if isinstance(kind, list) and kind and str(kind[-1]).removesuffix("Chunk").endswith(_CONSTRUCTED):
        inner.setdefault("role", str(kind[-1]).removesuffix("Chunk").removesuffix(_CONSTRUCTED))
    for key, held in fields.items():
        name = key
        while name in inner:
            name = f"outer.{name}"
        inner[name] = held
    return inner


def _take_role(fields: dict[str, Any]) -> str:
    """The role; a name for it that says more is kept as the speaker."""
    keys = [key for key in SPEAKER_KEYS if isinstance(fields.get(key), str)]
    if not keys:
        raise ValueError(f"names no speaker; the roles are {', '.join(ROLES)}")
    label = fields[keys[0]]
    name = label.strip().casefold()
    role = name if name in ROLES else find_role(label)
    if role == "context" and (name == "function" or fields.get("tool_call_id") is not None):
        role = "tool"
    if not role:
        raise ValueError(f'has the unknown role "{shorten(label)}"; the roles are {", ".join(ROLES)}')
    if keys[0] == "role" and name != role:
        fields.setdefault("speaker", label)
    return role


def _take_content(fields: dict[str, Any]) -> Any:
    if fields.get("content") is None:
        key = next((key for key in CONTENT_KEYS if fields.get(key) is not None), None)
        if key is not None:
            return fields.pop(key)
    return fields.pop("content", None)


def _text(content: Any, fields: dict[str, Any]) -> Any:
    """The text of a content; parts that are no text stay beside it."""
    if content is None or isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else [content]
    rest = [
        part
        for part in parts
        if isinstance(part, Mapping) and set(part) - {"type", "text"} and part.get("type") not in _CALLS | _RESULTS
    ]
    if rest:
        fields["content_parts"] = list(parts)
    text = join_parts([dict(part) if isinstance(part, Mapping) else part for part in parts])
    if text is None and (isinstance(content, Mapping) or fields["role"] == "tool"):
        fields.pop("content_parts", None)
        return _write_json(content)
    return text if text is not None or isinstance(content, list | tuple) else content


def _with_text(part: Any) -> Any:
    """A part whose text stands under `content`, as OpenTelemetry has it, with it under `text`."""
    if not isinstance(part, Mapping) or part.get("type") != "text" or not isinstance(part.get("content"), str):
        return part
    return {("text" if key == "content" else key): held for key, held in part.items()}


def _take_contexts(fields: dict[str, Any]) -> None:
    """Texts of documents become `retrieved_contexts`; documents that say more stay beside them."""
    key = next((key for key in _RETRIEVAL_KEYS if fields.get(key)), None)
    if key is None:
        return
    documents = fields.pop(key)
    if not (isinstance(documents, list | tuple) and all(isinstance(text, str) for text in documents)):
        texts = find_documents(documents)
        if not isinstance(documents, str):
            fields["retrieved_documents"] = documents
        documents = texts
    fields["retrieved_contexts"] = tuple(documents)


def _write_json(value: object) -> str:
    return json.dumps(to_json_value(value), ensure_ascii=False)


def _as_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _read_call(value: object, call_id: str) -> dict[str, Any]:
    """A call of a tool in OpenAI's form."""
    if isinstance(value, str):
        raise ValueError(f'calls a tool by the text "{shorten(value)}"; write {{"name": "...", "arguments": {{...}}}}')
    call = {str(key).removeprefix("tool_call."): held for key, held in _as_mapping(value).items() if held is not None}
    if isinstance(call.get("tool_call"), Mapping):
        call = {**call.pop("tool_call"), **call}
    function = {key.removeprefix("function."): call.pop(key) for key in list(call) if key.startswith("function.")}
    if isinstance(call.get("function"), Mapping):
        function |= call.pop("function")
    if not function:
        function = {key: call.pop(key) for key in ("name", *_ARGUMENT_KEYS) if key in call}
    key = next((key for key in _ARGUMENT_KEYS if key in function), None)
    if key is not None:
        function["arguments"] = function.pop(key)
    if call.get("type") in _CALLS:
        del call["type"]
    rest = {name: to_json_value(held) for name, held in call.items()}
    return {"id": call_id} | rest | {"function": {name: to_json_value(held) for name, held in function.items()}}


def _made_before(calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages of calls that stand with the answer that they were made for: the calls, and their results."""
    results = [(call, call.pop("output")) for call in calls if "output" in call]
    if calls:
        yield {"role": "assistant", "content": None, "tool_calls": calls}
    for call, result in results:
        text = result if isinstance(result, str) else _write_json(result)
        yield {"role": "tool", "content": text, "tool_call_id": call["id"], "name": call["function"].get("name")}


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


def find_messages_key(values: Mapping[str, Any]) -> str | None:
    """Finds the key of an object that holds its messages: `messages`, ShareGPT's `conversations`, DeepEval's `turns`.

    Ragas has them in `user_input`. A list counts whose first entry is a message.

    Example:
        >>> find_messages_key({"id": 7, "turns": [{"role": "user", "content": "Hello."}]})
        'turns'
    """
    lists = ((key, values[key]) for key in _THREAD_KEYS if isinstance(values.get(key), list | tuple))
    return next((key for key, listed in lists if listed and is_message_like(listed[0])), None)


def is_question(value: Any) -> bool:
    """Whether a value is a message of a user."""
    return _spoken(value, "user") is not None


def is_thread(value: Any) -> bool:
    """Whether a value is a list of messages, whoever speaks in them."""
    return isinstance(value, list | tuple) and bool(value) and all(map(is_message_like, value))


def is_message_like(value: Any) -> bool:
    """Whether a value has the form of a message, whoever speaks in it."""
    if not isinstance(value, Mapping):
        return hasattr(value, "content") and (hasattr(value, "role") or hasattr(value, "type"))
    wrapped = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), Mapping)), None)
    if wrapped is not None and not {"content", "text"} & value.keys():
        return is_message_like(wrapped) or {"content", "text"} <= value.keys() | wrapped.keys() or "content" in wrapped
    has_speaker = any(isinstance(value.get(name), str) for name in SPEAKER_KEYS)
    return has_speaker and any(name in value for name in (*CONTENT_KEYS, "tool_calls", "message.tool_calls"))


def find_question(value: Any) -> str | None:
    """Finds the question in a logged input: the last message of a person, or the one text named as the question.

    Examples:
        >>> find_question({"messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}]})
        'How?'
    """
    return _find_text(value, "user", _QUESTION_KEYS)


def find_answer(value: Any) -> str | None:
    """Finds the answer in a logged output: the last message of the assistant, or the text named as the answer."""
    return _find_text(value, "assistant", _ANSWER_KEYS)


def find_reference(value: Any) -> str | None:
    """Finds the reference answer in a logged object, where one is named so."""
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in _REFERENCE_KEYS if isinstance(value.get(name), str)), None)


def _find_text(value: Any, wanted: str, names: Sequence[str], depth: int = 0) -> str | None:
    """The text of what a tool logged: the last message of a role, else under one of some names, else the only one."""
    value = parse_nested_json(value)
    if isinstance(value, str) or depth > 6:
        return value if isinstance(value, str) else None
    inner: list[Any] = []
    if isinstance(value, list):
        spoken = next((text for one in reversed(value) if (text := _spoken(one, wanted)) is not None), None)
        if spoken is None:
            spoken = join_parts([part for part in value if isinstance(part, Mapping) and part.get("type") in _TEXTS])
        inner = value if len(value) == 1 else []
    elif isinstance(value, Mapping):
        spoken = _spoken(value, wanted)
        inner = [value[name] for name in (*names, *_LIST_KEYS, "kwargs") if value.get(name) is not None]
        inner += list(value.values()) if len(value) == 1 else []
    else:
        return None
    texts = (_find_text(held, wanted, names, depth + 1) for held in inner)
    return next((text for text in texts if text is not None), None) if spoken is None else spoken


def _spoken(value: Any, wanted: str) -> str | None:
    """What a message of one role says; None of another one, and of what is no message."""
    if not is_message_like(value) or is_for_colleagues(value):
        return None
    with suppress(ValueError):
        said = (fields["content"] for fields in read_forms(value) if fields["role"] == wanted)
        return next((text for text in said if isinstance(text, str)), None)
    return None


def is_for_colleagues(value: Any) -> bool:
    """Whether a message in any form is one among colleagues, which the customer did not see."""
    if isinstance(value, Message):
        return is_internal(value.model_extra or {})
    if not isinstance(value, Mapping):
        return False
    inner = [value[name] for name in _WRAPPERS if name in value and isinstance(value[name], Mapping)]
    return is_internal(value) or any(map(is_internal, inner))


def for_customers(messages: Any) -> Any:
    """A list of messages without those among colleagues; what is no list as it is."""
    if not isinstance(messages, list | tuple):
        return messages
    return [message for message in messages if not is_for_colleagues(message)]


def text_of_null_reply(values: Mapping[str, Any]) -> str:
    """What a reply says whose content is null: OpenAI's refusal beside it, or nothing."""
    refusal = values.get("refusal")
    return refusal if isinstance(refusal, str) else ""


def find_thread(value: Any, depth: int = 0) -> list[Any]:
    """Finds the messages in a logged input or output; none where it holds only a text.

    Example:
        >>> find_thread({"question": "How?", "chat_history": [{"role": "user", "content": "Hello."}]})
        [{'role': 'user', 'content': 'Hello.'}]
    """
    value = parse_nested_json(value)
    if is_thread(value):
        return list(value)
    if is_message_like(value):
        return [value]
    inner: list[Any] = value if isinstance(value, list) and len(value) == 1 else []
    if isinstance(value, Mapping):
        inner = [value[key] for key in _MESSAGE_KEYS if key in value]
    thread = next((thread for one in inner if depth < 4 and (thread := find_thread(one, depth + 1))), [])
    policy = join_parts(value.get("system")) if isinstance(value, Mapping) else None  # of Anthropic
    return [{"role": "system", "content": policy}, *thread] if thread and policy else thread
