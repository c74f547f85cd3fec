"""`assay run`, `assay show` and `assay cassettes`, as people type them, in languages without prompts or a pack too."""

import json
import re
from pathlib import Path

import pytest
from conversations import MESSAGES, make_conversation
from noted_sets import write_rows
from openai_server import Answer

from assay import load_set
from assay.judges import RawReply, Recording, format_line
from assay.runs import sample_lines

METRIC = "faithfulness:claims=judge"


def test_bad_rows_stop_it_before_anything_is_paid_for(assay, set_file, judge_file, openai_server):
    path = set_file(3)
    path.write_text(path.read_text(encoding="utf-8") + '{"id": "bad"\n{"user_input": 5}\n', encoding="utf-8")
    assert "line 4" in assay("run", path, "--judge", judge_file(), "--metrics", METRIC, code=1).err
    assert openai_server.requests == []
    done = assay("run", path, "--judge", judge_file(), "--metrics", METRIC, "--skip-bad", "--json", code=0)
    assert done.json["metrics"][METRIC]["n"] == 3
    assert done.err.count("left out") == 2
    assert "line 4" in done.err
    assert "line 5" in done.err


def test_a_judge_that_always_fails_is_told_once(assay, set_file, judge_file, openai_server):
    openai_server.script = lambda _: Answer(status=401, error_message="no such key\x1b[31m")
    result = assay("run", set_file(3), "--judge", judge_file(), "--metrics", METRIC, code=4)
    assert "3 samples failed (s0, s1, s2)" in result.err
    assert "check the key" in result.err
    assert "\x1b" not in result.err
    assert "3 failed" in result.out


def test_the_verdict_and_the_last_line_count_the_answers_that_any_metric_failed_on(
    assay, judge_file, openai_server, tmp_path
):
    """Of two answers faithfulness has no verdict on the first, context precision none on the second: two, not one."""
    rows = [
        {"id": n, "user_input": "Q?", "response": f"It costs K{n}.", "retrieved_contexts": [f"P{n}"], "reference": "R."}
        for n in (1, 2)
    ]

    def fail(request):
        sent = request.body["messages"][-1]["content"]
        return Answer(text="?") if ("<passage_1>" in sent) == ("P2" in sent) else None

    openai_server.script = fail
    metrics = "faithfulness,context_precision"
    done = assay("run", write_rows(tmp_path / "two.jsonl", rows), "--judge", judge_file(), "--metrics", metrics, code=4)
    assert "1 failed" in done.out and "2 answers could not be scored" in done.out
    assert "2 samples failed (1, 2)" in done.err


def test_help_names_the_exit_codes(assay):
    result = assay("--help", code=0)
    for words in ("0 done", "1 error", "2 usage", "3 budget", "4 more samples failed", "130 interrupted"):
        assert words in " ".join(result.out.split())
    assert assay("-h").out == result.out
    assert assay("--version").out.startswith("assay, version 0.")


def test_without_a_judge_the_default_metrics_ask_nobody(assay, set_file):
    done = assay("run", set_file(6), code=0)
    assert "no judge is named" in done.err
    assert "--judge MODEL adds weakest_claim and faithfulness" in done.err
    assert "worst answers by token_overlap" in done.out


def test_the_worst_answers_do_not_include_the_best(assay):
    """token_overlap is 1, 3/4, 1/2, 1/4, 0 and follows the ratings 5 to 1; `is_long` does the opposite."""
    words = ["one", "two", "three", "four"]
    rows = [
        {
            "id": f"s{wrong}",
            "user_input": "q",
            "response": " ".join(words[wrong:] + ["wrong"] * wrong),
            "retrieved_contexts": ["one two three four"],
            "rating": 5 - wrong,
        }
        for wrong in range(5)
    ]
    Path("set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Path("mine.py").write_text(
        "from assay import metric\n\n@metric\ndef is_long(sample):\n    return len(sample.response) / 100\n",
        encoding="utf-8",
    )
    done = assay("run", "set.jsonl", "--metrics", "token_overlap,mine.py:is_long")
    assert re.search(r"The 4 worst answers by token_overlap:\s+s4  0\.000, rated 1", done.out), done.out
    assert "s0  1.000" not in done.out


