"""The pytest plugin, in sessions of its own, with a judge at the test server, and with conversations."""

import json
import subprocess
import sys

import pytest
from openai_server import Answer

from assay import Sample
from assay.eval_sets import turn_samples
from assay.testing import assert_score

TEST_OF_ANSWERS = """
import pytest
from assay.metrics import Faithfulness
from assay.testing import assert_score

@pytest.mark.assay_set("answers.jsonl")
def test_answers_are_faithful(sample, assay_judge):
    assert_score(Faithfulness(assay_judge), sample, at_least=0.8)
"""
GOOD = {"id": "good", "user_input": "Where?", "response": "Go to Payroll.", "retrieved_contexts": ["Go to Payroll."]}
BAD = GOOD | {"id": "bad", "response": "Bonuses are paid in May."}


@pytest.fixture
def warm_pytest(warm_python, pytester):
    """Runs pytest in the folder of `pytester`, in a process that has loaded what the plugin needs."""

    def run(*options):
        left_out = (
            "-p",
            "no:cacheprovider",
            "-p",
            "no:langsmith_plugin",
        )  # Ragas brings the second, which loads slowly
        done = warm_python.run("-m", "pytest", *left_out, *options, cwd=pytester.path)
        return pytest.RunResult(done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), 0)

    return run


@pytest.fixture
def session(pytester, openai_server, warm_pytest):
    """Runs pytest in an empty folder with two answers, one of which has no support."""

    def script(request):
        if request.schema != "ListedAnswers":
            return None
        return Answer(text=json.dumps({"1": "No" if "May" in request.user else "Yes"}))

    openai_server.script = script
    settings = {"model": "openai/test", "api_base": openai_server.api_base, "structured": "schema", "wait": 0}
    pytester.path.joinpath("judge.yaml").write_text(json.dumps(settings), encoding="utf-8")
    pytester.makeini("[pytest]\nassay_judge = judge.yaml\n")
    write_answers(pytester.path, [GOOD, BAD])
    pytester.makepyfile(test_answers=TEST_OF_ANSWERS)
    return warm_pytest


def write_answers(folder, rows):
    text = "".join(json.dumps(row | {"language": "en"}) + "\n" for row in rows)
    folder.joinpath("answers.jsonl").write_text(text, encoding="utf-8")


def test_replies_are_recorded_then_replayed_and_a_failure_shows_claims_and_quotes(session, pytester, openai_server):
    """Four sessions: nothing is recorded yet, it is recorded, it is replayed, and an answer has changed since."""
    nothing = session()
    nothing.assert_outcomes(errors=2)
    nothing.stdout.fnmatch_lines(["*no recorded replies in *test_answers.jsonl; record them with --assay-mode auto*"])

    recorded = session("--assay-mode", "auto", "-v")
    recorded.assert_outcomes(passed=1, failed=1)
    recorded.stdout.fnmatch_lines(
        [
            "*test_answers_are_faithful*good* PASSED*",
            "*test_answers_are_faithful*bad* FAILED*",
            "E*AssertionError: faithfulness is 0, below 0.8: 0 of 1 claim supported; not found:*",
            "E*answer: Bonuses are paid in May.",
            "E*not_found     Bonuses are paid in May.",
            "E*the judge says no, and gives no probability",
        ]
    )
    assert "assertion.py" not in recorded.stdout.str()  # the traceback ends in the user's test
    cassette = pytester.path / "cassettes/test_answers.jsonl"
    assert len(cassette.read_text(encoding="utf-8").splitlines()) == len(openai_server.requests) == 2

    session().assert_outcomes(passed=1, failed=1)
    write_answers(pytester.path, [GOOD, BAD | {"response": "Bonuses are paid in June."}])
    changed = session()
    changed.assert_outcomes(passed=1, failed=1)
    changed.stdout.fnmatch_lines(["*faithfulness has no value, it is failed: no recording in *--assay-mode auto*"])
    assert len(openai_server.requests) == 2


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_module_has_a_cassette_of_its_own(session, pytester):
    pytester.makepyfile(test_others=TEST_OF_ANSWERS)
    session("--assay-mode", "auto").assert_outcomes(passed=2, failed=2)
    assert sorted(path.name for path in (pytester.path / "cassettes").iterdir() if path.suffix == ".jsonl") == [
        "test_answers.jsonl",
        "test_others.jsonl",
    ]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_off_records_nothing(session, pytester):
    session("--assay-mode", "off").assert_outcomes(passed=1, failed=1)
    assert not (pytester.path / "cassettes").exists()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_several_processes_record_into_one_cassette(session, pytester, openai_server):
    pytest.importorskip("xdist")
    write_answers(pytester.path, [GOOD | {"id": f"s{n}", "response": f"Go to menu {n}."} for n in range(12)])
    session("--assay-mode", "auto", "-n", "2").assert_outcomes(passed=12)
    cassette = pytester.path / "cassettes/test_answers.jsonl"
    assert len(cassette.read_text(encoding="utf-8").splitlines()) == 12
    request_count = len(openai_server.requests)
    session("-n", "2").assert_outcomes(passed=12)
    assert len(openai_server.requests) == request_count


