"""`assay rate` and `assay view` in processes of their own, and requests that are written byte by byte."""

import contextlib
import html
import re
import signal
import socket
import threading
from typing import NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store
from assay.runs.ratings import QueueSettings, RatingQueue

_LINK = re.compile(r"(?:^|\s)(\w*):? ?(https?://\S+/enter/\S+)")
_COOKIE = re.compile(r"set-cookie: ([^;\r]+)", re.IGNORECASE)
_HIDDEN_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


class Reply(NamedTuple):
    """What a server sent until it closed the connection: the status (0 for nothing), and all of it."""

    status: int
    text: str

    @property
    def cookie(self) -> str:
        """The cookie that it sets."""
        match = _COOKIE.search(self.text)
        assert match, self.text[:200]
        return match[1]


class NotStartedError(Exception):
    """A server that ended before it listened; with what it wrote as errors."""


class WebProcess:
    """A server in a process of its own."""

    def __init__(self, python, folder, *words, patch=""):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        start = f"import sys\n{patch}\nfrom assay.cli import main\nsys.argv[0] = 'assay'\nmain()"
        self.process = python.start("-c", start, *words, "--port", str(self.port), cwd=folder, encoding="utf-8")
        self.links: dict[str, str] = {}
        self._errors: list[str] = []
        threading.Thread(target=self._read_errors, daemon=True).start()
        for line in self.process.stdout:
            self.links |= dict(_LINK.findall(line.rstrip()))
            if line.startswith("Ctrl-C"):
                break
        if not self.links:
            raise NotStartedError(self.errors)

    def _read_errors(self):
        self._errors.extend(iter(self.process.stderr.readline, ""))

    @property
    def errors(self) -> str:
        """What it has written to its terminal as errors."""
        return "".join(self._errors)

    def kill(self):
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def connect(self, source="127.0.0.1"):
        """A connection from an address of this machine, on which nothing is sent yet."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(source, 0))

    def send(self, raw, patience=20, source="127.0.0.1"):
        """The reply to some bytes."""
        with self.connect(source) as connection:
            with contextlib.suppress(OSError):  # refused before all of it was sent
                connection.sendall(raw)
            connection.settimeout(patience)
            reply = read_reply(connection)
            if reply.status >= 0:
                return reply
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            connection.settimeout(20)
            return read_reply(connection)

    def get(self, path, cookie="", **headers):
        """The reply to a GET as a browser sends it."""
        return self.send(self.request("GET", path, cookie=cookie, **headers))

    def post(self, path, cookie, fields, **headers):
        """The reply to a form as a browser sends it."""
        return self.send(self.request("POST", path, urlencode(fields).encode(), cookie=cookie, **headers))

    def request(self, method, path, body=b"", **headers):
        """A request as a browser sends it; headers by keyword replace its own, "" leaves one out."""
        address = f"127.0.0.1:{self.port}"
        lines = {"host": address, "connection": "close"}
        if method == "POST":
            form = "application/x-www-form-urlencoded"
            lines |= {"origin": f"http://{address}", "content-type": form, "content-length": str(len(body))}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        raw = f"{method} {path} HTTP/1.1\r\n{head}\r\n"
        return raw.encode("latin-1" if max(raw) < "\u0100" else "utf-8") + body

    def enter(self, name):
        """The cookie that a link's holder gets."""
        return self.get(urlsplit(self.links[name]).path).cookie


def read_reply(connection):
    """What comes on a connection until it is closed; status -1 where it is not within the connection's time-out."""
    parts = list[bytes]()
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except TimeoutError:
        return Reply(-1, b"".join(parts).decode("utf-8", "replace"))
    except OSError:
        pass  # closed at once
    text = b"".join(parts).decode("utf-8", "replace")
    status = re.match(r"HTTP/1\.1 (\d{3})", text)
    return Reply(int(status[1]) if status else 0, text)


def hidden_fields(page):
    """The hidden fields of a page's forms, as a browser sends them."""
    return {name: html.unescape(value) for name, value in _HIDDEN_FIELD.findall(page)}


def rate(client, value, **fields):
    """The reply to a rating of what the page of a rater shows."""
    return client.post("/rate", data=hidden_fields(client.get("/rate").text) | {"value": value} | fields)


def press(page, key):
    """Presses a key that leads a browser to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def rated_queue(store, samples, ratings, reason=""):
    """A queue of ada alone, with her ratings by id, in the order of the samples."""
    settings = QueueSettings(raters=("ada",), per_answer=1, repeat_share=0)
    queue = RatingQueue.create(store.database, samples, settings, source="s")
    for name, value in ratings.items():
        queue.next_item("ada")
        queue.save("ada", name, value, reason=reason)
    return queue


def quoted(text):
    """A text as a part of a path or a query."""
    return quote(text, safe="")


def write_run(store, answers, scores=None):
    """Writes a finished run of `set.jsonl`, with made-up scores for each answer."""
    made_up = {"token_overlap": Score(0.5, "scored", "made up")}
    by_id = scores or {}
    names = dict.fromkeys(name for sample in answers for name in by_id.get(sample.id, made_up))
    with contextlib.closing(Store(store)) as opened:
        plan = Plan(sets=("set.jsonl",), metrics=tuple(names), directions=dict.fromkeys(names, True))
        run = opened.begin(plan)
        writer = RunWriter(opened, run)
        for sample in writer.number_samples(iter(answers)):
            writer.add(sample, dict(by_id.get(sample.id, made_up)))
        writer.flush()
        opened.end(run, "done")
        return run


def page_text(page):
    """What a page says, without its tags."""
    shown = re.sub("<[^>]+>", " ", page.replace("<wbr>", ""))
    return " ".join(html.unescape(shown).replace("\u200b", "").split())


@contextlib.contextmanager
def enter(site, link=""):
    """A browser's session that a link let in; the site's own link if none is named."""
    import httpx

    headers = {"origin": site.address}
    with httpx.Client(base_url=site.address, headers=headers, follow_redirects=True, timeout=60) as client:
        client.get(link or site.link).raise_for_status()
        yield client


def scripts_that_ran(page):
    """How many scripts that are not ours ran in a browser's page, and opened dialogs."""
    return int(page.evaluate("window.ranScripts || 0")) + len(page.dialogs)