def test_a_used_up_budget_says_what_was_paid(assay, set_file, judge_file):
    judge_file(price={"input": 1.0, "output": 1.0})
    done = assay(
        *("run", set_file(6), "--judge", "local.yaml", "--metrics", "faithfulness", "--budget", "3calls"),
        *("--store", "my runs", "-q"),
        code=3,
    )
    bound, line = done.err.splitlines()[-2:]
    assert "goes on without a budget; add --budget to bound all sessions of the run together" in bound
    said = re.search(r"the budget of 3 calls is reached: 3 calls took (\d+) tokens, cost (\S+) USD; go on with: ", line)
    assert said, line
    assert float(said[2]) == pytest.approx(int(said[1]) / 1e6, rel=0.05)  # 1 USD per million tokens
    run = assay("show", "runs", "--store", "my runs", "--json").json["runs"][0]["run"]
    assert line.endswith(f"go on with: assay run --resume {run} --store 'my runs'")


def test_commands_to_copy_name_the_store_and_quote_ids(assay, set_file):
    done = assay("run", set_file(1, id="order (1)"), "--metrics", "token_overlap", "--store", "elsewhere")
    assert re.search(r"^  assay show \S+ 'order \(1\)' --store elsewhere$", done.out, re.MULTILINE)


@pytest.fixture
def unrated_set(tmp_path: Path) -> Path:
    """Answers of the helpdesk and of the leaflets without ratings, with a reference that states facts."""
    samples = [sample.model_dump(mode="json") for sample in load_set("helpdesk_en")[:3]]
    steps = "How do I submit leave?"
    table = {"name": "leave", "columns": {"date": ["2026-01-31", "2026-02-28"], "days": [3, 5]}}
    samples.append(
        {
            "id": "all",
            "user_input": f"{steps} I see error KP-3007. Is the Pro package needed for 12 employees?",
            "response": "Error KP-3007 means the balance is too low. 1. Go to Leave. 2. Click Request. In February "
            "5 days were used, in January 4. It is free. It is not free. You have 25 employees.",
            "retrieved_contexts": [
                "Error KP-3007: the balance is too low. 1. Go to Leave. 2. Click Request.",
                "Leave is free. Up to 12 employees.",
            ],
            "reference": "Call 0900 1234 on 1 May 2026. It is 12 euros.",
            "language": "en",
            "message_type": "instruction",
            "tables": [table],
        }
    )
    unrated = [{key: value for key, value in message.items() if key != "rating"} for message in MESSAGES]
    samples.append({"id": "chat", "language": "en", "messages": unrated, "metadata": {"expected_actions": []}})
    for sample in samples:
        for name in ("rating", "ratings", "rating_min", "rating_max", "human_rating"):
            sample.pop(name, None)
    return write_rows(tmp_path / "unrated.jsonl", samples)


def test_an_unrated_set_has_no_column_of_ratings(assay, unrated_set):
    printed = [
        assay("run", unrated_set, "--metrics", "token_overlap,rouge_l").out,
        assay("show", "last").out,
        assay("show", "last", "--wide").out,
    ]
    for out in printed:
        assert "rating" not in out.lower()
        assert "only 0 rated" not in out
    assert "token_overlap" in printed[1]


def test_a_conversation_is_shown_with_the_ratings_of_its_messages():
    shown = "\n".join("".join(part.text for part in line) for line in sample_lines(make_conversation()))
    assert "\n[5] Customer: When?\n[6] (rated 2 of 5) Assistant: It takes 5 days. Goodbye." in shown
    assert shown.count("(rated") == 1


METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES = 4


@pytest.fixture
def words(set_file, judge_file):
    """A set with a judge and metrics, as typed after `run`."""
    return [str(set_file(SAMPLES)), "--judge", str(judge_file()), "--metrics", METRICS]


@pytest.fixture
def recorded(assay, words, openai_server, tmp_path):
    """A cassette of a whole run."""
    path = tmp_path / "replies.jsonl"
    assert assay("run", *words, "--cassette", path, "--mode", "record").code == 0
    openai_server.forget()
    return path


