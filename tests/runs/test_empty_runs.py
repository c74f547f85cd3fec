"""A judge that cannot be reached leaves no run: nothing was asked with success, so there is nothing to resume."""

import json
import socket

import pytest
from openai_server import Answer

from assay import evaluate
from assay.errors import InputError, JudgeUnavailable
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.runs import Ledger, Store

NOTHING = "There was no reply and no score, so that nothing is stored: there is no run to resume"
TABLES = ("runs", "samples", "scores", "replies", "answers", "runs_of_nightly_runs")


@pytest.fixture
def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def rows_by_table(folder):
    store = Store(folder)
    try:
        return {table: store.database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    finally:
        store.close()


@pytest.mark.parametrize("metrics", ["weakest_claim,faithfulness", "faithfulness", "judge_truthfulness"])
def test_a_closed_port_leaves_no_run(assay, set_file, judge_file, closed_port, metrics):
    judge = judge_file(api_base=f"http://127.0.0.1:{closed_port}/v1", attempts=1, concurrency=2)
    failed = assay("run", set_file(12), "--judge", judge, "--metrics", metrics, code=1)
    assert "5 questions in a row got no reply" in failed.err
    assert NOTHING in " ".join(failed.err.split())
    assert rows_by_table(".assay") == dict.fromkeys(TABLES, 0)


def test_a_model_file_that_is_not_there_leaves_no_run(assay, set_file):
    failed = assay("run", set_file(2), "--judge", "gguf:nowhere.gguf", "--metrics", "faithfulness", code=1)
    assert "there is no such model file" in failed.err and NOTHING in " ".join(failed.err.split())
    assert rows_by_table(".assay") == dict.fromkeys(TABLES, 0)


def test_an_error_with_a_constructor_of_its_own_leaves_no_run_either(assay, set_file, judge_file, monkeypatch):
    class PlacedError(InputError):
        def __init__(self, file, line):
            super().__init__(f"{file}, line {line}: cannot be read")

    async def fail(*_):
        raise PlacedError("replies.jsonl", 3)

    monkeypatch.setattr(LiteLLMJudge, "decide", fail)
    failed = assay("run", set_file(2), "--judge", judge_file(), "--metrics", "judge_truthfulness", code=1)
    assert f"replies.jsonl, line 3: cannot be read. {NOTHING}" in " ".join(failed.err.split())
    assert rows_by_table(".assay") == dict.fromkeys(TABLES, 0)


def test_a_run_with_a_paid_reply_stays(assay, set_file, judge_file, openai_server):
    openai_server.script = lambda _: Answer(status=401) if len(openai_server.requests) > 1 else None
    words = ("run", set_file(12), "--judge", judge_file(), "--metrics", "judge_truthfulness", "--concurrency", "1")
    assert "nothing is stored" not in assay(*words, code=1).err
    assert Store(".assay").run("last").status == "error"
    openai_server.script = lambda _: None
    openai_server.forget()
    assert assay("run", "--resume", "last").code == 0
    assert len(openai_server.requests) == 11


def test_a_resumed_run_stays(assay, set_file, judge_file, openai_server):
    """It was there before; whoever removes it is its user."""
    openai_server.script = lambda _: Answer(status=400)
    words = ("run", set_file(2), "--judge", judge_file(), "--metrics", "judge_truthfulness")
    assert assay(*words).code == 4
    openai_server.script = lambda _: Answer(status=501)
    failed = assay(*words, "--resume", "last")
    assert (failed.code, "nothing is stored" in failed.err) == (1, False)
    assert len(Store(".assay").run_ids()) == 1


def test_values_of_a_metric_that_was_asked_for_stay(assay, set_file, judge_file, closed_port):
    judge = judge_file(api_base=f"http://127.0.0.1:{closed_port}/v1", attempts=1, concurrency=1)
    failed = assay("run", set_file(12), "--judge", judge, "--metrics", "token_overlap,faithfulness")
    assert (failed.code, "nothing is stored" in failed.err) == (1, False)
    assert Store(".assay").run("last").status == "error"


def test_a_suite_leaves_no_run(assay, set_file, judge_file, closed_port, tmp_path):
    set_file(12)
    judge = judge_file(api_base=f"http://127.0.0.1:{closed_port}/v1", attempts=1)
    suite = tmp_path / "nightly.yaml"
    content = {"name": "helpdesk", "sets": ["set.jsonl"], "metrics": ["judge_truthfulness"], "judges": [judge.name]}
    suite.write_text(json.dumps(content), encoding="utf-8")
    failed = assay("suite", suite, "--json")
    assert (failed.code, failed.json["verdict"], failed.json["runs"]) == (1, "error", [])
    assert NOTHING in failed.json["message"]
    assert rows_by_table(".assay") == dict.fromkeys(TABLES, 0)
    [nightly] = Ledger(Store(".assay")).nightly_runs("helpdesk")
    assert nightly.status == "error"
    judge_file(concurrency=4)  # the judge is there again
    resumed = assay("suite", suite, "--resume", "--json")
    assert (resumed.code, resumed.json["verdict"]) == (0, "passed")
    assert rows_by_table(".assay")["runs_of_nightly_runs"] == 1


def test_evaluate_with_a_store_leaves_no_run(tmp_path, openai_server):
    openai_server.script = lambda _: Answer(status=401)
    judge = LiteLLMJudge(JudgeSettings(model="openai/test", api_base=openai_server.api_base, wait=0))
    rows = [{"id": f"s{n}", "question": "Where?", "answer": f"Under menu {n}.", "context": "x"} for n in range(9)]
    with pytest.raises(JudgeUnavailable, match=NOTHING):
        evaluate(rows, ["judge_truthfulness"], judge=judge, store=tmp_path / "kept", progress=False)
    assert rows_by_table(str(tmp_path / "kept")) == dict.fromkeys(TABLES, 0)
    with pytest.raises(JudgeUnavailable) as raised:
        evaluate(rows, ["judge_truthfulness"], judge=judge, progress=False)
    assert "stored" not in str(raised.value)


def test_a_run_in_batches_that_submitted_none_leaves_no_run(assay, set_file, judge_file, closed_port, openai_server):
    """Measured before: it stayed as an empty run that ended with an error."""
    words = ("run", set_file(12), "--metrics", "judge_truthfulness", "--batch", "--cassette", "replies.jsonl")
    failed = assay(*words, "--judge", judge_file(api_base=f"http://127.0.0.1:{closed_port}/v1", attempts=1))
    assert (failed.code, NOTHING in failed.err) == (1, True), failed.err
    assert Store(".assay").run_ids() == []
    assert assay(*words[:-1], "others.jsonl", "--judge", judge_file()).code == 0
