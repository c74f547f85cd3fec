"""The GitHub Action: its steps are run as a runner would, on fresh machines that share nothing but the cache."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from junitparser import JUnitXml

from assay import load_set

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SETUP_PYTHON = ACTION["runs"]["steps"][1]["uses"]
# a night is installed and run up to ten times: a minute or two where nothing else runs
pytestmark = [pytest.mark.timeout(900), pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")]


class GitHub:
    """What stays between jobs: the files of the repository, and the caches by key, each saved once."""

    def __init__(self, folder):
        self.repository = folder / "repository"
        self.repository.mkdir()
        self._caches = folder / "caches"
        self.caches: dict[str, Path] = {}
        self.jobs: list[Job] = []
        self._folder = folder

    def begin(self, **inputs):
        """A job on a machine of its own, with the repository checked out into its folder."""
        folder = self._folder / f"machine{len(self.jobs)}"
        shutil.copytree(self.repository, folder / "workspace")
        self.jobs.append(Job(self, folder, str(len(self.jobs)), inputs))
        return self.jobs[-1]

    def restore(self, paths, workspace, key, prefix):
        """`actions/cache/restore`: the cache of this key, else the newest whose key begins with the prefix."""
        matching = [name for name in self.caches if name == key] or [n for n in self.caches if n.startswith(prefix)]
        if matching:
            shutil.copytree(self.caches[matching[-1]], workspace, dirs_exist_ok=True)

    def save(self, paths, workspace, key):
        """`actions/cache/save`: what the patterns match; a key that is there is never overwritten."""
        matches = [match for path in paths for match in workspace.glob(path)]
        if key in self.caches or not matches:
            return
        self.caches[key] = self._caches / str(len(self.caches))
        for match in matches:
            copy = self.caches[key] / match.relative_to(workspace)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(match, copy) if match.is_dir() else shutil.copy(match, copy)


class Job:
    """Runs the action's steps; `values` holds what expressions may name, as `steps.NAME.outputs.KEY`."""

    def __init__(self, github, folder, run_id, inputs):
        self._github = github
        self.folder = folder / "workspace"
        self._temporary = folder / "temporary"
        self._temporary.mkdir()
        self.summary = folder / "step_summary.md"
        self.values = {f"inputs.{name}": str(spec["default"]) for name, spec in ACTION["inputs"].items()}
        self.values |= {f"inputs.{name}": value for name, value in inputs.items()}
        self.values |= {"github.action_path": str(ROOT), "github.run_id": run_id, "github.run_attempt": "1"}
        self.ran: list[str] = []
        self.uploaded: list[str] = []

    def evaluate(self, text):
        """The text with its `${{ ... }}` filled in: names, `||`, `&&`, `!= 'text'` and `always()`."""

        def operand(word):
            name, _, other = (part.strip() for part in word.partition("!="))
            if other:
                return "true" if self.values.get(name, "skipped") != other.strip("'") else ""
            return "true" if name == "always()" else self.values.get(name, "")

        def value(match):
            result = ""
            for alternative in match[1].split("||"):
                for word in alternative.split("&&"):
                    result = operand(word.strip())
                    if not result:
                        break
                if result:
                    break
            return result

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def run(self, *, without="Install Assay", cancelled_after=""):
        """Runs the steps; after one that fails only those that say `always()`."""
        code = 0
        for step in ACTION["runs"]["steps"]:
            condition = step.get("if", "")
            if step.get("name") == without or (code and "always()" not in condition):
                continue
            if condition and not self.evaluate(condition):
                continue
            self.ran.append(step.get("name", step.get("uses")))
            ended = self._run_step(step) if "run" in step else self._play(step)
            self.values[f"steps.{step.get('id')}.outcome"] = "failure" if ended else "success"
            code = code or ended or (1 if step.get("name") == cancelled_after else 0)
        return code

    def _run_step(self, step):
        output = self._temporary / f"{step['name']}.output"
        output.touch()
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self._temporary),
            **{name: self.evaluate(text) for name, text in step.get("env", {}).items()},
        }
        shells = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], "python": ["python"]}
        script = self._temporary / "script"
        script.write_text(step["run"], encoding="utf-8")
        shell = [*shells[step["shell"]], str(script)]
        code = subprocess.run(shell, cwd=self.folder, env=environment, check=False).returncode
        self._read_outputs(step.get("id"), output.read_text(encoding="utf-8"))
        return code

    def _read_outputs(self, step, text):
        """As GitHub reads them: `name=value`, or `name<<END` with lines until END."""
        lines = iter(text.splitlines())
        for line in lines:
            if heredoc := re.fullmatch(r"([\w-]+)<<(.+)", line):
                value = list(takewhile(lambda part, end=heredoc[2]: part != end, lines))
                self.values[f"steps.{step}.outputs.{heredoc[1]}"] = "\n".join(value)
            else:
                name, _, value = line.partition("=")
                self.values[f"steps.{step}.outputs.{name}"] = value

    def _play(self, step):
        """The steps of others: the cache is a folder, an upload is noted."""
        used = step["uses"].partition("@")[0]
        values = {name: self.evaluate(text) for name, text in step["with"].items()}
        paths = values.get("path", "").splitlines()
        if used == "actions/cache/restore":
            assert paths
            self._github.restore(paths, self.folder, values["key"], values["restore-keys"])
        elif used == "actions/cache/save":
            assert paths
            self._github.save(paths, self.folder, values["key"])
        elif used == "actions/upload-artifact":
            self.uploaded = [path for path in paths if (self.folder / path).exists()]
        else:
            assert used == "actions/setup-python"
        return 0

    def report(self):
        """The JSON report of a suite as `assay init` writes it."""
        return json.loads((self.folder / "assay-reports/report.json").read_text(encoding="utf-8"))


