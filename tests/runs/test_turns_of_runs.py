"""Runs of conversations: which metric runs where, and what a run says of it."""

import json
from pathlib import Path

import pytest
from noted_sets import write_rows

from assay import Sample, evaluate, metric
from assay.errors import InputError, UsageError
from assay.eval_sets import turn_samples
from assay.metrics import ComputedMetric, scored
from assay.runs import Plan, Results, RunWriter, Store

TURNS_OF = {"a": 3, "b": 1, "c": 2}


class Answers(ComputedMetric):
    """A metric of a conversation: how many answers it has."""

    name = "answers"
    range = (0.0, None)
    needs = ("messages",)
    measures = "conversation"

    def compute(self, sample):
        return scored(float(sum(message.is_answer for message in sample.messages)), "counted")


@metric
def words(sample):
    return len(sample.response.split()) / 100


def conversation(name, turns, **fields):
    messages = []
    for turn in range(turns):
        messages += [
            {"role": "user", "content": f"Question {turn} of {name}?"},
            {
                "role": "assistant",
                "content": " ".join(["word"] * (turn + 1)),
                "retrieved_contexts": ["word"],
                "rating": turn % 5 + 1,
            },
        ]
    last = {"user_input": messages[-2]["content"], "response": messages[-1]["content"], "retrieved_contexts": ["word"]}
    return {"id": name, "language": "en", "messages": messages, **last, **fields}


PLAIN = {"id": "p", "user_input": "Why?", "response": "word word", "retrieved_contexts": ["word"], "language": "en"}


def samples(*, plain=True, **fields):
    rows = [conversation(name, turns, **fields) for name, turns in TURNS_OF.items()]
    return [Sample(**row) for row in [*rows, *([PLAIN] if plain else [])]]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def conversations():
    path = Path("chats.jsonl")
    rows = [conversation(name, turns, rating=turns + 1) for name, turns in TURNS_OF.items()]
    return write_rows(path, [*rows, PLAIN])


def scored_by(results, name):
    return [sample for sample, scores in results.scores.items() if name in scores]


@pytest.mark.parametrize("store", [None, "runs"])
def test_last_scores_the_last_turn_and_the_conversation_under_one_id(store):
    results = evaluate(samples(), [words, Answers()], store=store, progress=False)
    assert scored_by(results, "words") == scored_by(results, "answers") == ["a", "b", "c", "p"]
    assert [results.scores[name]["words"].value for name in "abc"] == [0.03, 0.01, 0.02]
    assert [results.scores[name]["answers"].value for name in "abc"] == [3, 1, 2]
    plain = results.scores["p"]["answers"]
    assert (plain.status, plain.reason) == ("skipped", "the sample has no messages")


@pytest.mark.parametrize("store", [None, "runs"])
def test_each_scores_every_turn_once_and_the_conversation_once(store):
    results = evaluate(samples(), [words, Answers()], turns="each", store=store, progress=False)
    turns = ["a#1", "a#3", "a#5", "b#1", "c#1", "c#3"]
    assert list(results.samples) == ["a", *turns[:3], "b", turns[3], "c", *turns[4:], "p"]
    assert scored_by(results, "words") == scored_by(results, "token_overlap") == [*turns, "p"]
    assert scored_by(results, "answers") == ["a", "b", "c", "p"]
    assert scored_by(results, "conversation_turns") == ["a", "b", "c"]  # not asked for: nothing skipped
    assert [results.scores[name]["words"].value for name in turns] == [0.01, 0.02, 0.03, 0.01, 0.01, 0.02]
    counts = {row.name: (row.scored, row.n, row.failed) for row in results.summary()}
    assert counts["words"] == (7, 7, 0)
    assert counts["answers"] == (3, 4, 0)
    assert counts["conversation_length"] == (3, 3, 0)


def test_none_scores_the_conversation_and_the_samples_that_are_none():
    results = evaluate(samples(), [words, Answers()], turns="none", progress=False)
    assert scored_by(results, "words") == scored_by(results, "token_overlap") == ["p"]
    assert scored_by(results, "answers") == ["a", "b", "c", "p"]