def test_without_a_judge_the_fixture_says_how_to_name_one(session, pytester):
    pytester.makeini("[pytest]\n")
    result = session()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*needs a judge: --assay-judge JUDGE, or assay_judge = JUDGE in the ini file*"])


def test_a_marker_that_cannot_be_used_is_told(pytester, warm_pytest):
    told = {
        "@pytest.mark.assay_set('answers.jsonl')\ndef test_it(): ...": "takes no argument `sample`",
        "@pytest.mark.assay_set()\ndef test_it(sample): ...": "assay_set takes the set",
        "@pytest.mark.assay_set('none.jsonl')\ndef test_it(sample): ...": "none.jsonl",
    }
    pytester.makepyfile(**{f"test_{number}": f"import pytest\n{code}" for number, code in enumerate(told)})
    result = warm_pytest()
    result.assert_outcomes(errors=len(told))
    assert [message for message in told.values() if message not in result.stdout.str()] == []


def test_options_of_the_marker_choose_the_samples(pytester):
    """In a pytest of its own from the beginning, which finds the installed plugin and loads it by itself."""
    code = "@pytest.mark.assay_set('helpdesk_en', limit=3)\ndef test_it(sample): assert sample.language == 'en'"
    pytester.makepyfile(test_answers=f"import pytest\n{code}")
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:langsmith_plugin").assert_outcomes(passed=3)


def test_the_plugin_costs_a_session_nothing():
    code = "import sys, assay.testing.plugin; print(*{name.partition('.')[0] for name in sys.modules})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pydantic", "litellm", "numpy", "rich", "click"} & set(process.stdout.split())


CHAT = [
    {"role": "user", "content": "Is it free?"},
    {"role": "assistant", "content": "It is free.", "retrieved_contexts": ["The course is free."]},
    {"role": "user", "content": "Until when?"},
    {"role": "assistant", "content": "Until May.", "retrieved_contexts": ["Closed in June."]},
    {"role": "user", "content": "Thanks!"},
]


def test_metrics_of_both_levels_are_asserted_of_one_sample():
    sample = Sample(id="c", language="en", messages=CHAT)
    assert assert_score("conversation_turns", sample, at_most=3).value == 2
    assert assert_score("thanks_at_end", sample, at_least=1).value == 1
    with pytest.raises(AssertionError, match=r"token_overlap is 0, below 0.5"):
        assert_score("token_overlap", sample, at_least=0.5)
    assert assert_score("token_overlap", turn_samples(sample)[0], at_least=0.5).value == pytest.approx(2 / 3)


def test_a_set_of_conversations_is_one_test_per_conversation(pytester):
    row = {"id": "chat-1", "language": "en", "messages": CHAT, "user_input": "Until when?", "response": "Until May."}
    pytester.makefile(".jsonl", chats="".join(json.dumps(row | {"id": f"chat-{n}"}) + "\n" for n in (1, 2)))
    pytester.makepyfile(
        """
        import pytest
        from assay.testing import assert_score

        @pytest.mark.assay_set("chats.jsonl")
        def test_is_short(sample):
            assert_score("conversation_turns", sample, at_most=2)
        """
    )
    result = pytester.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_is_short?chat-1? PASSED*"])


def test_a_failure_shows_the_calls():
    function = {"name": "cancel_order", "arguments": '{"id": "A1"}'}
    messages = [
        {"role": "user", "content": "Cancel it."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "It is cancelled."},
    ]
    sample = {"messages": messages, "language": "en", "metadata": {"expected_actions": []}}
    with pytest.raises(AssertionError) as failure:
        assert_score("tool_calls", sample, at_least=1)
    lines = str(failure.value).splitlines()
    assert lines[1:5] == [
        "  [0] Customer: Cancel it.",
        '  [1] Assistant calls cancel_order: {"id": "A1"}',
        "  [2] Result of cancel_order: ok",
        "  [3] Assistant: It is cancelled.",
    ]


def test_a_judge_file_that_is_missing_is_said_once(pytester):
    pytester.makepyfile("def test_it(assay_judge): pass")
    printed = pytester.runpytest("--assay-judge", "missing.yaml", "--assay-mode", "off").stdout.str()
    report, _, _ = printed.partition("short test summary info")
    assert report.count("missing.yaml: the judge's settings cannot be read") == 1
    assert "Errno" not in printed
