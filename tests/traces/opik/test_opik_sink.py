"""Scores on Opik, on a local server that follows its published API."""

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from api_server import Call, Reply
from opik_server import OpikServer, trace_uuid

from assay.errors import InputError
from assay.traces import TraceAddress, TraceScore, WriteResult
from assay.traces.opik.sink import OpikSink

pytestmark = pytest.mark.extras("opik")
Make = Callable[..., TraceScore]


def write(server: OpikServer, scores: Sequence[TraceScore], project: str = "support%20bot") -> list[WriteResult]:
    return list(OpikSink(TraceAddress.parse(f"opik://{server.host}/default/{project}")).write(scores))


def add(server: OpikServer, *numbers: int) -> None:
    for number in numbers:
        server.add_trace(number, f"2026-11-20T10:{number % 60:02}:00Z", input="Free?", output="Yes.")


def test_a_score_has_its_value_and_its_reason_the_rest(server: OpikServer, score: Make) -> None:
    add(server, 1)
    assert write(server, [score(value=1 / 3, label="partly")]) == [WriteResult(f"{1:032x}", "written")]
    ((place, by_author),) = server.scores.items()
    assert place == (trace_uuid(1), "faithfulness")
    assert by_author == {
        "key-user": {
            **{"value": 0.333333333, "source": "sdk", "category_name": "partly"},
            "reason": "Two of four claims hold.\n\n(from 0 to 1, higher is better; judge local; prompts abc; run r1; "
            "http://localhost/answers/1)",
        }
    }


def test_a_score_of_a_conversation_is_one_of_the_thread(server: OpikServer, score: Make) -> None:
    server.threads = {"s1"}
    conversation = score(1, {"session": "s1", "unit": "session", "span": "o9"})
    assert [result.state for result in write(server, [conversation])] == ["written"]
    assert [result.state for result in write(server, [conversation])] == ["updated"]
    assert [*server.scores] == [("s1", "faithfulness")]


def test_a_thread_that_still_runs_fails_with_the_servers_reason(server: OpikServer, score: Make) -> None:
    server.threads, server.open_threads = {"s1", "s2"}, {"s2"}
    scores = [score(number, {"session": f"s{number}", "unit": "session"}) for number in (1, 2)]
    one, two = write(server, scores)
    assert one.state == "written"
    assert (two.state, two.problem) == (
        "failed",
        "Opik refuses it (status 409: Threads must be closed before scoring)",
    )


def test_what_is_written_twice_is_one_score_and_a_later_run_replaces_it(server: OpikServer, score: Make) -> None:
    add(server, *range(50))
    scores = [score(number) for number in range(40)]
    assert Counter(result.state for result in write(server, scores)) == {"written": 40}
    calls = len(server.calls)
    later = [score(number, key=f"{number + 900:032x}", value=0.75, run="r2") for number in range(50)]
    assert Counter(result.state for result in write(server, later)) == {"updated": 40, "written": 10}
    assert len(server.scores) == 50
    assert {entry["key-user"]["value"] for entry in server.scores.values()} == {0.75}
    assert len(server.calls) == calls + 3  # the project, what is there, and the batch
    twice = [score(1), score(1, key="f" * 32, value=0.25)]
    assert [result.state for result in write(server, twice)] == ["updated", "updated"]
    assert server.scores[trace_uuid(1), "faithfulness"]["key-user"]["value"] == 0.25


def test_what_people_rated_is_not_written_over(server: OpikServer, score: Make) -> None:
    add(server, 1, 2)
    server.rate(trace_uuid(1), "faithfulness", 4, "key-user")
    rated, free = write(server, [score(1), score(2)])
    assert (rated.state, free.state) == ("failed", "written")
    assert "people rated this trace in Opik under the name faithfulness" in rated.problem
    assert server.scores[trace_uuid(1), "faithfulness"]["key-user"]["value"] == 4


def test_a_score_without_a_value_fails_as_opik_keeps_none(server: OpikServer, score: Make) -> None:
    add(server, 1, 2, 3)
    results = write(server, [score(1, value=None, label="skipped"), score(2, value=float("nan")), score(3, value=1e12)])
    assert {result.state for result in results} == {"failed"}
    assert "Opik keeps numbers only, and this score has none (skipped)" in {result.problem for result in results}
    assert server.scores == {}


def test_a_trace_with_an_odd_id_fails_alone(server: OpikServer, score: Make) -> None:
    add(server, *range(20))
    scores = [score(number) for number in range(20)] + [score(99, {"id": "00000000-0000-4000-8000-000000000000"})]
    results = {result.key: result for result in write(server, scores)}
    assert Counter(result.state for result in results.values()) == {"written": 20, "failed": 1}
    assert "version 7" in results[f"{99:032x}"].problem


def test_a_write_that_was_answered_too_late_is_not_doubled(server: OpikServer, score: Make, waits: list[float]) -> None:
    add(server, 1, 2)
    late: list[Call] = []

    def answer_late(call: Call) -> Reply | None:
        if call.method != "PUT" or late:
            return None
        late.append(call)
        server.answer(call)
        return Reply(504, {"message": "too late"})

    server.script = answer_late
    assert [result.state for result in write(server, [score(1), score(2)])] == ["written", "written"]
    assert len(server.scores) == 2
    assert waits == [0.5]


def test_a_project_that_is_not_there_is_not_made(server: OpikServer, score: Make) -> None:
    with pytest.raises(InputError, match="no project `another`"):
        write(server, [score()], "another")
    assert server.paths("PUT") == []
    assert write(server, []) == []


def test_odd_texts_are_sent(server: OpikServer, score: Make) -> None:
    add(server, 1)
    odd = score(1, name="naam é <b>", reason="half \ud83d \x00 \x1b[2J", low=None, judge="", prompts="", link="")
    assert [result.state for result in write(server, [odd])] == ["written"]
    entry = server.scores[trace_uuid(1), "naam é <b>"]["key-user"]
    assert entry["reason"] == "half ?   \x1b[2J\n\n(higher is better; run r1)"
