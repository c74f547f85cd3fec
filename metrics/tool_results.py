"""Whether a tool's result says that its call failed."""

import json
import re
from collections.abc import Sequence
from typing import Any

from ..eval_sets.message import Message

_BEGINS_WITH_ERROR = re.compile(r"\W*(?:\w*error|\w*exception|traceback|failed|failure)\b", re.IGNORECASE)
_LEAST_HTTP_ERROR = 400


def is_error(result: str) -> bool:
    """Whether a tool's result is an error: a text that begins with the word, or a JSON object that says so.

    Example:
        >>> is_error("Error: gift card balance is not enough"), is_error('{"error": "no seat"}')
        (True, True)
        >>> is_error('{"error": null, "seats": 2}'), is_error("No errors in the last hour.")
        (False, False)
    """
    text = result.strip()
    if text.startswith("{"):
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(values, dict) and _has_error(values)
    return _BEGINS_WITH_ERROR.match(text) is not None


def _has_error(values: dict[str, Any]) -> bool:
    if any(values.get(key) for key in ("error", "errors", "exception", "is_error", "isError")):
        return True
    if any(values.get(key) is False for key in ("success", "ok")):
        return True
    status = values.get("status")
    if isinstance(status, str):
        return status.lower() in {"error", "failed", "failure"}
    return isinstance(status, int) and not isinstance(status, bool) and status >= _LEAST_HTTP_ERROR


def failed_calls(messages: Sequence[Message]) -> frozenset[tuple[int, int]]:
    """Lists the calls whose result is an error.

    A result belongs to the last call with its id before it.

    Returns:
        Each call as the place of its message and its place among that message's calls.
    """
    calls: dict[str, tuple[int, int]] = {}
    failed = set()
    for turn, message in enumerate(messages):
        for place, call in enumerate(message.tool_calls):
            calls[call.id] = (turn, place)
        if message.role == "tool" and message.tool_call_id in calls and is_error(message.text):
            failed.add(calls[message.tool_call_id])
    return frozenset(failed)
