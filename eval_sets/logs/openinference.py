"""OpenInference spans, as Phoenix exports them: by its REST API, from a data frame (CSV, Parquet), or as OTLP JSON;
and OpenTelemetry's conventions for generative AI (`gen_ai.*`) in them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from ...errors import InputError
from ...text.wording import count_of
from ...value_messages import shorten
from ..cell_values import DEEPEST, parse_nested_json, parse_structure
from ..message_times import read_time
from ..rows import BadRow, Row
from .human_ratings import FEEDBACK_NAMES, HumanRating, ObservedScales, ScaleFinder, is_number, join_ratings, make_scale
from .trace_row import Step, Trace, build_row, read_steps

_ID_FIELDS = ("traceId", "spanId", "parentSpanId")
_TRACE_ID_LENGTH = 32  # in hexadecimal digits
_EVENT_FIELDS = {"body", "eventName", "observedTimeUnixNano", "severityNumber"}
_MODELS = ("llm.model_name", "gen_ai.response.model", "gen_ai.request.model")
_PROMPT_VERSIONS = ("llm.prompt_template.version", "gen_ai.prompt.version", "prompt.version")
_SESSIONS = ("session.id", "gen_ai.conversation.id")


def is_span(values: Mapping[str, Any]) -> bool:
    """Whether a row is a span with its trace's id: nested (`context`), flat (`context.trace_id`), or of OTLP."""
    nested = isinstance(values.get("context"), Mapping) and "trace_id" in values["context"]
    otlp = {"traceId", "spanId", "attributes"} <= values.keys()
    return nested or otlp or "context.trace_id" in values


