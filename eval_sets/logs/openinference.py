"""OpenInference spans, as Phoenix exports them: by its REST API, from a data frame (CSV, Parquet), or as OTLP JSON."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..cell_values import DEEPEST, parse_structure
from ..rows import BadRow, Row
from .trace_row import build_trace_row

_OTLP_TYPES = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_span(values: Mapping[str, Any]) -> bool:
    """Whether a row is a span with its trace's id: nested (`context`), flat (`context.trace_id`), or of OTLP."""
    nested = isinstance(values.get("context"), Mapping) and "trace_id" in values["context"]
    otlp = {"traceId", "spanId", "attributes"} <= values.keys()
    return nested or otlp or "context.trace_id" in values


def otlp_spans(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Lists the spans of an OTLP document, out of its resources and scopes."""
    return [
        span
        for resource in values.get("resourceSpans") or []
        for scope in resource.get("scopeSpans") or []
        for span in scope.get("spans") or []
    ]


def read_spans(rows: Iterator[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields one row per trace, from its spans; the file is read whole, since they may stand anywhere."""
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            by_trace.setdefault(_trace(row.values), []).append(row)
    for number, (trace, own) in enumerate(by_trace.items(), 1):
        spans = [(row.values, _attributes(row.values)) for row in own]
        ids = {_span_id(values) for values, _ in spans}
        roots = [pair for pair in spans if _parent(pair[0]) not in ids]
        _, root = next((pair for pair in roots if "input.value" in pair[1]), roots[0] if roots else spans[0])
        retrieved = [_retrieved(attributes) for values, attributes in spans if _kind(values, attributes) == "RETRIEVER"]
        yield build_trace_row(
            number,
            own[0].place,
            name,
            trace_id=trace,
            trace_input=root.get("input.value"),
            trace_output=root.get("output.value"),
            retrieved=retrieved,
            group=root.get("session.id"),
            rest={"spans": [values for values, _ in spans]},
        )


def _trace(values: Mapping[str, Any]) -> str:
    context = values.get("context")
    nested = context.get("trace_id") if isinstance(context, Mapping) else None
    return str(nested or values.get("context.trace_id") or values.get("traceId"))


def _span_id(values: Mapping[str, Any]) -> Any:
    context = values.get("context")
    nested = context.get("span_id") if isinstance(context, Mapping) else None
    return nested or values.get("context.span_id") or values.get("spanId") or id(values)


def _parent(values: Mapping[str, Any]) -> Any:
    return values.get("parent_id") or values.get("parentSpanId") or None


def _kind(values: Mapping[str, Any], attributes: Mapping[str, Any]) -> str:
    return str(attributes.get("openinference.span.kind") or values.get("span_kind") or "").upper()


def _attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    """A span's attributes under their dotted names, however they were nested."""
    attributes = values.get("attributes")
    if isinstance(attributes, list):  # OTLP: [{"key": ..., "value": {"stringValue": ...}}]
        attributes = {
            entry["key"]: _otlp_value(entry.get("value"))
            for entry in attributes
            if isinstance(entry, Mapping) and "key" in entry
        }
    flat = dict(_flatten(attributes if isinstance(attributes, Mapping) else {}, ""))
    prefix = "attributes."
    columns = {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}
    return flat | {key: value for key, value in columns.items() if value is not None}


def _otlp_value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "arrayValue" in value:
        return [_otlp_value(item) for item in value["arrayValue"].get("values", [])]
    return next((value[name] for name in _OTLP_TYPES if name in value), None)


def _flatten(values: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and depth < DEEPEST:
            yield from _flatten(value, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", value


def _retrieved(attributes: Mapping[str, Any]) -> list[Any]:
    """Finds a span's documents: a list, or flat keys `retrieval.documents.0.document.content`, ...; else its output."""
    listed = attributes.get("retrieval.documents")
    if isinstance(listed, str):
        with suppress(ValueError):
            listed = parse_structure(listed)
    if isinstance(listed, list):
        return listed
    numbered: dict[int, Any] = {}
    for key, value in attributes.items():
        parts = key.split(".")
        if parts[:2] == ["retrieval", "documents"] and parts[3:] == ["document", "content"] and parts[2].isdigit():
            numbered[int(parts[2])] = value
    return [numbered[place] for place in sorted(numbered)] or [attributes.get("output.value")]
