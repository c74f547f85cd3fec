"""litellm is imported in one place, which keeps it off the network."""

import ast
from collections.abc import Iterator
from pathlib import Path

from test_house import syntax_tree

ROOT = Path(__file__).parents[2]
LOADER = Path("judges/litellm_lookup.py")


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def test_only_the_loader_imports_litellm():
    folders = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name not in {"tests", "build"}]
    files = [path for folder in [*folders, ROOT / "benchmarks"] for path in folder.rglob("*.py")]
    importing = {
        path.relative_to(ROOT)
        for path in files
        if any(module.partition(".")[0] == "litellm" for module in imported_modules(path))
    }
    assert importing == {LOADER}


def test_the_loader_reaches_no_network_and_turns_telemetry_off(warm_python):
    """The process has loaded it already, under a guard that ends it if it reaches for another machine."""
    script = (
        "from assay.judges.litellm_lookup import load_litellm\n"
        "litellm = load_litellm()\n"
        "print(litellm.telemetry, litellm.suppress_debug_info, bool(litellm.model_cost))\n"
    )
    done = warm_python.run("-c", script)
    assert (done.returncode, done.stdout) == (0, "False True True\n"), done.stderr
