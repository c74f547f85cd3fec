"""Long and hostile texts are scored beside the event loop and within their stated bounds, and Ctrl-C stops the rest.

What takes for ever is ended by the limit of pytest-timeout, which is far from what each text takes. No text makes the
functions of text/, the heuristics or the pattern metrics slow: each text was quadratic, or could be (runs of capitals,
brackets and spaces, codes without an end, a thousand steps, statements and guides).
"""

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from call_counts import assert_proportional, count_once
from noted_sets import write_rows

from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge, UniversalSentenceEncoder
from assay.languages import load_language
from assay.metrics import (
    ComputedMetric,
    Declined,
    Faithfulness,
    NumericClaims,
    RougeL,
    RougeLPrecision,
    Score,
    TokenOverlap,
    load_metric,
    run_to_end,
    scored,
)
from assay.text import claiming_sentences, find_components, find_entities, find_guides, find_quote
from assay.worker_threads import compute_beside

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


COMPUTES_FOR_EVER = """
import threading
from assay.__main__ import main
from assay.metrics.numeric import numeric_claims

def read_for_ever(*words):
    print("begun", flush=True)
    threading.Event().wait()

numeric_claims._read = read_for_ever
main()
"""
DAYS = [f"2026-03-{day:02}" for day in range(1, 31)]
KPI = {
    "name": "kpi",
    "columns": {"date": DAYS, "throughput_mbps": [40 + day for day in range(30)], "latency_ms": [20] * 30},
    "units": {"throughput_mbps": "Mbps", "latency_ms": "ms"},
}
PLAIN_CLAUSES = "; ".join(f"in week {n} throughput was {40 + n % 9} Mbps on average" for n in range(1, 121)) + "."
SENTENCES = {
    "32 empty clauses": "a; " * 32,
    "200 characters of them": "a; " * 66,
    "600 characters of them": "a; " * 199,
    "120 plain clauses": PLAIN_CLAUSES,
    "as many as are read": PLAIN_CLAUSES[:590],
    "only numbers": "5 " * 299,
    "numbers as clauses": "5; " * 199,
    "numbers in brackets": "(5 " * 190,
    "a series again and again": "throughput " * 54,
    "times": "in March 5, " * 50,
    "100 kB without an end": "5 Mbps " * 14_000,
    "100 kB of digits": "5" * 100_000,
    "100 kB of spaces": "5" + " " * 100_000 + "5",
}
CONTEXTS = {
    "lines of pipes without numbers": "| a | b\n" * 6_000,
    "one wide line, many narrow ones": "|" * 9_500 + "\n" + "a|\n" * 13_500,
    "a line of spaces": "throughput" + " " * 100_000 + "|",
    "lines of spaces": (" " * 1_000 + "\n") * 100,
    "rules": "|---" * 25_000,
    "commas": "a,b\n" * 12_500,
    "digits and brackets in one cell": "| a |\n| " + "(1" * 50_000 + " |\n| 2 |",
    "an open fence": "```" + "\n" * 50_000 + "[" + " " * 50_000,
    "a real table of 2,000 rows": "| day | calls |\n|---|---|\n" + "".join(f"| {n} | {n % 7} |\n" for n in range(2000)),
}


def sample(response, **fields):
    values = {"id": "s", "user_input": "How was March?", "response": response, "language": "en", "tables": [KPI]}
    return Sample.model_validate(values | fields)


def assess(metric, measured):
    return asyncio.run(metric.assess(measured))


@pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)
def test_no_sentence_holds_numeric_claims_up(text):
    score = assess(NumericClaims(), sample(text))
    assert score.status in {"scored", "skipped"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PLAIN_CLAUSES, "too long a sentence to read: at most 600 characters"),
        ("a; " * 66, "too many ways: at most 6,000 characters"),
    ],
)
def test_a_bound_that_is_met_is_stated(text, reason):
    score = asyncio.run(NumericClaims().assess(sample(f"{text}\nThe highest throughput was 69 Mbps.")))
    first, *_, last = score.evidence["claims"]
    assert first["verdict"] == "unverifiable" and reason in first["reason"]
    assert (last["verdict"], last["computed"], score.value) == ("supported", 69.0, 1.0)


def test_of_an_answer_of_500_sentences_200_are_read_and_the_score_says_so():
    score = assess(NumericClaims(), sample("The highest throughput was 69 Mbps.\n" * 500))
    assert len(score.evidence["claims"]) == 200
    assert score.evidence["bounds"] == ["only the first 200 of the 500 sentences are read"]
    assert score.reason.endswith("only the first 200 of the 500 sentences are read")