@pytest.fixture
def github(tmp_path, monkeypatch):
    """A repository, and caches, in a folder of their own."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return GitHub(tmp_path)


def write_answers(github, worse=False):
    """24 answers of a helpdesk as a CSV file; worse ones have nothing to do with the question."""
    with (github.repository / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "answer", "context"])
        for sample in load_set("helpdesk_en")[:24]:
            answer = "Bananas sing quietly under purple mountains." if worse else sample.response
            rows.writerow([sample.user_input, answer, "\n".join(sample.retrieved_contexts)])


def type_init(github, assay, monkeypatch, *words):
    """Types `assay init answers.csv` in the repository."""
    with monkeypatch.context() as patched:
        patched.chdir(github.repository)
        assay("init", "answers.csv", *words, code=0)


@pytest.mark.extras
def test_a_fresh_repository_until_a_worse_chatbot_fails(github, assay, monkeypatch):
    write_answers(github)
    type_init(github, assay, monkeypatch)

    first = github.begin()
    assert first.run() == 0
    assert [gate["state"] for gate in first.report()["gates"]] == ["passed"] * 2 + ["no baseline"] * 3
    assert "no accepted run to compare with yet" in first.summary.read_text(encoding="utf-8")
    assert first.report()["accept"] == f"assay suite accept {first.report()['runs'][0]['run']}"

    accepting = github.begin(accept="true")
    assert accepting.run() == 0
    assert "Accepted: the next nightly runs are compared with this one." in accepting.summary.read_text("utf-8")
    accepted = accepting.report()["runs"][0]["run"]

    same = github.begin()
    assert same.run() == 0
    assert [gate["state"] for gate in same.report()["gates"]] == ["passed"] * 5
    assert same.report()["runs"][0]["accepted"] == accepted

    write_answers(github, worse=True)
    worse = github.begin()
    assert worse.run() == 5
    assert [gate["state"] for gate in worse.report()["gates"]] == ["passed"] * 2 + ["failed"] * 2 + ["passed"]
    assert worse.values["steps.run.outputs.exit-code"] == "5"
    text = worse.summary.read_text(encoding="utf-8")
    assert text.startswith("### ❌ Assay\n\n") and "\n- **Suite**: " in text
    assert sorted(worse.uploaded) == [
        f"assay-reports/{name}" for name in ("junit.xml", "report.json", "site", "summary.md")
    ]
    (junit,) = JUnitXml.fromfile(str(worse.folder / worse.values["steps.files.outputs.junit"]))
    assert (junit.tests, junit.failures) == (6, 2)
    assert len({case.name for case in junit}) == 6

    # the failed night was saved: the next one, still bad, counts four before it
    after = github.begin()
    assert after.run() == 5
    site = after.folder / "assay-reports/site"
    assert len(list(site.glob("night*-*.html"))) == 5

    # the change is meant: the gates on regressions do not fail the run that is the new baseline
    meant = github.begin(accept="true")
    assert meant.run() == 0
    assert meant.report()["verdict"] == "passed"
    last = github.begin()
    assert last.run() == 0
    assert last.report()["runs"][0]["accepted"] == meant.report()["runs"][0]["run"]


@pytest.mark.extras
def test_the_replies_of_a_night_that_failed_are_used_by_the_next(github, assay, judge_file, openai_server, monkeypatch):
    write_answers(github)
    shutil.move(judge_file("judge.yaml"), github.repository)
    type_init(github, assay, monkeypatch, "--judge", "judge.yaml", "--metrics", "faithfulness:claims=judge")
    assert github.begin(accept="true").run() == 0
    asked = len(openai_server.requests)
    assert asked == 48  # the claims of 24 answers, and their verdicts

    write_answers(github, worse=True)
    failing = github.begin()
    assert failing.run() == 5
    more = len(openai_server.requests) - asked
    assert more > 0
    assert failing.report()["spent"]["calls"] == more

    again = github.begin()
    assert again.run() == 5
    assert again.report()["spent"]["calls"] == 0
    assert len(openai_server.requests) == asked + more


def test_a_job_that_is_cancelled_saves_and_one_that_never_ran_the_suite_does_not(github, assay, monkeypatch):
    write_answers(github)
    type_init(github, assay, monkeypatch)
    assert github.begin().run(cancelled_after="Check the suite") == 1
    assert github.caches == {}
    assert github.begin().run(cancelled_after="Run the suite") == 1
    assert [key.rpartition("-1")[0].rpartition("-")[2] for key in github.caches] == ["1"]  # of the second job


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x1b", "\n" * 3])
@pytest.mark.parametrize("name", ACTION["inputs"])
def test_a_line_end_in_an_input_is_refused_before_anything_runs(github, name, end):
    """Nothing is installed, no output is written, and the message does not repeat the input."""
    job = github.begin(**{name: f"x{end}exit-code=0{end}::stop-commands::y"})
    assert job.run() == 1
    assert job.ran == ["Check the inputs"]
    assert not any(key.startswith("steps.") and ".outputs." in key for key in job.values)


@pytest.mark.parametrize("name", ["junit", "summary", "store"])
def test_a_line_end_in_a_path_of_the_suite_is_refused(github, name):
    path = "x\n../evil"
    suite = {"sets": "helpdesk_en", "metrics": "token_overlap"}
    suite |= {"store": path} if name == "store" else {"outputs": {name: path}}
    (github.repository / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    job = github.begin()
    assert job.run() == 1
    assert job.ran[-1] == "Check the suite"
    assert not any(".outputs." in key for key in job.values)


def test_no_step_has_an_expression_in_its_script():
    """GitHub fills `${{ }}` in before a shell reads the script: what an input says would be run."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 6
    assert [script for script in scripts if "${{" in script] == []
    text = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if re.match(r"\s*(- )?run:", line) and "${{" in line] == []


