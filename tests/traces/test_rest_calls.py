"""Calls of a tool's REST client, and batches that it refuses in part."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from api_server import ApiServer, Call, Reply

from assay.errors import InputError
from assay.traces import RestCalls, ToolServer, send_in_halves


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


def test_a_large_batch_is_sent_in_parts_and_given_up_where_all_are_refused_for_one_reason() -> None:
    posts: list[int] = []

    def refuse(some: Sequence[int]) -> str:
        posts.append(len(some))
        return "full"

    assert {problem for _, problem in send_in_halves(range(100), refuse, most=40)} == {"full"}
    assert posts[0] == 40
    assert len(posts) < 30
    posts.clear()
    assert len(list(send_in_halves(range(100), refuse, most=40, is_about_one=lambda problem: True))) == 100
    assert posts.count(1) == 100


class _OneReply(ApiServer):
    def answer(self, call: Call) -> Reply:
        return Reply(200, {"number": call.number})


def test_a_server_that_was_there_may_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("tenacity.nap.sleep", waits.append)
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
