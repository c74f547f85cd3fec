"""Results as one line of JSON."""

import json
import math
from typing import Any

from .texts import escape_unsafe


def json_text(value: Any) -> str:
    """A value as one line of JSON. What a terminal would obey is escaped, so that nothing is lost.

    A number that is not finite becomes null: JSON has no word for it.

    Example:
        >>> json_text({"mean": float("nan"), "metric": "a\\x1bb"})
        '{"mean": null, "metric": "a\\\\u001bb"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False)
    return escape_unsafe(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
