"""A real tracking server of MLflow for tests, what fills it, and a proxy that fails as a script says."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from api_server import ApiServer, Reply


def find_mlflow():
    """The command `mlflow` of an environment with the server; None where there is none."""
    if named := os.environ.get("ASSAY_MLFLOW"):
        return named
    beside = Path(sys.executable).parent / "mlflow"
    command = shutil.which("mlflow") or (str(beside) if beside.is_file() else None)
    if command is None:
        return None
    # the client's package has the command too, but not what the server needs
    head = Path(command).read_bytes().partition(b"\n")[0]
    look = [head.removeprefix(b"#!").decode(), "-c", "import flask"]
    is_server = head.startswith(b"#!/") and subprocess.run(look, capture_output=True, check=False).returncode == 0
    return command if is_server else None


class MlflowProcess:
    """A server with SQLite in an empty folder, on a free port; `options` are further ones of `mlflow server`."""

    def __init__(self, folder, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.host = f"127.0.0.1:{port}"
        stores = ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", f"{folder}/files"]
        command = [find_mlflow() or "mlflow", "server", *stores, "--port", str(port), "--workers", "1"]
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, *options],
                cwd=folder,
                stdout=log,
                stderr=log,
                start_new_session=True,  # so that its workers end with it
                env={**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
            )
        deadline = time.monotonic() + 120
        while not self._is_up():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(self.log.read_text(errors="replace")[-3000:])
            time.sleep(0.1)

    def _is_up(self):
        try:
            with urllib.request.urlopen(f"http://{self.host}/health", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def stop(self):
        """Ends the server and its workers."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, 15)
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, 9)
                self._process.wait(timeout=20)


@dataclass(frozen=True)
class SpanToLog:
    """A span of a trace for a test; the first span of a trace is its root."""

    kind: str = "CHAIN"
    inputs: Any = None
    outputs: Any = None
    name: str = "bot"
    attributes: Mapping[str, Any] = field(default_factory=dict)


class TraceWriter:
    """Writes traces of an experiment, which is made where there is none, as a chatbot would."""

    def __init__(self, host, experiment):
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
        from mlflow import MlflowClient
        from mlflow.tracing.client import TracingClient

        self.client = MlflowClient(f"http://{host}")
        self._host = host
        known = self.client.get_experiment_by_name(experiment)
        self.id = str(known.experiment_id if known else self.client.create_experiment(experiment))
        self._tracing = TracingClient(f"http://{host}")

    def write(self, number, spans, *, at=1_700_000_000_000, state="OK", metadata=None, tags=None):
        """Writes a trace with spans, the root first, that begin 1 ms after each other from `at`; returns its id."""
        from mlflow.entities import Span, TraceInfo, TraceLocation, TraceState

        trace_id = f"tr-{number:032x}"
        info = TraceInfo(
            trace_id,
            TraceLocation.from_experiment_id(self.id),
            at,
            TraceState(state),
            execution_duration=5,
            trace_metadata=dict(metadata or {}),
            tags={"mlflow.traceName": spans[0].name if spans else "bot", **(tags or {})},
        )
        self._tracing.start_trace(info)
        if spans:
            self._tracing.log_spans(
                self.id, [Span.from_dict(_span(number, place, span, at)) for place, span in enumerate(spans)]
            )
        return trace_id

    def feedback(self, trace_id, name, value, *, source, **more):
        """Writes a feedback, by (source type, source id)."""
        from mlflow.entities import AssessmentSource, Feedback

        return self._tracing.log_assessment(trace_id, Feedback(name, value, source=AssessmentSource(*source), **more))

    def expectation(self, trace_id, name, value):
        """Writes an expectation of a person."""
        from mlflow.entities import AssessmentSource, Expectation

        return self._tracing.log_assessment(trace_id, Expectation(name, value, source=AssessmentSource("HUMAN", "ada")))

    def add_numeric_schema(self, name, low, high):
        """Adds a label schema of numbers to the experiment."""
        numbers = {"numeric": {"min_value": low, "max_value": high}}
        body = {"experiment_id": self.id, "name": name, "type": "FEEDBACK", "input": numbers}
        self._post("3.0/mlflow/label-schemas/create", body)

    def _post(self, path, body):
        url = f"http://{self._host}/api/{path}"
        sent = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(sent).close()

    def assessments(self, trace_id):
        """The assessments of a trace."""
        return list(self._tracing.get_trace_info(trace_id).assessments)


def _span(number, place, span, at):
    attributes = {"mlflow.spanType": span.kind, "mlflow.traceRequestId": f"tr-{number:032x}", **span.attributes}
    attributes |= {} if span.inputs is None else {"mlflow.spanInputs": span.inputs}
    attributes |= {} if span.outputs is None else {"mlflow.spanOutputs": span.outputs}
    begin = (at + place) * 1_000_000

    def span_id(index):
        return b64encode(((number << 16) + index + 1).to_bytes(16)[-8:]).decode()

    return {
        "trace_id": b64encode(number.to_bytes(16)).decode(),
        "span_id": span_id(place),
        "parent_span_id": span_id(0) if place else None,
        "name": span.name,
        "start_time_unix_nano": begin,
        "end_time_unix_nano": begin + 1_000_000,
        "events": [],
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": {name: json.dumps(value) for name, value in attributes.items()},
    }


class MlflowProxy(ApiServer):
    """Stands before a server and lets requests go wrong: `script` gives the reply to one, or None to let it pass."""

    def __init__(self, host):
        super().__init__()
        self._target = host

    def read_body(self, content, headers):
        """Reads the body of a request: as it came."""
        return content

    def answer(self, call):
        """Lets a request pass."""
        return Reply(*self.forward(call))

    def forward(self, call):
        """Sends a request to the server, and returns its status and body."""
        query = f"?{urlencode(call.query, doseq=True)}" if call.query else ""
        headers = {name: value for name, value in call.headers.items() if name.lower() == "content-type"}
        sent = urllib.request.Request(
            f"http://{self._target}{call.path}{query}", call.body, headers, method=call.method
        )
        try:
            with urllib.request.urlopen(sent) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