def test_a_long_question_is_left_out_and_the_score_says_so():
    long_sample = sample("The highest throughput was 69 Mbps.", user_input="throughput 5, " * 7_000)
    score = assess(NumericClaims(), long_sample)
    assert score.value == 1.0
    assert score.evidence["bounds"] == ["the question is not read: it has 98,000 characters, over 600"]


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_no_context_holds_numeric_claims_up(context):
    measured = sample("The highest throughput was 69 Mbps.", retrieved_contexts=[context])
    score = assess(NumericClaims(), measured)
    assert score.value == 1.0


def test_a_table_below_many_lines_that_are_none_is_still_found():
    """Ten lines with a pipe and text before it, then a table: it begins at the eleventh line of its block."""
    rows = "".join(f"| {day} | {calls} |\n" for day, calls in zip(DAYS, range(30), strict=True))
    context = "one | two | three | four\n" * 10 + "| day | calls |\n" + rows
    score = asyncio.run(
        NumericClaims().assess(sample("The highest calls were 29.", tables=[], retrieved_contexts=[context]))
    )
    assert score.evidence["tables"]


@pytest.mark.parametrize("metric", [RougeL(), RougeLPrecision(), TokenOverlap()], ids=lambda metric: metric.name)
@pytest.mark.parametrize("unit", ["abcdefgh {n} ", "a b ", "a"])
def test_112_kb_do_not_hold_overlap_up(metric, unit):
    text = "".join(unit.format(n=number) for number in range(112_000 // len(unit)))[:112_000]
    score = assess(metric, sample(text, reference=text[::-1], retrieved_contexts=[text[::-1]]))
    assert score.status in {"scored", "skipped"}


def test_faithfulness_is_not_held_up_either(openai_server):
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, structured="schema", wait=0)
    metric = Faithfulness(LiteLLMJudge(settings))
    score = assess(metric, sample(PLAIN_CLAUSES, retrieved_contexts=["It was quiet."]))
    assert score.status == "scored"
    assert score.evidence["claims"][0]["source"] == "judge"  # nothing was computed of so long a sentence


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_stops_a_run_in_the_middle_of_a_computation(warm_python, tmp_path):
    """The first sentence is being read, for ever; no other one is begun."""
    rows = [
        sample("Throughput was 41 Mbps.", id=f"s{n}").model_dump(mode="json", exclude_defaults=True) for n in (1, 2)
    ]
    dataset = write_rows(tmp_path / "set.jsonl", rows)
    words = ("-c", COMPUTES_FOR_EVER, "run", dataset, "--metrics", "numeric_claims", "--store", "store")
    process = warm_python.start(*words, cwd=tmp_path, encoding="utf-8")
    try:
        assert process.stdout and process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        begun, errors = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert begun == ""


PATTERNS = json.loads(Path(__file__).with_name("hostile_patterns.json").read_text(encoding="utf-8"))
UNITS = {pattern["name"]: pattern["unit"] for pattern in PATTERNS}
ENGLISH = load_language("en")
PLAIN = Sample(
    id="p", language="en", user_input="How?", response="Click Save.", retrieved_contexts=("1. Click Save.\n2. Wait.",)
)
LENGTH = 6_000  # at 2,400, what compares each row of a table with each other one would pass
FUNCTIONS = {
    "components": lambda text: find_components(text, ENGLISH),
    "entities": lambda text: find_entities(text, ENGLISH),
    "guides": lambda text: find_guides(text, ENGLISH),
    "claiming sentences": lambda text: claiming_sentences(text, ENGLISH),
    "quotes": lambda text: find_quote(f"{text[:200]} ... {text[-200:]}x", (text,)),
}
SLOW_BEFORE = (
    *("capitals", "spaces", "tabs", "quoted words", "almost codes", "dates", "semicolons", "bullets", "numbered steps"),
    *("table rows", "opening brackets", "abbreviations", "error codes", "curly quotes", "single quotes"),
)


def repeated(unit, length=LENGTH):
    return (unit * (length // len(unit) + 1))[:length]


@pytest.mark.parametrize("name", SLOW_BEFORE)
def test_functions_of_text_take_no_more_than_their_length(name):
    for function in FUNCTIONS.values():
        function("Click Save. It costs 5 euros.")  # patterns are compiled before anything is counted
        assert_proportional(function, repeated(UNITS[name]))


@pytest.mark.parametrize("name", SLOW_BEFORE)
def test_the_heuristics_take_no_more_than_their_length(name):
    metric = load_metric("heuristic:all_types=True")
    text = repeated(UNITS[name], 2_500)
    hostile = Sample(id="s", language="en", user_input=text, response=text, retrieved_contexts=(text[::-1],))
    assert asyncio.run(metric.assess(hostile)).status in {"scored", "skipped"}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNITS)
def test_every_pattern_up_to_100_kb(name):
    """What was quadratic took minutes at this length, longer than pytest-timeout allows."""
    text = repeated(UNITS[name], 100_000)
    for function in FUNCTIONS.values():
        function(text)
    assert Declined().score(response=text, language="en").status in {"scored", "skipped"}


@pytest.mark.parametrize(
    ("metric", "response", "bound"),
    [
        # 60 guides of two steps
        (
            "heuristic.verbatim_guide",
            "1. Open it.\n2. Close it.\n" * 60,
            "only the first 50 of 60 guides of answer or contexts are compared",
        ),
        # 600 different buttons
        (
            "heuristic.components_defined",
            " ".join(f"Click **B{n}x**." for n in range(600)),
            "only the first 500 of 600 components are looked up",
        ),
        (
            "factoid",
            " ".join(f"€ {n}" for n in range(1, 121)),
            "only the first 100 of the reference's 120 facts are compared",
        ),
    ],
)
def test_a_bound_that_is_met_stands_in_the_evidence(metric, response, bound):
    answered = PLAIN.model_copy(update={"response": response, "reference": response})
    assert asyncio.run(load_metric(metric).assess(answered)).evidence["bounds"] == [bound]


def test_no_bound_is_told_that_is_not_met():
    assert "bounds" not in asyncio.run(load_metric("heuristic:all_types=True").assess(PLAIN)).evidence


def test_the_loop_goes_on_while_a_computation_runs_and_a_cancelled_one_is_not_waited_for():
    release = threading.Event()

    async def cancel_it() -> None:
        loop, begun = asyncio.get_running_loop(), asyncio.Event()

        def block() -> None:
            loop.call_soon_threadsafe(begun.set)
            release.wait()

        task = asyncio.create_task(compute_beside(block))
        await begun.wait()  # the loop turns while the thread blocks
        queued = asyncio.create_task(compute_beside(pytest.fail, "what was cancelled in the queue is never begun"))
        await asyncio.sleep(0)
        for each in (task, queued):
            each.cancel()
        await asyncio.wait([task, queued])
        assert task.cancelled() and queued.cancelled()

    try:
        asyncio.run(cancel_it())
    finally:
        release.set()
    assert asyncio.run(compute_beside(divmod, 7, 2)) == (3, 1)


def test_a_computation_may_wait_for_another_one():
    """As when a metric of your own asks for the score of one of ours."""

    def outer() -> int:
        return run_to_end(compute_beside(sum, [1, 2]))

    assert asyncio.run(asyncio.wait_for(compute_beside(outer), timeout=30)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_a_forked_process_computes_too():
    asyncio.run(compute_beside(sum, [1, 2]))  # the parent's thread has begun
    child = multiprocessing.get_context("fork").Process(target=compute_in_child)
    child.start()
    child.join(timeout=30)
    hanging = child.is_alive()
    child.kill()
    assert not hanging and child.exitcode == 0


def compute_in_child() -> None:
    assert asyncio.run(compute_beside(sum, [1, 2])) == 3


class WhereComputed(ComputedMetric):
    name = "where_computed"

    def compute(self, sample: Sample) -> Score:
        return scored(float(threading.current_thread() is threading.main_thread()), "on the main thread or not")


@pytest.mark.parametrize(("length", "on_the_loop"), [(20_000, 1.0), (20_001, 0.0)])
def test_only_long_texts_go_to_a_worker(length, on_the_loop):
    assert (
        asyncio.run(WhereComputed().assess(Sample(id="s1", user_input="", response="x" * length))).value == on_the_loop
    )


def test_the_result_is_not_written_out():
    """asyncio writes the result into the text of an error that it drops: two summaries of all scores per run."""
    written = []

    class Result:
        def __repr__(self) -> str:
            written.append(self)
            return "a result"

    async def work() -> Result:
        return Result()

    assert isinstance(run_to_end(work()), Result)
    assert written == []
