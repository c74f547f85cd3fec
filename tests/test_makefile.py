"""What CI runs: first the README's two commands as a newcomer types them, and only then what needs more."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci" / "run"


def ci_lines():
    lines = (line.strip() for line in CI.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def made_by(target):
    """The commands that a target runs in a checkout in which nothing was made yet."""
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_ci_begins_with_the_readmes_commands_in_a_fresh_environment():
    """Before them it only refuses to run where an environment exists, and installs nothing."""
    lines = ci_lines()
    before = " ".join(lines[: lines.index("make demo")])
    assert "[ -e .venv ]" in before
    assert not re.search(r"\bpip\b|install|make |fetch|apt-get", before)
    assert lines[lines.index("make demo") + 1] == "make test"


def test_ci_runs_everything_after_them():
    makes = [line.partition("#")[0].split("=target ")[-1] for line in ci_lines() if line.startswith("make ")]
    side_by_side = [".venv/extras .venv/served distribution", "test-extras against types docs lint"]
    assert makes == ["make demo", "make test", *side_by_side]


def test_ci_refuses_a_used_environment(tmp_path):
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".venv").mkdir()
    copy = tmp_path / ".ci" / "run"
    copy.write_text(CI.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(["bash", copy], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(".venv is here already")


def test_the_readmes_command_installs_no_extras_for_its_tests():
    assert "torch" not in made_by("test")
    assert "torch" in made_by("test-extras")


@pytest.mark.parametrize(
    ("target", "marks"),
    [("test", "not slow and not extras"), ("test-extras", "extras and not slow"), ("test-slow", "slow and not extras")],
)
def test_the_tests_that_need_more_run_alone(target, marks):
    (command,) = [line for line in made_by(target).splitlines() if "-m pytest" in line]
    assert f'-m "{marks}"' in command
