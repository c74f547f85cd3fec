"""Requests that no browser sends, to real servers: no answer of 500, no traceback, and the next visitor is served.

The oracle: a request is refused (4xx) or answered (2xx, 3xx), never an error of ours (5xx), never left without an
answer; the terminal stays free of tracebacks; no text of a request becomes a header of a reply.
"""

import random
from collections import Counter
from itertools import islice
from urllib.parse import urlencode

import pytest
from conversations import make_conversation
from web_process import WebProcess, hidden_fields, quoted, write_run

from assay.eval_sets import Sample, turn_samples, write_set

pytest.importorskip("uvicorn")

TEXTS = [
    "", " ", "[", "]", "[::1", "::", "@", "--1", "-", "--", "+1", "1e999", "nan", "-inf", "0x10", "9" * 400,
    "9" * 5000,
    "1_0", "٣", "²", "３", "\0", "\ufffd", "\u202e", "\U0001f600", "é" * 300, "a" * 9000, "%", "%00", "%ff%fe",
    "../../etc/passwd", "..%2f..", "//evil.example/", "\\\\evil", "C:\\", "' OR 1=1 --", '"', "*", "a* OR b", "NEAR(",
    "{{7*7}}", "{x.__class__}", "%s%n", "<script>alert(1)</script>", "\r\nX-Evil: 1", "\t", "\x7f", "last", "null",
    "true", "[]", "{}", "1/0", "en;q=0.9", ",,,,", "-" * 3000, "en-" * 3000, "[" * 20_000, "\xed\xa0\x80",
]  # fmt: skip
JSON_TEXTS = [
    '"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"s0\\u0000"', "null", "1", "1e999", "NaN", "[" * 5000, "9" * 5000,
    '"' + "a" * 40_000 + '"', '{"a": 1}', '"s0"x', "", '"', "-Infinity", '["s0"]',
]  # fmt: skip
HEADERS = {
    "host": ["[", "]", "[]", "[::1", "[::1]", "[v1.x]", "[::1%25eth0]", "a]b", "127.0.0.1:x",
    "127.0.0.1:99999999999", ":", "@",
             "evil@127.0.0.1", "127.0.0.1@evil", "//", "127.0.0.1/..", "\xe9", "\xff\xfe", "a" * 5000, "127.0.0.1\t",
             "xn--a", "127.0.0.1#", "127.0.0.1?x", "。", "℀"],
    "origin": ["http://[", "null", "", "[", "http://]", "http://127.0.0.1:x", "//", "http://\xe9", "http:",
    "a" * 5000],
    "cookie": ["=", ";", "assay_00000000=x", "a" * 9000, "\xe9=\xff", 'a="\\', 'a="\\777\\000', "; " * 3000,
    "$Version=1",
               "csrf=" + "\\" * 5000],
    "accept-language": ["[", "../../..", "\xe9", "," * 9000, "en-" * 3000, ";q=", "nl;q=0x", "*", "xx" * 4000],
    "content-length": ["-1", "x", "9" * 30, "9" * 5000, "1, 2", "1e3", "+1", "\xb2"],
    "content-type": ["multipart/form-data; boundary=b; charset=undefined",
    "multipart/form-data; boundary=b; charset=utf-7",
                     "multipart/form-data; boundary=b; charset=idna", "multipart/form-data",
        "multipart/form-data; boundary=",
                     "application/json", "\xe9", "application/x-www-form-urlencoded; charset=utf-16", "text/plain"],
    "transfer-encoding": ["chunked", "gzip", "chunked, chunked", "x"],
    "range": ["bytes=0-", "bytes=-", "bytes=" + "9" * 5000 + "-", "bytes=-" + "9" * 30, "bytes=5-1", "x=1",
    "bytes=0-0," * 2000, "bytes=\xb2-"],
    "if-range": ["x", "\xe9"],
    "if-none-match": ["*", "\xe9", '"' * 2000],
    "if-modified-since": ["x", "Mon, 99 Foo 99999 99:99:99 GMT", "0", "Mon, 01 Jan 0000 00:00:00 +9999999999",
    "\xe9"],
    "upgrade": ["websocket", "h2c"],
    "connection": ["upgrade", "keep-alive, upgrade", "\xe9"],
    "expect": ["100-continue", "x"],
    "x-forwarded-for": ["1.2.3.4", "[", "\xe9", "a," * 4000],
    "x-forwarded-proto": ["https", "x", "\xe9"],
    "x-forwarded-host": ["evil.example", "["],
    "hx-request": ["true", "\xe9"],
    "hx-target": ["answers", "\xe9"],
    "accept-encoding": ["\xe9", "gzip;q=x"],
}  # fmt: skip
METHODS = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT", "get", "X" * 300, "P\xd6ST"]
TARGETS = ["*", "http://evil.example/rate", "//evil.example", "/%", "/%00", "/%ff", "/..", "/./", "//",
        "/" + "a" * 60_000,
           "/?", "/#", "/rate/", "/team//", "evil.example:80", "\xe9", "/\xff", "/static", "/static/", "/static/%00",
           "/static/" + "a" * 5000, "/static/../x", "/static/%2e%2e/sessions.py", "/static/rate.js/",
        "/static/" + "a/" * 3000]  # fmt: skip
