"""Ratings of conversations and of their turns: what `assay meta` and the commands beside it evaluate."""

import json
from pathlib import Path

import pytest
from noted_sets import write_rows

from assay.meta_eval import Scorer
from assay.runs import AnswerIndex, AnswerQuery, Store

METRICS = """
from assay import metric

@metric
def words(sample):
    return len(sample.response.split()) / 100

@metric(measures="conversation", range=(0, None))
def thanked(sample):
    return sum(message.text.count("thanks") for message in sample.messages)
"""
COUNT = 60


def chat(number, *, rates):
    """A conversation of three turns; answers that are rated better are longer, good conversations have more thanks."""
    grade = number % 5 + 1
    messages = [{"role": "system", "content": "Policy zebra."}]
    for turn in range(3):
        turn_grade = (number + turn) % 5 + 1
        messages.append({"role": "user", "content": f"Question{turn}of{number}?"})
        answer = {"role": "assistant", "content": "word " * (turn_grade * 3) + f"answer{number}"}
        messages.append(answer | ({"rating": turn_grade} if "turn" in rates else {}))
    messages.append({"role": "user", "content": "Bye, " + "thanks " * grade})
    last = {"user_input": messages[-3]["content"], "response": messages[-2]["content"]}
    row = {"id": f"chat-{number}", "language": "en", "messages": messages, "group": f"task-{number % 20}"} | last
    return row | ({"rating": grade} if "conversation" in rates else {})


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(METRICS, encoding="utf-8")


def write(name, rates, count=COUNT):
    rows = [json.dumps(chat(number, rates=rates)) + "\n" for number in range(count)]
    Path(name).write_text("".join(rows), encoding="utf-8")
    return name


def meta(assay, *arguments):
    done = assay("meta", "last", "--json", "--bootstrap", 100, "--repeats", 1, *arguments, code=0)
    return json.loads(done.out)


def run(assay, name, turns, metrics="own.py:words,own.py:thanked"):
    assay("run", name, "--metrics", metrics, "--turns", turns, code=0)


def agreement(result, metric):
    return next(one["spearman"] for one in result["metrics"] if one["name"] == metric) or 0.0


def counts(result):
    return {one["name"]: one["n"] for one in result["metrics"]}


@pytest.mark.parametrize("turns", ["last", "each"])
def test_ratings_of_conversations_are_compared_with_their_metrics_and_the_last_turn(assay, turns):
    run(assay, write("chats.jsonl", "conversation"), turns)
    result = meta(assay)
    assert f"evaluated at the level of conversations, of which {COUNT} are rated" in result["notes"]
    assert counts(result)["own.py:thanked"] == counts(result)["own.py:words"] == COUNT
    assert agreement(result, "own.py:thanked") == pytest.approx(1)
    assert result["settings"]["groups"] == 20
    assert {"conversation_turns", "thanks_at_end"} <= {one["name"] for one in result["metrics"] if one["baseline"]}


@pytest.mark.parametrize(("turns", "count"), [("each", 3 * COUNT), ("last", COUNT)])
def test_ratings_of_turns_are_compared_with_metrics_of_answers(assay, turns, count):
    run(assay, write("chats.jsonl", "turn"), turns)
    result = meta(assay)
    assert f"evaluated at the level of turns, of which {count} are rated" in result["notes"]
    assert counts(result)["own.py:words"] == count
    assert agreement(result, "own.py:words") == pytest.approx(1)
    assert "own.py:thanked" not in counts(result)
    assert any(
        note.startswith("left out, as they measure whole conversations: own.py:thanked") for note in result["notes"]
    )
    assert result["settings"]["groups"] == 20


def test_where_both_are_rated_the_level_can_be_chosen_and_the_other_one_is_said(assay):
    run(assay, write("chats.jsonl", "conversation turn"), "each")
    (note,) = (note for note in meta(assay)["notes"] if "level" in note)
    assert note == (
        f"evaluated at the level of conversations, of which {COUNT} are rated; {3 * COUNT} turns are rated too "
        "(--level turn)"
    )
    assert counts(meta(assay, "--level", "turn"))["own.py:words"] == 3 * COUNT


