"""What a trace of MLflow says: its question, answer, contexts, tools and session, and where each stands."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...eval_sets.cell_values import to_json_value
from ...eval_sets.logs.trace_row import Trace
from ...eval_sets.message_forms import find_answer, find_question
from .people import PeopleReader, find_expected_answer
from .span_reading import Span

SESSION, USER = "mlflow.trace.session", "mlflow.trace.user"
"""The keys of a trace's metadata with its session and its user."""
_PROMPTS, _NAME = "mlflow.linkedPrompts", "mlflow.traceName"
_MODEL_TYPES = {"CHAT_MODEL", "LLM"}
# what stands elsewhere in the sample, or says how MLflow keeps the trace
_USED = {SESSION, USER, _PROMPTS, _NAME, "mlflow.traceInputs", "mlflow.traceOutputs", "mlflow.trace.sizeStats"}
_USED |= {"mlflow.trace.sizeBytes", "mlflow.trace.infoFinalized", "mlflow.trace_schema.version"}
_USED |= {"mlflow.trace.spansLocation", "mlflow.artifactLocation"}
_INFO_USED = {"trace_id", "trace_location", "request_time", "trace_metadata", "tags", "assessments"}
_INFO_USED |= {"request_preview", "response_preview"}


def read_trace(info: Mapping[str, Any], spans: Sequence[Span], people: PeopleReader) -> Trace:
    """Reads a trace as the readers of exported logs take it."""
    ordered = sorted(spans, key=lambda span: span["start_ns"] or 0)
    root = _root(ordered)
    models = [span for span in ordered if span["type"] in _MODEL_TYPES]
    metadata, tags = (dict(info.get(name) or {}) for name in ("trace_metadata", "tags"))
    assessments = [one for one in info.get("assessments") or [] if isinstance(one, Mapping)]
    rating = people.ratings(assessments)
    rest: dict[str, Any] = {
        "name": tags.get(_NAME),
        "model": next(_models(models), None),
        "prompt_version": _prompt_versions(tags, metadata, ordered),
        "user": metadata.get(USER),
        "tags": {name: value for name, value in tags.items() if name not in _USED},
        "trace_metadata": {name: value for name, value in metadata.items() if name not in _USED},
        "assessments": assessments,
        "spans": [_rest_of(span, is_root=span is root) for span in ordered],
        **{name: value for name, value in info.items() if name not in _INFO_USED},
    }
    return Trace(
        1,
        "trace 1",
        id=str(info.get("trace_id")),
        input=to_json_value(_input(root, models)),
        output=to_json_value(_output(root, models)),
        retrieved=[to_json_value(span["outputs"]) for span in ordered if span["type"] == "RETRIEVER"],
        session=metadata.get(SESSION) or None,
        time=trace_time(info).isoformat(),
        tools=[
            {
                "id": span["span_id"],
                "name": span["name"],
                "arguments": to_json_value(span["inputs"]),
                "output": to_json_value(span["outputs"]),
            }
            for span in ordered
            if span["type"] == "TOOL"
        ],
        models=[(to_json_value(span["inputs"]), to_json_value(span["outputs"])) for span in models],
        rest=to_json_value({name: value for name, value in rest.items() if value not in (None, "", [], {})}),
        rating=rating.fields,
        unused=rating.unused,
        span=str(root.get("span_id") or ""),
        reference=find_expected_answer(assessments),
    )


def trace_time(info: Mapping[str, Any]) -> datetime:
    """Reads when a trace began, in UTC."""
    return datetime.fromisoformat(str(info.get("request_time"))).astimezone(UTC)


def _root(spans: Sequence[Span]) -> Span:
    """The span that the others are under, with an input where there are several such."""
    ids = {span["span_id"] for span in spans}
    roots = [span for span in spans if span["parent_id"] not in ids]
    return next((span for span in roots if span["inputs"] is not None), roots[0] if roots else {})


def _input(root: Span, models: Sequence[Span]) -> Any:
    """What the chatbot was given, or where nothing in it can be recognised as a question, what its model was."""
    values = [root.get("inputs"), *(span["inputs"] for span in models)]
    return next((value for value in values if find_question(value) is not None), values[0])


def _output(root: Span, models: Sequence[Span]) -> Any:
    values = [root.get("outputs"), *(span["outputs"] for span in reversed(models))]
    streams = ["".join(value) for value in values if _is_stream(value)]
    return next((value for value in values if find_answer(value) is not None), streams[0] if streams else values[0])


def _is_stream(value: object) -> bool:
    """Whether a value is the parts of an answer that was sent in pieces."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) for part in value)


def _models(spans: Sequence[Span]) -> Iterator[str]:
    """The names of the models, of the last call first: it made the answer."""
    for span in reversed(spans):
        inputs = span["inputs"] if isinstance(span["inputs"], Mapping) else {}
        for name in (span["attributes"].get("mlflow.llm.model"), inputs.get("model"), inputs.get("model_name")):
            if isinstance(name, str) and name:
                yield name


def _prompt_versions(tags: Mapping[str, Any], metadata: Mapping[str, Any], spans: Sequence[Span]) -> str:
    """The versions of the prompts that the trace is linked with: `NAME/VERSION`."""
    held = [tags.get(_PROMPTS), metadata.get(_PROMPTS), *(span["attributes"].get(_PROMPTS) for span in spans)]
    versions: dict[str, None] = {}
    for value in held:
        try:
            listed = json.loads(value) if isinstance(value, str) else value
        except (ValueError, RecursionError):
            continue
        for prompt in listed if isinstance(listed, list) else []:
            if isinstance(prompt, Mapping) and prompt.get("name"):
                versions[f"{prompt['name']}/{prompt.get('version')}"] = None
    return ", ".join(versions)


def _rest_of(span: Span, *, is_root: bool) -> dict[str, Any]:
    """A span for the metadata; the input and output of the root are the trace's own."""
    left_out = {"inputs", "outputs"} if is_root else set()
    return {name: value for name, value in span.items() if name not in left_out and value not in (None, "", [], {})}
