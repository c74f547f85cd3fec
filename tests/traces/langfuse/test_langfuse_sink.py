"""Scores on Langfuse, on a local server that follows its published API; its client asks nothing else."""

import subprocess
import sys
from collections import Counter

import pytest
from api_server import Reply
from network_guard import GUARD

from assay.errors import InputError
from assay.traces import LangfuseSink, TraceAddress, WriteResult

pytestmark = pytest.mark.extras("langfuse")


def write(server, scores, project=""):
    return list(LangfuseSink(TraceAddress.parse(f"langfuse://{server.host}/{project}")).write(scores))


def test_a_score_has_its_value_reason_and_evaluator(server, score):
    assert (write(server, []), server.calls) == ([], [])  # nothing to write asks nothing
    assert write(server, [score()]) == [WriteResult(f"{1:032x}", "written")]
    (stored,) = server.scores.values()
    assert (stored["name"], stored["value"], stored["dataType"]) == ("faithfulness", 0.5, "NUMERIC")
    assert stored["comment"] == "1 of 2 claims supported"
    assert stored["subject"] == {"kind": "trace", "id": "t1"}
    assert stored["timestamp"] == "2026-01-15T12:00:00Z"
    assert stored["metadata"] == {
        **{"low": 0.0, "high": 1.0, "higher_is_better": True, "run": "r", "sample": "s"},
        **{"evaluator": {"metric": "faithfulness", "judge": "qwen1.5b", "prompts": "abc"}},
    }


def test_a_score_goes_to_the_session_or_the_observation_that_it_is_about(server, score):
    session = score(1, {"session": "s1", "unit": "session", "span": "o9"})
    observation = score(2, {"span": "o2", "session": "s1"})
    assert {result.state for result in write(server, [session, observation])} == {"written"}
    assert [stored["subject"] for stored in server.scores.values()] == [
        {"kind": "session", "id": "s1"},
        {"kind": "observation", "id": "o2", "traceId": "t2"},
    ]


def test_a_label_stands_in_the_metadata(server, score):
    write(server, [score(3, label="yes")])
    (stored,) = server.scores.values()
    assert (stored["value"], stored["metadata"]["label"]) == (0.5, "yes")


def test_what_is_written_twice_is_one_score(server, score):
    scores = [score(number) for number in range(100)]
    assert Counter(result.state for result in write(server, scores)) == {"written": 100}
    again = [score(number, value=0.75) for number in range(120)]
    assert Counter(result.state for result in write(server, again)) == {"written": 120}
    assert len(server.scores) == 120
    assert {stored["value"] for stored in server.scores.values()} == {0.75}
    assert len(server.paths("POST")) == 2  # one call for all scores
    assert write(server, [score(1), score(1)]) == [WriteResult(f"{1:032x}", "written")]


def test_of_a_batch_that_is_refused_in_part_the_refused_are_named(server, score):
    server.refused = {"bad": "the config allows 1 to 5 \x1b[31m"}
    scores = [score(number, name="bad" if number in (3, 50) else "good") for number in range(64)]
    results = write(server, scores)
    failed = {result.key: result.problem for result in results if result.state == "failed"}
    assert failed.keys() == {f"{3:032x}", f"{50:032x}"}
    assert set(failed.values()) == {"Langfuse refuses it: the config allows 1 to 5 [31m"}
    assert len(results) == 64
    assert len(server.scores) == 62  # those that were sent again are one each


def test_a_write_that_was_answered_too_late_is_not_doubled(server, score, waits):
    posts = []

    def late(call):
        if getattr(call, "method", "") != "POST":
            return None
        posts.append(call)
        reply = server.answer(call)
        return Reply(504, {"message": "too late"}) if len(posts) == 1 else reply

    server.script = late
    assert [result.state for result in write(server, [score(1), score(2)])] == ["written", "written"]
    assert len(server.scores) == 2
    assert waits == [0.5]


def test_odd_texts_are_sent_and_keys_that_are_wrong_are_an_error(server, score):
    odd = score(1, {"id": "../../t,1?x=<b>"}, name="naam é", reason="half \ud83d \x00 \x1b[2J")
    assert [result.state for result in write(server, [odd])] == ["written"]
    (stored,) = server.scores.values()
    assert stored["subject"]["id"] == "../../t,1?x=<b>"
    assert stored["comment"] == "half ?   \x1b[2J"
    with pytest.raises(InputError, match="belong to the project"):
        write(server, [score()], "another")
    server.script = lambda _: Reply(401, {"message": "no"})
    with pytest.raises(InputError, match="LANGFUSE_SECRET_KEY"):
        write(server, [score()])


PROGRAM = """
import threading
from assay.traces import TraceAddress, TraceOrigin, TraceScore
from assay.traces.langfuse.sink import LangfuseSink
from assay.traces.langfuse.source import LangfuseSource

address = TraceAddress.parse("langfuse://{host}/")
(sample,) = LangfuseSource(address).read(None, None)
origin = TraceOrigin.of_sample(sample)
values = dict(value=1.0, low=0, high=1, higher_is_better=True, label="", reason="", judge="", prompts="")
values |= dict(run="r", sample="t1", at="2026-11-20T11:00:00+00:00")
score = TraceScore(key="1" * 32, origin=origin, name="m", **values)
assert [result.state for result in LangfuseSink(address).write([score])] == ["written"]
assert [thread.name for thread in threading.enumerate()] == ["MainThread"], threading.enumerate()
print(attempts)
"""


@pytest.mark.extras("langfuse")
def test_no_thread_begins_and_no_other_machine_is_reached(server):
    server.add_trace("t1", "2026-11-20T10:00:00Z", input="Is it free?", output="Yes.")
    program = GUARD + PROGRAM.format(host=server.host)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
    assert done.stderr == ""