def test_a_level_without_conversations_is_an_error_with_a_cure(assay):
    Path("plain.jsonl").write_text('{"id": "1", "user_input": "q", "response": "r", "rating": 3}\n', encoding="utf-8")
    assert assay("run", "plain.jsonl", "--metrics", "own.py:words").code == 0
    done = assay("meta", "last", "--level", "turn", code=2)
    assert "no sample of the run has messages; leave --level out" in done.err


def test_a_level_that_nobody_rated_is_an_error(assay):
    run(assay, write("chats.jsonl", "conversation"), "each")
    done = assay("meta", "last", "--level", "turn")
    assert done.code != 0
    assert f"none of its {3 * COUNT} turns is rated" in done.err


@pytest.mark.parametrize(("column", "level"), [("chat-{0}", "conversations"), ("chat-{0}#2", "turns")])
def test_a_file_of_ratings_says_the_level_by_its_ids(assay, column, level):
    run(assay, write("chats.jsonl", ""), "each")
    rows = "".join(f"{column.format(number)},{number % 5 + 1}\n" for number in range(COUNT))
    Path("team.csv").write_text(f"id,rating\n{rows}", encoding="utf-8")
    result = meta(assay, "--ratings", "team.csv")
    assert f"evaluated at the level of {level}, of which {COUNT} are rated" in result["notes"]


