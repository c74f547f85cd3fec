"""A run that is killed, interrupted or out of budget: nothing is lost, and only what is missing is asked again."""

import json
import re
import shlex
import signal
from pathlib import Path

import pytest
from interrupted_runs import command_at_request, count_bodies, scores
from openai_server import Answer

from assay import evaluate
from assay.errors import JudgeUnavailable
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.runs import Ledger, Plan, Store

METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES, CALLS, AT_ONCE = 12, 36, 4  # claims, verdicts and ratings of each


def command(set_path, judge, *more):
    return ["run", str(set_path), "--judge", str(judge), "--metrics", METRICS, "--concurrency", str(AT_ONCE), *more]


@pytest.fixture
def whole(assay, set_file, judge_file, openai_server, tmp_path):
    done = assay(*command(set_file(SAMPLES), judge_file()), "--store", "whole", "--json")
    assert (done.code, len(openai_server.requests)) == (0, CALLS)
    openai_server.forget()
    return scores(tmp_path, store="whole")


@pytest.mark.parametrize("until", [3, 21, 34])
def test_kill_9_at_any_moment_loses_nothing(
    *, assay, set_file, judge_file, openai_server, tmp_path, warm_python, whole, until
):
    words = command(set_file(SAMPLES), judge_file())
    with command_at_request(warm_python, tmp_path, openai_server, words, until) as process:
        process.kill()
        process.communicate()
    before = len(openai_server.requests)

    done = assay("run", "--resume", "last", "--json", code=0)
    assert scores(tmp_path) == whole
    # the calls of one whole run, and once more those whose replies were on their way when it was killed
    times = count_bodies(openai_server)
    assert len(times) == CALLS
    assert CALLS < len(openai_server.requests) <= CALLS + AT_ONCE
    assert done.json["usage"]["calls"] - done.json["usage"]["from_cassette"] == len(openai_server.requests) - before
    samples = Store(tmp_path / ".assay").samples(done.json["run"])
    assert [sample.id for sample in samples] == [f"s{n}" for n in range(SAMPLES)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["Ctrl-C", "TERM", "HUP"])
def test_ctrl_c_term_and_a_closed_terminal_end_cleanly_and_are_resumed(
    *, assay, set_file, judge_file, openai_server, tmp_path, warm_python, whole, number
):
    """TERM, measured before: exit code -15, and `running` for ever."""
    words = command(set_file(SAMPLES), judge_file())
    with command_at_request(warm_python, tmp_path, openai_server, words, 20) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    *progress, last = err.decode().splitlines()
    assert last == "assay: interrupted; all replies are kept. Go on with: assay run --resume last"
    assert all(re.match(r"assay: \d+ of \d+ ", line) for line in progress)  # after ten seconds, on a slow machine
    store = Store(tmp_path / ".assay")
    assert store.run("last").status == "interrupted"
    assert len(scores(tmp_path)) > 0, "what was scored is kept"

    done = assay("run", "--resume", "last", "--json")
    assert (done.code, done.err) == (0, "")
    assert scores(tmp_path) == whole
    assert len(count_bodies(openai_server)) == CALLS
    assert len(openai_server.requests) <= CALLS + AT_ONCE
    assert store.run("last").status == "done"