def test_every_action_is_pinned_by_a_commit():
    """Wherever `uses:` stands: in the action and in the documentation."""
    files = [ROOT / "action.yml", ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.rglob(".github/**/*.y*ml")]
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    lines = [(name, line) for name, text in texts.items() for line in re.findall(r"uses: +(\S.*)", text)]
    assert len(lines) == 8
    for name, line in lines:
        if not line.startswith("OWNER/assay@COMMIT"):  # of this repository, whose name and commit are not known here
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} +# v\d+\.\d+\.\d+", line), (name, line)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A wheel without code, installed into a folder: the step is run, and changes nothing for the other tests."""
    wheel = tmp_path / "assay_action_test-0-py3-none-any.whl"
    with ZipFile(wheel, "w") as file:
        info = "assay_action_test-0.dist-info"
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: assay-action-test\nVersion: 0\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "installed"))
    return wheel


@pytest.mark.extras
def test_the_package_is_installed_and_a_suite_without_outputs_runs(github, package):
    gate = {"gate": "mean", "metric": "token_overlap", "at_least": 0.5}
    suite = {"sets": "helpdesk_en", "metrics": "token_overlap", "gates": [gate]}
    (github.repository / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    job = github.begin(package=str(package))
    assert job.run(without="") == 0
    assert list((package.parent / "installed").glob("assay_action_test-*.dist-info"))
    assert "Publish the summary" not in job.ran
    assert not job.uploaded


def test_a_suite_that_cannot_be_read_stops_before_anything_is_asked(github):
    job = github.begin(suite="none.yaml")
    assert job.run() != 0
    assert job.ran == ["Check the inputs", SETUP_PYTHON, "Check the suite"]
