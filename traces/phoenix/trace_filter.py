"""Which traces of a project are read: the fields that Phoenix can search its spans for."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import UsageError
from ...eval_sets.name_suggestions import quote_names
from ...value_messages import shorten

OLDEST = (14, 9, 0)
"""The first version of Phoenix that searches spans by their attributes."""
_ATTRIBUTES = {"user": "user.id", "model": "llm.model_name"}
_METADATA, _ATTRIBUTE = "metadata.", "attribute."
_STATUSES = ("OK", "ERROR", "UNSET")
_KNOWN = ("name", "session", "user", "model", "tag", "status", "metadata.KEY", "attribute.NAME")

Query = dict[str, Any]


class TraceFilter:
    """What a trace must have."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.session = fields.get("session", "")
        self.tag = fields.get("tag", "")
        # the parameters of the queries of each condition: a span that one of them finds meets it
        self.conditions = [
            queries for name, value in fields.items() if (queries := _queries(name, value, empty=not value))
        ]

    def has_tag(self, spans: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the spans of a trace have the tag that is asked for; Phoenix cannot search for one."""
        return not self.tag or any(self.tag in span_tags(span.get("attributes") or {}) for span in spans)


def span_tags(attributes: Mapping[str, Any]) -> list[str]:
    """The tags of a span: a list, or flat keys `tag.tags.0`, ..."""
    listed = attributes.get("tag.tags")
    if isinstance(listed, list):
        return list(map(str, listed))
    if isinstance(listed, str):
        return [listed]
    return [str(value) for name, value in attributes.items() if name.startswith("tag.tags.")]


def _queries(name: str, value: str, *, empty: bool) -> list[Query]:
    if name in ("session", "tag"):
        queries: list[Query] = []
    elif name == "name":
        queries = [{"name": value, "parent_id": "null"}]
    elif name == "status":
        if value.upper() not in _STATUSES:
            raise UsageError(f"filter status: `{shorten(value)}` is none of {quote_names(_STATUSES)}")
        queries = [{"status_code": value.upper(), "parent_id": "null"}]
    elif name in _ATTRIBUTES:
        queries = _attribute_queries(_ATTRIBUTES[name], value)
    elif name.startswith(_METADATA) and name != _METADATA:
        queries = _attribute_queries(name, value)
    elif name.startswith(_ATTRIBUTE) and name != _ATTRIBUTE and ":" not in name:
        queries = _attribute_queries(name.removeprefix(_ATTRIBUTE), value)
    else:
        raise UsageError(
            f"unknown field of the filter `{shorten(name)}`: traces of Phoenix are filtered by {quote_names(_KNOWN)}"
        )
    if empty:
        raise UsageError(f"filter {shorten(name)}: the value is empty")
    return queries


def _attribute_queries(name: str, value: str) -> list[Query]:
    """An attribute that is this text, or the number or truth value that the text is."""
    if ":" in name:
        raise UsageError(f"filter {shorten(name)}: Phoenix cannot search for a name with a colon")
    queries: list[Query] = [{"attribute": f"{name}:{json.dumps(value)}"}]
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return queries
    if isinstance(parsed, bool | int | float):
        queries.append({"attribute": f"{name}:{value}"})
    return queries
