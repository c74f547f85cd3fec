"""A real Phoenix server of a test's own: filled with traces, killed and started again, and asked what it holds."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

_KINDS = ("span", "trace", "session")
_READY = "Uvicorn running on"
_PAGE = 100


def find_phoenix():
    """The path of the command `phoenix`: of ASSAY_PHOENIX, else on PATH, else beside Python; None where it is not."""
    beside = Path(sys.executable).with_name("phoenix")
    return os.environ.get("ASSAY_PHOENIX") or shutil.which("phoenix") or (str(beside) if beside.is_file() else None)


class StoredAnnotation(NamedTuple):
    """An annotation as the server holds it; `target` is the id of its span, trace or session."""

    unit: str
    target: str
    trace: str  # empty of a session's
    name: str
    identifier: str
    annotator: str
    score: float | None
    label: str | None
    explanation: str | None
    metadata: Mapping[str, Any]


class PhoenixServer:
    """A server with SQLite in a folder, on a free loopback port."""

    def __init__(self, folder):
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as web, socket.create_server(("127.0.0.1", 0)) as grpc:
            self._ports = web.getsockname()[1], grpc.getsockname()[1]
        self.host = f"127.0.0.1:{self._ports[0]}"
        self.url = f"http://{self.host}"
        self._projects: dict[str, str] = {}
        self.start()

    def start(self):
        """Starts the server and waits until it accepts connections."""
        settings = {
            "PHOENIX_WORKING_DIR": str(self._folder),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(self._ports[0]),
            "PHOENIX_GRPC_PORT": str(self._ports[1]),
            "PHOENIX_TELEMETRY_ENABLED": "false",
            "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
            "PHOENIX_DISABLE_AGENT_ASSISTANT": "true",
            "PYTHONUNBUFFERED": "1",
        }
        others = {name: value for name, value in os.environ.items() if not name.startswith(("PHOENIX_", "PYTHONPATH"))}
        command = find_phoenix()
        assert command, "no Phoenix server: set ASSAY_PHOENIX to its command"
        self._process = subprocess.Popen(
            [command, "serve"],
            cwd=self._folder,
            env=others | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        output = self._process.stdout
        assert output is not None
        log = []
        for line in output:
            log.append(line)
            if _READY in line:
                break
        else:
            raise AssertionError("".join(log[-50:]))
        threading.Thread(target=lambda: [None for _ in output], daemon=True).start()  # its pipe must not fill

    def stop(self):
        """Stops the server."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """kill -9; `start` starts it again with what it has stored."""
        self._process.kill()
        self._process.wait()

    def address(self, project):
        """The address of a project, as it is typed after `assay traces pull`."""
        return f"phoenix://{self.host}/{quote(project, safe='')}"

    def fill(self, project, count, *, begin=None, apart=timedelta(seconds=1), first=0):
        """Adds traces of a question, a retrieved context and an answer, and waits until they can be read.

        Every third answer names something that its context does not hold, so that cheap scores differ.
        """
        begin = begin or datetime.now(UTC) - timedelta(hours=1)
        ids: list[str] = []
        before = self.count_traces(project)
        for numbers in _parts(range(first, first + count), 500):
            spans: list[dict[str, Any]] = []
            for number in numbers:
                own = rag_trace(number, begin + (number - first) * apart)
                ids.append(own[0]["context"]["trace_id"])
                spans += own
            self.add_spans(project, spans)
            self.wait_for_traces(project, before + len(ids))  # its queue takes only so many
        return ids

    def add_spans(self, project, spans):
        """Hands over spans, in the form of the REST API; they can be read a moment later."""
        self._send("POST", f"v1/projects/{self._project(project)}/spans", {"data": list(spans)})

    def wait_for_traces(self, project, count):
        """Waits until a project has so many traces."""
        self.wait_for(lambda: self.count_traces(project) >= count)

    def wait_for_spans(self, project, count):
        """Waits until a project has so many spans."""
        self.wait_for(lambda: sum(1 for _ in self._pages(f"v1/projects/{self._project(project)}/spans")) >= count)

    @staticmethod
    def wait_for(reached):
        """Waits until something is so, at most two minutes; the server adds spans in the background."""
        pause = threading.Event()
        for _ in range(1200):
            if reached():
                return
            pause.wait(0.1)
        raise AssertionError("the server did not store what was sent")

    def count_traces(self, project):
        """How many traces a project has."""
        query = "query ($id: ID!) { node(id: $id) { ... on Project { traceCount } } }"
        body = {"query": query, "variables": {"id": self._project(project)}}
        return int(self._send("POST", "graphql", body)["data"]["node"]["traceCount"])

    def annotate(self, unit, annotations):
        """Writes annotations of spans, traces or sessions, as the REST API takes them."""
        self._send("POST", f"v1/{unit}_annotations?sync=true", {"data": list(annotations)})

    def annotations(self, project):
        """All annotations of a project's spans, traces and sessions."""
        path = f"v1/projects/{self._project(project)}"
        spans = {span["context"]["span_id"]: span["context"]["trace_id"] for span in self._pages(f"{path}/spans")}
        sessions = [session["session_id"] for session in self._pages(f"{path}/sessions")]
        targets = (spans, dict.fromkeys(spans.values()), dict.fromkeys(sessions))
        return [
            StoredAnnotation(
                unit,
                target := values[f"{unit}_id"],
                {"span": spans.get(target, ""), "trace": target, "session": ""}[unit],
                values["name"],
                values["identifier"],
                values["annotator_kind"],
                *(values["result"][name] for name in ("score", "label", "explanation")),
                values["metadata"],
            )
            for unit, ids in zip(_KINDS, targets, strict=True)
            for part in _parts(list(ids), _PAGE)
            for query in ["&".join(f"{unit}_ids={quote(id_, safe='')}" for id_ in part)]
            for values in self._pages(f"{path}/{unit}_annotations?{query}")
        ]

    def count_annotations(self, project):
        """How many annotations there are by trace (or session), name and identifier: 1 each where none is doubled."""
        return Counter((one.trace or one.target, one.name, one.identifier) for one in self.annotations(project))

    def _project(self, name):
        """The id of a project, which is made where it is not there."""
        if name not in self._projects:
            self._projects |= {project["name"]: project["id"] for project in self._pages("v1/projects")}
        if name not in self._projects:
            self._projects[name] = self._send("POST", "v1/projects", {"name": name})["data"]["id"]
        return self._projects[name]

    def _pages(self, path):
        mark = "&" if "?" in path else "?"
        cursor = ""
        while True:
            page = self._send("GET", f"{path}{mark}limit={_PAGE}{cursor}")
            yield from page["data"]
            if not page["next_cursor"]:
                return
            cursor = f"&cursor={quote(page['next_cursor'], safe='')}"

    def _send(self, method, path, body=None):
        import httpx

        with httpx.Client(trust_env=False, timeout=60) as client:
            reply = client.request(method, f"{self.url}/{path}", **({"json": body} if body else {}))
        if reply.status_code == 404 and method == "GET" and "_annotations" in path:
            return {"data": [], "next_cursor": None}
        assert reply.is_success, f"{method} {path}: {reply.status_code} {reply.text[:500]}"
        return reply.json()