def test_a_replay_names_what_is_missing(assay, words, recorded):
    lines = recorded.read_bytes().splitlines(keepends=True)
    ratings = [line for line in lines if json.loads(line)["prompt"].startswith("rating.")]
    recorded.write_bytes(b"".join(line for line in lines if line != ratings[0]))
    done = assay("run", *words, "--cassette", recorded, "--mode", "replay", "--json", code=4)
    assert done.json["metrics"]["judge_truthfulness"]["failed"] == 1
    assert "no recording in" in done.err


def test_hostile_replies_are_shown_as_text(assay, tmp_path):
    hostile = "\x1b[2J[red]x[/red]"
    reply = RawReply(model=hostile, text=hostile)
    line = format_line(Recording("a" * 32, f"p{hostile}", hostile, {}, "Claims", "u", hostile, reply))
    (tmp_path / "hostile.jsonl").write_bytes(line)
    for more in ([], ["a" * 32], ["--json"]):
        shown = assay("cassettes", "show", "hostile.jsonl", *more, code=0)
        assert "\x1b" not in shown.out
        assert "[red]x[/red]" in shown.out


SPANISH = {
    "user_input": "¿Cómo puedo restablecer la contraseña de mi cuenta?",
    "response": "Haga clic en el enlace del correo electrónico. El enlace caduca a los 30 minutos.",
    "retrieved_contexts": ["Haga clic en el enlace del correo electrónico. El enlace caduca a los 30 minutos."],
}
DUTCH = {
    "user_input": "Hoe kan ik het wachtwoord van mijn account herstellen?",
    "response": "Klik op de link in de e-mail. De link verloopt na 30 minuten.",
    "retrieved_contexts": ["Klik op de link in de e-mail. De link verloopt na 30 minuten."],
}
ASKED_IN_ENGLISH = "There are no prompts in es (1 sample); the judge was asked in English."


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """A Spanish and a Dutch sample, without a column `language`."""
    path = tmp_path / "mixed.jsonl"
    rows = ({"id": "es1", **SPANISH}, {"id": "nl1", **DUTCH})
    write_rows(path, rows)
    return str(path)


@pytest.mark.parametrize("metric", ["faithfulness", "answer_relevance", "judge_truthfulness", "declined"])
def test_a_judge_is_asked_in_english_and_it_is_said(assay, mixed, judge_file, metric):
    done = assay("run", mixed, "--judge", judge_file(), "--metrics", metric, code=0)
    assert done.out.count(ASKED_IN_ENGLISH) == 1
    scores = {score["sample"]: score for score in assay("show", "--json").json["scores"] if score["metric"] == metric}
    spanish, dutch = scores["es1"]["evidence"], scores["nl1"]["evidence"]
    assert {identity.partition("@")[0].rpartition(".")[2] for identity in spanish["prompts"]} == {"en"}
    assert spanish["other_prompt_language"] == "there are no prompts in es: the judge was asked in en"
    assert {identity.partition("@")[0].rpartition(".")[2] for identity in dutch["prompts"]} == {"nl"}
    assert "other_prompt_language" not in dutch


def test_your_own_prompt_in_a_language_without_a_pack_is_used(assay, mixed, judge_file, tmp_path):
    """This ended in KeyError: the two words of a judge's answer were known for two languages only."""
    folder = tmp_path / "own"
    folder.mkdir()
    parts = "<documentation>\n$documentation\n</documentation>\n<statement>\n$statement\n</statement>\n"
    (folder / "support.es.md").write_text(f"## user\n{parts}¿Es correcto? Responda Yes o No.\n", encoding="utf-8")
    judge = judge_file(logprobs=True)
    metric = "faithfulness"
    assay("run", mixed, "--judge", judge, "--prompts", str(folder), "--metrics", metric, code=0)
    scores = assay("show", "--json").json["scores"]
    evidence = {score["sample"]: score["evidence"] for score in scores if score["metric"] == metric}
    assert evidence["es1"]["prompts"][0].startswith("support.es@")
    assert "other_prompt_language" not in evidence["es1"]
    assert evidence["nl1"]["prompts"][0].startswith("support.nl@")