RATE_PATHS = ["/", "/rate", "/undo", "/team", "/team/progress", "/team/sentence", "/team/adjudicate", "/static/rate.js"]
VIEW_PATHS = [
    "/", "/runs", "/run/{}", "/run/{}/figures", "/run/{}/answer", "/run/{}/replies",
    "/run/last/answer?id=s0chat&turn={}", "/compare", "/compare/figures", "/suites", "/suite", "/nightly/{}",
    "/static/view.js",
]  # fmt: skip
QUERY = ["q", "page", "language", "type", "group", "rated", "metric", "status", "min", "max", "sort", "order", "id",
        "by",
         "done", "a", "b", "list", "name", "turn"]  # fmt: skip
FIELDS = ["sample", "showing", "value", "reason", "wrong", "turn"]


def write_store(folder, url=""):
    """A set in a folder, and a run of its answers in the folder's store or a database."""
    answers = [
        Sample(id=f"s{number}", user_input="How?", response="Open the menu. Press OK.", language="en", rating=3)
        for number in range(6)
    ]
    answers[1:1] = [make_conversation("s0chat"), *turn_samples(make_conversation("s0turns"))]
    write_set(answers, folder / "set.jsonl")
    write_run(url or folder / ".assay", answers)


class Attack:
    """A server with a visitor's cookie and token, and what is sent to it."""

    def __init__(self, server, name, home, paths):
        self.server, self.home, self.paths = server, home, paths
        self.cookie = server.enter(name)
        self.fields = hidden_fields(server.get(home, self.cookie).text)

    def requests(self, count, seed):
        """Hostile requests: each kind of piece once, then drawn."""
        server, draw = self.server, random.Random(seed)
        yield from (server.request("GET", path, cookie=self.cookie, host="[") for path in self.paths)
        for name, values in HEADERS.items():
            for value in values:
                for method in ("GET", "POST"):
                    yield self._request(method, self.paths[1], self._form({}), {name: value})
        yield from (server.request("GET", "/static/style.css", range=value) for value in HEADERS["range"])
        yield from (server.request("GET", target, cookie=self.cookie) for target in TARGETS)
        yield from (server.request(method, path, cookie=self.cookie) for method in METHODS for path in self.paths)
        for path in self.paths:
            for text in JSON_TEXTS:
                yield self._request("POST", path.format("last"), self._form({"sample": text, "value": "3"}), {})
            for text in ("--1", "-" * 5000 + "1", "\0", "\ud800"):
                hostile = text.encode("utf-8", "surrogatepass")
                form = self._form({"value": hostile, "reason": hostile})
                yield self._request("POST", path.format("last"), form, {})
        for _ in range(count):
            yield self._drawn(draw)

    def _request(self, method, path, body, headers):
        cookie = f"{self.cookie}; {headers['cookie']}" if "cookie" in headers else self.cookie
        return self.server.request(method, path, body, **headers | {"cookie": cookie})

    def _form(self, changes):
        return urlencode({"value": "99", **self.fields} | changes, errors="replace").encode()

    def _drawn(self, draw):
        path = draw.choice(self.paths).format(quoted(draw.choice([*TEXTS, "last", "last"])))
        if draw.random() < 0.2:
            path = draw.choice(["/enter/", "/enter/x.", "/nothing/"]) + quoted(draw.choice(TEXTS))
        if draw.random() < 0.6:
            query = [f"{draw.choice(QUERY)}={quoted(draw.choice(TEXTS))}" for _ in range(draw.randint(1, 4))]
            path += "?" + "&".join(query)
        method = draw.choice(["GET", "GET", "POST", "POST", draw.choice(METHODS)])
        changes = {draw.choice(FIELDS): draw.choice([*TEXTS, *JSON_TEXTS]) for _ in range(draw.randint(0, 3))}
        body = self._form(changes) if method == "POST" else b""
        if draw.random() < 0.1:
            body = draw.randbytes(draw.randint(1, 3000))
        names = draw.sample(sorted(HEADERS), draw.choice([0, 0, 1, 2]))
        headers = {name: draw.choice(HEADERS[name]) for name in names}
        raw = self._request(method, path[:60_000], body, headers)
        if draw.random() < 0.1:
            place = draw.randrange(len(raw))
            raw = raw[:place] + draw.randbytes(draw.randint(1, 4)) + raw[place + draw.randint(0, 4) :]
        return raw[: draw.randrange(len(raw))] if draw.random() < 0.05 else raw


