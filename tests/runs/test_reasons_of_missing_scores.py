"""Why scores have no value: equal reasons are counted together, the cause comes first and is read whole."""

import re

import pytest
from openai_server import Answer

from assay import evaluate
from assay.judges import without_objects

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
        rf"\(test_reasons_of_missing_scores\.py, line \d+\) \({name}, prompt {PROMPT}\)",
        line,
    )


def test_an_unusable_reply_is_counted_without_its_sample(assay, set_file, judge_file, openai_server):
    openai_server.script = lambda _: Answer(text="I cannot say.")
    words = ("run", set_file(4), "--judge", judge_file(), "--metrics", "judge_truthfulness", "--max-failed", "4")
    printed = " ".join(assay(*words).out.split())
    assert "judge_truthfulness: 4 failed: the reply cannot be used:" in printed
    assert 'It began: "I cannot say." (openai/test, prompt ' in printed
    assert printed.count("cannot be used") == 1


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
