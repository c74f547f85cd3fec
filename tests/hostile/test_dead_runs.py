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
        "gates": [{"gate": "coverage", "at_least": 0.9}],
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


def test_the_page_of_runs_says_killed(assay, words, openai_server, warm_python, tmp_path):
    from starlette.testclient import TestClient

    from assay.web import Connections, ViewApp

    with command_at_request(warm_python, tmp_path, openai_server, words, 9) as process:
        process.kill()
        process.communicate()
    app = ViewApp(Connections(tmp_path / ".assay"))
    with TestClient(app.asgi, base_url="http://127.0.0.1") as client:
        client.get(app.link_path())
        page = client.get("/runs").text
    assert ">killed, " in page and "running" not in page


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


def test_a_killed_nightly_run_is_resumed_with_what_it_took(assay, suite, openai_server, warm_python, tmp_path):
    """The run's own store keeps each reply of the session that was killed, but not what was under way."""
    with command_at_request(warm_python, tmp_path, openai_server, suite, 9) as process:
        refused = assay(*suite, "--resume")
        assert (refused.code, "another process is at work on it" in refused.err) == (2, True), refused.err
        process.kill()
        process.communicate()
    (row,) = Ledger(Store(tmp_path / ".assay")).nightly_runs("nightly")
    assert row.status == "killed"
    assay(*suite, "--resume", code=0)
    spent = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["spent"]
    assert CALLS <= spent["calls"] <= len(openai_server.requests) <= CALLS + AT_ONCE
    assert spent["usd"] > 0