def _parts(values, size):
    return (values[start : start + size] for start in range(0, len(values), size))


def span(name, kind, trace, begin, attributes, *, parent=None, seconds=1, span_id=None):
    """A span in the form of the REST API."""
    return {
        "name": name,
        "context": {"trace_id": trace, "span_id": span_id or uuid.uuid4().hex[:16]},
        "span_kind": kind,
        "parent_id": parent,
        "start_time": begin.isoformat(),
        "end_time": (begin + timedelta(seconds=seconds)).isoformat(),
        "status_code": "OK",
        "attributes": dict(attributes),
    }


def rag_trace(number, begin, *, session=None, user=""):
    """The spans of a question, a retrieval and a model's call, the root first."""
    trace = uuid.uuid4().hex
    question = f"How do I do step {number}?"
    context = f"Open menu {number}. Press button {number}. It is stored as file {number}."
    answer = f"Open menu {number}. " + (f"Press button {number}." if number % 3 else "Send flowers.")
    shared = ({"session.id": session} if session else {}) | ({"user.id": user} if user else {})
    root = span("chat", "CHAIN", trace, begin, {"input.value": question, "output.value": answer} | shared, seconds=3)
    parent = root["context"]["span_id"]
    documents = {"input.value": question, "retrieval.documents": [{"document": {"content": context}}]}
    asked = {
        "llm.model_name": "gpt-4.1-mini",
        "llm.input_messages": [
            {"message": {"role": "system", "content": f"Answer from the documents.\n{context}"}},
            {"message": {"role": "user", "content": question}},
        ],
        "llm.output_messages": [{"message": {"role": "assistant", "content": answer}}],
        "llm.prompt_template.version": "v2",
        "metadata.tenant": "north" if number % 2 else "south",
    }
    return [
        root,
        span("search", "RETRIEVER", trace, begin + timedelta(milliseconds=10), documents, parent=parent),
        span("answer", "LLM", trace, begin + timedelta(seconds=1), asked, parent=parent),
    ]
