"""What was said, in the shapes in which tools log it: texts, messages, objects around them, retrieved documents."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ...languages import packs_with

ROLES = ("user", "assistant", "context", "system")
_ASKED = ("user_input", "question", "query", "input", "message", "prompt", "text", "content", "value")
_ANSWERED = ("response", "answer", "output", "result", "completion", "message", "text", "content", "value")
_REFERENCE = ("reference", "ground_truth", "expected_output", "expected_answer", "reference_answer")
_LISTS = ("messages", "chat_history", "history", "input", "output", "choices", "generations")
_DOCUMENTS = (
    *("retrieved_contexts", "contexts", "context", "documents", "docs", "source_documents", "retrieved_documents"),
    *("chunks", "results", "output"),
)
_TEXT_OF_DOCUMENT = ("page_content", "document.content", "content", "text", "pageContent", "chunk", "body")


class Said(NamedTuple):
    """One message: who said it (one of `ROLES`, or "" where the role is unknown) and what."""

    role: str
    text: str


@cache
def _roles() -> dict[str, str]:
    speakers = [language.speakers for language in packs_with("speakers")]
    return {name.casefold(): role for roles in speakers for role, names in roles for name in names}


def role(name: object) -> str:
    """`user`, `assistant`, `context` or `system` for a speaker's name in any language; "" for another."""
    return _roles().get(str(name).strip().casefold(), "")


def opened(value: Any) -> Any:
    """A text that holds a JSON object or list, as that; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def asked(value: Any) -> str | None:
    """The question in a logged input: the last message of a person, or the one text that is named as the question."""
    return _text(opened(value), "user", _ASKED)


def answered(value: Any) -> str | None:
    """The answer in a logged output: the last message of the assistant, or the text that is named as the answer."""
    return _text(opened(value), "assistant", _ANSWERED)


def reference(value: Any) -> str | None:
    """The reference answer in a logged object, where one is named so."""
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in _REFERENCE if isinstance(value.get(name), str)), None)


def _text(value: Any, wanted: str, names: Sequence[str], depth: int = 0) -> str | None:
    if isinstance(value, str) or depth > 6:
        return value if isinstance(value, str) else None
    if isinstance(value, list):
        said = [each for each in map(message, value) if each is not None]
        last = next((each.text for each in reversed(said) if each.role == wanted), None)
        return last if last is not None else _only(value, wanted, names, depth)
    if isinstance(value, Mapping):
        if (one := message(value)) is not None and one.role in {wanted, ""}:
            return one.text
        for name in (*names, *_LISTS):
            if name in value and (found := _text(opened(value[name]), wanted, names, depth + 1)) is not None:
                return found
        kwargs = value.get("kwargs")
        return _text(kwargs, wanted, names, depth + 1) if kwargs else _only(list(value.values()), wanted, names, depth)
    return None


def _only(values: list[Any], wanted: str, names: Sequence[str], depth: int) -> str | None:
    """Where there is one value, what it holds: nothing else can be meant."""
    return _text(opened(values[0]), wanted, names, depth + 1) if len(values) == 1 else None


def message(value: Any) -> Said | None:
    """A logged message: `role` or `type` and `content`, also in LangChain's and OpenInference's wrappings."""
    if not isinstance(value, Mapping):
        return None
    inner = next((value[name] for name in ("message", "kwargs", "data") if isinstance(value.get(name), Mapping)), None)
    if inner is not None and not {"content", "text"} & value.keys():
        within = message(inner)
        if within is None:
            return None
        named = value.get("id")  # LangChain: ["langchain", "schema", "messages", "HumanMessage"]
        kind = str(named[-1]).removesuffix("Message").removesuffix("Chunk") if isinstance(named, list) and named else ""
        return within if within.role else Said(role(value.get("role") or value.get("type") or kind), within.text)
    speaker = next((value[name] for name in _SPEAKERS if isinstance(value.get(name), str)), None)
    content = next((value[name] for name in _CONTENTS if value.get(name) is not None), None)
    text = parts(content)
    return None if speaker is None or text is None else Said(role(speaker), text)


_SPEAKERS = ("role", "message.role", "speaker", "sender", "author", "from", "type")
_CONTENTS = ("content", "message.content", "text", "message", "value", "body")


def parts(content: Any) -> str | None:
    """A message's content: a text, or a list of parts whose texts follow one another."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)
        ]
        held = [text for text in texts if isinstance(text, str)]
        return "".join(held) if held else None
    return None


def documents(value: Any) -> list[str]:
    """The texts of retrieved documents, in their order: texts, objects around them, or a list under a known name."""
    return list(_documents(opened(value), 0))


def _documents(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from _documents(each, depth + 1)
    elif isinstance(value, Mapping) and depth < 6:
        inner = value.get("document")
        if isinstance(inner, Mapping | str):
            yield from _documents(inner, depth + 1)
            return
        for name in _TEXT_OF_DOCUMENT:
            if isinstance(value.get(name), str):
                yield value[name]
                return
        for name in (*_DOCUMENTS, "kwargs"):
            if isinstance(value.get(name), list | Mapping | str):
                yield from _documents(opened(value[name]), depth + 1)
                return
