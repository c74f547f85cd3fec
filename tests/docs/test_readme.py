"""Python examples of the documentation run as printed: those of the README as scripts and as a notebook too.

Notebooks print what is stored in them, and commands work wherever Assay is installed: none has a path into a checkout.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documented_pages import PAGES

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = PYTHON.findall(README)


@pytest.fixture
def folder(tmp_path, openai_server, monkeypatch):
    """A folder with the README's answers.csv; OpenAI's address is that of the server on this machine."""
    (csv,) = re.findall(r"^```csv\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    (tmp_path / "answers.csv").write_text(csv, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_BASE", openai_server.api_base)  # litellm's variable
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.api_base)  # that of the package openai
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_is_an_evaluation_and_a_metric_of_your_own():
    assert len(EXAMPLES) == 2
    assert 'evaluate("answers.csv", ["faithfulness"' in EXAMPLES[0]
    assert "@metric" in EXAMPLES[1]


@pytest.fixture
def run_script(folder, warm_python):
    """Runs Python code as a script in the folder; gives what it prints."""

    def run(code):
        (folder / "example.py").write_text(code, encoding="utf-8")
        process = warm_python.run("example.py", cwd=folder)
        assert process.returncode == 0, process.stderr
        return process.stdout

    return run


def test_the_metric_of_your_own_runs_as_a_script(run_script):
    """The first answer has 13 words, the second 5: one of two is short."""
    assert run_script(EXAMPLES[1]) == "0.5\n"


@pytest.mark.extras  # the kernel loads all anew
def test_the_examples_run_as_a_notebook(folder, monkeypatch):
    """In one kernel, which loads all anew and whose event loop runs already."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    kernel = folder / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specification = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(specification), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", os.fspath(folder / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", os.fspath(folder / "ipython"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(example) for example in EXAMPLES])
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=100).execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    printed = "".join(output["text"] for output in outputs if output.get("name") == "stdout")
    assert printed.startswith("Results of 2 samples\n  faithfulness: mean ")
    assert printed.endswith("0.5\n")


PYTHON_PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_page_on_python_runs(folder, run_script):
    """All examples one after another, as in one script; the last one is a test for pytest."""
    *examples, assertion = PYTHON.findall(PYTHON_PAGE)
    printed = run_script("\n".join(examples)).splitlines()
    assert printed[0] == "Results of 2 samples"
    assert any(line.startswith("answers-1  (en)") for line in printed)
    (calls,) = [int(line) for line in printed if line.isdigit()]
    assert calls >= 2  # at least one question about each of the two answers reached the function
    assert printed[printed.index(str(calls)) + 1] == "0.5"  # by rules: one of two statements is in the context
    assert any("faithfulness_reason" in line or "answers-2" in line for line in printed)  # the DataFrame
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--assay-judge", "openai/gpt-4o-mini"]

    def run_pytest(code):
        (folder / "test_answers.py").write_text(code, encoding="utf-8")
        words = [*command, "--assay-mode", "off", "test_answers.py"]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)

    passed = run_pytest(assertion)
    assert passed.returncode == 0, passed.stdout
    failed = run_pytest(assertion.replace('"It is free."', '"Lunch costs money."'))
    assert failed.returncode == 1, failed.stdout
    assert "faithfulness is 0, below 0.8" in failed.stdout


IN_CHECKOUT = re.compile(r"(?<![\w/.:-])(?:cassettes|eval_sets|judges|prompts|languages)/[\w{*]+[\w{}.*-]*")
# `generation/leaflets` stands on a page that says that it needs the checkout, for a file of the benchmarks
COMMAND = re.compile(r"^(?:    |<!-- run: )?(?:\$ )?(?:\w+ = )?(?:assay|sed|cp|cat|python -m assay) ")
FROM_INDEX = re.compile(r"pip install (?:-\S+ )*[\"']?assay\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_has_a_path_into_the_checkout(page):
    """Bundled recordings are `bundled:NAME`; a bundled prompt is copied with `assay judges prompts copy`."""
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if COMMAND.match(line) and IN_CHECKOUT.search(line)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pip_installs_from_a_checkout_until_there_is_a_release(page):
    assert FROM_INDEX.findall(page.read_text(encoding="utf-8")) == []


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
