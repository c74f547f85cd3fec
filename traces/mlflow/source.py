"""An experiment on a tracking server of MLflow: where it is, calls of its REST API, and its traces as samples."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, cached_property
from math import ceil
from typing import Any
from urllib.parse import unquote, urlsplit

from ...errors import InputError, UsageError
from ...eval_sets.cell_values import to_json_value
from ...eval_sets.logs.human_ratings import (
    HumanRating,
    ObservedScales,
    PeopleRatings,
    Scale,
    is_number,
    join_ratings,
    make_scale,
)
from ...eval_sets.logs.openinference import otlp_attributes
from ...eval_sets.logs.trace_row import Step, Trace, read_steps
from ...eval_sets.message_forms import find_reference
from ...name_suggestions import quote_names
from ...value_messages import shorten
from ..address import TraceAddress, find_server_url
from ..http_client import HttpClient, RefusedRequest, basic_secret, read_key
from ..source import Traces, UnreadTrace, make_sample

_OLDEST = "MLflow 3.5 is needed; correct the address, or update the server"  # the first that keeps spans
_PORT = 5000
_URI = "MLFLOW_TRACKING_URI"
_KEYS = "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
_MOST_NAMES = 5  # of experiments in a message
SESSION = "mlflow.trace.session"
"""The key of a trace's metadata with its session."""


class MlflowServer:
    """The server and the experiment of an address; nothing is sent before the first call.

    Keys come from MLflow's own environment variables.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address}: name the experiment: {address.scheme}://{address.host or 'HOST:5000'}/NAME")
        self.address = address
        self.uri = find_server_url(address.host, (_URI,), port=_PORT, takes_user=True)

    @cached_property
    def client(self) -> HttpClient:
        """What calls the server, with the keys that MLflow's own client sends."""
        parts = urlsplit(self.uri)
        user, password, token = (read_key(f"MLFLOW_TRACKING_{part}") for part in ("USERNAME", "PASSWORD", "TOKEN"))
        user, password = user or unquote(parts.username or ""), password or unquote(parts.password or "")
        secrets = [password, token, parts.password or "", basic_secret(user, password) if password else ""]
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        headers = {"authorization": f"Bearer {token}"} if token and not (user and password) else {}
        auth = (user, password) if user and password else None
        return HttpClient("MLflow", shown, _KEYS, tuple(filter(None, secrets)), _OLDEST, auth=auth, headers=headers)

    @cached_property
    def experiment(self) -> str:
        """The id of the experiment that the address names: that of its name, else the id itself."""
        name = self.address.project
        values = self._find_experiment("get-by-name", {"experiment_name": name})
        if values is None and name.isascii() and name.isdigit():
            values = self._find_experiment("get", {"experiment_id": name})
        if values is None:
            raise InputError(
                f"{self.address}: no experiment `{shorten(name)}` at {self.client.url}; {self._known_experiments()}"
            )
        if values.get("lifecycle_stage") == "deleted":
            raise InputError(f"{self.address}: the experiment is deleted; restore it with `mlflow experiments restore`")
        return str(values["experiment_id"])

    def search(self, filter_string: str, most: int, **more: str) -> Any:
        """Searches traces of the experiment, without their spans; returns the reply. `more` is asked for too."""
        place = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": self.experiment}}
        body: dict[str, Any] = {"locations": [place], "filter": filter_string, "max_results": most}
        body |= {"order_by": [more.pop("order", "timestamp_ms ASC"), "request_id ASC"]} | more
        reply = self.client.call("POST", "/api/3.0/mlflow/traces/search", json=body)
        if isinstance(reply, dict):
            reply.setdefault("traces", [])  # MLflow leaves out what is empty
        self.client.objects(reply, "traces", "a search of traces")
        return reply

    def search_pages(self, filter_string: str, most: int) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of a search that is read whole."""
        return self.client.pages(
            "a search of traces",
            lambda place: self.search(filter_string, most, **({"page_token": place} if place else {})),
            items="traces",
            next_place=("next_page_token",),
        )

    def _find_experiment(self, method: str, values: Mapping[str, str]) -> Mapping[str, Any] | None:
        try:
            reply = self.client.call("GET", f"/api/2.0/mlflow/experiments/{method}", params=values)
        except RefusedRequest as error:
            if is_missing(error):
                return None
            raise
        experiment = reply.get("experiment") if isinstance(reply, Mapping) else None
        if not isinstance(experiment, Mapping) or not isinstance(experiment.get("experiment_id"), str | int):
            raise self.client.wrong_form("the experiment", "no experiment with an id")
        return experiment

    def _known_experiments(self) -> str:
        body = {"max_results": 1000, "view_type": "ACTIVE_ONLY"}
        try:
            reply = self.client.call("POST", "/api/2.0/mlflow/experiments/search", json=body)
        except RefusedRequest:
            return "correct its name"
        listed = reply.get("experiments") if isinstance(reply, Mapping) else None
        names = [self.client.words(str(one.get("name"))) for one in listed or () if isinstance(one, Mapping)]
        return f"there are {quote_names(names, at_most=_MOST_NAMES)}" if names else "there are none yet"


def is_missing(refusal: RefusedRequest) -> bool:
    """Whether the server says that there is no such trace, assessment or experiment."""
    try:
        body = json.loads(refusal.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and body.get("error_code") in {"RESOURCE_DOES_NOT_EXIST", "NOT_FOUND"}


_PAGE = 100  # traces without their spans
_BATCH = 10  # traces with their spans: more the server does not return at once
Span = Mapping[str, Any]
"""A span: `span_id`, `parent_id`, `name`, `type`, `inputs`, `outputs`, `attributes`, `status`, `start_ns` and more."""

_LOCATION = "mlflow.trace.spansLocation"
_OWN_ATTRIBUTES = {"mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType", "mlflow.traceRequestId"}
_IN_DATABASE = ("TRACKING_STORE", "ARCHIVE_REPO")
_GONE = "its spans are not there; it may have been deleted"
_NOT_STORED = "its spans are in no database: they are read of a server of MLflow 3.5 or later that has one"


class MlflowSource:
    """Reads the traces of one experiment."""

    def __init__(self, address: TraceAddress) -> None:
        self._server = MlflowServer(address)

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace, in the order of the times at which they began; see `Source`."""
        end = _milliseconds(until or datetime.now(UTC))
        people, spans = PeopleReader(self._server), SpanReader(self._server)
        first = 0 if since is None else _milliseconds(since)
        window = f"timestamp_ms >= {first} AND timestamp_ms < {end}"
        for page in self._server.search_pages(window, _PAGE):
            for start in range(0, len(page), _BATCH):
                yield from self._read_batch(page[start : start + _BATCH], people, spans)

    def _read_batch(self, infos: Sequence[Mapping[str, Any]], people: "PeopleReader", spans: "SpanReader") -> Traces:
        problems = {str(info.get("trace_id")): _problem_before_reading(info) for info in infos}
        wanted = [info for info in infos if not problems[str(info.get("trace_id"))]]
        loaded = spans.load(wanted)
        for info in infos:
            name = str(info.get("trace_id"))
            content: Sequence[Span] | str = problems[name] or loaded[name]
            if isinstance(content, str):
                yield UnreadTrace(name, trace_time(info).isoformat(), content)
            else:
                yield make_sample(read_trace(info, content, people), str(self._server.address))


