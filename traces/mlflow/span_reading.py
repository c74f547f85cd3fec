"""Loads the spans of traces, from the server's database or from its store of files."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...installation import require_extra
from ..http_client import RefusedRequest
from .server import MlflowServer, is_missing, load_client

Span = Mapping[str, Any]
"""A span: `span_id`, `parent_id`, `name`, `type`, `inputs`, `outputs`, `attributes`, `status`, `start_ns` and more."""

_LOCATION = "mlflow.trace.spansLocation"
_OWN_ATTRIBUTES = {"mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType", "mlflow.traceRequestId"}
_IN_DATABASE = ("TRACKING_STORE", "ARCHIVE_REPO")


class SpanReader:
    """Loads the spans of a few traces at once."""

    def __init__(self, server: MlflowServer) -> None:
        self._server = server

    def load(self, infos: Sequence[Mapping[str, Any]]) -> dict[str, list[Span] | str]:
        """Loads the spans of traces.

        Returns:
            By the trace's id its spans, or why there are none.
        """
        ids = {str(info.get("trace_id")): (info.get("tags") or {}).get(_LOCATION) for info in infos}
        stored = [name for name, location in ids.items() if location in _IN_DATABASE]
        loaded = self._load_stored(stored)
        return {name: loaded[name] if name in loaded else self._load_file(name) for name in ids}

    def _load_stored(self, ids: Sequence[str]) -> dict[str, list[Span] | str]:
        if not ids:
            return {}
        try:
            reply = self._server.client.call("GET", "/api/3.0/mlflow/traces/batchGet", params={"trace_ids": list(ids)})
        except RefusedRequest as error:
            if len(ids) > 1 and not is_missing(error):  # one of them may be what the server cannot read
                return {name: spans for one in ids for name, spans in self._load_stored([one]).items()}
            return dict.fromkeys(ids, f"its spans cannot be read: {error}")
        loaded: dict[str, list[Span] | str] = dict.fromkeys(ids, "its spans are not there; it may have been deleted")
        server, call = self._server.client.server, "traces with their spans"
        for values in server.objects({"traces": []} if reply == {} else reply, "traces", call):
            info = values.get("trace_info")
            name = str(info.get("trace_id")) if isinstance(info, Mapping) else ""
            if name not in loaded:
                raise server.wrong_form(call, "a trace that was not asked for")
            try:
                loaded[name] = _read_spans(values)
            except Exception as error:  # MLflow's reader may fail in any way at what anyone may have sent
                loaded[name] = f"its spans cannot be read: {type(error).__name__}: {self._server.client.server.words(str(error))}"
        return loaded

    def _load_file(self, name: str) -> list[Span] | str:
        """Loads spans from where servers before 3.5 and those without a database keep them."""
        try:
            return _download_spans(self._server.uri, name)
        except Exception as error:  # as above
            return f"its spans cannot be read: {self._server.client.server.words(str(error))}"


def _read_spans(values: Mapping[str, Any]) -> list[Span]:
    load_client()  # first, as it keeps the import quiet
    with require_extra("mlflow", "mlflow: traces"):
        from mlflow.entities import Trace
        from mlflow.protos.service_pb2 import BatchGetTraces
        from mlflow.utils import proto_json_utils

    reply = BatchGetTraces.Response()
    read_object: Any = proto_json_utils.parse_dict
    read_object({"traces": [values]}, reply)
    return _span_values(Trace.from_proto(reply.traces[0]))


def _download_spans(uri: str, name: str) -> list[Span]:
    load_client()
    with require_extra("mlflow", "mlflow: traces"):
        from mlflow.tracing.client import TracingClient

    return _span_values(TracingClient(uri).get_trace(name))


def _span_values(trace: Any) -> list[Span]:
    return [
        {
            "span_id": span.span_id,
            "parent_id": span.parent_id,
            "name": span.name,
            "type": span.span_type,
            "start_ns": span.start_time_ns,
            "end_ns": span.end_time_ns,
            "status": str(getattr(span.status.status_code, "value", span.status.status_code)),
            "status_message": span.status.description,
            "inputs": span.inputs,
            "outputs": span.outputs,
            "attributes": {name: value for name, value in span.attributes.items() if name not in _OWN_ATTRIBUTES},
            "events": [{"name": event.name, "attributes": dict(event.attributes)} for event in span.events],
        }
        for span in trace.data.spans
    ]
