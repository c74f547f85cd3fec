"""A nightly run that goes wrong, for real: its report is true, its exit code right, and it can be resumed."""

import json
import sqlite3

import pytest
from interrupted_runs import command_at_request
from junitparser import JUnitXml
from openai_server import Answer

METRIC = "faithfulness:claims=judge"
SAMPLES, CALLS = 12, 24
pytestmark = pytest.mark.timeout(400)


@pytest.fixture
def nightly(tmp_path, set_file, judge_file):
    """Writes the suite: twelve samples, two calls each, one gate."""

    def write(**keys):
        set_file(SAMPLES)
        judge_file(attempts=2)
        content = {
            "sets": ["set.jsonl"],
            "metrics": [METRIC],
            "judges": ["local.yaml"],
            "concurrency": 2,
            "gates": [{"gate": "mean", "metric": METRIC, "at_least": 0.5}],
            "outputs": {"junit": "junit.xml", "summary": "summary.md", "json": "report.json", "site": "site"},
        }
        path = tmp_path / "nightly.yaml"
        path.write_text(json.dumps(content | keys), encoding="utf-8")
        return path

    return write


WITHOUT_ROOM = """
import resource
from assay.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (360_000, 360_000))
main()
"""


def report(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def junit_errors(folder):
    (suite,) = JUnitXml.fromfile(str(folder / "junit.xml"))
    return [result.message for case in suite for result in case.result if type(result).__name__ == "Error"]


def resumes_and_passes(assay, folder, server):
    """Resumed, the nightly run asks what is missing, passes its gate, and is still the same one."""
    server.script = None
    nightly_run = report(folder)["nightly_run"]
    done = assay("suite", "nightly.yaml", "--resume")
    assert (done.code, done.err) == (0, ""), done
    after = report(folder)
    assert (after["status"], after["verdict"], after["resume"]) == ("done", "passed", None)
    assert after["nightly_run"] == nightly_run or nightly_run is None
    assert after["runs"][0]["samples"] == SAMPLES
    assert after["runs"][0]["metrics"][0]["scored"] == SAMPLES
    assert junit_errors(folder) == []


def test_the_provider_is_down(assay, nightly, openai_server, tmp_path):
    nightly()
    openai_server.script = lambda _: Answer(status=503)
    assay("suite", "nightly.yaml", code=1)
    written = report(tmp_path)
    assert (written["verdict"], written["runs"], written["gates"]) == ("error", [], [])  # the run had nothing
    assert "the call failed 2 times" in written["message"]
    assert len(openai_server.requests) < 2 * SAMPLES  # a judge that is gone is not asked for every sample
    assert written["resume"] == "assay suite nightly.yaml --resume"
    assert junit_errors(tmp_path)[0] == "error: " + written["message"][: 2000 - 7]
    assert "ended with an error" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    resumes_and_passes(assay, tmp_path, openai_server)


def test_a_part_of_the_samples_is_no_other_set(assay, nightly, openai_server, tmp_path):
    """The budget ends after five of twelve samples: nothing says that the accepted samples are not in the file."""
    suite = {"gates": [{"gate": "regression", "metric": METRIC}], "concurrency": 1}
    nightly(**suite)
    for command in (("suite", "nightly.yaml"), ("suite", "accept", "last")):
        assay(*command, code=0)
    nightly(**suite, budget={"calls": 10})
    assay("suite", "nightly.yaml", code=3)
    reasons = [gate["reason"] for gate in report(tmp_path)["gates"]]
    assert reasons == ["not decided, since the nightly run did not finish"] * 2
    nightly(**suite)
    resumes_and_passes(assay, tmp_path, openai_server)


def test_an_overloaded_provider_takes_no_money(assay, nightly, openai_server, tmp_path):
    """A 503 says that nothing was done: no budget is used up by it, and the outage is named."""
    nightly(budget={"tokens": 20_000})
    openai_server.script = lambda request: Answer(status=503) if request.number > 4 else None
    assert "cannot be used" in assay("suite", "nightly.yaml", code=1).err
    written = report(tmp_path)
    assert (written["verdict"], written["spent"]["calls"]) == ("error", 4)
    assert written["spent"]["lost"] == {"calls": 0, "tokens": 0, "usd": 0}
    resumes_and_passes(assay, tmp_path, openai_server)


def test_lost_replies_are_said_as_at_most(assay, nightly, openai_server, tmp_path):
    """Every first attempt breaks off: the tokens of these calls may not have been taken."""
    nightly()
    openai_server.script = lambda request: Answer(fault="cut") if request.attempt == 1 else None
    assay("suite", "nightly.yaml", code=0)
    spent = report(tmp_path)["spent"]
    assert spent["lost"]["calls"] == CALLS and spent["tokens"] > 20_000 > spent["tokens"] - spent["lost"]["tokens"]
    assert f"{2 * CALLS} live calls, at most {spent['tokens']:,} tokens" in (tmp_path / "summary.md").read_text("utf-8")
    (page,) = (tmp_path / "site").glob("night*-*.html")
    assert f"at most {spent['tokens']:,} tokens" in page.read_text("utf-8")
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert spent["usd"] is None and 'data-label="USD">at most' not in index  # no bound of what is unknown


def test_the_budget_is_out_halfway(assay, nightly, openai_server, tmp_path):
    nightly(budget={"calls": 13})
    assay("suite", "nightly.yaml", code=3)
    written = report(tmp_path)
    assert (written["status"], written["spent"]["calls"], len(openai_server.requests)) == ("budget", 13, 13)
    assert "budget of 13 calls is reached" in written["message"]
    assert written["gates"][0]["state"] == "undecided"
    assert "not decided, since the nightly run did not finish" in written["gates"][0]["reason"]
    again = assay("suite", "nightly.yaml", "--resume", code=3)  # nothing of its budget is left
    assert "To resume it, first raise `budget` in the suite's file" in again.out
    nightly(budget={"calls": CALLS})
    resumes_and_passes(assay, tmp_path, openai_server)
    assert report(tmp_path)["spent"]["calls"] == len(openai_server.requests) == CALLS


def test_the_store_is_locked_before_it_begins(assay, nightly, openai_server, tmp_path):
    nightly(store_wait=0.2)
    assert assay("suite", "nightly.yaml").code == 0  # yesterday's reports are there
    with sqlite3.connect(tmp_path / ".assay/runs.sqlite", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = assay("suite", "nightly.yaml")
    assert done.code != 0
    assert "database is locked" in done.err
    assert "wait until the process that holds it has ended" in done.err
    assert "Traceback" not in done.err
    written = report(tmp_path)
    assert (written["status"], written["runs"], "locked" in written["message"]) == ("error", [], True)
    assert written["resume"] is None and "To resume it" not in (tmp_path / "summary.md").read_text("utf-8")
    assert len(junit_errors(tmp_path)) == 1
    other.close()
    assert assay("suite", "nightly.yaml").code == 0


def test_the_store_is_locked_in_the_middle(assay, nightly, openai_server, tmp_path):
    nightly(store_wait=0.2)
    locks = []

    def lock_at_ten(request):
        if request.number == 10:
            locks.append(
                sqlite3.connect(tmp_path / ".assay/runs.sqlite", isolation_level=None, check_same_thread=False)
            )
            locks[0].execute("BEGIN IMMEDIATE")

    openai_server.script = lock_at_ten
    done = assay("suite", "nightly.yaml")
    assert (done.code, "Traceback" in done.err) == (1, False)
    written = report(tmp_path)
    assert (written["status"], "database is locked" in written["message"]) == ("error", True)
    assert "database is locked" in done.err
    locks[0].close()
    resumes_and_passes(assay, tmp_path, openai_server)


def test_the_disk_is_full(assay, nightly, openai_server, warm_python, tmp_path):
    """No file may grow beyond 360 kB, of which a new store takes 315: its journal cannot take the last replies."""
    nightly()
    openai_server.script = lambda request: (
        Answer(text=json.dumps({"claims": ["x" * 9000]})) if request.schema == "Claims" and request.number > 8 else None
    )
    full = warm_python.run("-c", WITHOUT_ROOM, "suite", "nightly.yaml", cwd=tmp_path)
    assert (full.returncode, "Traceback" in full.stderr) == (1, False), full
    written = report(tmp_path)
    assert written["status"] in {"error", "running"}  # where even the report has no room, it says that it has begun
    assert "make room on the disk" in full.stdout + full.stderr
    resumes_and_passes(assay, tmp_path, openai_server)


def test_kill_9(assay, nightly, openai_server, warm_python, tmp_path):
    nightly()
    assert (
        assay("suite", "nightly.yaml").code == 0
    )  # yesterday's nightly run passed; its reports must not pass for this one's
    openai_server.forget()
    with command_at_request(warm_python, tmp_path, openai_server, ["suite", "nightly.yaml"], 11) as process:
        process.kill()
        process.communicate()
    assert (report(tmp_path)["status"], report(tmp_path)["runs"]) == ("running", [])
    assert "did not finish" in junit_errors(tmp_path)[0]
    assert "did not finish" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "running" in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    resumes_and_passes(assay, tmp_path, openai_server)
    assert CALLS < len(openai_server.requests) <= CALLS + 2  # those under way are asked once more