def _milliseconds(moment: datetime) -> int:
    """The first whole millisecond that is not before a moment: MLflow keeps no smaller parts."""
    since_epoch = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return ceil((since_epoch.days * 86_400 + since_epoch.seconds) * 1000 + since_epoch.microseconds / 1000)


def _problem_before_reading(info: Mapping[str, Any]) -> str:
    """Why a trace is not read at all; empty where it may be."""
    state = info.get("state")
    if state == "IN_PROGRESS":
        return "it is still in progress; pull again when it has ended"
    if state == "ERROR":
        return "the chatbot failed (state ERROR), so there is no answer to judge"
    scorer = (info.get("tags") or {}).get("mlflow.trace.sourceScorer")
    return f"it is the trace of MLflow's scorer `{shorten(str(scorer))}`, not of the chatbot" if scorer else ""


class SpanReader:
    """Loads the spans of a few traces at once."""

    def __init__(self, server: MlflowServer) -> None:
        self._server = server

    def load(self, infos: Sequence[Mapping[str, Any]]) -> dict[str, list[Span] | str]:
        """Loads the spans of traces: by the trace's id its spans, or why there are none."""
        ids = {str(info.get("trace_id")): (info.get("tags") or {}).get(_LOCATION) for info in infos}
        loaded = self._load_stored([name for name, location in ids.items() if location in _IN_DATABASE])
        return dict.fromkeys(ids, _NOT_STORED) | loaded

    def _load_stored(self, ids: Sequence[str]) -> dict[str, list[Span] | str]:
        if not ids:
            return {}
        client, path = self._server.client, "/api/3.0/mlflow/traces/batchGet"
        try:
            reply = client.call("GET", path, params={"trace_ids": list(ids)})
        except RefusedRequest as error:
            if len(ids) > 1 and not is_missing(error):  # one of them may be what the server cannot read
                return {name: spans for one in ids for name, spans in self._load_stored([one]).items()}
            return dict.fromkeys(ids, f"its spans cannot be read: {error.problem}")
        loaded: dict[str, list[Span] | str] = dict.fromkeys(ids, _GONE)
        for values in client.objects({"traces": []} if reply == {} else reply, "traces", path):
            info = values.get("trace_info")
            name = str(info.get("trace_id")) if isinstance(info, Mapping) else ""
            if name not in loaded:
                raise client.wrong_form(path, "a trace that was not asked for")
            loaded[name] = self._read_spans(values)
        return loaded

    def _read_spans(self, values: Any) -> list[Span] | str:
        try:
            return list(map(_read_span, values.get("spans") or ()))
        except Exception as error:  # what anyone may have sent, or an older server has kept
            return f"its spans cannot be read: {type(error).__name__}: {self._server.client.words(str(error))}"


