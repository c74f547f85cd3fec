"""Runs the notebooks of docs/notebooks and stores what they print: `python docs/run_notebooks.py` (extra `dev`).

Each runs in an empty folder, without a key and without a network. A test runs them in the same way and compares.
"""

import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbclient
import nbformat

NOTEBOOKS = Path(__file__).parent / "notebooks"
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}(-\d+)?")


def run_notebook(path: Path, folder: Path) -> Any:
    """Returns a notebook as it is after a fresh execution.

    Args:
        path: The notebook.
        folder: An empty folder, for the files that it writes and for Jupyter's own.
    """
    kernel, work = folder / "jupyter" / "kernels" / "python3", folder / "work"
    for place in (kernel, work):
        place.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specification = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(specification), encoding="utf-8")
    os.environ |= {"JUPYTER_PATH": str(folder / "jupyter"), "IPYTHONDIR": str(folder / "ipython")}
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(work)}}
    )
    client.execute()
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":  # warnings of other libraries name files of this machine
            cell.outputs = [output for output in cell.outputs if ".py:" not in output.get("text", "")]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def texts_of(notebook: Any) -> list[str]:
    """Returns what each cell with code printed on standard output, with one id in place of every run's."""
    return [
        _RUN.sub("RUN", "".join(output.text for output in cell.outputs if output.get("name") == "stdout"))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def main() -> None:
    """Runs all notebooks, or those that are named, and writes them."""
    for path in [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        with TemporaryDirectory() as folder:
            nbformat.write(run_notebook(path, Path(folder)), path)


if __name__ == "__main__":
    main()
