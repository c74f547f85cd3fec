"""Visitors who send or read slowly, or not at all, by the hundred: they are cut off, and the others are served.

The oracle: the deadline, of a clock that the test moves, and the number of connections (set to 40).
"""

import contextlib
import os
import signal
import socket
import threading
from pathlib import Path

import pytest
from web_process import WebProcess, hidden_fields, read_reply

from assay.eval_sets import Sample, write_set

pytest.importorskip("uvicorn")

# A deadline is over when SIGUSR1 has moved the clock by 30 seconds since it was set; each signal moves it by 20.
CLOCK = """
import signal
import assay.web.server as limits

limits.MOST_CONNECTIONS = 40
now, deadlines = 0, []

class Deadline:
    def __init__(self, loop, seconds, end):
        global now
        now += 1e-6  # the server knows the oldest
        self.loop, self.end, self.at = loop, end, now + seconds
        deadlines.append(self)

    def when(self):
        return self.at

    def cancel(self):
        if self in deadlines:
            deadlines.remove(self)

def move_clock(*_):
    global now
    now += 20
    for deadline in [each for each in deadlines if each.at <= now]:
        deadline.loop.call_soon_threadsafe(deadline.end)
        deadline.cancel()

limits.call_later = Deadline
signal.signal(signal.SIGUSR1, move_clock)
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the patch is of the process that is forked")


@pytest.fixture(scope="module")
def serve(warm_python, tmp_path_factory):
    """Starts `assay rate` on answers that are long enough to fill the buffers of a connection."""
    servers, folder = list[WebProcess](), tmp_path_factory.mktemp("answers")
    answer = "Open the menu. " * 1200
    write_set(
        [Sample(id=f"s{number}", user_input="How?", response=answer, language="en") for number in range(60)],
        folder / "set.jsonl",
    )

    def start(raters="ada,bob", patch=CLOCK):
        words = ("rate", "set.jsonl", "--raters", raters, "--store", f"store{len(servers)}")
        servers.append(WebProcess(warm_python, folder, *words, patch=patch))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def server(serve):
    return serve()


def is_served(server, cookie):
    """Whether a rater gets the page; by then the server has read what was sent before."""
    return server.get("/rate", cookie).status == 200


def move_clock(server, cookie):
    server.process.send_signal(signal.SIGUSR1)
    assert is_served(server, cookie)


def has_ended(connection):
    """Whether the server has closed a connection; what it has sent on it is read."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def test_slow_senders_are_cut_off_at_the_deadline(server):
    """What is sent after 20 of the 30 seconds does not put the end off."""
    cookie = server.enter("ada")
    kept = server.request("GET", "/nothing", connection="")
    cases = {
        "nothing at all": (b"", b""),
        "a header, byte by byte": (b"GET / HTTP/1.1\r\nhost: x\r\na: ", b"b"),
        "headers without an end": (b"GET / HTTP/1.1\r\n", b"a: b\r\n"),
        "a body, byte by byte": (server.request("POST", "/rate", content_length="60000", cookie=cookie), b"x"),
        "a body in chunks without an end": (
            server.request("POST", "/undo", transfer_encoding="chunked", content_length="", cookie=cookie),
            b"1\r\nx\r\n",
        ),
        "a page, then nothing": (kept, b""),
        "a page, then a header byte by byte": (kept + b"GET / HTTP/1.1\r\na: ", b"b"),
        "empty lines": (b"", b"\r\n"),
    }
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(server.connect()) for name in cases}
        for name, (first, _) in cases.items():
            opened[name].sendall(first)
        for name in ("a page, then nothing", "a page, then a header byte by byte"):
            assert opened[name].recv(10) == b"HTTP/1.1 4"  # its deadline begins after the reply
        assert is_served(server, cookie)
        move_clock(server, cookie)
        assert not any(has_ended(connection) for connection in opened.values())
        for name, (_, second) in cases.items():
            opened[name].sendall(second)
        assert is_served(server, cookie)
        move_clock(server, cookie)
        assert [name for name, connection in opened.items() if not has_ended(connection)] == []
    assert "Traceback" not in server.errors


def test_a_refused_form_whose_body_goes_on_is_cut_off(server):
    cookie = server.enter("ada")
    with server.connect() as connection:
        form = {"content_length": "60000", "origin": "http://evil.example", "connection": ""}
        connection.sendall(server.request("POST", "/rate", **form))
        while not has_ended(connection):
            with contextlib.suppress(OSError):
                connection.sendall(b"x")
            move_clock(server, cookie)
    assert "Traceback" not in server.errors


