"""The notebooks print what is stored in them: each is run in an empty folder, without a key."""

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def runner(monkeypatch):
    """The module that runs notebooks; without keys, and with this environment's command `assay`."""
    for library in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(library)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", os.fspath(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("JUPYTER_PATH", "")  # they come back after the test, which sets them
    monkeypatch.setenv("IPYTHONDIR", "")
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("run_notebooks")


@pytest.mark.extras  # each kernel loads all anew
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_prints_what_is_stored(path, runner, tmp_path):
    """To store what it prints now: `python docs/run_notebooks.py`."""
    if "ragas" in path.stem:
        pytest.importorskip("ragas")
        pytest.importorskip("rouge_score")
    stored = runner.nbformat.read(path, as_version=4)
    assert runner.texts_of(runner.run_notebook(path, tmp_path)) == runner.texts_of(stored)


def test_there_are_three_and_what_they_store_is_of_no_machine():
    assert [path.stem for path in NOTEBOOKS] == ["coming_from_ragas", "own_data", "scorer_in_ci"]
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert os.fspath(Path.home()) not in text
        assert "site-packages" not in text
        cells = json.loads(text)["cells"]
        assert all(cell["outputs"] for cell in cells if "print(" in "".join(cell["source"]) and "outputs" in cell)


def test_a_gate_fails_on_the_bad_night():
    """The reader sees both ends: the night with right answers passes, that with 30 bad ones of 40 does not."""
    text = (ROOT / "docs" / "notebooks" / "scorer_in_ci.ipynb").read_text(encoding="utf-8")
    assert text.index('"passed\\n"') < text.index('"gate failed\\n"')