def test_none_with_metrics_of_an_answer_alone_is_an_error_with_a_cure():
    with pytest.raises(UsageError, match=r"no metric of a conversation is asked for; add one .*or say --turns last"):
        evaluate(samples(), [words], turns="none", progress=False)
    results = evaluate([PLAIN], [words], turns="none", progress=False)  # no conversation: nothing to leave out
    assert results.scores["p"]["words"].value == 0.02


def test_what_has_no_conversations_or_two_samples_of_one_id_is_refused():
    """Turns alone, plain answers, an unknown choice, and a turn that has the id of a sample."""
    turns = turn_samples(samples()[0])
    same_id = [*samples(), Sample(id="a#3", user_input="q", response="r")]
    with pytest.raises(UsageError, match=r"answers can score none of the 3 samples: .* all of them are turns of one"):
        evaluate(turns, [Answers()], turns="each", progress=False)
    with pytest.raises(UsageError, match=r"conversation_turns can score none of the 1 sample: it needs messages"):
        evaluate([PLAIN], "conversation_turns", progress=False)
    with pytest.raises(UsageError, match=r"turns: 'all' .*'last', 'each', 'none'"):
        evaluate([PLAIN], [words], turns="all", progress=False)
    with pytest.raises(InputError, match="'a#3'"):
        evaluate(same_id, [words], turns="each", progress=False)


def test_without_conversations_nothing_changes():
    plans = [Plan(sets=("s",), metrics=("token_overlap",), turns=turns) for turns in ("last", "each", "none")]
    assert len({plan.identity for plan in plans}) == 3
    assert plans[0].identity == Plan(sets=("s",), metrics=("token_overlap",)).identity
    results = evaluate([PLAIN], "token_overlap", turns="each", progress=False)
    assert results.metrics == ("token_overlap", "rouge_l_precision", "answer_length")


