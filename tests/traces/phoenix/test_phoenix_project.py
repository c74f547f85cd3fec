"""What goes wrong between Assay and a Phoenix server: a server of this test answers as it is told."""

from contextlib import contextmanager
from typing import Any

import pytest
from api_server import ApiServer, Reply as ServedReply
from traces_of_tests import trace_score

from assay.errors import InputError, UsageError
from assay.traces import TraceAddress, TraceOrigin

pytestmark = [pytest.mark.extras]
PROJECT = {"name": "p", "id": "UHJvamVjdDoy"}

Reply = tuple[int, Any]


class Scripted:
    """The replies to a path stand in a list, of which the last one stays."""

    def __init__(self, replies):
        self.asked = []
        self.replies = {"/v1/projects": [(200, page(PROJECT))]} | replies
        self.host = ""

    def reply(self, call):
        self.asked.append(call)
        listed = self.replies.get(call.path, [(404, {"detail": "Not Found"})])
        return listed.pop(0) if len(listed) > 1 else listed[0]


def page(*items, cursor=None):
    return {"data": list(items), "next_cursor": cursor}


@contextmanager
def serving(**replies):
    script = Scripted({f"/v1/{path.replace('__', '/')}": listed for path, listed in replies.items()})

    def answer(call):
        status, content = script.reply(call)
        return ServedReply(status, content, {"retry-after": "7"} if status in (429, 503) else {})

    with ApiServer() as server:
        server.script, script.host = answer, server.host
        yield script


def open_project(host):
    from assay.traces import PhoenixProject

    address = TraceAddress.parse(f"phoenix://{host}/p")
    return PhoenixProject(address)


def open_sink(host):
    from assay.traces import PhoenixSink

    return PhoenixSink(TraceAddress.parse(f"phoenix://{host}/p"))


def score(key):
    return trace_score(key=f"{key:032x}", origin=TraceOrigin("phoenix://h/p", f"{key:032x}"))


def test_pages_follow_the_cursor_and_end():
    pages = [(200, page({"n": 1}, cursor="x/=")), (200, page(cursor="y")), (200, page({"n": 2}))]
    with serving(**{f"projects__{PROJECT['id']}__traces": pages}) as server:
        project = open_project(server.host)
        assert [item for part in project.pages("traces", {"limit": 1}) for item in part] == [{"n": 1}, {"n": 2}]
    assert server.asked[-2].value("cursor") == "x/="


@pytest.mark.parametrize(
    ("replies", "problem"),
    [
        ({"projects": [(401, "no")]}, r"refuses a call without a key \(status 401: no\): set PHOENIX_API_KEY, or"),
        ({"projects": [(403, "no")]}, "refuses a call without a key"),
        ({"projects": [(200, "<html>")]}, "answers /v1/projects with no JSON"),
        ({"projects": [(200, page())]}, "has no project yet"),
        (
            {"projects": [(200, page({"name": "q\x1b[2J\n", "id": "1"}))]},
            r"has no project `p`; it has `q.*`: write one",
        ),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(replies, problem):
    with serving(**replies) as server, pytest.raises(InputError, match=problem) as error:
        open_project(server.host).connect()
    assert str(error.value).isprintable()


def test_another_or_an_old_server_is_named():
    with serving() as server, pytest.raises(InputError, match=r"an older Phoenix or none: Phoenix 13.15 is needed"):
        list(open_project(server.host).pages("traces", {}))


def test_a_source_without_a_project_says_so():
    from assay.traces import PhoenixSource

    with pytest.raises(UsageError, match=r"names no project: write phoenix://HOST:6006/PROJECT"):
        PhoenixSource(TraceAddress.parse("phoenix://localhost:6006/"))


def test_keys_that_cannot_be_sent_are_not_shown(monkeypatch, caplog):
    for key in ("secret-with-ü", "secret\nwith-break"):
        monkeypatch.setenv("PHOENIX_API_KEY", key)
        with serving() as server, pytest.raises(InputError, match="holds a character that no header can have") as error:
            open_project(server.host).connect()
        assert "secret" not in str(error.value)
    monkeypatch.setenv("PHOENIX_CLIENT_HEADERS", "Authorization=Bearer secret")
    with pytest.raises(UsageError, match="PHOENIX_CLIENT_HEADERS cannot be read: write NAME=VALUE"):
        open_project("localhost:6006")
    assert "secret" not in caplog.text


def test_the_clients_settings_name_the_server(monkeypatch):
    assert (open_project("localhost").url, open_project("").url) == ("http://localhost:6006", "http://127.0.0.1:6006")
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", "https://app.example.org/s/team/v1/traces")
    assert open_project("").url == open_project("App.example.org").url == "https://app.example.org/s/team"
    assert open_project("other.example.org").url == "https://other.example.org"


def test_one_score_that_breaks_the_server_does_not_keep_the_others_back():
    with serving(**{f"projects__{PROJECT['id']}__trace_annotations": [(200, page())]}) as server:

        def reply(call):
            if call.path.startswith("/v1/trace_annotations"):
                bad = any(one["trace_id"].endswith("7") for one in call.body["data"])
                return (500, "Internal Server Error") if bad else (200, {"data": []})
            return Scripted.reply(server, call)

        server.reply = reply
        results = list(open_sink(server.host).write([score(number) for number in range(20)]))
    assert [result.key[-2:] for result in results if result.state == "failed"] == ["07"]
    assert len(results) == 20
    assert "the server fails (status 500: Internal Server Error)" in next(one.problem for one in results if one.problem)
