"""Traces per second that `assay pull` reads and scores per second that `assay push` writes, and the memory of both.

    python benchmarks/trace_speed.py [ADDRESS ...] [--traces 100000] [--limit N]

Without an address, files of OTLP JSON with so many traces are written, of two traces per session and three spans
each, and pulled; a quarter as many before, so that one sees whether memory grows with their number. Their scores are
pushed to a receiver of OTLP in this process. With an address (`phoenix://localhost:6006/support`) the traces of that
project are pulled, at most `--limit`, and the scores are pushed back to them: the server should be there, and hold
traces that may be written to. What is scored is `token_overlap`, which asks no judge. Each command is a process of its
own; its seconds are those of the whole process, with its start. Runs for minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from benchmark_output import print_machine, print_table

_BEGIN = 1_768_467_600 * 10**9
_ACROSS = 3600 * 10**9  # all traces are of one hour


class Measured(NamedTuple):
    """What a command took, and what it printed."""

    seconds: float
    megabytes: float
    printed: dict[str, Any]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("addresses", nargs="*", metavar="ADDRESS")
    parser.add_argument("--traces", type=int, default=100_000, help="in the largest file")
    parser.add_argument("--limit", type=int, default=100_000, help="traces pulled from an address")
    arguments = parser.parse_args()
    print_machine()
    rows = []
    with tempfile.TemporaryDirectory(prefix="assay-traces-") as folder:
        if arguments.addresses:
            rows += [_measure(address, None, arguments.limit, Path(folder)) for address in arguments.addresses]
        else:
            with _receiver() as receiver:
                for count in (arguments.traces // 4, arguments.traces):
                    file = _write_file(Path(folder, f"otel-{count}.jsonl"), count)
                    rows.append(_measure(f"otel:{file}", receiver, count, Path(folder)))
                    file.unlink()
    header = ("address", "traces", "pulled per second", "MB", "scores", "pushed per second", "MB", "again per second")
    print_table("pull and push", header, rows)


def _measure(address: str, to: str | None, limit: int, folder: Path) -> tuple[object, ...]:
    store, out = folder / f"store-{limit}", folder / f"traces-{limit}.jsonl"
    where = ("--store", str(store))
    pulled = _run("pull", address, "--since", "3650d", "--limit", str(limit), "-o", str(out), *where, "--json")
    _run("run", str(out), "--metrics", "token_overlap", "--turns", "each", *where, "--json")
    push = ("push", "last", *(("--to", to) if to else ()), *where, "--json")
    pushed, again = _run(*push), _run(*push)
    scores = pushed.printed["written"] + pushed.printed["updated"]
    traces = pulled.printed["pulled"]
    name = address.partition(":")[0] if to else address
    return (
        name,
        traces,
        traces / pulled.seconds,
        pulled.megabytes,
        scores,
        scores / pushed.seconds,
        pushed.megabytes,
        again.printed["unchanged"] / again.seconds,
    )


def _run(*words: str) -> Measured:
    """Types a command; its memory is the most that it held at once."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([sys.executable, "-m", "assay", *words], stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        output.seek(0)
        printed = output.read()
    if process.returncode not in (0, 1):
        raise SystemExit(f"assay {' '.join(words)}: exit code {process.returncode}")
    return Measured(seconds, usage.ru_maxrss / 1000, json.loads(printed))


def _write_file(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(_spans(number, count))}]}]}) + "\n")
    return path


def _spans(number: int, count: int) -> Iterator[dict[str, Any]]:
    began = _BEGIN + _ACROSS * number // count
    question, answer = f"How long is course {number} open?", f"Course {number} is open until 1 May 2026."
    documents = [{"content": f"Course {number}: open until 1 May 2026. " * 3}]
    values: tuple[dict[str, str], ...] = (
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": f"chat-{number // 2}"},
        {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(documents)},
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "model-1",
            "gen_ai.input.messages": _message("user", question),
            "gen_ai.output.messages": _message("assistant", answer),
        },
    )
    for place, own in enumerate(values, 1):
        span = {
            "traceId": f"{number + 1:032x}",
            "spanId": f"{number * 4 + place:016x}",
            "name": own["gen_ai.operation.name"],
            "startTimeUnixNano": str(began + place),
            "endTimeUnixNano": str(began + 10**9),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in own.items()],
        }
        yield span if place == 1 else span | {"parentSpanId": f"{number * 4 + 1:016x}"}


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


@contextmanager
def _receiver() -> Iterator[str]:
    """Takes what is sent by OTLP over HTTP; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the overridden method
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"otel://127.0.0.1:{server.server_port}"
        server.shutdown()


if __name__ == "__main__":
    main()
