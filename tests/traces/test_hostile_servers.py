"""Servers of tools that answer without end, too slowly, with keys, in circles, or as no such tool does."""

import base64
import gzip
import json
from importlib import import_module

import pytest
from api_server import ApiServer, Reply

from assay.errors import InputError
from assay.traces import Paging, ToolServer, TraceAddress, server_words

KEY = "a-key-of-the-test/with+marks"
PUBLIC = "pk-lf-of-the-test"
NAMES = {"phoenix": "Phoenix", "mlflow": "MLflow", "langfuse": "Langfuse"}
all_tools = pytest.mark.parametrize("tool", NAMES)


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("PHOENIX_API_KEY", "MLFLOW_TRACKING_TOKEN", "LANGFUSE_SECRET_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)


class Scripted(ApiServer):
    """Answers everything in one way, but the versions of Phoenix and MLflow as they do, where it is told so."""

    def __init__(self, answer, *, has_version=True):
        super().__init__()
        self.own, self.has_version = answer, has_version

    def answer(self, call):
        versions = {"/arize_phoenix_version": "20.26.0", "/version": "3.17.0"}
        if self.has_version and call.path in versions:
            return Reply(200, versions[call.path])
        return self.own(call)


def open_source(tool, host):
    module = import_module(f"assay.traces.{tool}.source")
    return getattr(module, f"{tool.capitalize()}Source")(TraceAddress.parse(f"{tool}://{host}/p"))


def problem_of(tool, host):
    with pytest.raises(InputError) as error:
        list(open_source(tool, host).read(None, None))
    assert str(error.value).isprintable()
    return str(error.value)


@all_tools
def test_no_server_is_said_at_once(tool, waits):
    problem = problem_of(tool, "127.0.0.1:9")
    assert f"{NAMES[tool]} at http://127.0.0.1:9 cannot be reached (" in problem and "refused): start it" in problem
    assert waits == []


def echo(call):
    return " ".join(f"{name}: {value}" for name, value in call.headers.items())


def assert_no_key(problem):
    sent = base64.b64encode(f"{PUBLIC}:{KEY}".encode()).decode()
    for secret in (KEY, "a-key-of-the-test", sent, sent[:20]):
        assert secret not in problem, problem


@all_tools
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
def test_a_key_that_the_server_echoes_is_in_no_message(tool, status):
    def answer(call):
        return Reply(status, dict.fromkeys(("message", "error", "detail"), f"bad {echo(call)}"))

    for has_version in (True, False):
        with Scripted(answer, has_version=has_version) as server:
            assert_no_key(problem_of(tool, server.host))


@all_tools
def test_a_redirect_is_refused_and_its_address_shows_no_key(tool):
    with Scripted(lambda call: Reply(200, {})) as elsewhere:

        def answer(call):
            key = call.headers.get("authorization", call.headers.get("Authorization", ""))
            return Reply(302, None, {"location": f"http://{elsewhere.host}/?k={key.replace(' ', '%20')}"})

        with Scripted(answer) as server:
            problem = problem_of(tool, server.host)
        assert f"sends on to http://{elsewhere.host}/?k=" in problem
        assert_no_key(problem)
        assert not elsewhere.calls


def test_keys_are_taken_out_however_they_are_written():
    for text in (KEY, "a-key-of-the-test%2Fwith%2Bmarks", "a-key-of-the\x1b-test/with+marks"):
        assert server_words(f"no {text}", [KEY]) == "no ***"
    assert server_words(f"{'k' * 3000} " * 20 + "end", ["k" * 3000]) == "*** " * 20 + "end"
    assert server_words("nothing", ["", "n"]) == "nothing"


@all_tools
def test_a_packed_reply_is_read(tool):
    body = gzip.compress(b'{"error": "from a packed reply"}')
    with Scripted(lambda call: Reply(400, body, {"content-encoding": "gzip"})) as server:
        assert "from a packed reply" in problem_of(tool, server.host)


@all_tools
@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("has_version", [True, False])
def test_an_outage_at_the_first_call_is_no_wrong_address(tool, status, has_version, waits):
    reply = Reply(status, {}, {"retry-after": "99999999"} if status == 429 else {})
    with Scripted(lambda call: reply, has_version=has_version) as server:
        problem = problem_of(tool, server.host)
    assert ("is asked too often" if status == 429 else "fails") in problem
    assert f"status {status}" in problem
    assert "try again later" in problem
    assert "correct the address" not in problem
    assert sum(waits) <= 600


@all_tools
@pytest.mark.parametrize(
    "body", [None, [], 5, {}, {"error": "no\x1b[2J"}, {"data": "x", "experiment": [], "traces": 5, "name": 3}]
)
def test_a_reply_of_another_form_names_the_server_and_the_call(tool, body):
    with Scripted(lambda call: Reply(200, json.dumps(body))) as server:
        problem = problem_of(tool, server.host)
    assert server.host in problem
    assert f"as no {NAMES[tool]} does" in problem or "does not answer as an MLflow server" in problem


def listing(number):
    """A server whose list of traces leads on for ever, with another cursor each time, to what was there."""
    count = iter(range(10**9))

    def row(place):
        id_ = f"{place:032x}"
        time = "2026-11-20T10:00:00Z"
        return {
            **{"id": id_, "trace_id": id_, "traceId": id_, "start_time": time, "startTime": time},
            **{"request_time": time, "isRootObservation": True, "trace_metadata": {}, "tags": {}, "state": "ERROR"},
        }

    bodies = {
        "projects": {"data": [{"id": "p", "name": "p"}]},
        "get-by-name": {"experiment": {"experiment_id": "1"}},
        **{name: {"data": []} for name in ("spans", "trace_annotations", "span_annotations", "scores")},
        "annotation_configs": {"data": []},
    }

    def answer(call):
        rows = [row(place) for place in range(number)]
        cursor = f"c{next(count)}"
        page = {"data": rows, "traces": rows, "meta": {"cursor": cursor}}
        page |= {"next_cursor": cursor, "next_page_token": cursor}
        return Reply(200, bodies.get(call.path.rpartition("/")[2], page))

    return answer


def test_pages_without_end_are_said():
    tool = ToolServer("Tool", "http://h", ("K",))
    paging = Paging(tool, "projects", most=50)
    with pytest.raises(InputError, match=r"Tool at http://h: its list of projects has no end: 51 pages were read"):
        for number in range(100):
            paging.follow(f"c{number}")
    paging = Paging(tool, "traces")
    paging.follow(1)
    with pytest.raises(InputError, match="has no end: 2 pages were read"):
        paging.follow(1)


@pytest.mark.parametrize("row", [None, 5, "x"])
@all_tools
def test_a_row_that_is_no_object_is_said(tool, row):
    answer = listing(2)

    def spoil(call):
        reply = answer(call)
        rows = reply.body.get("data") or reply.body.get("traces") if isinstance(reply.body, dict) else None
        if rows and "experiment" not in call.path:
            rows.append(row)
        return reply

    with Scripted(spoil) as server:
        assert "whose entry" in problem_of(tool, server.host)
