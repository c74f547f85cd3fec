"""The GitHub Action: each of its own steps is run as a runner would, with the outputs of the steps before it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from junitparser import JUnitXml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.name == "nt", reason="the steps are for bash"),
]


class Runner:
    """Runs the action's `run` steps in a folder; `outputs` are those of the steps, as `steps.NAME.outputs.KEY`."""

    def __init__(self, folder: Path, **inputs: str) -> None:
        self.folder = folder
        self.temporary = folder / "runner"
        self.temporary.mkdir()
        self.values = {f"inputs.{name}": str(spec["default"]) for name, spec in ACTION["inputs"].items()}
        self.values |= {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(ROOT)}
        self.summary = folder / "step_summary.md"
        self.ran: list[str] = []

    def evaluate(self, text: str) -> str:
        """The text with its `${{ a || b }}` and `${{ always() && a }}` filled in."""

        def value(match: re.Match[str]) -> str:
            words = [word for word in re.split(r"\s*(?:\|\||&&)\s*", match[1].strip()) if word != "always()"]
            return next((value_of_word for word in words if (value_of_word := self.values.get(word, ""))), "")

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def run(self, without: str = "") -> int:
        """Runs the steps but one to the end, or to the first that fails; the last exit code."""
        for step in ACTION["runs"]["steps"]:
            if "run" not in step or step["name"] == without or ("if" in step and not self.evaluate(step["if"])):
                continue
            output = self.temporary / f"{step['name']}.output"
            output.touch()
            environment = os.environ | {
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "RUNNER_TEMP": str(self.temporary),
                **{name: self.evaluate(text) for name, text in step.get("env", {}).items()},
            }
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            code = subprocess.run(shell, cwd=self.folder, env=environment, check=False).returncode
            self.ran.append(step["name"])
            for line in output.read_text(encoding="utf-8").splitlines():
                name, _, value = line.partition("=")
                self.values[f"steps.{step.get('id')}.outputs.{name}"] = value
            if code:
                return code
        return 0


def write_suite(folder: Path, at_least: float) -> None:
    suite: dict[str, Any] = {
        "sets": "helpdesk_en",
        "metrics": "token_overlap",
        "gates": [{"gate": "mean", "metric": "token_overlap", "at_least": at_least}],
        "outputs": {"junit": "out/junit.xml", "summary": "out/summary.md"},
    }
    (folder / "nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


@pytest.mark.parametrize(("at_least", "code", "title"), [(0.5, 0, "all gates passed"), (0.99, 5, "a gate failed")])
def test_the_steps_run_the_suite_and_publish_what_it_writes(
    tmp_path: Path, package: Path, at_least: float, code: int, title: str
) -> None:
    write_suite(tmp_path, at_least)
    runner = Runner(tmp_path, package=str(package))
    assert runner.run() == code
    assert list((tmp_path / "installed").glob("assay_action_test-*.dist-info"))
    assert runner.values["steps.run.outputs.exit-code"] == str(code)
    assert title in runner.summary.read_text(encoding="utf-8")
    (suite,) = JUnitXml.fromfile(runner.values["steps.files.outputs.junit"])
    assert suite.failures == (code == 5)
    assert runner.values["steps.files.outputs.site"] == ""
    assert (tmp_path / ".assay").is_dir()  # what the cache keeps


def test_without_a_package_the_actions_own_checkout_is_installed(tmp_path: Path) -> None:
    (install,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == "Install Assay")
    assert Runner(tmp_path).evaluate(install["env"]["PACKAGE"]) == str(ROOT)


def test_a_suite_that_cannot_be_read_stops_before_anything_is_asked(tmp_path: Path) -> None:
    runner = Runner(tmp_path, suite="none.yaml")
    assert runner.run(without="Install Assay") != 0
    assert runner.ran == ["Check the suite"]


def test_the_cache_and_the_artifact_take_what_the_steps_write() -> None:
    uses = {step["uses"].partition("@")[0]: step["with"] for step in ACTION["runs"]["steps"] if "uses" in step}
    assert ".assay" in uses["actions/cache"]["path"].split()
    assert "steps.files.outputs.junit" in uses["actions/upload-artifact"]["path"]
