"""Runs whose process is gone: killed ones are told from running ones, TERM ends as Ctrl-C, none is resumed twice."""

import json
import signal

import pytest
from interrupted_runs import command_at_request, scores

from assay.runs import Ledger, Store

METRICS = "faithfulness:claims=judge"
SAMPLES, CALLS, AT_ONCE = 10, 20, 2
MOST_OUT = 300

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def words(set_file, judge_file):
    """The command of a run of twenty calls, two at once."""
    judge = judge_file(concurrency=AT_ONCE, max_tokens=MOST_OUT, price={"input": 1.0, "output": 2.0})
    return ["run", str(set_file(SAMPLES)), "--judge", str(judge), "--metrics", METRICS]


@pytest.fixture
def suite(tmp_path, set_file, judge_file):
    """The command of a suite of the same calls."""
    set_file(SAMPLES)
    judge_file(concurrency=AT_ONCE, max_tokens=MOST_OUT, price={"input": 1.0, "output": 2.0}, attempts=1)
    content = {
        "sets": ["set.jsonl"],
        "metrics": [METRICS],
        "judges": ["local.yaml"],
        "gates": [{"gate": "cost", "at_most": 10**6, "unit": "tokens"}],
        "outputs": {"json": "report.json", "site": "site"},
    }
    (tmp_path / "nightly.yaml").write_text(json.dumps(content), encoding="utf-8")
    return ["suite", "nightly.yaml"]


def statuses(assay, *words):
    """The statuses of the runs, the newest first, as `assay show runs` lists them."""
    return [run["status"] for run in assay("show", "runs", "--json", *words).json["runs"]]


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_killed_run_is_told_from_a_running_one(*, assay, words, openai_server, warm_python, tmp_path, store, request):
    """Measured before: `running` for ever, and a second process resumed the run beside the first."""
    place = ["--store", ".assay" if store == "sqlite" else request.getfixturevalue("postgres_url")]
    with command_at_request(warm_python, tmp_path, openai_server, [*words, *place], 9) as process:
        assert statuses(assay, *place) == ["running"]
        asked = len(openai_server.requests)
        for resume in (["run", "--resume", "last"], [*words, "--resume", "last"]):
            refused = assay(*resume, *place)
            assert (refused.code, "another process is at work on it" in refused.err) == (2, True), refused.err
        assert len(openai_server.requests) <= asked + AT_ONCE, "only by the first process"
        process.kill()
        process.communicate()
        if store == "postgres":  # the server notices the end of the connection at once, but not before we ask
            wait_until(lambda: statuses(assay, *place) == ["killed"])
        assert statuses(assay, *place) == ["killed"]
    done = assay("run", "--resume", "last", "--json", *place)
    assert (done.code, done.json["metrics"][METRICS]["scored"]) == (0, SAMPLES)
    assert statuses(assay, *place) == ["done"]
    assert len(openai_server.requests) <= CALLS + AT_ONCE


def wait_until(is_so):
    """Asks until something is so."""
    while not is_so():
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["TERM", "HUP"])
def test_term_ends_as_ctrl_c(*, assay, words, openai_server, warm_python, tmp_path, number):
    """Measured before: exit code -15, and `running` for ever."""
    with command_at_request(warm_python, tmp_path, openai_server, words, 12) as process:
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == 130
    assert (
        err.decode().splitlines()[-1].endswith("interrupted; all replies are kept. Go on with: assay run --resume last")
    )
    assert statuses(assay) == ["interrupted"]
    assert len(scores(tmp_path)) > 0, "what was scored is kept"
    assert assay("run", "--resume", "last").code == 0
    assert len(openai_server.requests) <= CALLS + AT_ONCE


# as a shell script starts what stands before `&`
IGNORING = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import assay.cli
"""


def test_term_ends_what_ignores_ctrl_c(assay, words, openai_server, warm_python, tmp_path):
    begin = ("-c", IGNORING + "assay.cli.main()")
    with command_at_request(warm_python, tmp_path, openai_server, words, 9, begin=begin) as process:
        process.send_signal(signal.SIGINT)
        assert statuses(assay) == ["running"], "Ctrl-C stays ignored"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate()
    assert (process.returncode, b"Traceback" in err) == (130, False), err
    assert statuses(assay) == ["interrupted"]
    assert len(scores(tmp_path)) > 0, "what was scored is kept"


def test_a_killed_nightly_run_counts_what_was_under_way(assay, suite, openai_server, warm_python, tmp_path):
    """The server counts a token per 4 characters in, and 300 of each reply that it was killed before."""
    with command_at_request(warm_python, tmp_path, openai_server, suite, 9) as process:
        refused = assay(*suite, "--resume")
        assert (refused.code, "another process is at work on it" in refused.err) == (2, True), refused.err
        process.kill()
        process.communicate()
    store = Store(tmp_path / ".assay")
    (row,) = Ledger(store).nightly_runs("nightly")
    assert row.status == "killed"
    sent = len(openai_server.requests)
    charged = sum(charge(request, lost=number > sent - AT_ONCE) for number, request in requests(openai_server))
    assert row.spent is not None
    assert row.spent["calls"] >= sent and row.spent["tokens"] >= charged
    assay(*suite, "--resume", code=0)
    spent = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["spent"]
    unseen = spent["calls"] - len(openai_server.requests)  # killed after they were counted, before the server had them
    assert 0 <= unseen <= AT_ONCE
    all_charged = sum(
        charge(request, lost=sent - AT_ONCE < number <= sent) for number, request in requests(openai_server)
    )
    assert all_charged <= spent["tokens"] <= all_charged + AT_ONCE * 10_000
    assert spent["usd"] > 0


def requests(server):
    """The requests, numbered from 1."""
    return [(request.number, request) for request in server.requests]


def charge(request, *, lost):
    """What the server charged: a token per 4 characters in, and of a lost reply the most, of another at least 1."""
    tokens_in = sum(len(message["content"]) for message in request.body["messages"]) // 4
    return tokens_in + (MOST_OUT if lost else 1)


def test_a_nightly_run_that_was_killed_is_told(assay, suite, openai_server, warm_python, tmp_path):
    with command_at_request(warm_python, tmp_path, openai_server, suite, 9) as process:
        assay(*suite[:1], "nightly.yaml", "--check", code=0)
        process.kill()
        process.communicate()
    again = assay(*suite, code=0)
    assert "has not finished: it was killed" in again.err
    assert "still running" not in again.err


def test_a_second_process_does_not_join(*, assay, openai_server, judge_file, warm_python, tmp_path, set_file):
    """Two processes on one run would pay for its questions twice."""
    words = ["run", str(set_file(12)), "--judge", str(judge_file()), "--metrics", "judge_truthfulness"]
    with command_at_request(warm_python, tmp_path, openai_server, words, 5):
        refused = assay(*words, "--resume", "last")
        assert (refused.code, "another process is at work on it" in refused.err) == (2, True), refused.err
        assert statuses(assay) == ["running"]
    assert statuses(assay) == ["killed"]
    assert assay(*words, "--resume", "last").code == 0
    assert statuses(assay) == ["done"]
