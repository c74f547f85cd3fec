"""A folder's size may only fall until its budget is met: `python tests/test_sizes.py --write` commits what fell.

`sizes.yaml` holds, per folder, the budget in lines and what it has today: lines of Python and stubs, record types, and
files under 80 lines with one caller. To raise a figure is a commit of its own that names the cause and the gain.
"""

import argparse
import ast
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_house import nodes, relative_imports

ROOT = Path(__file__).parents[1]
SIZES = Path(__file__).with_name("sizes.yaml")
LEFT_BEHIND = 0.98
"""A committed number of lines is lowered when less than this share of it is left."""
RECORD_BASES = {"NamedTuple", "TypedDict", "BaseModel"}
SHORT_FILE = 80


def code_files(folder: str, *endings: str) -> list[Path]:
    return sorted(path for ending in endings for path in (ROOT / folder).rglob(f"*{ending}"))


def count_lines(folder: str) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in code_files(folder, ".py", ".pyi"))


def is_record_type(node: ast.ClassDef) -> bool:
    """Whether a class only holds values: a dataclass, named tuple or model that has no methods but properties."""
    marks = {ast.unparse(mark).partition("(")[0].rpartition(".")[2] for mark in node.decorator_list}
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    properties = {"property", "cached_property"}
    return ("dataclass" in marks or bool(RECORD_BASES & bases)) and all(
        properties & {ast.unparse(mark).rpartition(".")[2] for mark in method.decorator_list} for method in methods
    )


def count_record_types(folder: str) -> int:
    listed = [node for path in code_files(folder, ".py") for node in nodes(path)]
    return sum(isinstance(node, ast.ClassDef) and is_record_type(node) for node in listed)


def imported_names(path: Path) -> set[tuple[str, ...]]:
    """Everything that a file of the package imports relatively: modules, and names of them."""
    names = set(relative_imports(path))
    return names | {name[:-1] for name in names}


@cache
def short_files_with_one_caller() -> dict[str, list[str]]:
    """The files under 80 lines that one other file imports, and no entry point names, by folder."""
    callers: dict[tuple[str, ...], set[Path]] = {}
    for folder in PACKAGE:
        for path in code_files(folder, ".py"):
            for name in imported_names(path):
                callers.setdefault(name, set()).add(path)
    entry_points = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    short: dict[str, list[str]] = {folder: [] for folder in PACKAGE}
    for folder in PACKAGE:
        for path in code_files(folder, ".py"):
            name = path.relative_to(ROOT).with_suffix("").parts
            name = name[1:] if name[0] == "assay" else name
            is_short = len(path.read_bytes().splitlines()) < SHORT_FILE and path.stem != "__init__"
            if is_short and len(callers.get(name, ())) == 1 and f"assay.{'.'.join(name)}:" not in entry_points:
                short[folder].append(str(path.relative_to(ROOT)))
    return short


def sizes() -> dict[str, dict[str, int]]:
    return yaml.safe_load(SIZES.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


FOLDERS = list(sizes())
PACKAGE = [folder for folder in FOLDERS if folder not in ("tests", "benchmarks")]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_no_more_lines_than_it_had(folder: str) -> None:
    lines, committed, budget = count_lines(folder), sizes()[folder]["lines"], sizes()[folder]["budget"]
    limit = max(committed, budget)
    assert lines <= limit, f"{folder} has {lines} lines, {limit} are allowed: take out before you build"
    if committed > budget:
        assert lines >= LEFT_BEHIND * committed, f"{folder} has {lines} lines of {committed}: {lower()}"


@pytest.mark.parametrize("folder", PACKAGE)
def test_a_folder_has_no_more_record_types_than_it_had(folder: str) -> None:
    count, committed = count_record_types(folder), sizes()[folder]["record_types"]
    assert count <= committed, f"{folder} has {count} record types, {committed} are allowed: which one could it be?"


@pytest.mark.parametrize("folder", PACKAGE)
def test_a_short_file_lives_with_its_only_caller(folder: str) -> None:
    files, committed = short_files_with_one_caller()[folder], sizes()[folder]["short_files"]
    assert len(files) <= committed, f"{committed} are allowed, these are {len(files)}: {', '.join(files)}"


def lower() -> str:
    return "commit the lower figure: python tests/test_sizes.py --write"


def measured(before: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The figures of today where they are lower than those committed before."""
    short = short_files_with_one_caller()
    after = {}
    for folder, figures in before.items():
        today: dict[str, Any] = {"budget": figures["budget"], "lines": count_lines(folder)}
        if folder in PACKAGE:
            today |= {"record_types": count_record_types(folder), "short_files": len(short[folder])}
        after[folder] = {name: min(value, figures.get(name, sys.maxsize)) for name, value in today.items()}
    return after


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="commit the figures that fell")
    after = measured(sizes())
    print(yaml.safe_dump(after, sort_keys=False, default_flow_style=None))
    if parser.parse_args().write:
        comment = "".join(line for line in SIZES.read_text(encoding="utf-8").splitlines(True) if line.startswith("#"))
        SIZES.write_text(comment + yaml.safe_dump(after, sort_keys=False, default_flow_style=None), encoding="utf-8")
