"""Langfuse: traces as JSON or CSV, a page of traces, a session, or rows of observations; with people's scores."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..rows import BadRow, Row
from .human_ratings import trace_rating
from .trace_row import build_trace_row

_TYPES = frozenset(
    ["SPAN", "EVENT", "GENERATION", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"]
)  # of observations
_FIELDS_READ = {"id", "input", "output"}


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


def read_trace(row: Row, name: str) -> Row | BadRow:
    """Builds the row of a trace."""
    values = dict(row.values)
    if isinstance(values.get("trace"), Mapping):
        values = values.pop("trace") | values
    observations = [observation for observation in values.get("observations") or [] if isinstance(observation, Mapping)]
    root = _root(observations)
    trace_input, trace_output = (
        (values.get(side) if values.get(side) is not None else root.get(side)) for side in ("input", "output")
    )
    return build_trace_row(
        row.number,
        row.place,
        name,
        trace_id=values.get("id"),
        trace_input=trace_input,
        trace_output=trace_output,
        retrieved=[observation.get("output") for observation in observations if _retrieves(observation)],
        group=values.get("sessionId") or values.get("session_id"),
        rest={key: value for key, value in values.items() if key not in _FIELDS_READ},
        rating=trace_rating(values.get("scores")),
    )


def read_observations(rows: Iterator[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields one row per trace, from its rows of observations; the file is read whole, as they may stand anywhere."""
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        trace = row.values.get("traceId") or row.values.get("trace_id")
        by_trace.setdefault(str(trace), []).append(row)
    for number, (trace, own) in enumerate(by_trace.items(), 1):
        observations = [row.values for row in own]
        root = _root(observations)
        values: dict[str, Any] = {"id": trace, "observations": observations}
        session = next(
            (
                observation[key]
                for observation in observations
                for key in ("sessionId", "session_id")
                if observation.get(key)
            ),
            None,
        )
        values |= {"sessionId": session, "input": root.get("input"), "output": root.get("output")}
        yield read_trace(Row(number, own[0].place, {k: v for k, v in values.items() if v is not None}), name)


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
