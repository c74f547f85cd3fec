"""Runs a judge for benchmarks: the tests' server in its own process, the same for both sides."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import checkout  # noqa: F401

from assay import Sample, load_set
from assay.judges import load_litellm

_TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(_TESTS))

from openai_replies import sensible_decisions, sensible_reply  # noqa: E402
from openai_server import Request  # noqa: E402
from ragas_replies import script  # noqa: E402


class LocalJudge:
    """A running server: `api_base` for clients, and what it got from them."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self.api_base = f"{self._root}/v1"

    def forget(self) -> None:
        """Sets the counts to 0."""
        self._call("/requests", "DELETE")

    def stats(self) -> dict[str, int]:
        """`requests`, `connections`, `most_at_once`; `processor_ms` of the server's process, since it began."""
        counts: dict[str, int] = self._call("/stats")
        return counts

    def bodies(self) -> list[dict[str, Any]]:
        """The body of each request since `forget`."""
        received: list[dict[str, Any]] = self._call("/requests")
        return received

    def _call(self, path: str, method: str = "GET") -> Any:
        with urllib.request.urlopen(urllib.request.Request(self._root + path, method=method)) as reply:
            return json.load(reply)


@contextmanager
def local_judge(latency: float = 0.0) -> Iterator[LocalJudge]:
    """A server that replies after `latency` seconds, ended at the end."""
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    command = [sys.executable, str(_TESTS / "openai_server.py"), "--latency", str(latency)]
    command += ["--script", str(_TESTS / "ragas_replies.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield LocalJudge(int(server.stdout.readline()))
        finally:
            server.terminate()


def helpdesk(count: int) -> list[Sample]:
    """The bundled English set, `count` samples; past its 60 each text is made another by one more sentence.

    The sentence keeps a judge that knows identical questions (ours) from answering them without a call.
    """
    bundled = load_set("helpdesk_en")
    made = []
    for number in range(count):
        sample, turn = bundled[number % len(bundled)], number // len(bundled)
        if turn:
            changes = {"id": f"{sample.id}-{turn}", "response": f"{sample.response} This is ticket {number}."}
            sample = sample.model_copy(update=changes)
        made.append(sample)
    return made


class Tokens:
    """Counts tokens with OpenAI's cl100k_base, which litellm ships: the same count for both sides."""

    @cached_property
    def _encoding(self) -> Any:
        return load_litellm("litellm_core_utils.default_encoding").encoding

    def of_text(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._encoding.encode(text, disallowed_special=()))

    def of_request(self, body: dict[str, Any]) -> tuple[int, int]:
        """Tokens sent (a json_schema, which providers read as part of the prompt, counts) and replied."""
        if is_embedding(body):
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            return sum(len(text) if isinstance(text, list) else self.of_text(text) for text in texts), 0
        if "questions" in body:
            asked = {name: value for name, value in body.items() if name != "model"}
            return self.of_text(json.dumps(asked)), self.of_text(json.dumps(sensible_decisions(body)["answers"]))
        shape = (body.get("response_format") or {}).get("json_schema")
        sent = sum(self.of_text(message["content"]) for message in body["messages"])
        sent += self.of_text(json.dumps(shape["schema"])) if shape else 0
        return sent, self.of_text(reply_text(body))


def is_embedding(body: dict[str, Any]) -> bool:
    """Whether a request wants vectors: it has texts, and neither messages nor questions."""
    return "input" in body and "questions" not in body


def reply_text(body: dict[str, Any]) -> str:
    """What the server said to a request: it says the same each time."""
    answer = script(Request(number=1, attempt=1, path="", headers={}, body=body))
    return (answer.text if answer else sensible_reply(body)[0]) or ""
