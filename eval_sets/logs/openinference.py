"""OpenInference spans, as Phoenix exports them: by its REST API, from a data frame (CSV, Parquet), or as OTLP JSON."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..cell_values import DEEPEST, parse_structure
from ..rows import BadRow, Row
from .trace_row import Trace, build_row

_Span = tuple[Mapping[str, Any], Mapping[str, Any]]  # its values, and its attributes by their dotted names
_SIDE_KINDS = frozenset({"RETRIEVER", "TOOL", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR"})  # do not answer
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
    """Yields one row per session, and per trace of none; the file is read whole, since spans may stand anywhere."""
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            by_trace.setdefault(_trace(row.values), []).append(row)
    sessions: dict[str, list[Trace]] = {}
    for number, (trace_id, own) in enumerate(by_trace.items(), 1):
        trace = read_trace(number, trace_id, own)[0]
        sessions.setdefault(f"session {trace.session}" if trace.session else f"trace {trace_id}", []).append(trace)
    for traces in sessions.values():
        yield from build_row(traces, name)


def read_trace(number: int, trace_id: str, rows: list[Row]) -> tuple[Trace, str]:
    """Reads the spans of one trace.

    The question and the answer are those of a root span, else of the outermost span that has both, else of the last
    call of a model. A span whose parent is not among them is a root.

    Args:
        number: The trace's number.
        trace_id: Its id.
        rows: Its spans, in any order; at least one.

    Returns:
        The trace, and the id of the span that holds its answer.
    """
    spans = sorted(((row.values, _attributes(row.values)) for row in rows), key=lambda span: str(_time(span[0]) or ""))
    own, root = _answering_span(spans)
    kinds = {"RETRIEVER": list[Any](), "TOOL": list[Any](), "LLM": list[Any]()}
    for values, attributes in spans:
        kinds.get(_kind(values, attributes), []).append((values, attributes))
    seen = root if root.get("input.value") is not None or not kinds["LLM"] else kinds["LLM"][-1][1]
    trace = Trace(
        number,
        rows[0].place,
        id=trace_id,
        input=_first_filled(root.get("input.value"), _numbered(seen, "llm.input_messages"), seen.get("input.value")),
        output=_first_filled(
            root.get("output.value"), _numbered(seen, "llm.output_messages"), seen.get("output.value")
        ),
        retrieved=[_retrieved(attributes) for _, attributes in kinds["RETRIEVER"]],
        session=next(
            (attributes["session.id"] for _, attributes in [(own, root), *spans] if attributes.get("session.id")), None
        ),
        time=_time(own),
        tools=[
            {
                "id": attributes.get("tool_call.id") or _span_id(values),
                "name": attributes.get("tool.name") or values.get("name"),
                "arguments": attributes.get("tool.parameters") or attributes.get("input.value"),
                "output": attributes.get("output.value"),
            }
            for values, attributes in kinds["TOOL"]
        ],
        models=[
            (_numbered(attributes, "llm.input_messages") or attributes.get("input.value"), made)
            for _, attributes in kinds["LLM"]
            for made in [_numbered(attributes, "llm.output_messages") or attributes.get("output.value")]
        ],
        rest={"spans": [row.values for row in rows]},
    )
    return trace, str(_span_id(own))


def _answering_span(spans: list[_Span]) -> _Span:
    """Finds the span with the question and the answer; a server's frame around the chatbot has neither."""
    parents = {_span_id(values): _parent(values) for values, _ in spans}
    answering = [pair for pair in spans if "input.value" in pair[1] and _kind(*pair) not in _SIDE_KINDS]
    if asked := [pair for pair in answering if _parent(pair[0]) not in parents]:
        return next((pair for pair in asked if "output.value" in pair[1]), asked[0])
    both = [pair for pair in answering if "output.value" in pair[1] and _kind(*pair) != "LLM"]
    if both:
        return min(both, key=lambda pair: _depth(_span_id(pair[0]), parents))
    models = [pair for pair in spans if _kind(*pair) == "LLM"]
    outermost = next((pair for pair in spans if _parent(pair[0]) not in parents), spans[0])
    return models[-1] if models and "output.value" not in outermost[1] else outermost


def _depth(span: Any, parents: Mapping[Any, Any]) -> int:
    """How many spans are around a span; spans may go around in a circle."""
    seen = set()
    while span in parents and span not in seen:
        seen.add(span)
        span = parents[span]
    return len(seen)


def _first_filled(*values: Any) -> Any:
    """What a span was given or returned: its value, else its messages, which some instrumentations log alone."""
    return next((value for value in values if value not in (None, "", [], {})), values[0])


def _time(values: Mapping[str, Any]) -> Any:
    if values.get("start_time"):
        return values["start_time"]
    nanoseconds = values.get("startTimeUnixNano")  # of OTLP
    return None if nanoseconds is None else float(nanoseconds) / 1e9


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


def _numbered(attributes: Mapping[str, Any], name: str) -> Any:
    """A list of messages: as it is, or of flat keys `llm.input_messages.0.message.role`, ..."""
    listed = attributes.get(name)
    if isinstance(listed, str):
        with suppress(ValueError):
            listed = parse_structure(listed)
    if isinstance(listed, list):
        return listed
    tree: dict[Any, Any] = {}
    for key, value in attributes.items():
        if key.startswith(f"{name}."):
            *path, last = key.removeprefix(f"{name}.").split(".")
            node = tree
            for part in path:
                node = node.setdefault(part, {})
                if not isinstance(node, dict):
                    return []
            node[last] = value
    return _listed(tree)


def _listed(node: Any) -> Any:
    """An object whose keys are numbers, as a list."""
    if not isinstance(node, dict):
        return node
    if node and all(str(key).isdigit() for key in node):
        return [_listed(node[key]) for key in sorted(node, key=int)]
    return {key: _listed(value) for key, value in node.items()}


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
