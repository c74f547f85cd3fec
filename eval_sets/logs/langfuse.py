"""Langfuse: traces as JSON or CSV, a page of traces, a session, or rows of observations; with people's scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..rows import BadRow, Row
from .human_ratings import FEEDBACK_NAMES, HumanRating, is_number, join_ratings, read_config
from .trace_row import Step, Trace, build_rows, read_steps

_TYPES = frozenset(
    ["SPAN", "EVENT", "GENERATION", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"]
)  # of observations
_FIELDS_READ = {"id", "input", "output"}
_SESSION_KEYS = ("sessionId", "session_id")
_MODEL_KEYS = ("model", "providedModelName")
_PROMPT_KEYS, _VERSION_KEYS = ("promptName", "prompt_name"), ("promptVersion", "prompt_version")
_TIME_KEYS = ("timestamp", "startTime", "start_time", "createdAt", "created_at")
_PERSON_SOURCES = {"ANNOTATION", "HUMAN"}
_AUTHOR_KEYS = ("authorUserId", "author_user_id", "userId", "user_id")
_SCORE_TIMES = ("updatedAt", "updated_at", "timestamp")


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


def read_traces(rows: Iterable[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields one row per session, and per trace of none."""
    return build_rows(rows, _session, read_trace, name)


def read_observations(rows: Iterable[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
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
        session = next(filter(None, (_first(values, _SESSION_KEYS) for values in observations)), None)
        values: dict[str, Any] = {"id": trace, "observations": observations, "sessionId": session}
        values |= {"input": root.get("input"), "output": root.get("output"), "timestamp": _first(root, _TIME_KEYS)}
        traces.append(Row(number, own[0].place, {key: value for key, value in values.items() if value is not None}))
    yield from read_traces(traces, name)


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((values[key] for key in keys if values.get(key)), None)


def _session(values: Mapping[str, Any]) -> str | None:
    inner = values.get("trace")
    session = _first(inner if isinstance(inner, Mapping) else values, _SESSION_KEYS)
    return None if session is None else str(session)


def read_trace(row: Row) -> Trace:
    """Reads a trace with its observations and scores; without an input or output it has that of its root."""
    values = dict(row.values)
    if isinstance(values.get("trace"), Mapping):
        values = values.pop("trace") | values
    listed = values.get("observations")
    observations = [value for value in listed if isinstance(value, Mapping)] if isinstance(listed, list) else []
    observations.sort(key=lambda observation: str(_first(observation, _TIME_KEYS) or ""))
    root = _root(observations)
    sides = [root.get(side) if values.get(side) is None else values[side] for side in ("input", "output")]
    session = values.get("of_traces")
    session_scores = session.get("scores") if isinstance(session, Mapping) else None
    rating = join_ratings(read_scores(values.get("scores")), needs_scale=False)
    prompted: Mapping[str, Any] = next((one for one in reversed(observations) if _first(one, _PROMPT_KEYS)), {})
    known = {"prompt_name": _first(prompted, _PROMPT_KEYS), "prompt_version": _first(prompted, _VERSION_KEYS)}
    return read_steps(
        row.number,
        row.place,
        [Step("", None, "", None, *sides), *map(_step, observations)],
        {name: str(value) for name, value in known.items() if value is not None}
        | {key: value for key, value in values.items() if key not in _FIELDS_READ},
        id=values.get("id"),
        session=_first(values, _SESSION_KEYS),
        time=_first(values, _TIME_KEYS),
        rating=rating.fields,
        unused=rating.unused,
        session_rating=join_ratings(read_scores(session_scores), needs_scale=False).fields,
    )


def _step(observation: Mapping[str, Any]) -> Step:
    """An observation as a step of its trace, which is the root: an observation that is a root has no id here."""
    kind, name = str(observation.get("type")), observation.get("name")
    if kind == "SPAN" and "retriev" in str(name).lower():
        kind = "RETRIEVER"
    return Step(
        "" if _is_root(observation) else str(observation.get("id") or ""),
        "",
        "LLM" if kind == "GENERATION" else kind,
        name,
        observation.get("input"),
        observation.get("output"),
        _first(observation, _MODEL_KEYS),
    )


def _root(observations: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The observation that the others are under."""
    roots = [observation for observation in observations if _is_root(observation)]
    return next((root for root in roots if root.get("input") is not None), roots[0] if roots else {})


def _is_root(observation: Mapping[str, Any]) -> bool:
    """Whether an observation is under no other one; the SDK marks one that has a parent elsewhere."""
    parent = observation.get("parentObservationId") or observation.get("parent_observation_id")
    return observation.get("isRootObservation") is True or not parent


def read_scores(scores: Any) -> list[HumanRating]:
    """Reads what people said among scores.

    A person's score is an annotation, or one that is named as feedback; annotations count before feedback. A category
    has the number that the score's `config` gives it.

    Example:
        >>> scores = [{"name": "helpful", "value": 4, "source": "ANNOTATION"}, {"name": "bleu", "value": 0.3}]
        >>> read_scores(scores)[0].value
        4
    """
    people = [(score, _read_score(score)) for score in _score_objects(scores) if is_by_person(score)]
    people = [(score, rating) for score, rating in people if rating.value is not None or rating.label]
    annotations = [rating for score, rating in people if _is_annotation(score)]
    return annotations or [rating for _, rating in people]


def is_by_person(score: Mapping[str, Any]) -> bool:
    """Whether a score is an annotation, or named as the feedback of a user."""
    return _is_annotation(score) or str(score.get("name", "")).lower() in FEEDBACK_NAMES


def _is_annotation(score: Mapping[str, Any]) -> bool:
    return str(score.get("source", "")).upper() in _PERSON_SOURCES


def _read_score(score: Mapping[str, Any]) -> HumanRating:
    value = score.get("value")
    config = read_config(score.get("config"), ("minValue", "maxValue"), "categories", "value")
    number: float | None = None
    if isinstance(value, str):
        number = config.numbers.get(value, _parse_number(value))
    elif isinstance(value, bool) or is_number(value):
        number = value
    return HumanRating(
        str(score.get("name")),
        str(_first(score, _AUTHOR_KEYS) or ""),
        number,
        value if isinstance(value, str) else "",
        (0.0, 1.0) if config.scale is None and score.get("dataType") == "BOOLEAN" else config.scale,
        str(_first(score, _SCORE_TIMES) or ""),
        str(score.get("comment") or ""),
    )


def _parse_number(text: str) -> float | None:
    """The number that a text is, as in a CSV file."""
    digits = text.strip().replace(",", ".", 1)
    return float(digits) if digits.isascii() and digits.replace(".", "", 1).isdigit() else None


def _score_objects(scores: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(scores, list):
        return [score for score in scores if isinstance(score, Mapping)]
    if isinstance(scores, Mapping):
        named = ((name, value[0] if isinstance(value, list) and value else value) for name, value in scores.items())
        return [{"name": name, "value": value} for name, value in named]
    return []
