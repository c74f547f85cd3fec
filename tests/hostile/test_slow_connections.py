"""Visitors who send or read slowly, or not at all, by the hundred: they are cut off, and the others are served.

The oracle: the deadline (set to a second or two here), the number of connections (set to 40), and a watch.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from warm_python import WarmPython
from web_process import WebProcess, hidden_fields, read_reply

from assay.eval_sets import Sample, write_set

pytest.importorskip("uvicorn")

SHORT = "import assay.web.bounded_connection as limits; limits.SECONDS = {seconds}; limits.MOST_CONNECTIONS = 40"
Serve = Callable[..., WebProcess]


@pytest.fixture
def serve(warm_python: WarmPython, tmp_path: Path) -> Iterator[Serve]:
    """Starts `assay rate` on answers that are long enough to fill the buffers of a connection."""
    servers = list[WebProcess]()
    answer = "Open the menu. " * 1200
    write_set(
        [Sample(id=f"s{number}", user_input="How?", response=answer, language="en") for number in range(400)],
        tmp_path / "set.jsonl",
    )

    def start(seconds: float = 1.0, raters: str = "ada,bob", patch: str = SHORT) -> WebProcess:
        words = ("rate", "set.jsonl", "--raters", raters)
        servers.append(WebProcess(warm_python, tmp_path, *words, patch=patch.format(seconds=seconds)))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


def seconds_until_closed(connection: socket.socket, send: Callable[[], None]) -> float:
    """How long the server keeps a connection on which something is sent four times a second; 15 where it keeps it."""
    began = time.monotonic()
    connection.settimeout(0.25)
    while time.monotonic() - began < 15:
        try:
            send()
            if not connection.recv(1000):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


def is_served(server: WebProcess, cookie: str) -> bool:
    """Whether a rater gets the page, within three seconds."""
    began = time.monotonic()
    return server.get("/rate", cookie).status == 200 and time.monotonic() - began < 3


@pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")
def test_slow_senders_are_cut_off_at_the_deadline(serve: Serve) -> None:
    server = serve(seconds=1.0)
    cookie = server.enter("ada")
    long_body = server.request("POST", "/rate", content_length="60000", cookie=cookie)
    chunked = server.request("POST", "/undo", transfer_encoding="chunked", content_length="", cookie=cookie)
    kept = server.request("GET", "/nothing", connection="")
    refused = server.request("POST", "/rate", content_length="60000", origin="http://evil.example", connection="")
    cases = {
        "nothing at all": (b"", b""),
        "a header, byte by byte": (b"GET / HTTP/1.1\r\nhost: x\r\na: ", b"b"),
        "headers without an end": (b"GET / HTTP/1.1\r\n", b"a: b\r\n"),
        "a body, byte by byte": (long_body, b"x"),
        "a body in chunks without an end": (chunked, b"1\r\nx\r\n"),
        "a page, then nothing": (kept, b""),
        "a page, then a header byte by byte": (kept + b"GET / HTTP/1.1\r\na: ", b"b"),
        "a refused form whose body goes on": (refused, b"x"),
        "empty lines": (b"", b"\r\n"),
    }

    def measure(case: tuple[bytes, bytes]) -> float:
        with server.connect() as connection:
            connection.sendall(case[0])
            return seconds_until_closed(connection, lambda: connection.sendall(case[1]))

    with ThreadPoolExecutor(len(cases)) as pool:
        seconds = dict(zip(cases, pool.map(measure, cases.values()), strict=True))
    print({name: f"{took:.1f} s" for name, took in seconds.items()})
    assert max(seconds.values()) < 4, seconds
    assert is_served(server, cookie) and "Traceback" not in server.errors


@pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")
def test_who_never_reads_a_reply_is_cut_off(serve: Serve) -> None:
    """Hundreds of requests for a page on one connection, and not a byte of the replies is read."""
    server = serve(seconds=1.0)
    cookie = server.enter("ada")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(10)
        connection.connect(("127.0.0.1", server.port))
        began = time.monotonic()
        with pytest.raises(OSError, match=r"[Rr]eset|[Bb]roken|aborted"):
            while time.monotonic() - began < 15:
                connection.sendall(server.request("GET", "/rate", cookie=cookie, connection=""))
                time.sleep(0.01)
    assert is_served(server, cookie) and "Traceback" not in server.errors


@pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")
def test_a_page_that_takes_long_to_make_has_no_deadline(serve: Serve) -> None:
    """Making the page takes two seconds here, the deadline is one: it comes."""
    slow = """