def test_who_never_reads_a_reply_is_cut_off(server):
    """Requests for a page on one connection, until no more can be sent, and not a byte of the replies is read."""
    cookie = server.enter("ada")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        connection.setblocking(False)
        with pytest.raises(OSError, match=r"[Rr]eset|[Bb]roken|aborted"):
            while True:
                with contextlib.suppress(BlockingIOError):
                    connection.sendall(server.request("GET", "/rate", cookie=cookie, connection="") * 20)
                move_clock(server, cookie)
    assert is_served(server, cookie) and "Traceback" not in server.errors


def test_a_page_that_takes_long_to_make_has_no_deadline(serve):
    """Making the page takes 40 seconds of the server's clock, the deadline is 30: it comes."""
    slow = """
import os
import assay.web.rater_pages as pages
render = pages.render_answer
def render_slowly(*words):
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGUSR1)
    return render(*words)
pages.render_answer = render_slowly
"""
    server = serve(patch=CLOCK + slow)
    assert server.get("/rate", server.enter("ada")).status == 200


def test_idle_connections_keep_nobody_out(server):
    """More than the server keeps, at one moment: the oldest ones give way."""
    cookie = server.enter("ada")
    fields = hidden_fields(server.get("/rate", cookie).text)
    with contextlib.ExitStack() as stack:
        for number in range(120):
            connection = stack.enter_context(server.connect())
            if number % 2:
                connection.sendall(b"GET / HTTP/1.1\r\na: ")
            if number % 60 == 59:
                assert is_served(server, cookie)
        assert is_served(server, cookie)
        assert server.post("/rate", cookie, fields | {"value": "3"}).status == 303
        files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
        assert files < 40 + 60
    assert "Traceback" not in server.errors


def test_ctrl_c_waits_for_nobody_who_is_slow(serve):
    """No deadline is ever over: the clock stands still."""
    server = serve()
    cookie = server.enter("ada")
    body = server.request("POST", "/rate", content_length="60000", cookie=cookie)
    with contextlib.ExitStack() as stack:
        for first in (b"", b"GET / HTTP/1.1\r\n", body, body + b"x" * 100, b"garbage\r\n\r\n"):
            stack.enter_context(server.connect()).sendall(first)
        assert is_served(server, cookie)
        server.interrupt()
    assert "Traceback" not in server.errors


def test_a_body_that_is_no_http_is_refused_whatever_is_under_way(serve):
    """Good headers and a bad chunk, at once or when the server has read the headers: refused once, or closed."""
    server = serve(patch="")
    cookie = server.enter("ada")
    heads = [
        server.request(method, path, cookie=cookie, transfer_encoding="chunked", content_length="", origin=origin)
        for method, path in (("GET", "/rate"), ("POST", "/rate"), ("POST", "/nothing"), ("GET", "/static/rate.js"))
        for origin in (f"http://127.0.0.1:{server.port}", "http://evil.example")
    ]
    for head in heads:
        for is_apart in (False, True):
            with server.connect() as connection, contextlib.suppress(OSError):
                connection.sendall(head if is_apart else head + b"no chunk\r\n")
                if is_apart:
                    assert is_served(server, cookie)
                    connection.sendall(b"no chunk\r\n")
                assert read_reply(connection).status >= 0, head
    assert is_served(server, cookie) and "Traceback" not in server.errors


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="counts open files as Linux shows them")
def test_few_open_files_are_enough(serve):
    """Where a process may open 256 files only, the server keeps fewer connections, and still serves."""
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))"
    server = serve(patch=few)
    cookie = server.enter("ada")
    with contextlib.ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(server.connect())
        assert is_served(server, cookie)
    assert "Traceback" not in server.errors


def test_raters_at_once_lose_nothing_beside_an_attack(serve):
    """Each rates two answers, beside connections that say nothing; every confirmed rating is there."""
    raters = [f"rater{number}" for number in range(8)]
    server = serve(patch="", raters=",".join(raters))
    confirmed = list[tuple[str, str]]()

    def rate(rater):
        cookie = server.enter(rater)
        for _ in range(2):
            fields = hidden_fields(server.get("/rate", cookie).text)
            if server.post("/rate", cookie, fields | {"value": "4"}).status == 303:
                confirmed.append((rater, fields["showing"]))

    with contextlib.ExitStack() as stack:
        threads = [threading.Thread(target=rate, args=(rater,)) for rater in raters]
        for thread in threads:
            thread.start()
            for _ in range(10):
                stack.enter_context(server.connect()).sendall(b"GET /rate HTTP/1.1\r\n")
        for thread in threads:
            thread.join()
    assert len(confirmed) == len(set(confirmed)) == 2 * len(raters)
    assert "Traceback" not in server.errors
    with server.connect() as connection:
        connection.sendall(server.request("GET", "/team", cookie=server.enter("disagreements")))
        assert f"{2 * len(raters)} of" in read_reply(connection).text
