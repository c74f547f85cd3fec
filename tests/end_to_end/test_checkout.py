"""In a checkout, `assay` is this checkout, however it was installed there, and also where it was not."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
LINES = """
from assay import evaluate, __path__
results = evaluate("helpdesk_en", ["token_overlap"], progress=False)
import assay.metrics.faithfulness as module
print(module.__file__, len(results.scores))
"""
EXPECTED = f"{ROOT / 'metrics' / 'faithfulness.py'} 60"


class Environment(NamedTuple):
    """A new virtual environment with the libraries that Assay needs, and Assay installed in one way or not at all."""

    python: Path
    variables: dict[str, str]

    def run(self, *arguments, folder=ROOT):
        """What Python prints with these arguments."""
        done = subprocess.run(
            [self.python, *arguments], cwd=folder, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


INSTALLED = [pytest.param(way, marks=pytest.mark.extras) for way in ("plain", "editable")]


@pytest.fixture(scope="module", params=["not installed", *INSTALLED])
def environment(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # the libraries of this environment, without the .pth file of the editable installation that may be among them
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY"))}
    environment = Environment(python, variables | {"ASSAY_STORE": str(folder / "store")})
    packages = Path(environment.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
    (packages / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    if request.param != "not installed":
        options = ("--no-deps", "--no-build-isolation", "--target", packages)
        source = ("-e", ROOT) if request.param == "editable" else (request.getfixturevalue("wheel"),)
        command = [sys.executable, "-m", "pip", "install", "-q", *options, *source]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert installed.returncode == 0, installed.stderr
    return environment


def test_a_script_in_the_checkout(environment):
    """A user's first script: Python looks for modules in the folder where it stands. Linters do not meet it there."""
    script = ROOT / f".script_of_a_test_{os.getpid()}.py"
    script.write_text(LINES, encoding="utf-8")
    try:
        assert environment.run(script.name) == EXPECTED
    finally:
        script.unlink()


def test_a_benchmark(environment, tmp_path):
    """From anywhere, though Python looks for modules in `benchmarks/` alone."""
    assert "replay_speed.py" in environment.run(ROOT / "benchmarks" / "replay_speed.py", "--help", folder=tmp_path)


def test_the_command(environment):
    run = json.loads(environment.run("-m", "assay", "run", "helpdesk_en", "--metrics", "token_overlap", "--json"))
    assert run["metrics"]["token_overlap"]["n"] == 60


def test_a_notebook(environment, tmp_path, monkeypatch):
    import nbclient  # a second, which collecting the tests need not take
    import nbformat

    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [str(environment.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specification = {"argv": command, "display_name": "Python", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(specification), encoding="utf-8")
    for name in os.environ.keys() - environment.variables.keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LINES)])
    resources = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=100, resources=resources).execute()
    assert "".join(output.text for output in notebook.cells[0].outputs).strip() == EXPECTED
