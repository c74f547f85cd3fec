"""A local HTTP server in this process that answers with JSON, and as badly as a test says: the base of the servers of
tools that cannot run here."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Call(NamedTuple):
    """One request as it came. `number` counts all from 1."""

    number: int
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any

    def value(self, name):
        """The value of a field of the query."""
        return self.query[name][-1] if name in self.query else None


class Reply(NamedTuple):
    """A reply: JSON, or the text or the bytes themselves where the body is such."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = {}


class ApiServer:
    """Answers by `answer`; `script` may answer before it. As a context manager it runs in a thread of this process."""

    def __init__(self):
        self.calls: list[Call] = []
        self.script: Callable[[Call], Reply | None] = lambda call: None
        self.problems: list[str] = []  # of the server itself: no test with one passes
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_call(self):
                length = int(self.headers.get("content-length") or 0)
                content = self.rfile.read(length)
                parts = urlsplit(self.path)
                query = parse_qs(parts.query, keep_blank_values=True)
                with outer._lock:
                    body = outer.read_body(content, self.headers) if content else None
                    number = len(outer.calls) + 1
                    call = Call(number, self.command, parts.path, query, dict(self.headers.items()), body)
                    outer.calls.append(call)
                    reply = outer._reply(call)
                body = reply.body
                text = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
                if isinstance(body, str):
                    text = body.encode()
                self.send_response(reply.status)
                kind = "text/html" if isinstance(reply.body, str) else "application/json"
                for name, value in {"content-type": kind, "content-length": str(len(text)), **reply.headers}.items():
                    if value:  # an empty one leaves the header out
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = handle_one_call  # noqa: N815 - the library's names

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def read_body(self, content, headers):
        """Reads the body of a request: JSON."""
        return json.loads(content)

    def answer(self, call):
        """Answers a request."""
        raise NotImplementedError

    def _reply(self, call):
        try:
            return self.script(call) or self.answer(call)
        except Exception as error:
            self.problems.append(f"{call.method} {call.path}: {type(error).__name__}: {error}")
            return Reply(500, {"message": "the test's server is wrong"})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        assert not self.problems, self.problems

    def paths(self, method="GET"):
        """The paths that were asked for."""
        return [call.path for call in self.calls if call.method == method]


class Webhook(ApiServer):
    """Gets alarms, as chat tools do: it takes every message; `script` may refuse one before."""

    @property
    def url(self) -> str:
        """Its URL, with a path that is a secret."""
        return f"http://{self.host}/services/T0/SECRET-PATH"

    def answer(self, call):
        """Takes a message."""
        return Reply(200, "ok")
