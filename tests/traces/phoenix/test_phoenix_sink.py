"""Pushing to a real Phoenix server."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from phoenix_server import PhoenixServer, rag_trace

from assay.errors import InputError
from assay.traces import TraceAddress, TraceOrigin, TraceScore

pytestmark = [pytest.mark.extras, pytest.mark.timeout(300)]


def write(server, project, scores):
    from assay.traces import PhoenixSink

    return list(PhoenixSink(TraceAddress.parse(server.address(project))).write(scores))


def score(key, trace, **fields):
    origin = TraceOrigin("phoenix://h/p", trace, **fields.pop("origin", {}))
    values = {"name": "faithfulness", "value": 0.5, "low": 0, "high": 1, "higher_is_better": True}
    values |= {"label": "", "reason": "One claim of two.", "judge": "qwen"}
    values |= {"prompts": "ab12", "run": "run-1", "sample": trace, "at": "2026-01-01T00:00:00+00:00"}
    return TraceScore(key=f"{key:032x}", origin=origin, **values | fields)


def test_a_score_is_written_once_and_updated_afterwards(phoenix_server):
    project = "pushed / once"
    began = datetime.now(UTC) - timedelta(hours=1)
    traces = [rag_trace(number, began, session=f"pushed {number}") for number in range(3)]
    phoenix_server.add_spans(project, [one for own in traces for one in own])
    phoenix_server.wait_for_traces(project, 3)
    first, second, third = (own[0]["context"] for own in traces)
    scores = [
        score(1, first["trace_id"], origin={"span": first["span_id"]}),
        score(2, second["trace_id"], judge="", label="yes", reason="no context\x00 \ud800"),
        score(3, third["trace_id"], origin={"session": "pushed 2", "span": third["span_id"], "unit": "session"}),
        score(4, first["trace_id"], name="length \ud800", origin={"span": first["span_id"]}),
    ]
    assert {result.state for result in write(phoenix_server, project, scores)} == {"written"}
    changed = [replace(one, value=0.75, label="") for one in scores[:3]] + [score(5, second["trace_id"])]
    states = {result.key[-1]: result.state for result in write(phoenix_server, project, changed + changed)}
    assert states == dict.fromkeys("1235", "written")
    assert set(phoenix_server.count_annotations(project).values()) == {1}
    stored = {one.identifier[-1]: one for one in phoenix_server.annotations(project)}
    assert [(stored[key].unit, stored[key].target) for key in "1235"] == [
        ("span", first["span_id"]),
        ("trace", second["trace_id"]),
        ("session", "pushed 2"),
        ("trace", second["trace_id"]),
    ]
    assert [stored[key].annotator for key in "125"] == ["LLM", "CODE", "LLM"]
    assert (stored["1"].score, stored["4"].score, stored["4"].label) == (0.75, 0.5, None)
    assert stored["1"].explanation == "One claim of two."
    assert stored["2"].explanation == "no context  ?"
    assert stored["1"].metadata == {
        "low": 0,
        "high": 1,
        "higher_is_better": True,
        "judge": "qwen",
        "prompts": "ab12",
        "run": "run-1",
        "sample": first["trace_id"],
        "at": "2026-01-01T00:00:00+00:00",
        "key": f"{1:032x}",
    }


def test_a_missing_trace_fails_alone(phoenix_server):
    project = "with gaps"
    ids = phoenix_server.fill(project, 8)
    scores = [score(number, id_) for number, id_ in enumerate(ids, 10)]
    scores[3:3] = [score(number, f"{number:032x}") for number in range(900, 912)]
    scores.append(score(950, ids[0], name="note"))  # a name that Phoenix keeps for itself
    results = write(phoenix_server, project, scores)
    assert len(results) == len(scores)
    assert sum(result.state == "written" for result in results) == 8
    problems = [result.problem for result in results if result.state == "failed"]
    assert len(problems) == 13
    assert "is not in Phoenix (any more); pull again" in problems[0]
    assert "'note' is reserved" in problems[-1]


def test_no_project_is_no_write(phoenix_server):
    with pytest.raises(InputError, match="has no project `nope`"):
        write(phoenix_server, "nope", [score(1, "a" * 32)])
    assert write(phoenix_server, "nope", []) == []


@pytest.mark.slow
def test_scores_survive_a_kill_of_the_server(tmp_path):
    server = PhoenixServer(tmp_path)
    try:
        ids = server.fill("killed", 150)
        scores = [score(number, id_) for number, id_ in enumerate(ids)]
        write(server, "killed", scores[:100])
        server.kill()
        with pytest.raises(InputError, match="cannot be reached"):
            write(server, "killed", scores)
        server.start()
        assert [result.state for result in write(server, "killed", scores)] == ["written"] * 150
        counts = server.count_annotations("killed")
        assert len(counts) == 150
        assert set(counts.values()) == {1}
    finally:
        server.stop()