def read_otlp(values: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Reads an OTLP document.

    Returns:
        Its spans, out of their resources and scopes, and the log records of spans, since evaluations and messages may
        be events beside the spans; and what cannot be read, in words. Ids are in hexadecimal digits, in lower case;
        what a resource says of itself, as the name of the service, is in each of its spans as `resource`.

    Example:
        >>> read_otlp({"resourceSpans": [{"scopeSpans": [{"spans": ["x", {"traceId": ""}]}]}]})
        ([], ['2 entries that are no objects, or spans without `traceId`'])
    """
    spans: list[dict[str, Any]] = []
    odd = 0

    def objects(parent: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        nonlocal odd
        listed = [] if parent.get(name) is None else parent[name]
        items = _objects(listed)
        odd += len(listed) - len(items) if isinstance(listed, list) else 1
        return items

    for kind, inner, name in (
        ("resourceSpans", "scopeSpans", "spans"),
        ("resourceLogs", "scopeLogs", "logRecords"),
    ):
        for resource in objects(values, kind):
            own = resource.get("resource")
            described = span_attributes(own) if isinstance(own, Mapping) else {}
            for span in (span for scope in objects(resource, inner) for span in objects(scope, name)):
                if trace_id(span) is not None:
                    ids = {key: span[key].lower() for key in _ID_FIELDS if isinstance(span.get(key), str)}
                    spans.append(span | ids | ({"resource": described} if described else {}))
                else:
                    odd += name == "spans"  # a log record may be of no trace
    one, several = "entry that is no object, or a span", "entries that are no objects, or spans"
    return spans, [f"{count_of(odd, one, several)} without `traceId`"] if odd else []


def _objects(listed: Any) -> list[dict[str, Any]]:
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def read_spans(rows: Iterable[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields one row per session, and per trace of none; the file is read whole, since spans may stand anywhere."""
    by_trace: dict[str, list[Row]] = {}
    scales = ObservedScales()
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif (id_ := trace_id(row.values)) is None:
            problem = "trace_id: is missing, so that nothing says which spans belong together"
            yield BadRow(row.number, InputError(f"{name}, {row.place}, {problem}; --skip-bad leaves such spans out"))
        else:
            scales.observe(read_evaluations(row.values))
            by_trace.setdefault(id_, []).append(row)
    sessions: dict[str, list[Trace]] = {}
    for number, own in enumerate(by_trace.values(), 1):
        trace = read_trace(number, own, scales)
        sessions.setdefault(f"session {trace.session}" if trace.session else f"trace {trace.id}", []).append(trace)
    for traces in sessions.values():
        yield from build_row(traces, name)


def is_event(values: Mapping[str, Any]) -> bool:
    """Whether a row of an OTLP document is a log record, not a span."""
    return "traceId" in values and "startTimeUnixNano" not in values and bool(_EVENT_FIELDS & values.keys())


def trace_id(values: Mapping[str, Any]) -> str | None:
    """Returns the id of the trace that a span is part of; None where it has none: an id of zeros is none either."""
    context = values.get("context")
    nested = context.get("trace_id") if isinstance(context, Mapping) else None
    own = nested or values.get("context.trace_id") or values.get("traceId")
    if isinstance(own, bool) or not isinstance(own, str | int):
        return None
    text = str(own)
    return None if not text.strip() or (len(text) == _TRACE_ID_LENGTH and set(text) == {"0"}) else text


def read_evaluations(values: Mapping[str, Any]) -> list[HumanRating]:
    """Reads people's scores in a span's events, or in a log record."""
    events = [values] if is_event(values) else _objects(values.get("events"))
    attributes = (span_attributes(event) for event in events if _event_name(event) == EVALUATION)
    return [evaluation for one in attributes if (evaluation := read_evaluation(one)) is not None]


def read_trace(number: int, rows: Sequence[Row], find_scale: ScaleFinder | None = None) -> Trace:
    """Reads one trace of its spans, by OpenInference's attributes or by `gen_ai.*`; what was sent again counts once."""
    rows = _each_once(rows)
    events = [row.values for row in rows if is_event(row.values)]
    spans = [
        (row.values, _with_events(span_attributes(row.values), row.values, events))
        for row in rows
        if not is_event(row.values)
    ] or [(rows[0].values, span_attributes(rows[0].values))]
    spans.sort(key=lambda span: _stamp(span[0]))
    steps = [_step(values, attributes) for values, attributes in spans]
    evaluations = [evaluation for row in rows for evaluation in read_evaluations(row.values)]
    if find_scale is None:
        find_scale = ObservedScales()
        find_scale.observe(evaluations)
    named = [one._replace(rater=one.rater or f"person-{place}") for place, one in enumerate(evaluations, 1)]
    rating = join_ratings(named, find_scale, cure="log gen_ai.evaluation.score.range")
    of_models = [attributes for step, (_, attributes) in zip(steps, spans, strict=True) if step.kind == "LLM"]
    held = [*reversed(of_models), *(attributes for _, attributes in spans)]
    version = _first_of(_PROMPT_VERSIONS, held)
    return read_steps(
        number,
        rows[0].place,
        steps,
        {"spans": [row.values for row in rows]} | ({"prompt_version": version} if version else {}),
        id=trace_id(rows[0].values),
        session=_first_of(_SESSIONS, held),
        time=span_time(spans[0][0]),
        rating=rating.fields,
        unused=rating.unused,
    )


def _each_once(rows: Sequence[Row]) -> list[Row]:
    """The rows of a trace without those that an exporter sent again: of a span the last, of equal records the first."""
    by_key: dict[str, Row] = {}
    for row in rows:
        span = None if is_event(row.values) else _span_id(row.values)
        by_key[f"span {span}" if span else json.dumps(row.values, sort_keys=True, default=str)] = row
    return list(by_key.values())


def _step(values: Mapping[str, Any], attributes: Mapping[str, Any]) -> Step:
    """A span with its attributes as a step of its trace."""
    kind = str(attributes.get("openinference.span.kind") or values.get("span_kind") or "").upper()
    if kind in ("", "UNKNOWN"):
        kind = _KINDS.get(str(attributes.get("gen_ai.operation.name")), "")
    given, returned = _logged(attributes, "input", kind), _logged(attributes, "output", kind)
    name: Any = None
    if kind == "RETRIEVER":
        documents = _numbered(attributes, "retrieval.documents") or attributes.get("gen_ai.retrieval.documents")
        returned = documents or returned
    elif kind == "TOOL":
        given = _first_of(("tool.parameters", "input.value", "gen_ai.tool.call.arguments"), [attributes])
        returned = _first_of(("output.value", "gen_ai.tool.call.result"), [attributes])
        name = _first_of(("tool.name", "gen_ai.tool.name"), [attributes])
    return Step(
        _span_id(values),
        _id_text(values.get("parent_id")) or _id_text(values.get("parentSpanId")),
        kind,
        name or values.get("name"),
        given,
        returned,
        _first_of(_MODELS, [attributes]),
        _first_of(("tool_call.id", "gen_ai.tool.call.id"), [attributes]),
    )


def _with_events(attributes: dict[str, Any], span: Mapping[str, Any], logs: list[dict[str, Any]]) -> dict[str, Any]:
    """A span's attributes, with the messages that an event of it has in their place."""
    own = [event for event in logs if event.get("spanId") == span.get("spanId")]
    for event in [*_objects(span.get("events")), *own]:
        if _event_name(event) == DETAILS:
            attributes = span_attributes(event) | attributes
    return attributes


def _event_name(event: Mapping[str, Any]) -> str:
    name = event.get("name") or event.get("eventName")
    return str(name or span_attributes(event).get("event.name") or "")


def _logged(attributes: Mapping[str, Any], side: str, kind: str) -> Any:
    """What a span was given or returned: of a call of a model its messages, else its value; of any other span first its
    value, as some instrumentations log messages alone; None where neither is there."""
    older = {"input": "gen_ai.prompt", "output": "gen_ai.completion"}[side]
    listed = _numbered(attributes, f"llm.{side}_messages") or read_messages(attributes, side)
    messages = listed or _numbered(attributes, older)
    value, messages = attributes.get(f"{side}.value"), messages if isinstance(messages, list) else None
    values = (messages, value) if kind == "LLM" else (value, messages)
    return next((held for held in values if held not in (None, "", [], {})), None)


def _first_of(keys: Sequence[str], places: Iterable[Mapping[str, Any]]) -> Any:
    """The first value under one of several names."""
    return next((place[key] for place in places for key in keys if place.get(key) not in (None, "")), None)


def span_time(values: Mapping[str, Any]) -> str | float | None:
    """Returns when a span began, in seconds since 1970 or as the text that says it; None where nothing does."""
    began = values.get("start_time")
    if isinstance(began, str | int | float) and began:
        return began
    if isinstance(began, datetime):
        return began.isoformat()
    nanoseconds = values.get("startTimeUnixNano")  # of OTLP, where zero is a time that was not set
    if not isinstance(nanoseconds, str | int | float) or not nanoseconds:
        return None
    try:
        seconds = float(nanoseconds) / 1e9
    except (ValueError, OverflowError):
        return nanoseconds if isinstance(nanoseconds, str) else None
    return seconds if seconds > 0 else None


def _stamp(values: Mapping[str, Any]) -> float:
    """The time of a span, to sort by; those without one come first."""
    time = span_time(values)
    moment = None if time is None else read_time(str(time))
    return 0.0 if moment is None else (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _span_id(values: Mapping[str, Any]) -> str:
    """The id of a span; "" for one without."""
    context = values.get("context")
    nested = context.get("span_id") if isinstance(context, Mapping) else None
    return _id_text(nested or values.get("context.span_id") or values.get("spanId")) or ""


def _id_text(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int) and value else None


def span_attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Reads a span's attributes under their dotted names, however they were nested."""
    attributes = values.get("attributes")
    if isinstance(attributes, list):  # OTLP: [{"key": ..., "value": {"stringValue": ...}}]
        attributes = otlp_attributes(attributes)
    flat = dict(_flatten(attributes if isinstance(attributes, Mapping) else {}, ""))
    prefix = "attributes."
    columns = {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}
    return flat | {key: value for key, value in columns.items() if value is not None}


def _otlp_value(value: Any) -> Any:
    """A value of OTLP in JSON, with its type as OTLP (`intValue`) or protobuf (`int_value`) spells it."""
    if not isinstance(value, Mapping) or not value:
        return None if isinstance(value, Mapping) else value
    kind, held = next(iter(value.items()))
    match str(kind).replace("_", "").lower():
        case "arrayvalue":
            return [_otlp_value(item) for item in _values_of(held)]
        case "kvlistvalue":
            return otlp_attributes(_values_of(held))
        case "intvalue" if isinstance(held, str):  # JSON has no integers of 64 bits
            with suppress(ValueError):
                return int(held)
    return held


def _values_of(held: Any) -> list[Any]:
    listed = held.get("values") if isinstance(held, Mapping) else None
    return listed if isinstance(listed, list) else []


def otlp_attributes(listed: Any) -> dict[str, Any]:
    """Attributes as OTLP lists them, by their names."""
    return {str(entry["key"]): _otlp_value(entry.get("value")) for entry in _objects(listed) if "key" in entry}


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