def _read_span(span: Mapping[str, Any]) -> Span:
    """Reads a span as the database has it: attributes as protobuf's JSON."""
    attributes, status = otlp_attributes(span.get("attributes")), span.get("status") or {}
    return {
        "span_id": _hexadecimal(span.get("span_id")),
        "parent_id": _hexadecimal(span.get("parent_span_id")) or None,
        "name": span.get("name"),
        "type": attributes.get("mlflow.spanType"),
        "start_ns": int(span.get("start_time_unix_nano") or 0),
        "end_ns": int(span.get("end_time_unix_nano") or 0),
        "status": str(status.get("code") or "UNSET").removeprefix("STATUS_CODE_"),
        "status_message": str(status.get("message") or ""),
        "inputs": attributes.get("mlflow.spanInputs"),
        "outputs": attributes.get("mlflow.spanOutputs"),
        "attributes": {name: value for name, value in attributes.items() if name not in _OWN_ATTRIBUTES},
        "events": [
            {"name": event.get("name"), "attributes": otlp_attributes(event.get("attributes"))}
            for event in span.get("events") or ()
        ],
    }


def _hexadecimal(text: Any) -> str:
    """An id as OpenTelemetry writes it; one of protobuf's JSON is in base64."""
    if not isinstance(text, str) or not text.endswith("="):
        return str(text or "").removeprefix("0x")
    try:
        return base64.b64decode(text).hex()
    except binascii.Error:
        return text


_MOST_SEARCHED = 200  # traces, for the scale of a name
_CURE = "add a label schema with this name in MLflow"


class PeopleReader:
    """Reads what people said; the scale of numbers is looked up once per name.

    A thumb is 1 or 0 on a scale from 0 to 1. The scale of a number is that of the experiment's label schema of this
    name, else the usual one that the numbers under this name lie on.
    """

    def __init__(self, server: MlflowServer) -> None:
        self._server = server
        self._scale = cache(lambda name: self._schema_scale(name) or self._observed_scale(name))

    def ratings(self, assessments: Sequence[Mapping[str, Any]]) -> PeopleRatings:
        """Reads the ratings of one trace; feedback that was corrected does not count."""
        people = (_read_feedback(one) for one in assessments if _is_feedback_by_person(one))
        return join_ratings(people, self._scale, cure=_CURE)

    def _schema_scale(self, name: str) -> Scale | None:
        """The scale of the experiment's label schema of a name; None without one, and of a server without schemas."""
        try:
            wanted = {"experiment_id": self._server.experiment, "name": name}
            reply = self._server.client.call("GET", "/api/3.0/mlflow/label-schemas/get-by-name", params=wanted)
            numeric = reply["label_schema"]["input"]["numeric"]
            low, high = float(numeric["min_value"]), float(numeric["max_value"])
        except (RefusedRequest, KeyError, TypeError, ValueError):
            return None
        return make_scale(low, high)

    def _observed_scale(self, name: str) -> Scale | None:
        if "`" in name:
            return None
        try:
            reply = self._server.search(f"feedback.`{name}` IS NOT NULL", _MOST_SEARCHED, order="timestamp_ms DESC")
        except RefusedRequest:
            return None
        scales = ObservedScales()
        listed = (
            one for trace in reply["traces"] for one in trace.get("assessments") or [] if _is_feedback_by_person(one)
        )
        scales.observe(rating for one in listed if (rating := _read_feedback(one)).name == name)
        return scales(name)


