"""70 kB are scored beside the event loop: other judge calls and the line of progress go on, and Ctrl-C stops."""

import asyncio
import json
import signal
import sys

import pytest
from call_counts import count_once

from assay.eval_sets import Sample
from assay.judges import UniversalSentenceEncoder
from assay.metrics import load_metric

SENTENCE = "The employee opens the payslip of March 2026 under **Payroll > Runs** and saves it within 5 days. "
TEXT = SENTENCE * (70_000 // len(SENTENCE))
SHORT = "Open the payslip of March 2026."
TABLE = {"name": "kpi", "columns": {"day": ["2026-03-01", "2026-03-02"], "days": [5, 6]}}
LONG = Sample.model_validate(
    {"id": "s", "language": "en", "user_input": "How do I open it?", "response": TEXT, "reference": TEXT}
    | {"retrieved_contexts": (SHORT,), "tables": [TABLE]}
)
SAYS_WHEN_IT_PARSES = """
from spacy.language import Language
from assay.__main__ import main

make_doc = Language.make_doc

def make_doc_and_say(*words):
    print("begun", flush=True)
    return make_doc(*words)

Language.make_doc = make_doc_and_say
main()
"""
MOST_CALLS = 60_000  # most metrics make 1,000 there; numeric_claims waits for 200 claims one by one
METRICS = (
    *("heuristic:all_types=True", "heuristic.subject_combination", "heuristic.prompt_overlap"),
    *("declined", "factoid", "numeric_claims", "token_overlap", "rouge_l_precision", "rouge_l", "rouge_1", "bleu"),
)


def calls_on_the_loop(work):
    """How many functions a piece of work calls in the event loop's own thread."""
    return count_once(lambda: asyncio.run(work()))


@pytest.mark.parametrize("name", METRICS)
def test_the_event_loop_goes_on_while_a_long_text_is_scored(name):
    metric = load_metric(name)
    short = LONG.model_copy(update={"response": SHORT})
    asyncio.run(metric.assess(short))  # words are loaded before anything is counted
    assert calls_on_the_loop(lambda: metric.assess(LONG)) < MOST_CALLS


def test_the_event_loop_goes_on_while_a_long_text_is_embedded():
    embedder = UniversalSentenceEncoder()
    asyncio.run(embedder.embed([SHORT]))
    few = calls_on_the_loop(lambda: embedder.embed([SHORT]))
    assert calls_on_the_loop(lambda: embedder.embed([TEXT])) < 2 * few


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_stops_the_explanation_of_a_long_text(warm_python, tmp_path):
    """Its parse takes seconds; five contexts of that length take ten times as long as what is waited for."""
    texts = [f"{number} {TEXT}" for number in range(5)]
    row = {"id": "s1", "user_input": "How?", "response": TEXT, "retrieved_contexts": texts, "language": "en"}
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    words = ("-c", SAYS_WHEN_IT_PARSES, "heuristic", "explain", "set.jsonl", "s1")
    process = warm_python.start(*words, cwd=tmp_path, encoding="utf-8")
    try:
        assert process.stdout and process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_a_long_claim_is_read_to_its_bounds(warm_python, tmp_path):
    """`assay metrics check`: 1,000 sentences, of which 200 are read, and a question of 98 kB, which is not."""
    (tmp_path / "kpi.csv").write_text("day,calls\n2026-03-01,5\n2026-03-02,6\n", encoding="utf-8")
    claim, question = "The highest calls was 6.\n" * 1000, "calls 5, " * 10_900
    words = ("-m", "assay", "metrics", "check", "kpi.csv", claim, "--question", question, "--json")
    checked = warm_python.run(*words, cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    result = json.loads(checked.stdout)
    assert [row["verdict"] for row in result["claims"]] == ["supported"] * 200
    assert result["bounds"] == [
        "only the first 200 of the 1,000 sentences are read",
        "the question is not read: it has 98,100 characters, over 600",
    ]
