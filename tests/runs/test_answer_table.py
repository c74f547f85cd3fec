"""The table of answers: read once from a store, at a level, with the ratings of the page, and as parts of a scorer."""

from contextlib import closing

import pytest

from assay.eval_sets import Sample, with_turns
from assay.metrics import Score, failed, scored
from assay.runs import AnswerTable, Plan, RunWriter, Store


@pytest.fixture
def store(tmp_path):
    with closing(Store(tmp_path)) as opened:
        yield opened


def write_run(store, samples, scores, metrics=("a", "b")):
    run = store.begin(Plan(sets=("set.jsonl",), metrics=metrics, directions={"a": True, "b": False}))
    writer = RunWriter(store, run)
    for sample in writer.number_samples(iter(samples)):
        writer.add(sample, scores.get(sample.id, {}))
    writer.flush()
    store.end(run, "done")
    return store.run(run)


def answer(name, **fields):
    return Sample(id=name, user_input="Free?", response="Yes.", **fields)


def test_a_run_is_read_with_the_parts_of_its_evidence_that_are_wanted(store):
    evidence = {"claims": [{"text": "It is free."}], "prompts": ["p1"]}
    row = write_run(
        store, [answer("x"), answer("y")], {"x": {"a": scored(0.5, "so", evidence)}, "y": {"a": failed("no")}}
    )
    table = AnswerTable.read(store, row, ("evidence",), ("prompts",))
    assert (table.run, table.sets, table.row.status) == (row.id, ("set.jsonl",), "done")
    assert table.scores["x"]["a"].evidence == {"prompts": ["p1"]}
    assert table.values("a") == {"x": 0.5} and table.values("unknown") == {}
    assert [(name, metric, score.status) for name, metric, score in table.rows()] == [
        ("x", "a", "scored"), ("y", "a", "failed")
    ]  # fmt: skip
    assert AnswerTable.read(store, row).scores["x"]["a"].evidence == {}
    assert table.where(["y"]).samples.keys() == table.where(["y"]).scores.keys() == {"y"}


def test_a_conversation_has_the_scores_of_its_turn_under_test_and_keeps_its_own_where_the_turn_has_none():
    """The chat is one row; its last turn was scored by itself with a (0.8) and b, which failed there."""
    messages = [{"role": role, "content": role} for role in ("user", "assistant") * 2]
    chat, *turns = with_turns([Sample(id="chat", messages=messages)], "each")
    last = turns[-1].id
    scores = {"chat": {"b": scored(0.1, "own")}, last: {"a": scored(0.8, "turn"), "b": failed("no reply")}}
    table = AnswerTable({"a": True, "b": True}, {sample.id: sample for sample in (chat, *turns)}, scores)
    whole = table.at_level("conversation")
    assert list(whole.samples) == ["chat"] and whole.source_samples == table.samples
    assert {metric: score.value for metric, score in whole.scores["chat"].items()} == {"b": 0.1, "a": 0.8}
    by_turn = table.at_level("turn")
    assert list(by_turn.samples) == [turn.id for turn in turns]
    assert (by_turn.values("a"), by_turn.values("b")) == ({last: 0.8}, {})


def test_what_a_scorer_was_fitted_on_is_known():
    scores = {"x": {"scorer:s.yaml": Score(4.0, "scored", "so", {"fitted_on": True}), "a": scored(0.5, "so")}}
    table = AnswerTable({"scorer:s.yaml": True, "a": True}, {"x": answer("x")}, scores)
    assert (table.fitted("scorer:s.yaml"), table.fitted("a")) == ({"x"}, set())
