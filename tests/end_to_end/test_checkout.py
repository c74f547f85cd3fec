"""In a checkout, `assay` is this checkout, however it was installed there, and also where it was not."""

import json
import os
import site
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import nbclient
import nbformat
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

    def run(self, *arguments: str | Path, folder: Path = ROOT) -> str:
        """What Python prints with these arguments."""
        done = subprocess.run(
            [self.python, *arguments], cwd=folder, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module", params=["plain", "editable", "not installed"])
def environment(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # the libraries of this environment, without the .pth file of the editable installation that may be among them
    libraries = [path for path in site.getsitepackages() if Path(path).is_dir()]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY"))}
    environment = Environment(python, variables | {"ASSAY_STORE": str(folder / "store")})
    packages = Path(environment.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
    (packages / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    if request.param != "not installed":
        options = ("--no-deps", "--no-build-isolation", "--target", packages)
        source = ("-e", ROOT) if request.param == "editable" else (wheel,)
        command = [sys.executable, "-m", "pip", "install", "-q", *options, *source]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert installed.returncode == 0, installed.stderr
    return environment


def test_a_line_of_python(environment: Environment) -> None:
    assert environment.run("-c", LINES) == EXPECTED


def test_a_script_in_the_checkout(environment: Environment) -> None:
    """Where benchmarks and a user's first script stand: Python looks for modules in the script's own folder."""
    script = ROOT / ".script_of_a_test.py"
    script.write_text(LINES, encoding="utf-8")
    try:
        assert environment.run(script.name) == EXPECTED
    finally:
        script.unlink()


def test_a_benchmark(environment: Environment, tmp_path: Path) -> None:
    """From anywhere, though Python looks for modules in `benchmarks/` alone."""
    assert "startup.py" in environment.run(ROOT / "benchmarks" / "startup.py", "--help", folder=tmp_path)


def test_the_command(environment: Environment) -> None:
    run = json.loads(environment.run("-m", "assay", "run", "helpdesk_en", "--metrics", "token_overlap", "--json"))
    assert run["metrics"]["token_overlap"]["n"] == 60
    meta = json.loads(environment.run("-m", "assay", "meta", "last", "--bootstrap", "100", "--repeats", "1", "--json"))
    assert meta["metrics"][0]["n"] == 60


def test_a_notebook(environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
