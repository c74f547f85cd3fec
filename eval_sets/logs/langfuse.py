"""Langfuse: traces as JSON or CSV, a page of traces, a session, or rows of observations; with people's scores."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..rows import BadRow, Row
from .human_ratings import trace_rating
from .row_groups import Reopen, group_rows
from .trace_row import Trace, build_row

_TYPES = frozenset(
    ["SPAN", "EVENT", "GENERATION", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"]
)  # of observations
_FIELDS_READ = {"id", "input", "output"}
_SESSION_KEYS = ("sessionId", "session_id")
_TIME_KEYS = ("timestamp", "startTime", "start_time", "createdAt", "created_at")


def is_trace(values: Mapping[str, Any]) -> bool:
    """Whether a row is a trace, with its observations or without."""
    inner = values.get("trace")
    if isinstance(inner, Mapping) and isinstance(values.get("observations"), list):
        return True
    is_langfuse = bool({"observations", "sessionId", "session_id", "htmlPath", "userId", "release"} & values.keys())
    return {"id", "input", "output"} <= values.keys() and is_langfuse and values.get("type") not in _TYPES


def is_observation(values: Mapping[str, Any]) -> bool:
    """Whether a row is an observation."""
    return values.get("type") in _TYPES and bool({"traceId", "trace_id"} & values.keys())


def read_traces(rows: Iterator[Row | BadRow], name: str, again: Reopen | None) -> Iterator[Row | BadRow]:
    """Yields one row per session, and per trace of none."""
    for group in group_rows(rows, _session, again):
        if isinstance(group, BadRow):
            yield group
        else:
            yield from build_row([_trace(row) for row in group], name)


def read_observations(rows: Iterator[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields the rows of traces, from their observations; the file is read whole, as they may stand anywhere."""
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        trace = row.values.get("traceId") or row.values.get("trace_id")
        by_trace.setdefault(str(trace), []).append(row)
    traces = []
    for number, (trace, own) in enumerate(by_trace.items(), 1):
        observations = [row.values for row in own]
        root = _root(observations)
        session = next(
            (_first(values, _SESSION_KEYS) for values in observations if _first(values, _SESSION_KEYS)), None
        )
        values: dict[str, Any] = {"id": trace, "observations": observations, "sessionId": session}
        values |= {"input": root.get("input"), "output": root.get("output"), "timestamp": _first(root, _TIME_KEYS)}
        traces.append(Row(number, own[0].place, {key: value for key, value in values.items() if value is not None}))
    yield from read_traces(iter(traces), name, lambda: iter(traces))


def _inner(values: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = values.get("trace")
    return inner if isinstance(inner, Mapping) else values


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((values[key] for key in keys if values.get(key)), None)


def _session(values: Mapping[str, Any]) -> str | None:
    session = _first(_inner(values), _SESSION_KEYS)
    return None if session is None else str(session)


def _trace(row: Row) -> Trace:
    values = dict(row.values)
    if isinstance(values.get("trace"), Mapping):
        values = values.pop("trace") | values
    observations = [observation for observation in values.get("observations") or [] if isinstance(observation, Mapping)]
    observations.sort(key=lambda observation: str(_first(observation, _TIME_KEYS) or ""))
    root, session = _root(observations), values.get("of_traces")
    trace_input, trace_output = (
        (values.get(side) if values.get(side) is not None else root.get(side)) for side in ("input", "output")
    )
    return Trace(
        row.number,
        row.place,
        id=values.get("id"),
        input=trace_input,
        output=trace_output,
        retrieved=[observation.get("output") for observation in observations if _retrieves(observation)],
        session=_first(values, _SESSION_KEYS),
        time=_first(values, _TIME_KEYS),
        tools=[
            {**{key: observation.get(key) for key in ("id", "name", "output")}, "arguments": observation.get("input")}
            for observation in observations
            if observation.get("type") == "TOOL"
        ],
        models=[
            (observation.get("input"), observation.get("output"))
            for observation in observations
            if observation.get("type") == "GENERATION"
        ],
        rest={key: value for key, value in values.items() if key not in _FIELDS_READ},
        rating=trace_rating(values.get("scores")),
        session_rating=trace_rating(session.get("scores")) if isinstance(session, Mapping) else {},
    )


def _root(observations: list[Any]) -> Mapping[str, Any]:
    """The observation that the others are under."""
    roots = [
        observation
        for observation in observations
        if not (observation.get("parentObservationId") or observation.get("parent_observation_id"))
    ]
    return next((root for root in roots if root.get("input") is not None), roots[0] if roots else {})


def _retrieves(observation: Mapping[str, Any]) -> bool:
    name = str(observation.get("name", "")).lower()
    return observation.get("type") == "RETRIEVER" or (observation.get("type") == "SPAN" and "retriev" in name)
