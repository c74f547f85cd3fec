"""Each published figure has a command that exists, code that exists, and a page that quotes it."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent


def load_script() -> ModuleType:
    """The command `benchmarks/published_figures.py` as a module."""
    sys.path.insert(0, str(ROOT / "benchmarks"))  # the scripts there import each other
    try:
        spec = importlib.util.spec_from_file_location("published_figures", ROOT / "benchmarks/published_figures.py")
        assert spec is not None
        assert spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
    finally:
        sys.path.pop(0)
    return script


script = load_script()
FIGURES = {figure.id: figure for figure in script.read_figures()}


def test_each_figure_stands_once() -> None:
    assert len(FIGURES) == len(script.read_figures())


@pytest.mark.parametrize("name", FIGURES)
def test_page_quotes_the_figure(name: str) -> None:
    figure = FIGURES[name]
    page = (ROOT / figure.quoted_in).read_text(encoding="utf-8")
    assert " ".join(figure.text.split()) in " ".join(page.split())


@pytest.mark.parametrize("name", FIGURES)
def test_command_and_code_exist(name: str) -> None:
    figure = FIGURES[name]
    program, *words = figure.command.split()
    if program == "python":
        assert (ROOT / words[0]).is_file()
        assert words[0].startswith("benchmarks/")
    else:
        assert program in {"assay", "pip"}
    for path in figure.code:
        assert (ROOT / path).exists(), path


def git(folder: Path, *words: str) -> str:
    """Runs git in a folder as a user of its own."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_figure_is_old_when_its_code_changed_since(tmp_path: Path) -> None:
    """Two files, three commits: the figure measures `a.py`, which the second changes; the third changes `b.py`."""
    git(tmp_path, "init", "-q")
    commits = []
    for file, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "1")):
        (tmp_path / file).write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", file)
        commits.append(git(tmp_path, "rev-parse", "--short", "HEAD"))
    entry: dict[str, object] = {
        "id": "f",
        "text": "10 a second",
        "quoted_in": "p.md",
        "command": "python benchmarks/a.py",
    }
    file = tmp_path / "figures.yaml"
    file.write_text(
        yaml.safe_dump([entry | {"commit": commit, "date": "2026-01-01", "code": ["a.py"]} for commit in commits])
    )
    first, second, third = script.read_figures(file)
    assert script.find_last_change(first, tmp_path).startswith(f"{commits[1]}, ")
    assert script.find_last_change(second, tmp_path) == ""
    assert script.find_last_change(third, tmp_path) == ""
    unknown = first.model_copy(update={"commit": "0123456"})
    assert script.find_last_change(unknown, tmp_path).startswith("unknown")