def outcome(reply):
    if reply.status < 0:
        return "no answer"
    return "500" if reply.status >= 500 else "fine"


def attack(one, count, seed, step):
    """Sends the requests and counts what came of them."""
    counts, worst, total = Counter[str](), dict[str, bytes](), 0
    for raw in islice(one.requests(count, seed), 0, None, step):
        total += 1
        reply = one.server.send(raw, patience=0.1)
        counts[outcome(reply)] += 1
        if outcome(reply) != "fine":
            worst.setdefault(f"{outcome(reply)} {raw[:40]!r} {len(worst)}", raw[:600])
        assert "x-evil" not in reply.text.partition("\r\n\r\n")[0].lower()
    tracebacks = one.server.errors.count("Traceback (most recent call last)")
    print(f"{total} requests: {dict(counts)}, {tracebacks} tracebacks")
    assert counts["500"] == counts["no answer"] == tracebacks == 0, (
        one.server.errors[-3000:],
        list(worst.values())[:40],
    )
    assert one.server.get(one.home, one.cookie).status == 200, "the next visitor is served"


@pytest.fixture
def folder(tmp_path):
    write_store(tmp_path)
    return tmp_path


SIZES = [(30, 9), pytest.param(6000, 1, marks=pytest.mark.slow)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("count", "step"), SIZES)
@pytest.mark.parametrize("words", [("rate", "set.jsonl", "--raters", "ada,bob"), ("view",)], ids=["rating", "viewing"])
def test_no_request_is_an_error_of_the_pages(warm_python, folder, words, count, step):
    server = WebProcess(warm_python, folder, *words)
    try:
        if words[0] == "rate":
            attack(Attack(server, "ada", "/rate", RATE_PATHS), count, seed=1, step=step)
            attack(Attack(server, "disagreements", "/team", RATE_PATHS), count, seed=2, step=step)
        else:
            attack(Attack(server, "", "/run/last/answer?id=s0", VIEW_PATHS), count, seed=3, step=step)
            attack(Attack(server, "", "/run/last/answer?id=s0chat", VIEW_PATHS), count, seed=5, step=3 * step)
    finally:
        server.kill()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("count", "step"), SIZES)
def test_no_request_is_an_error_of_pages_on_postgresql(warm_python, tmp_path, postgres_url, count, step):
    """PostgreSQL keeps no zero character and no half of a surrogate pair, and tells numbers from texts."""
    write_store(tmp_path, postgres_url)
    rate = ("rate", "set.jsonl", "--raters", "ada,bob", "--store", postgres_url)
    for words, name, home, paths in [
        (("view", "--store", postgres_url), "", "/run/last/answer?id=s0", VIEW_PATHS),
        (rate, "ada", "/rate", RATE_PATHS),
    ]:  # fmt: skip
        server = WebProcess(warm_python, tmp_path, *words)
        try:
            attack(Attack(server, name, home, paths), count, seed=4, step=step)
        finally:
            server.kill()