CTRL_C_AT_THE_SET = """
import os, pathlib, runpy, signal
genuine = pathlib.Path.open
def open_file(path, *arguments, **named):
    if path.name == "set.jsonl":
        os.kill(os.getpid(), signal.SIGINT)
    return genuine(path, *arguments, **named)
pathlib.Path.open = open_file
runpy.run_module("assay", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_before_the_first_call_is_130_too(warm_python, tmp_path):
    """At the moment when it opens the set."""
    (tmp_path / "set.jsonl").write_text('{"response": "Open the menu."}\n')
    words = ("-c", CTRL_C_AT_THE_SET, "run", "set.jsonl", "--metrics", "token_overlap")
    _, err = (process := warm_python.start(*words, cwd=tmp_path)).communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_budget_stops_with_3_and_is_resumed(*, assay, set_file, judge_file, openai_server, tmp_path, whole):
    words = command(set_file(SAMPLES), judge_file())
    stopped = assay(*words, "--budget-calls", "10", "--json", code=3)
    assert "budget of 10 calls is reached" in stopped.err
    run = stopped.json["run"]
    assert f"assay run --resume {run}" in stopped.err
    assert stopped.json["usage"]["calls"] == 10
    assay("run", "--resume", run, "--budget-calls", "10", code=3)
    assert assay("run", "--resume", run[:-1], "--json").code == 0
    assert len(openai_server.requests) == CALLS
    assert scores(tmp_path) == whole


def test_calls_without_a_reply_count_in_the_budget_of_all_sessions(*, assay, set_file, judge_file, openai_server):
    """Every third call of 12 breaks, four in all: none is left for the next session."""
    openai_server.script = lambda request: Answer(fault="reset") if request.number % 3 == 0 else None
    words = command(set_file(SAMPLES), judge_file(attempts=1), "--concurrency", "1")
    stopped = assay(*words, "--budget", "12calls", "--json", code=3)
    assert (stopped.json["usage"]["calls"], stopped.json["lost"]["calls"]) == (8, 4)
    again = assay("run", "--resume", "last", "--budget", "12calls", "--json", code=3)
    assert len(openai_server.requests) == 12
    assert "the budget of 12 calls is reached: 12 calls took" in again.err
    assert "4 calls without a reply count with the most that they may have taken" in again.err
    assert again.json["lost"]["calls"] == 0
    openai_server.script = None
    done = assay("run", "--resume", "last")
    assert re.search(r"In all sessions 36 judge calls, .*; 4 calls without a reply count", " ".join(done.out.split()))


def test_a_budget_that_is_reached_again_says_what_is_of_this_session_and_what_of_all(assay, set_file, judge_file):
    """Ten of the fifteen calls were of the first session."""
    first = assay(*command(set_file(SAMPLES), judge_file()), "--budget-calls", "10", code=3)
    assert re.search(r": 10 calls took [\d,]+ tokens, cost unknown", first.err)
    again = assay("run", "--resume", "last", "--budget-calls", "15", code=3)
    assert re.search(r": 15 calls took [\d,]+ tokens in all sessions, cost unknown", again.err)
    assert "In this session 5 judge calls, 0 of them replayed; " in again.out


def test_a_resumed_run_says_what_all_its_sessions_took(assay, set_file, judge_file, openai_server):
    """Ten calls, then the other 26, each of 1,000 + 10 tokens and 0.19 + 0.01 USD: 36 calls, 36,360 tokens, 7.2 USD."""
    openai_server.script = lambda _: Answer(usage=(1000, 10))
    words = command(set_file(SAMPLES), judge_file(price={"input": 190.0, "output": 1000.0}, max_tokens=10))
    stopped = assay(*words, "--budget-calls", "10", "--json", code=3)
    assert "usage_of_run" not in stopped.json
    done = assay("run", "--resume", stopped.json["run"])
    printed = " ".join(done.out.split())
    assert "In all sessions 36 judge calls, 0 of them replayed; 36,360 tokens; cost 7.2000 USD" in printed
    assert re.search(r"In this session \d+ judge calls, \d of them replayed", printed)
    again = assay("run", "--resume", stopped.json["run"], "--json")
    assert again.json["usage"]["calls"] == 0
    of_run = again.json["usage_of_run"]
    assert (of_run["calls"], of_run["tokens_in"], of_run["tokens_out"]) == (36, 36_000, 360)
    assert of_run["usd"] == pytest.approx(7.2)


def test_what_a_resumed_session_pays_under_the_same_keys_counts_in_all_sessions(
    *, assay, set_file, judge_file, openai_server
):
    """A reply of no use and one to its correction, of 2 answers: 4 calls. Two sessions more ask once and twice anew."""
    words = ("run", set_file(2), "--judge", judge_file(), "--metrics", "faithfulness", "--concurrency", "1")
    openai_server.script = lambda _: Answer(text="Nee", usage=(300, 10))
    assay(*words, code=4)
    again = assay("run", "--resume", "last", "--budget", "5calls", "--json", code=3)
    assert (len(openai_server.requests), again.json["usage_of_run"]["calls"]) == (5, 5)
    stopped = assay("run", "--resume", "last", "--budget", "5calls", "--json", code=3)
    assert re.search(r": 5 calls took 1,550 tokens in all sessions", stopped.err)
    openai_server.script = lambda _: Answer(usage=(300, 10))
    done = assay("run", "--resume", "last", "--json")
    of_run = done.json["usage_of_run"]
    assert of_run["calls"] == len(openai_server.requests) == 7
    assert (of_run["tokens_in"], of_run["tokens_out"]) == (2100, 70)


@pytest.mark.parametrize(
    ("scored", "next_step"), [(14, "mend the judge, then: assay run --resume"), (15, "which metric")]
)
def test_where_most_answers_failed_the_next_step_is_to_ask_again(
    *, assay, set_file, judge_file, openai_server, scored, next_step
):
    """Of 30 rated answers 16 fail, or 15: where as many are scored, they say what follows the team."""
    texts = [f"Open menu {number}." for number in range(scored)]
    openai_server.script = lambda request: (
        None if any(text in json.dumps(request.body) for text in texts) else Answer(text="Nee")
    )
    run = assay("run", set_file(30), "--judge", judge_file(), "--metrics", "faithfulness", "--json", code=4).json
    assert (run["metrics"]["faithfulness"]["scored"], run["metrics"]["faithfulness"]["failed"]) == (scored, 30 - scored)
    assert run["verdict"]["Next"].startswith(next_step)


def test_a_judge_that_fails_on_every_answer_is_what_the_verdict_sends_back_to(
    *, assay, set_file, judge_file, openai_server, monkeypatch
):
    """Only word overlap has scores of 30 rated answers: the next step is to ask again, named with what failed."""
    openai_server.script = lambda _: Answer(text="Nee")
    words = ("run", set_file(30), "--judge", judge_file(), "--metrics", "faithfulness")
    failed = assay(*words, "--json", code=4).json["verdict"]
    assert failed["Next"] == "mend the judge, then: assay run --resume last"
    assert failed["Failed"].startswith("30 answers could not be scored, most often: the reply cannot be used")
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    assert "als het taalmodel weer werkt: assay run --resume last" in assay("show", "last").out
    assert "alleen woordoverlap is geprobeerd" in assay("meta", "last").out

    meta = assay("meta", "last", "--json").json["verdict"]
    assert "only word overlap was tried" in meta["Trust"]
    assert meta["To be surer"] == "faithfulness has no score: assay run --resume last"
    openai_server.script = None
    assay("run", "--resume", "last", code=0)
    again = assay("meta", "last", "--json").json["verdict"]
    assert "overlap" not in again["Trust"] and "--resume" not in str(again)


def test_the_command_that_goes_on_writes_the_file_of_out_again(*, assay, set_file, judge_file):
    """A budget ends the run after ten of its calls."""
    stopped = assay(*command(set_file(SAMPLES), judge_file()), "--budget-calls", "10", "--out", "scores.csv", code=3)
    before = Path("scores.csv").read_text(encoding="utf-8").count(",scored,")
    assay(*stopped.err.rpartition("go on with: assay ")[2].split(), code=0)
    assert Path("scores.csv").read_text(encoding="utf-8").count(",scored,") > before


def test_a_budget_in_usd_needs_a_price(assay, set_file, judge_file, openai_server):
    unpriced = assay(*command(set_file(SAMPLES), judge_file()), "--budget-usd", "1.0", code=2)
    assert "give the judge's price in its settings file" in unpriced.err and "Traceback" not in unpriced.err
    assert not openai_server.requests, "it is refused before the first call"


def test_failed_samples_are_4_and_tried_again_when_resumed(
    *, assay, set_file, judge_file, openai_server, whole, tmp_path
):
    openai_server.script = lambda request: Answer(status=400) if "step 2?" in request.user else None
    words = command(set_file(SAMPLES), judge_file())
    first = assay(*words, "--json", code=4)
    assert "1 sample failed (s2), 0 allowed (--max-failed)" in first.err
    assert first.json["metrics"][METRICS.split(",", maxsplit=1)[0]]["failed"] == 1
    again = assay("run", "--resume", first.json["run"], code=4)
    assert "0 allowed (--max-failed; a resumed run keeps no earlier one)" in again.err
    assert assay(*words, "--max-failed", "1").code == 0
    openai_server.script = None
    openai_server.forget()
    assay("run", "--resume", first.json["run"], "--json", code=0)
    assert scores(tmp_path, first.json["run"]) == whole
    assert all("step 2?" in request.user or "button 2" in request.user for request in openai_server.requests)


@pytest.mark.parametrize("extra", [(), ("--batch", "--cassette", "replies.jsonl")])
def test_a_judge_that_is_gone_before_the_first_reply_leaves_no_run(assay, set_file, judge_file, openai_server, extra):
    closed = judge_file(api_base="http://127.0.0.1:9/v1", attempts=1)
    words = (*command(set_file(SAMPLES), closed), *extra)
    assert assay(*words).code == 1
    for table in ("runs", "samples", "scores", "replies"):
        assert Store(".assay").database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    openai_server.script = lambda _: Answer(status=400)
    assert assay(*command("set.jsonl", judge_file())).code == 4
    openai_server.script = lambda _: Answer(status=501)
    assert assay("run", "--resume", "last").code == 1
    assert len(Store(".assay").run_ids()) == 1  # it was there before: its user removes it


def test_a_run_of_a_program_or_a_suite_whose_judge_is_gone_leaves_none_either(assay, set_file, judge_file, tmp_path):
    """What a metric that asks nobody has scored stays, as does the nightly run, which its report names."""
    closed = judge_file(api_base="http://127.0.0.1:9/v1", attempts=1, concurrency=1)
    rows, settings = set_file(SAMPLES), JudgeSettings(model="openai/test", api_base="http://127.0.0.1:9/v1", wait=0)
    with pytest.raises(JudgeUnavailable):
        evaluate(rows, ["judge_truthfulness"], judge=LiteLLMJudge(settings), store=".assay", progress=False)
    missing = assay("run", rows, "--judge", "gguf:nowhere.gguf", "--metrics", "faithfulness", code=1)
    assert "there is no such model file" in missing.err
    content = {"name": "s", "sets": ["set.jsonl"], "metrics": ["judge_truthfulness"], "judges": [closed.name]}
    (tmp_path / "suite.yaml").write_text(json.dumps(content), encoding="utf-8")
    assert assay("suite", "suite.yaml", "--json", code=1).json["runs"] == []
    assert Store(".assay").run_ids() == []
    assert [one.status for one in Ledger(Store(".assay")).nightly_runs("s")] == ["error"]
    assert assay("run", rows, "--judge", closed, "--metrics", "token_overlap,faithfulness").code == 1
    assert Store(".assay").run("last").status == "error"


def test_resuming_asks_for_the_same_plan(assay, set_file, judge_file, tmp_path):
    words = command(set_file(2), judge_file())
    assert "no run to resume has these sets, metrics and judge" in assay(*words, "--resume", "last", code=2).err
    done = assay(*words, "--json")
    assay("run", set_file(2), "--metrics", "token_overlap", "--resume", done.json["run"], code=2)
    again = assay(*words, "--resume", "last", "--json")
    assert (again.code, again.json["run"], again.json["usage"]["calls"]) == (0, done.json["run"], 0)
    assert again.json["metrics"] == done.json["metrics"]


def test_a_run_whose_address_is_not_kept_goes_on_with_the_command_that_is_printed(
    *, assay, set_file, judge_file, openai_server, tmp_path, whole
):
    """Measured before: neither it nor its cure worked, until `--metrics` was added."""
    judge = judge_file("my judge.yaml", api_base=f"{openai_server.api_base}?api-version=sk-hunter2")
    stopped = assay(*command(set_file(SAMPLES), judge), "--budget-calls", "10", "--json", code=3)
    run = stopped.json["run"]
    printed = stopped.err.rpartition("go on with: assay ")[2].strip()
    assert shlex.split(printed) == ["run", "--resume", run, "--judge", str(judge)]
    refused = assay("run", "--resume", run, code=2)
    assert f"name the judge again: assay run --resume {run} --judge JUDGE" in refused.err
    other = assay("run", "--resume", run, "--judge", judge_file("other.yaml", model="openai/other"), code=2)
    assert "was judged by another judge, or with other settings, than --judge names" in other.err
    assert assay(*shlex.split(printed), "--json").code == 0
    assert len(openai_server.requests) == CALLS
    assert scores(tmp_path) == whole


def test_a_row_that_changed_since_is_judged_anew(assay, set_file, judge_file, openai_server):
    words = command(set_file(4), judge_file())
    assay(*words)
    openai_server.forget()
    changed = set_file(4).read_text(encoding="utf-8").replace("Open menu 1. Press", "Open menu 1. Never press", 1)
    (set_file(4)).write_text(changed, encoding="utf-8")
    assert assay(*words, "--resume", "last").code == 0
    assert len(openai_server.requests) == 3
    assert all("menu 1" in request.user for request in openai_server.requests)


def test_how_questions_reach_the_judge_is_part_of_a_plan():
    """Otherwise `--resume` would go on with one transport where another one began; `auto` says nothing, as before."""

    def identity(**settings):
        return Plan(sets=("a",), metrics=("b",), judge=JudgeSettings(model="openai/test", **settings)).identity

    assert identity(decide="auto") == identity()
    assert len({identity(), identity(decide="listed"), identity(decide="single")}) == 3
