"""The endpoints for files and batches of the tests' server, as well or as badly as a test says.

    openai_server.batches.polls = 2                                  # a batch ends at the third question about it
    openai_server.batches.on_call = lambda call: Answer(fault="reset") if call.kind == "create" else None
    openai_server.batches.spoil = lambda batch: batch.output.reverse()

A call that `on_call` answers with a status from 400 on has no effect; one with a fault (`reset`, `hang`, `cut`) has its
effect, and only the reply is lost.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs

Kind = Literal["upload", "create", "retrieve", "list", "cancel", "content"]
_PATH = re.compile(r"^(?:/v1|/openai(?:/v1)?)/(files|batches)(?:/([^/]+))?(?:/(content|cancel))?$")
_ENDED = ("completed", "failed", "expired", "cancelled")


@dataclass(frozen=True)
class Call:
    """One call as it came. `number` counts all from 1, `attempt` those of its kind."""

    number: int
    attempt: int
    kind: Kind
    path: str


@dataclass
class ServedBatch:
    """A batch at the server. `output` and `errors` are the lines of its files, made when it ends."""

    id: str
    input_file: str
    metadata: dict[str, str]
    lines: list[dict[str, Any]]
    number: int
    status: str = "validating"
    polls: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    output: list[bytes] = field(default_factory=list)
    errors: list[bytes] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        """The `custom_id` of each of its requests."""
        return [line["custom_id"] for line in self.lines]


class BatchEndpoints:
    """Files and batches. `ask` answers one request: its body in, status and body of the reply out."""

    def __init__(self, ask):
        self._ask = ask
        self.polls = 0
        self.on_call: Callable[[Call], Any] | None = None
        self.spoil: Callable[[ServedBatch], object] = lambda _: None
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, ServedBatch] = {}
        self.calls: list[Call] = []
        self.asked: Counter[str] = Counter()  # how often each request was answered, and so is paid for
        self._kinds: Counter[str] = Counter()

    @staticmethod
    def serves(path: str) -> bool:
        """Whether a request is for these endpoints."""
        return _PATH.match(path.partition("?")[0]) is not None

    def take(self, method, path, headers, content):
        """What `on_call` says to a call, if anything, and the body of its reply."""
        plain, _, query = path.partition("?")
        match = _PATH.match(plain)
        assert match
        kind = _kind(method, match)
        self._kinds[kind] += 1
        call = Call(len(self.calls) + 1, self._kinds[kind], kind, path)
        self.calls.append(call)
        answer = self.on_call(call) if self.on_call else None
        if answer is not None and answer.status >= 400:
            return answer, b""
        name = match[2] or ""
        if kind == "upload":
            reply = self._upload(headers, content)
        elif kind == "content":
            return answer, self.files[name]
        elif kind == "create":
            reply = self._create(json.loads(content))
        elif kind == "list":
            reply = self._list(parse_qs(query))
        else:
            batch = self.batches[name]
            if kind == "cancel":
                batch.status = "cancelling"
            else:
                self._go_on(batch)
            reply = self._describe(batch)
        return answer, json.dumps(reply).encode()

    def _upload(self, headers, content):
        boundary = b"--" + re.findall(r"boundary=([^;]+)", headers["content-type"])[0].strip('"').encode()
        parts = [part.partition(b"\r\n\r\n") for part in content.split(boundary)]
        uploaded = next(body for head, _, body in parts if b'name="file"' in head)
        name = f"file-{len(self.files) + 1}"
        self.files[name] = uploaded.removesuffix(b"\r\n")
        return {"id": name, "object": "file", "bytes": len(uploaded), "created_at": int(time.time())} | {
            "filename": "requests.jsonl",
            "purpose": "batch",
            "status": "processed",
        }

    def _create(self, request):
        lines = [json.loads(line) for line in self.files[request["input_file_id"]].splitlines()]
        number = len(self.batches) + 1
        batch = ServedBatch(f"batch_{number}", request["input_file_id"], request.get("metadata") or {}, lines, number)
        self.batches[batch.id] = batch
        return self._describe(batch)

    def _list(self, query):
        newest_first = [*reversed(self.batches.values())]
        if after := query.get("after"):
            places = [place for place, batch in enumerate(newest_first) if batch.id == after[0]]
            newest_first = newest_first[places[0] + 1 :]
        limit = int(query.get("limit", ["20"])[0])
        page = [self._describe(batch) for batch in newest_first[:limit]]
        return {"object": "list", "data": page, "has_more": len(newest_first) > limit}

    def _go_on(self, batch):
        """A batch ends after so many questions about it; one that is being cancelled with half of its replies."""
        batch.polls += 1
        if batch.status in _ENDED:
            return
        if batch.status == "cancelling":
            self._end(batch, "cancelled", batch.lines[: len(batch.lines) // 2])
        elif batch.polls > self.polls:
            self._end(batch, "completed", batch.lines)
        else:
            batch.status = "in_progress"

    def _end(self, batch, status, lines):
        for line in lines:
            self.asked[line["custom_id"]] += 1
            http_status, body = self._ask(line["body"])
            response = {"status_code": http_status, "request_id": "r", "body": json.loads(body)}
            entry = {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}
            (batch.output if http_status == 200 else batch.errors).append(json.dumps(entry).encode())
        batch.status = status
        self.spoil(batch)
        for name, results in (("output", batch.output), ("errors", batch.errors)):
            if results:
                self.files[f"{batch.id}-{name}"] = b"\n".join(results) + b"\n"

    def _describe(self, batch):
        has_ended = batch.status in _ENDED
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": {"object": "list", "data": batch.problems} if batch.problems else None,
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": batch.status,
            "output_file_id": f"{batch.id}-output" if has_ended and batch.output else None,
            "error_file_id": f"{batch.id}-errors" if has_ended and batch.errors else None,
            "created_at": int(time.time()),
            "request_counts": {"total": len(batch.lines), "completed": len(batch.output), "failed": len(batch.errors)},
            "metadata": batch.metadata,
        }


def _kind(method, match):
    if match[3]:
        return "content" if match[3] == "content" else "cancel"
    if match[1] == "files":
        return "upload"
    if method == "POST":
        return "create"
    return "retrieve" if match[2] else "list"