def test_ratings_of_answers_in_conversations_are_not_lost_in_silence(assay, tmp_path):
    rows = [("1", "A?", 3), ("1", "B?", 4), ("2", "C?", 5)]
    path = tmp_path / "rated.jsonl"
    names = ("conversation_id", "question", "score")
    lines = [json.dumps(dict(zip(names, row, strict=True)) | {"answer": "Yes."}) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    done = assay("run", path, "--metrics", "token_overlap")
    assert "1 earlier answer in a conversation is rated, and only the last one of each counts here" in done.err
    assert "rated 4.5 of 5; 0 of 2" in done.out  # those of the last turns: 4 and 5
    each = assay("run", path, "--metrics", "token_overlap", "--turns", "each")
    assert "rated 4.0 of 5" in each.out
    assert "only the last one" not in each.err


CHATS = {"one": 1, "two": 2, "long": 3}


@pytest.mark.parametrize("turns", ["last", "each", "none"])
def test_each_rating_counts_once_in_every_command(assay, turns):
    """One is rated 1 as a whole, as a pull writes it (at its message too); of the others the last answers, 5 and 3.

    The mean is (1 + 5 + 3) / 3, and one of three is below the middle.
    """
    rows = [conversation(name, count) for name, count in CHATS.items()]
    for row in rows:
        for message in row["messages"]:
            message.pop("rating", None)
    rows[0]["messages"][-1]["rating"] = rows[0]["rating"] = 1
    rows[1]["messages"][-1]["rating"], rows[2]["messages"][-1]["rating"] = 5, 3
    write_rows(Path("rated.jsonl"), rows)
    metrics = "conversation_turns,token_overlap"
    run = assay("run", "rated.jsonl", "--metrics", metrics, "--turns", turns, code=0)
    assert "rated 3.0 of 5; 1 of 3 answers is bad" in run.out
    assert "rated 3.0 of 5; 1 of 3 answers is bad" in assay("show", "last").out
    failures = json.loads(assay("show", "failures", "last", "--json").out)
    assert (failures["answers"], failures["bad"]) == (3, 1)
    if turns != "none":  # which scores no turn
        meta = assay("meta", "last", "--level", "turn", "--bootstrap", 100)
        assert "rated 3.0 of 5; 1 of 3 answers is bad" in meta.out


def test_a_rating_of_the_whole_counts_and_not_those_of_its_turns_beside_it(assay):
    """Turns are rated 1 and 2; the whole 4: one rating, of 4."""
    Path("rated.jsonl").write_text(json.dumps(conversation("a", 2, rating=4)), encoding="utf-8")
    for turns in ("last", "each"):
        run = assay("run", "rated.jsonl", "--metrics", "token_overlap", "--turns", turns, code=0)
        assert "rated 4.0 of 5; 0 of 1 answer is bad" in run.out


def test_the_command_says_once_that_there_are_metrics_of_a_conversation(assay, conversations):
    done = assay("run", conversations, "--metrics", "token_overlap", code=0)
    assert done.err.count("the set holds 2 conversations, and no metric of a conversation is asked for") == 1
    assay("run", conversations, "--metrics", "token_overlap,conversation_turns", "--turns", "none", code=0)
    again = assay("run", conversations, "--metrics", "token_overlap,conversation_turns")
    assert "no metric of a conversation" not in again.err


def test_a_resumed_run_asks_for_nothing_twice(assay, conversations):
    assay("run", conversations, "--metrics", "token_overlap", "--turns", "each", code=0)
    assay("run", conversations, "--metrics", "token_overlap", "--turns", "each", "--resume", "last", code=0)
    store = Store(".assay")
    (run,) = store.run_ids()
    assert store.count_samples(run) == 10
    other = assay("run", conversations, "--metrics", "token_overlap", "--resume", "last")
    assert "no run to resume has these sets, metrics and judge" in other.err


def test_turns_are_kept_once_and_read_back_whole(tmp_path):
    whole = Sample(**conversation("a", 40))
    evaluate([whole], [words], turns="each", store="runs", progress=False)
    store = Store("runs")
    run = store.run("last").id
    expected = [whole, *turn_samples(whole)]
    assert list(store.samples(run)) == expected
    assert store.sample(run, "a#9") == expected[5]
    worst = Results.from_store(store, run).worst(50, "words").samples
    assert list(worst.values()) == expected[1:40]  # the longest is not among them
    sizes = store.database.execute("SELECT length(content) FROM contents").fetchall()
    assert sum(size for (size,) in sizes) < 5 * len(whole.model_dump_json())


def test_a_turn_is_scored_again_where_what_was_said_before_has_changed():
    row = conversation("a", 3)
    evaluate([Sample(**row)], [words], turns="each", store="runs", progress=False)
    store = Store("runs")
    writer = RunWriter(store, store.run("last").id)
    for sample in turn_samples(Sample(**row)):
        assert "words" in writer.finished_metrics(sample)
    row["messages"][2]["content"] = "Another question?"  # of the second turn
    finished = ["words" in writer.finished_metrics(sample) for sample in turn_samples(Sample(**row))]
    assert finished == [True, False, False]


def test_a_turn_without_its_conversation_is_read_without_messages():
    """As a run that was killed between the two leaves it; where only the conversation's row is gone it stays whole."""
    evaluate(samples(plain=False), [words], turns="each", store="runs", progress=False)
    store = Store("runs")
    run = store.run("last").id
    store.database.execute("DELETE FROM samples WHERE id = 'a'")
    assert [len(sample.messages) for sample in store.samples(run)] == [2, 4, 6, 2, 2, 4, 2, 4]
    store.database.execute('DELETE FROM contents WHERE content LIKE \'{"id":"a"%\'')
    assert [len(sample.messages) for sample in store.samples(run)] == [0, 0, 0, 2, 2, 4, 2, 4]


def test_a_run_that_names_no_metric_has_those_of_conversations_that_ask_no_judge(assay, conversations):
    done = assay("run", conversations, code=0)
    whole = "the set holds 2 conversations: effort:count=turns+repeated and the baselines of conversations look at the"
    assert f"{whole} whole, metrics of answers at the last turn only (--turns each looks at every turn)" in done.err
    assay("run", conversations, "--resume", "last", code=0)
    store = Store(".assay")
    (run,) = store.run_ids()
    assert store.run(run).plan.all_metrics[:2] == ("token_overlap", "effort:count=turns+repeated")
    assert len(evaluate([PLAIN], progress=False).metrics) == 3  # of single answers there is nothing to add
