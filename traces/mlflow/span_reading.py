"""Loads the spans of traces, from the server's database or from its store of files."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..http_client import RefusedRequest
from .server import MlflowServer, is_missing

Span = Mapping[str, Any]
"""A span: `span_id`, `parent_id`, `name`, `type`, `inputs`, `outputs`, `attributes`, `status`, `start_ns` and more."""

_LOCATION = "mlflow.trace.spansLocation"
_OWN_ATTRIBUTES = {"mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType", "mlflow.traceRequestId"}
_IN_DATABASE = ("TRACKING_STORE", "ARCHIVE_REPO")
_GONE = "its spans are not there; it may have been deleted"


class SpanReader:
    """Loads the spans of a few traces at once."""

    def __init__(self, server: MlflowServer) -> None:
        self._server = server

    def load(self, infos: Sequence[Mapping[str, Any]]) -> dict[str, list[Span] | str]:
        """Loads the spans of traces: by the trace's id its spans, or why there are none."""
        ids = {str(info.get("trace_id")): (info.get("tags") or {}).get(_LOCATION) for info in infos}
        loaded = self._load_stored([name for name, location in ids.items() if location in _IN_DATABASE])
        return {name: loaded[name] if name in loaded else self._load_file(name) for name in ids}

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
        for values in client.server.objects({"traces": []} if reply == {} else reply, "traces", path):
            info = values.get("trace_info")
            name = str(info.get("trace_id")) if isinstance(info, Mapping) else ""
            if name not in loaded:
                raise client.server.wrong_form(path, "a trace that was not asked for")
            loaded[name] = self._read_spans(values)
        return loaded

    def _load_file(self, name: str) -> list[Span] | str:
        """Loads spans from where servers before 3.5 and those without a database keep them."""
        path = "/ajax-api/2.0/mlflow/get-trace-artifact"
        try:
            return self._read_spans(self._server.client.call("GET", path, params={"request_id": name}))
        except RefusedRequest as error:
            return f"its spans cannot be read: {error.problem}"

    def _read_spans(self, values: Any) -> list[Span] | str:
        try:
            return list(map(_read_span, values.get("spans") or ()))
        except Exception as error:  # what anyone may have sent, or an older server has kept
            return f"its spans cannot be read: {type(error).__name__}: {self._server.client.server.words(str(error))}"


def _read_span(span: Mapping[str, Any]) -> Span:
    """Reads a span as the database has it (attributes as protobuf's JSON) or a file (each attribute is JSON)."""
    listed, status = span.get("attributes") or {}, span.get("status") or {}
    attributes = _listed(listed) if isinstance(listed, list) else {name: _parsed(text) for name, text in listed.items()}
    return {
        "span_id": _hexadecimal(span.get("span_id") or (span.get("context") or {}).get("span_id")),
        "parent_id": _hexadecimal(span.get("parent_span_id") or span.get("parent_id")) or None,
        "name": span.get("name"),
        "type": attributes.get("mlflow.spanType"),
        "start_ns": int(span.get("start_time_unix_nano") or span.get("start_time") or 0),
        "end_ns": int(span.get("end_time_unix_nano") or span.get("end_time") or 0),
        "status": str(status.get("code") or span.get("status_code") or "UNSET").removeprefix("STATUS_CODE_"),
        "status_message": str(status.get("message") or span.get("status_message") or ""),
        "inputs": attributes.get("mlflow.spanInputs"),
        "outputs": attributes.get("mlflow.spanOutputs"),
        "attributes": {name: value for name, value in attributes.items() if name not in _OWN_ATTRIBUTES},
        "events": [
            {"name": event.get("name"), "attributes": _listed(own) if isinstance(own, list) else own}
            for event in span.get("events") or ()
            for own in [event.get("attributes") or {}]
        ],
    }


def _listed(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {str(pair["key"]): _value(pair.get("value") or {}) for pair in pairs}


def _value(value: Mapping[str, Any]) -> Any:
    kind = next(iter(value), "")
    held: Any = value.get(kind)
    if kind == "kvlist_value":
        return _listed(held.get("values") or ())
    if kind == "array_value":
        return list(map(_value, held.get("values") or ()))
    return int(held) if kind == "int_value" else held


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _hexadecimal(text: Any) -> str:
    """An id as OpenTelemetry writes it; one of protobuf's JSON is in base64."""
    if not isinstance(text, str) or not text.endswith("="):
        return str(text or "").removeprefix("0x")
    try:
        return base64.b64decode(text).hex()
    except binascii.Error:
        return text