def test_a_scorer_of_conversations_is_fitted_saved_and_applied(assay):
    run(assay, write("chats.jsonl", "conversation"), "last", "own.py:thanked,own.py:words")
    meta(assay, "--save", "team.yaml")
    scorer = Scorer.load("team.yaml")
    assert "own.py:thanked" in scorer.metrics
    assert scorer.answers is not None and len(scorer.answers) == COUNT
    rows = [json.loads(line) for line in Path("chats.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:  # the last turn stays what it was: another conversation that ends alike is another one
        row["id"] += "-new"
        row["messages"][1]["content"] = "Another beginning."
    write_rows(Path("new.jsonl"), rows)
    done = assay("run", "new.jsonl", "--metrics", "scorer:team.yaml", "--turns", "each", "--json")
    metrics = json.loads(done.out)["metrics"]
    assert (metrics["scorer:team.yaml"]["scored"], metrics["scorer:team.yaml"]["n"]) == (COUNT, COUNT)
    assert metrics["scorer:team.yaml"]["rated"] == COUNT
    again = assay("run", "chats.jsonl", "--metrics", "scorer:team.yaml", "--turns", "none", "--json")
    assert json.loads(again.out)["metrics"]["scorer:team.yaml"]["rated"] == 0  # all of them were fitted on


@pytest.mark.parametrize(("level", "count"), [("conversation", COUNT), ("turn", 3 * COUNT)])
def test_an_estimate_is_of_what_is_rated(assay, level, count):
    run(assay, write("chats.jsonl", "conversation turn"), "each", "answer_length")
    chosen = () if level == "conversation" else ("--level", level)  # both are rated: conversations, if not said
    typed = ("estimate", "last", "--judged", "answer_length", "--json")
    mean = assay(*typed, *chosen).json
    assert (mean["answers"], mean["judged"], mean["rated"]) == (count, count, count)


def test_raters_of_conversations_and_of_turns_are_never_taken_together(assay):
    for name, tail in (("a", 0), ("b", 1)):  # each conversation of B is rated 1 higher, each of its turns 1 lower
        rows = [chat(number, rates="conversation turn") for number in range(20)]
        for number, row in enumerate(rows):
            row.update({"rating": number % 4 + 1 + tail, "rating_min": 1, "rating_max": 5})
            for place, message in enumerate(row["messages"]):
                if message["role"] == "assistant":
                    text = message["content"] + " so" * tail
                    row["messages"][place] = message | {"content": text, "rating": number % 4 + 2 - tail}
            del row["user_input"], row["response"]
        write_rows(Path(f"{name}.jsonl"), rows)
    for turns, count in (("last", 20), ("each", 60)):
        runs = []
        for name in ("a", "b"):
            run(assay, f"{name}.jsonl", turns)
            runs.append(Store(".assay").run("last").id)
        done = assay("show", "changes", *runs, "--json", code=0)
        raters = done.json["raters"]
        (row,) = raters["differences"]
        assert (row["rated"], row["difference"]) == (20, pytest.approx(1))
        raters = assay("show", "changes", *runs, "--level", "turn", "--json").json["raters"]
        (row,) = raters["differences"]
        assert (row["rated"], row["difference"], raters["look"]["number"]) == (count, pytest.approx(-1), 1)
        shown = " ".join(assay("show", "changes", *runs).out.split())
        assert f"at the level of conversations, of which 40 are rated; {2 * count} turns are rated too" in shown


@pytest.mark.parametrize("turns", ["last", "each", "none"])
def test_two_runs_of_conversations_are_compared(assay, turns):
    run(assay, write("old.jsonl", "conversation", 20), turns)
    first = Store(".assay").run("last").id
    rows = [chat(number, rates="conversation") for number in range(20)]
    for row in rows:
        row["messages"][-1]["content"] += " thanks"
        row["messages"][2]["content"] += " more words"
    write_rows(Path("new.jsonl"), rows)
    run(assay, "new.jsonl", turns)
    compared = assay("show", "changes", first, "last", "--json", code=0)
    result = json.loads(compared.out)
    by_metric = {row["metric"]: row for row in result["metrics"]}
    assert by_metric["own.py:thanked"]["n"] == 20
    assert by_metric["own.py:thanked"]["difference"] == pytest.approx(1)
    if turns == "each":
        assert by_metric["own.py:words"]["n"] == 60
        assert by_metric["own.py:words"]["difference"] == pytest.approx(0.02 / 3)
    if turns == "none":
        assert by_metric["own.py:words"]["n"] == 0
    assert assay("show", "changes", first, "last").code == 0


def test_words_of_any_message_find_the_conversation_and_those_of_a_turn_the_turn(assay):
    run(assay, write("chats.jsonl", "conversation", 5), "each")
    store = Store(".assay")
    run_id = store.run("last").id
    index = AnswerIndex(store.database)

    def find(text):
        return [row.sample.id for row in index.search(run_id, AnswerQuery(text=text)).rows]

    assert find("bye") == [f"chat-{number}" for number in range(5)]  # after the last answer
    assert find("answer3") == ["chat-3", "chat-3#2", "chat-3#4", "chat-3#6"]
    assert find("question1of2") == ["chat-2", "chat-2#4"]
    assert find("zebra") == []  # the policy is said by nobody


SUITE = """
sets: chats.jsonl
metrics: [own.py:words, own.py:thanked]
turns: {turns}
gates:
  - {{gate: mean, metric: own.py:thanked, at_least: {bound}, strict: true}}
  - {{gate: coverage, metric: own.py:words, at_least: 1}}
"""


@pytest.mark.parametrize(("turns", "bound", "code"), [("last", 1, 0), ("each", 50, 5)])
def test_one_conversation_is_a_test_with_a_gate(assay, turns, bound, code):
    write("chats.jsonl", "", 1)
    Path("suite.yaml").write_text(SUITE.format(turns=turns, bound=bound), encoding="utf-8")
    done = assay("suite", "suite.yaml", "--json", code=code)
    gates = {gate["metric"]: gate["state"] for gate in json.loads(done.out)["gates"]}
    assert gates["own.py:words"] == "passed"
    assay("suite", "suite.yaml", code=code)  # beside the first one


def single(number, *, where):
    """A single answer with a system message, rated by people."""
    grade = number % 5 + 1
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": f"Alone {number}?"},
        {"role": "assistant", "content": "word " * grade + f"alone{number}"},
    ]
    rating = {"ratings": {"ann": grade, "bob": grade}} if where == "sample" else {}
    messages[-1] |= {"rating": grade} if where == "message" else {}
    return {"id": f"one-{number}", "language": "en", "messages": messages} | rating


@pytest.mark.parametrize("where", ["sample", "message"])
def test_rated_single_answers_count_beside_the_rated_turns_of_conversations(assay, where):
    rows = [single(number, where=where) for number in range(20)] + [chat(n, rates="turn") for n in range(10)]
    write_rows(Path("mixed.jsonl"), rows)
    run(assay, "mixed.jsonl", "each", metrics="own.py:words")
    assert counts(meta(assay, "--level", "turn"))["own.py:words"] == 50
