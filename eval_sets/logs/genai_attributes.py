"""OpenTelemetry's conventions for generative AI (`gen_ai.*`): messages, tools, documents and ratings of spans."""

import json
from collections.abc import Mapping
from typing import Any

from ...value_messages import shorten
from ..cell_values import parse_nested_json
from .human_ratings import FEEDBACK_NAMES, HumanRating, is_number, make_scale

EVALUATION = "gen_ai.evaluation.result"
"""The name of the event with a score."""
DETAILS = "gen_ai.client.inference.operation.details"
"""The name of the event with the messages of a call, where they are not attributes of its span."""
_KINDS = {
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "execute_tool": "TOOL",
    "retrieval": "RETRIEVER",
    "invoke_agent": "AGENT",
    "invoke_workflow": "AGENT",
}
_EVALUATOR_TYPES = ("gen_ai.evaluation.evaluator.type", "gen_ai.evaluator.type", "evaluator.type")
_EVALUATOR_NAMES = (
    *("gen_ai.evaluation.evaluator.name", "gen_ai.evaluation.evaluator.id", "gen_ai.evaluator.name", "evaluator.name"),
    *("user.id", "enduser.id"),
)
_EXPLANATION = "gen_ai.evaluation.explanation"
_VALUE = "gen_ai.evaluation.score.value"
_PEOPLE = {"human", "user", "person", "annotator"}


def span_kind(attributes: Mapping[str, Any]) -> str:
    """Returns what a span is by its operation, as OpenInference calls it; "" where it is no operation of a model."""
    return _KINDS.get(str(attributes.get("gen_ai.operation.name")), "")


def read_messages(attributes: Mapping[str, Any], side: str) -> list[Any]:
    """Reads the messages that a call was given or returned, in OpenAI's form.

    Example:
        >>> parts = [{"type": "text", "content": "Free?"}]
        >>> read_messages({"gen_ai.input.messages": [{"role": "user", "parts": parts}]}, "input")
        [{'role': 'user', 'content': 'Free?'}]
    """
    listed = parse_nested_json(attributes.get(f"gen_ai.{side}.messages"))
    messages = [form for message in listed for form in _forms(message)] if isinstance(listed, list) else []
    if side == "input" and messages:
        instructions = _texts(parse_nested_json(attributes.get("gen_ai.system_instructions")))
        if instructions and not any(message.get("role") == "system" for message in messages):
            messages.insert(0, {"role": "system", "content": "\n".join(instructions)})
    return messages


def _forms(message: Any) -> list[dict[str, Any]]:
    """A message whose content is in parts, as the messages that OpenAI would make of it."""
    if not isinstance(message, Mapping):
        return []
    parts = message.get("parts")
    if not isinstance(parts, list):
        return [dict(message)]
    parts = [part for part in parts if isinstance(part, Mapping)]
    forms: list[dict[str, Any]] = [
        {
            "role": "tool",
            "tool_call_id": part.get("id"),
            "content": _as_text(next((part[name] for name in ("response", "result", "content") if name in part), None)),
        }
        for part in parts
        if part.get("type") == "tool_call_response"
    ]
    calls = [
        {
            "id": str(part.get("id") or f"call-{number}"),
            "type": "function",
            "function": {"name": str(part.get("name") or "?"), "arguments": part.get("arguments") or {}},
        }
        for number, part in enumerate(parts)
        if part.get("type") == "tool_call"
    ]
    texts = _texts(parts)
    if texts or calls:
        spoken: dict[str, Any] = {"role": message.get("role"), "content": "\n".join(texts) if texts else None}
        if isinstance(message.get("name"), str):
            spoken["name"] = message["name"]
        forms.append(spoken | ({"tool_calls": calls} if calls else {}))
    return forms


def _texts(parts: Any) -> list[str]:
    if isinstance(parts, str):
        return [parts]
    if not isinstance(parts, list):
        return []
    texts = (part.get("content") for part in parts if isinstance(part, Mapping) and part.get("type") == "text")
    return [text for text in texts if isinstance(text, str)]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def read_evaluation(attributes: Mapping[str, Any]) -> HumanRating | None:
    """Reads a person's score; None for one by a model or a program, and for one that says nothing.

    A person's is one whose evaluator is a person by its type, or whose name is a usual one of feedback.
    """
    name, value = str(attributes.get("gen_ai.evaluation.name") or ""), attributes.get(_VALUE)
    if value is None and any(key.startswith(f"{_VALUE}.") for key in attributes):
        value = "an object"  # its fields are attributes of their own here
    kind = next((str(attributes[key]).lower() for key in _EVALUATOR_TYPES if attributes.get(key)), "")
    if kind not in _PEOPLE and (kind or name.lower() not in FEEDBACK_NAMES):
        return None
    label = attributes.get("gen_ai.evaluation.score.label")
    reason = str(attributes.get(_EXPLANATION) or "")
    if value is None and label in (None, "") and not reason:
        return None
    if not is_number(value) and not isinstance(value, bool):  # what is no number may still be a thumb
        label, value = value if label in (None, "") else label, None
    bounds = parse_nested_json(attributes.get("gen_ai.evaluation.score.range"))
    scale = make_scale(*bounds) if isinstance(bounds, list) and len(bounds) == 2 else None
    rater = next((str(attributes[key]) for key in _EVALUATOR_NAMES if attributes.get(key)), "")
    if value is not None and not isinstance(value, bool):
        value = float(value)
    return HumanRating(name, rater, value, "" if label is None else shorten(_as_text(label)), scale, reason=reason)
