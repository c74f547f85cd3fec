"""Python examples of the documentation run as printed: those of the README as scripts and as a notebook too."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
