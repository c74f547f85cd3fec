"""Calls of a tool's REST client, and where its server is."""

from typing import Any

import httpx
import pytest
from api_server import ApiServer, Call, Reply

from assay.errors import InputError
from assay.traces import rest_calls
from assay.traces.batch_sending import send_in_halves
from assay.traces.rest_calls import RestCalls, ToolServer, find_url


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]", "http://[::1]"),
        ("[::1]:3000", "http://[::1]:3000"),
        ("localhost.example.org", "https://localhost.example.org"),
        ("127.example.org", "https://127.example.org"),
        ("example.org:443", "https://example.org:443"),
        ("example.org:3000", "http://example.org:3000"),
        ("LANGFUSE.example.org", "https://LANGFUSE.example.org"),
    ],
)
def test_a_key_goes_by_http_only_where_the_host_says_so(host: str, url: str) -> None:
    assert find_url(host, (), "") == url


@pytest.mark.parametrize("host", ["example.org:port", "example.org:99999", "[::1"])
def test_what_is_no_host_is_an_error(host: str) -> None:
    with pytest.raises(InputError, match="is no host"):
        find_url(host, (), "")


def test_the_environment_names_a_server_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_URL", "https://example.org:8443/base/")
    assert find_url("", ("OTHER", "THE_URL"), "https://cloud") == "https://example.org:8443/base"
    assert find_url("example.org:8443", ("THE_URL",), "") == "https://example.org:8443/base"
    assert find_url("another.org", ("THE_URL",), "") == "https://another.org"
    for wrong in ("https://key@example.org", "example.org", "ftp://example.org"):
        monkeypatch.setenv("THE_URL", wrong)
        with pytest.raises(InputError, match="THE_URL is no URL") as caught:
            find_url("", ("THE_URL",), "")
        assert "key@" not in str(caught.value)


def test_a_batch_is_halved_down_to_what_is_refused() -> None:
    posts: list[int] = []

    def post(some: object) -> str:
        assert isinstance(some, list)
        posts.append(len(some))
        return "no" if {7, 41} & {*some} else ""

    outcomes = list(send_in_halves(list(range(64)), post))
    assert [item for item, _ in outcomes] == list(range(64))
    assert [item for item, problem in outcomes if problem] == [7, 41]
    assert len(posts) < 30
    assert list(send_in_halves([], post)) == []


class _OneReply(ApiServer):
    def answer(self, call: Call) -> Reply:
        return Reply(200, {"number": call.number})


def test_a_server_that_was_there_may_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(rest_calls, "sleep", waits.append)
    failures: list[Exception] = [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), httpx.ReadError("reset")]
    with _OneReply() as server:
        calls = RestCalls(ToolServer("Tool", f"http://{server.host}", ("TOOL_KEY",)))

        def ask(**_: Any) -> None:
            calls.http.get(f"http://{server.host}/")

        def ask_in_vain(**_: Any) -> None:
            if failures:
                raise failures.pop(0)
            ask()

        with pytest.raises(InputError, match=r"cannot be reached \(refused\)"):
            calls.call(ask_in_vain)
        assert calls.call(ask) == {"number": 1}
        assert calls.call(ask_in_vain) == {"number": 2}
    assert waits == [0.5, 1]