def _is_feedback_by_person(values: Mapping[str, Any]) -> bool:
    source = values.get("source")
    is_person = isinstance(source, Mapping) and source.get("source_type") == "HUMAN"
    return is_person and isinstance(values.get("feedback"), Mapping) and values.get("valid") is not False


def _read_feedback(values: Mapping[str, Any]) -> HumanRating:
    value = values["feedback"].get("value")
    source = values.get("source") or {}
    return HumanRating(
        str(values.get("assessment_name") or ""),
        str(source.get("source_id") or "default"),
        value if isinstance(value, bool) or is_number(value) else None,
        value if isinstance(value, str) else "",
        time=str(values.get("last_update_time") or values.get("create_time") or ""),
        reason=str(values.get("rationale") or ""),
    )


_USER = "mlflow.trace.user"
_PROMPTS, _NAME = "mlflow.linkedPrompts", "mlflow.traceName"
# what stands elsewhere in the sample, or says how MLflow keeps the trace
_USED = {SESSION, _USER, _PROMPTS, _NAME, "mlflow.traceInputs", "mlflow.traceOutputs", "mlflow.trace.sizeStats"}
_USED |= {"mlflow.trace.sizeBytes", "mlflow.trace.infoFinalized", "mlflow.trace_schema.version"}
_USED |= {"mlflow.trace.spansLocation", "mlflow.artifactLocation"}
_INFO_USED = {"trace_id", "trace_location", "request_time", "trace_metadata", "tags", "assessments"}
_INFO_USED |= {"request_preview", "response_preview"}


def read_trace(info: Mapping[str, Any], spans: Sequence[Span], people: PeopleReader) -> Trace:
    """Reads a trace as the readers of exported logs take it."""
    ordered = sorted(spans, key=lambda span: span["start_ns"] or 0)
    metadata, tags = (dict(info.get(name) or {}) for name in ("trace_metadata", "tags"))
    assessments = [one for one in info.get("assessments") or [] if isinstance(one, Mapping)]
    rating = people.ratings(assessments)
    rest: dict[str, Any] = {
        "name": tags.get(_NAME),
        "prompt_version": _prompt_versions(tags, metadata, ordered),
        "user": metadata.get(_USER),
        "tags": {name: value for name, value in tags.items() if name not in _USED},
        "trace_metadata": {name: value for name, value in metadata.items() if name not in _USED},
        "assessments": assessments,
        "spans": [{name: value for name, value in span.items() if _is_filled(value)} for span in ordered],
        **{name: value for name, value in info.items() if name not in _INFO_USED},
    }
    return read_steps(
        1,
        "trace 1",
        list(map(_step, ordered)),
        to_json_value({name: value for name, value in rest.items() if _is_filled(value)}),
        id=str(info.get("trace_id")),
        session=metadata.get(SESSION) or None,
        time=trace_time(info).isoformat(),
        rating=rating.fields,
        unused=rating.unused,
        reference=_expected_answer(assessments),
    )


def _step(span: Span) -> Step:
    inputs, outputs = to_json_value(span["inputs"]), to_json_value(span["outputs"])
    if isinstance(outputs, list) and len(outputs) > 1 and all(isinstance(part, str) for part in outputs):
        outputs = "".join(outputs)  # an answer that was sent in pieces
    asked = inputs if isinstance(inputs, Mapping) else {}
    models = (span["attributes"].get("mlflow.llm.model"), asked.get("model"), asked.get("model_name"))
    kind = "LLM" if span["type"] == "CHAT_MODEL" else str(span["type"])
    model = next((name for name in models if isinstance(name, str) and name), None) if kind == "LLM" else None
    return Step(span["span_id"], span["parent_id"], kind, span["name"], inputs, outputs, model)


def _is_filled(value: object) -> bool:
    return value not in (None, "", [], {})


def _expected_answer(assessments: Iterable[Mapping[str, Any]]) -> str | None:
    """The expected answer among the expectations of a trace; None where there is none."""
    values: dict[str, Any] = {}
    for one in assessments:
        expectation = one.get("expectation")
        if isinstance(expectation, Mapping) and one.get("valid") is not False:
            value = expectation.get("value")
            values |= value if isinstance(value, Mapping) else {str(one.get("assessment_name")): value}
    return find_reference(values)


def trace_time(info: Mapping[str, Any]) -> datetime:
    """Reads when a trace began, in UTC."""
    return datetime.fromisoformat(str(info.get("request_time"))).astimezone(UTC)


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
