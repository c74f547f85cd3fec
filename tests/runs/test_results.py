"""Results: to look at, to explain, to save, hostile texts too; why scores have no value is read whole."""

import csv
import html
import json
import math
import re
from functools import cache

import pytest
from command_counts import ANSWERS, count_command, make_store
from openai_server import Answer

from assay import Claim, Place, Sample, evaluate, failed, metric, scored, skipped
from assay.errors import UsageError
from assay.judges import without_objects

HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>=HYPERLINK(\"http://evil\")"
CLAIM = Claim("It is free.", "not_found", HOSTILE, "free", Place(0, 3, 7), 0.25)


@metric
def rightness(sample):
    value = {"a": 0.9, "b": 0.1, "c": 0.5}.get(sample.id)
    if value is None:
        return skipped("nothing to measure") if sample.id == "d" else failed("it broke")
    return scored(value, f"{value} of it, {HOSTILE}", {"claims": [CLAIM.evidence()], "note": ("x", math.inf)})


@metric(higher_is_better=False)
def wrongness(sample):
    return {"a": 0.2, "b": 0.3, "c": 0.9}.get(sample.id, 0.0)


@cache
def results():
    samples = [
        Sample(
            id=name, user_input=f"=1+1 {HOSTILE}", response=HOSTILE, retrieved_contexts=("It is free.",), rating=number
        )
        for number, name in enumerate("abcde", start=1)
    ]
    return evaluate(samples, [rightness, wrongness], progress=False)


def test_the_worst_come_first_in_the_metrics_direction():
    assert list(results().worst(2, "rightness").samples) == ["b", "c"]
    assert list(results().worst(9, "rightness").scores) == ["b", "c"]  # no answer without a value, and not the best one
    assert list(results().worst(1, "wrongness").samples) == ["c"]
    assert results().worst(0).samples == {}
    with pytest.raises(UsageError, match="have no metric 'rightnes'; they have rightness"):
        results().worst(1, "rightnes")


def test_an_explanation_has_claims_verdicts_and_places():
    explanation = results().explain("b")
    lines = str(explanation).splitlines()
    assert lines[0] == "b  (en)  rated 2 of 5"
    assert "rightness: 0.100" in lines
    assert "  not_found    P=0.25  It is free." in lines
    assert '               "free" (context 0, 3-7)' in lines
    assert explanation.scores["rightness"].claims == (CLAIM,)
    assert repr(explanation) == str(explanation)
    with pytest.raises(UsageError, match=r"no sample 'z'; there is 'a', 'b', 'c'"):
        results().explain("z")


def test_a_dataframe_has_a_row_per_sample_and_the_reasons():
    pytest.importorskip("pandas")
    frame = results().to_pandas()
    assert list(frame["id"]) == list("abcde")
    assert list(frame["rightness"][:3]) == [0.9, 0.1, 0.5]
    assert frame["rightness"].isna().tolist() == [False, False, False, True, True]
    assert list(frame["rightness_reason"][3:]) == ["nothing to measure", "it broke"]
    assert list(frame["rating"]) == [1, 2, 3, 4, 5]
    assert frame["retrieved_contexts"][0] == ["It is free."]


def test_printed_or_in_a_notebook_they_say_why_scores_are_missing_as_a_run_does(assay, tmp_path):
    """What a user types in Python, in a notebook and on the command line has one reason in the same words."""
    rows = [{"id": name, "user_input": "Free?", "response": "Yes."} for name in "ab"]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    broken = "from assay import failed, metric\n\n@metric\ndef broken(sample):\n    return failed('no <key>')\n"
    (tmp_path / "own.py").write_text(broken, encoding="utf-8")
    metrics = [f"{tmp_path / 'own.py'}:broken", "answer_length"]
    results = evaluate(tmp_path / "rows.jsonl", metrics, progress=False)
    reason = "broken: 2 failed: no <key>"
    assert f"{reason}" in repr(results)
    assert html.escape(reason, quote=False) in results._repr_html_()
    run = assay("run", tmp_path / "rows.jsonl", "--metrics", ",".join(metrics), "--store", tmp_path / "runs")
    # without spaces: a long path of the test's own folder is broken within a word
    assert "".join(reason.split()) in "".join(run.out.split())


def test_json_is_json_and_has_the_evidence(tmp_path):
    results().save(tmp_path / "results.json")
    saved = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert saved == results().as_json()
    first = saved["scores"][0]
    assert (first["sample"], first["metric"], first["value"]) == ("a", "rightness", 0.9)
    assert first["evidence"]["claims"] == [CLAIM.evidence()]
    assert first["evidence"]["note"] == ["x", None]
    assert len(saved["scores"]) == 5 * len(results().metrics)
    with pytest.raises(UsageError, match=r"saved as \.json, \.jsonl, \.csv; .* `assay view`"):
        results().save(tmp_path / "results.html")


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path):
    results().save(tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * len(results().metrics)
    assert {row["user_input"][:5] for row in rows} == {"'=1+1"}


def test_hostile_text_does_nothing_in_a_browser(browser, tmp_path):
    """A notebook's cell in a page without any protection of its own."""
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html>{results()._repr_html_()}", encoding="utf-8")
    page = browser.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(cell.as_uri())
    assert page.evaluate("window.hacked") is None
    assert "window.hacked" in page.inner_text("body")
    assert requests == [cell.as_uri()]
    page.close()


@pytest.fixture(scope="module")
def store_of_two_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readings")
    make_store(folder)
    return folder


@pytest.mark.parametrize("command", ["show last", "show last --json", "run answers_b.csv --quiet"])
def test_a_run_is_shown_by_one_reading(store_of_two_runs, monkeypatch, command):
    monkeypatch.chdir(store_of_two_runs)
    figures = count_command(command).figures()
    assert figures["answers parsed"] == ANSWERS and figures["SQL statements"] <= 25
    assert (figures["plans parsed"], figures["ratings joined"]) == (1, 1)


ROWS = [{"id": f"s{n}", "question": "Where?", "answer": f"Under menu {n}.", "context": "Menu."} for n in range(3)]
PROMPT = r"support\.en@\w+\+listed\.en@\w+"


def judge2(_):
    raise KeyError("model-of-the-night-shift")


def test_the_cause_of_a_broken_judge_is_read_whole_and_once():
    lines = str(evaluate(ROWS, ["faithfulness"], judge=judge2, progress=False)).splitlines()
    [line] = [line for line in lines if "failed: " in line]
    name = re.escape(f"{judge2.__module__}.judge2")
    assert re.fullmatch(
        rf"  faithfulness: 3 failed: the call failed once: {name} raised KeyError: 'model-of-the-night-shift' "
        rf"\(test_results\.py, line \d+\) \({name}, prompt {PROMPT}\)",
        line,
    )


def test_an_unusable_reply_is_counted_without_its_sample(assay, set_file, judge_file, openai_server):
    openai_server.script = lambda _: Answer(text="I cannot say.")
    words = ("run", set_file(4), "--judge", judge_file(), "--metrics", "judge_truthfulness", "--max-failed", "4")
    printed = " ".join(assay(*words).out.split())
    assert "judge_truthfulness: 4 failed: the reply cannot be used:" in printed
    assert 'It began: "I cannot say." (openai/test, prompt ' in printed
    assert printed.count("cannot be used") == 2  # in the verdict, and whole below


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (
            "Cannot connect to host localhost:9 ssl:<ssl.SSLContext object at 0x7f4e08b22840> [Connect call failed]",
            "Cannot connect to host localhost:9 [Connect call failed]",
        ),
        ("Cannot connect to host localhost:9 ssl:default [Refused]", "Cannot connect to host localhost:9 [Refused]"),
        ("<function ask at 0x10f> is not callable", " is not callable"),
        ("a < b at 0x1 and c > d", "a < b at 0x1 and c > d"),
        ("it raised KeyError: <Model at 0xAB1>", "it raised KeyError:"),
    ],
)
def test_a_reason_prints_no_python_object(words, read):
    assert without_objects(words) == read


def test_metrics_that_skip_the_same_rows_for_the_same_reasons_stand_in_one_line():
    """The second row has no answer and the third no context; of the four metrics one needs no context."""
    rows = [ROWS[0], ROWS[1] | {"answer": ""}, {**ROWS[2], "context": ""}]
    metrics = ["faithfulness", "context_precision:against=response", "answer_relevance"]
    printed = str(evaluate(rows, metrics, judge=judge2, progress=False)).splitlines()
    lines = [line.strip() for line in printed if " skipped: " in line]
    reasons = "the sample has no response (1); the sample has no retrieved_contexts (1)"
    alike = "context_precision:against=response, faithfulness, rouge_l_precision, token_overlap"
    assert sorted(lines) == [
        "answer_relevance: 1 skipped: the sample has no response",
        f"{alike}: 2 skipped: {reasons}",
    ]