import time
import assay.web.rater_pages as pages
render = pages.render_answer
pages.render_answer = lambda *words: (time.sleep(2), render(*words))[1]
"""
    server = serve(seconds=1.0, patch=SHORT + slow)
    assert server.get("/rate", server.enter("ada")).status == 200


@pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")
@pytest.mark.parametrize("idle", [120, pytest.param(3000, marks=pytest.mark.slow)])
def test_idle_connections_keep_nobody_out(serve: Serve, idle: int) -> None:
    """More than the server keeps, with a deadline that none of them reaches: the oldest ones give way."""
    server = serve(seconds=600.0)
    cookie = server.enter("ada")
    fields = hidden_fields(server.get("/rate", cookie).text)
    with contextlib.ExitStack() as stack:
        for number in range(idle):
            connection = stack.enter_context(server.connect())
            if number % 2:
                connection.sendall(b"GET / HTTP/1.1\r\na: ")
            if number % 60 == 59:
                assert is_served(server, cookie)
        assert is_served(server, cookie)
        assert server.post("/rate", cookie, fields | {"value": "3"}).status == 303
        files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
        print(f"{idle} idle connections: the server has {files} open files")
        assert files < 40 + 60
    assert "Traceback" not in server.errors


@pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")
def test_ctrl_c_waits_for_nobody_who_is_slow(serve: Serve) -> None:
    server = serve(seconds=600.0)
    cookie = server.enter("ada")
    body = server.request("POST", "/rate", content_length="60000", cookie=cookie)
    with contextlib.ExitStack() as stack:
        for first in (b"", b"GET / HTTP/1.1\r\n", body, body + b"x" * 100, b"garbage\r\n\r\n"):
            stack.enter_context(server.connect()).sendall(first)
        time.sleep(0.3)
        began = time.monotonic()
        server.interrupt()
        assert time.monotonic() - began < 5
    assert "Traceback" not in server.errors


def test_a_body_that_is_no_http_is_refused_whatever_is_under_way(serve: Serve) -> None:
    """Good headers and a bad chunk, at once or while the page is being made: refused once, or closed."""
    server = serve(patch="")
    cookie = server.enter("ada")
    heads = [
        server.request(method, path, cookie=cookie, transfer_encoding="chunked", content_length="", origin=origin)
        for method, path in (("GET", "/rate"), ("POST", "/rate"), ("POST", "/nothing"), ("GET", "/static/rate.js"))
        for origin in (f"http://127.0.0.1:{server.port}", "http://evil.example")
    ]
    for head in heads:
        for pause in (0.0, 0.01):
            with server.connect() as connection, contextlib.suppress(OSError):
                connection.sendall(head if pause else head + b"no chunk\r\n")
                time.sleep(pause)
                if pause:
                    connection.sendall(b"no chunk\r\n")
                assert read_reply(connection).status >= 0, head
    assert is_served(server, cookie) and "Traceback" not in server.errors


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="counts open files as Linux shows them")
def test_few_open_files_are_enough(serve: Serve) -> None:
    """Where a process may open 256 files only, the server keeps fewer connections, and still serves."""
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))"
    server = serve(patch=few)
    cookie = server.enter("ada")
    with contextlib.ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(server.connect())
        assert is_served(server, cookie)
    assert "Traceback" not in server.errors


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_raters_at_once_lose_nothing_beside_an_attack(serve: Serve, count: int) -> None:
    """Each rates two answers, while connections are opened that say nothing; every confirmed rating is there."""
    raters = [f"rater{number}" for number in range(count)]
    server = serve(patch="", raters=",".join(raters))
    confirmed, ends = list[tuple[str, str]](), threading.Event()

    def open_connections() -> None:
        with contextlib.ExitStack() as stack:
            while not ends.wait(0.01):
                with contextlib.suppress(OSError):
                    stack.enter_context(server.connect()).sendall(b"GET /rate HTTP/1.1\r\n")

    def rate(rater: str) -> None:
        cookie = server.enter(rater)
        for _ in range(2):
            fields = hidden_fields(server.get("/rate", cookie).text)
            if server.post("/rate", cookie, fields | {"value": "4"}).status == 303:
                confirmed.append((rater, fields["showing"]))

    attacker = threading.Thread(target=open_connections)
    attacker.start()
    began = time.monotonic()
    threads = [threading.Thread(target=rate, args=(rater,)) for rater in raters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ends.set()
    attacker.join()
    print(f"{count} raters at once: {len(confirmed)} ratings in {time.monotonic() - began:.1f} s")
    assert len(confirmed) == len(set(confirmed)) == 2 * count
    assert "Traceback" not in server.errors
    with server.connect() as connection:
        connection.sendall(server.request("GET", "/team", cookie=server.enter("disagreements")))
        assert f"{2 * count} of" in read_reply(connection).text
