"""A local server that speaks the OpenAI protocol and those of decision models, as well or as badly as a script says.

In a test, with the fixture `openai_server`:

    openai_server.script = lambda request: Answer(status=429) if request.attempt == 1 else None

In a process of its own, for benchmarks: `python tests/openai_server.py --latency 0.2` prints its port. There
`GET /stats` gives the counts and the processor time of the process, `GET /requests` the bodies that it got, and
`DELETE /requests` forgets them.
"""

import argparse
import asyncio
import importlib.util
import json
import math
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from openai_batches import BatchEndpoints
from openai_replies import embedding, question_of, schema_asked_for, sensible_decisions, sensible_reply


@dataclass(frozen=True)
class Request:
    """One request as it came. `number` counts all from 1, `attempt` those with the same path and body from 1."""

    number: int
    attempt: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @cached_property
    def schema(self) -> str:
        """The prompt's schema: `Claims`, `ListedAnswers`, `ReverseQuestions`, `options`, or ""."""
        return schema_asked_for(self.body)

    @cached_property
    def user(self) -> str:
        """The prompt's user part, of the first question also where the judge asks for a better reply."""
        return question_of(self.body)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How one request is answered; what is left out is as a sensible judge would do it.

    `raw` stands for the whole body. `logprobs` are the alternatives at each token, the said one first. `usage` is
    (prompt, completion) tokens, whatever they are; None leaves usage out. `fault`: `reset` breaks the connection before
    a byte, `cut` in the middle of the body, `hang` never answers, and `dribble` sends a byte each 50 ms.
    """

    text: str | None = None
    status: int = 200
    error_code: str | None = None
    error_message: str = "the script says so"
    headers: Mapping[str, str] = field(default_factory=dict)
    latency: float | None = None
    fault: Literal["", "reset", "cut", "hang", "dribble"] = ""
    finish_reason: str = "stop"
    logprobs: list[dict[str, float]] | None = None
    refusal: str | None = None
    usage: tuple[Any, Any] | Literal["estimated"] | None = "estimated"
    raw: str | None = None


def yes(probability: float) -> Answer:
    """One word, yes or no, by how probable a yes is; the other word has the rest."""
    shares = [("Yes", math.log(probability)), ("No", math.log(1 - probability))]
    alternatives = dict(shares if probability >= 0.5 else reversed(shares))
    return Answer(text=next(iter(alternatives)), logprobs=[alternatives])


class OpenAIServer:
    """The server; as a context manager it runs in a thread of this process. Set `script` at any time."""

    def __init__(self, script=None, latency=0.0):
        self.script = script
        self.latency = latency
        self.port = 0
        self.script_error: Exception | None = None
        self.batches = BatchEndpoints(self._ask_in_batch)
        self.forget()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def forget(self):
        """Sets all counts to 0."""
        self.requests: list[Request] = []
        self.connections = 0
        self.under_way = 0
        self.most_at_once = 0
        self._seen: Counter[tuple[str, bytes]] = Counter()

    @property
    def api_base(self) -> str:
        """The URL for `api_base`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def asked_for(self, schema):
        """The requests of one prompt, by its schema."""
        return [request for request in self.requests if request.schema == schema]

    async def listen(self, port=0):
        """Begins to listen on 127.0.0.1, on a free port if none is said."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def __enter__(self):
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self.listen(), self._loop).result()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self.script_error:
            raise self.script_error

    def take(self, method, path, headers, content):
        """The answer to a request, and its body."""
        if method == "GET" and path == "/stats":
            return Answer(latency=0), json.dumps(self._stats()).encode()
        if path == "/requests":
            bodies = [request.body for request in self.requests]
            if method == "DELETE":
                self.forget()
            return Answer(latency=0), json.dumps(bodies).encode()
        if self.batches.serves(path):
            try:
                answer, reply = self.batches.take(method, path, dict(headers), content)
            except Exception as error:
                self.script_error = error
                return Answer(status=500), b'{"error": {"message": "the test\'s batches failed"}}'
            answer = answer or Answer(latency=0)
            failure = json.dumps({"error": {"message": answer.error_message, "code": answer.error_code}}).encode()
            return answer, failure if answer.status >= 400 else reply
        return self._answer(path, headers, content)

    def _ask_in_batch(self, body):
        answer, reply = self._answer("/v1/chat/completions", {}, json.dumps(body).encode())
        return answer.status, reply.decode()

    def _answer(self, path, headers, content):
        self._seen[path, content] += 1
        body = json.loads(content or b"{}")
        request = Request(len(self.requests) + 1, self._seen[path, content], path, headers, body)
        self.requests.append(request)
        try:
            answer = (self.script(request) if self.script else None) or Answer()
        except Exception as error:
            self.script_error = error
            answer = Answer(status=500, error_message=f"the test's script failed: {error!r}")
        return answer, _body(request, answer).encode()

    def _stats(self):
        return {
            "requests": len(self.requests),
            "connections": self.connections,
            "under_way": self.under_way,
            "most_at_once": self.most_at_once,
            "processor_ms": round(1000 * time.process_time()),
        }


class _Connection(asyncio.Protocol):
    """One connection: HTTP/1.1 with keep-alive, one request after the other."""

    def __init__(self, server):
        self._server = server
        self._received = b""
        self._replying: asyncio.Task[None] | None = None

    def connection_made(self, transport):
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections += 1

    def connection_lost(self, _):
        if self._replying:
            self._replying.cancel()

    def data_received(self, data):
        self._received += data
        head, separator, rest = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self._received = rest[length:]
        came = asyncio.get_running_loop().time()
        answer, body = self._server.take(method, path, headers, rest[:length])
        counted = path.startswith("/v1/")
        if not counted:
            self._transport.write(_head(answer, body) + body)
            return
        self._server.under_way += 1
        self._server.most_at_once = max(self._server.most_at_once, self._server.under_way)
        latency = self._server.latency if answer.latency is None else answer.latency
        if not latency and not answer.fault:
            self._transport.write(_head(answer, body) + body)
            self._server.under_way -= 1
        else:
            self._replying = asyncio.ensure_future(self._reply(answer, body, came + latency))
            self._replying.add_done_callback(self._replied)

    def _replied(self, _):
        self._server.under_way -= 1

    async def _reply(self, answer, body, due):
        await asyncio.sleep(due - asyncio.get_running_loop().time())
        if answer.fault == "hang":
            await asyncio.Event().wait()
        elif answer.fault == "dribble":
            self._transport.write(_head(answer, body))
            for place in range(len(body)):
                await asyncio.sleep(0.05)
                self._transport.write(body[place : place + 1])
        elif answer.fault:
            if answer.fault == "cut":
                self._transport.write(_head(answer, body) + body[: len(body) // 2])
            reset_at_once = struct.pack("ii", 1, 0)
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset_at_once)
            self._transport.abort()
        else:
            self._transport.write(_head(answer, body) + body)


def _head(answer, body):
    lines = [f"HTTP/1.1 {answer.status} Scripted", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _body(request, answer):
    if answer.raw is not None:
        return answer.raw
    if answer.status >= 400:
        error = {"message": answer.error_message, "type": "scripted", "param": None, "code": answer.error_code}
        return json.dumps({"error": error})
    request_body, model = request.body, request.body.get("model", "")
    if request.path.endswith("/embeddings"):
        texts = [request_body["input"]] if isinstance(request_body["input"], str) else request_body["input"]
        as_base64 = request_body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": number, "embedding": embedding(text, as_base64)}
            for number, text in enumerate(texts)
        ]
        token_count = sum(map(len, texts)) // 4
        return json.dumps(
            {
                "object": "list",
                "model": model,
                "data": data,
                "usage": {"prompt_tokens": token_count, "total_tokens": token_count},
            }
        )
    if request.path in ("/v1/decisions", "/v1/systemone"):
        return json.dumps(sensible_decisions(request.body))
    text, logprobs = answer.text, answer.logprobs
    if text is None and answer.refusal is None:
        text, sensible = sensible_reply(request_body)
        logprobs = logprobs or sensible
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, "refusal": answer.refusal},
        "finish_reason": answer.finish_reason,
    }
    if logprobs is not None:
        choice["logprobs"] = {"content": [_place(alternatives) for alternatives in logprobs]}
    reply = {"id": f"reply-{request.number}", "object": "chat.completion", "created": 0, "model": model}
    reply |= {"choices": [choice]}
    if answer.usage is not None:
        sent = sum(len(message["content"]) for message in request_body["messages"])
        tokens_in, out = (sent // 4, len(text or "") // 4 + 1) if answer.usage == "estimated" else answer.usage
        total = tokens_in + out if isinstance(tokens_in, int) and isinstance(out, int) else 0
        reply["usage"] = {"prompt_tokens": tokens_in, "completion_tokens": out, "total_tokens": total}
    return json.dumps(reply)


def _place(alternatives):
    top_logprobs = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in alternatives.items()]
    return {**top_logprobs[0], "top_logprobs": top_logprobs}


async def _serve(server, port):
    listening = await server.listen(port)
    print(server.port, flush=True)
    await listening.serve_forever()


def main():
    """The command: prints its port, and serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--port", type=int, default=0, help="a free one if not said")
    parser.add_argument("--script", type=Path, help="a Python file with a function script(request) -> Answer | None")
    options = parser.parse_args()
    server = OpenAIServer(latency=options.latency)
    if options.script:
        spec = importlib.util.spec_from_file_location("script", options.script)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        server.script = module.script
    asyncio.run(_serve(server, options.port))


if __name__ == "__main__":
    import sys

    sys.modules["openai_server"] = sys.modules["__main__"]  # a script's `from openai_server import Answer` is this one
    main()
