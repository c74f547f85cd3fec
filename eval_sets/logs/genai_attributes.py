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
    """Reads the messages that a call was given or returned, as they were logged.

    Example:
        >>> parts = [{"type": "text", "content": "Free?"}]
        >>> read_messages({"gen_ai.input.messages": [{"role": "user", "parts": parts}]}, "input")[0]["role"]
        'user'
    """
    listed = parse_nested_json(attributes.get(f"gen_ai.{side}.messages"))
    messages = [message for message in listed if isinstance(message, Mapping)] if isinstance(listed, list) else []
    instructions = parse_nested_json(attributes.get("gen_ai.system_instructions"))
    is_told = any(message.get("role") == "system" for message in messages)
    if side == "input" and messages and isinstance(instructions, str | list) and instructions and not is_told:
        messages.insert(0, {"role": "system", "parts": instructions})
    return messages


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
