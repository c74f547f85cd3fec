"""How this installation was made: what it registers and needs, and the command that adds an extra to it.

In a checkout `pyproject.toml` says what Assay registers and needs: what is installed may be older, or nothing.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import resources
from importlib.metadata import (
    EntryPoint,
    PackageNotFoundError,
    distribution,
    entry_points,
)
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .errors import AssayError, UsageError
from .value_messages import join_words

# `pandas>=2.2; extra == "numeric"`, `assay[bleu,numeric]; extra == "generation"`
_OF_AN_EXTRA = re.compile(r"(?P<name>[\w.-]+)(?:\[(?P<extras>[^]]*)])?.*;.*extra == [\"'](?P<extra>[\w-]+)[\"']")


@contextmanager
def require_extra(extra: str, purpose: str) -> Iterator[None]:
    """Makes an import of an extra that is not installed an error that says how to install it.

    Example:
        >>> with require_extra("generation", "reading a PDF"):
        ...     import json
    """
    try:
        yield
    except ImportError as error:
        missing = f"{error.name} is missing" if isinstance(error, ModuleNotFoundError) else str(error)
        raise UsageError(f"{purpose} needs the extra `{extra}` ({missing}): {install_command(extra)}") from error


def require_packages(extra: str, purpose: str) -> None:
    """Checks that the packages of an extra are installed, without importing them."""
    if missing := missing_packages(extra):
        names = ", ".join(missing)
        raise UsageError(f"{purpose} needs the extra `{extra}` (missing: {names}): {install_command(extra)}")


@cache
def missing_packages(extra: str) -> tuple[str, ...]:
    """Returns the packages of an extra, and of the extras that it includes, that are not installed."""
    missing: list[str] = []
    for requirement in _own_requirements():
        match = _OF_AN_EXTRA.match(requirement)
        if match is None or match["extra"] != extra:
            continue
        if match["name"].lower() == "assay":
            missing += [name for included in match["extras"].split(",") for name in missing_packages(included.strip())]
        elif not _is_installed(match["name"]):
            missing.append(match["name"])
    return tuple(dict.fromkeys(missing))


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def install_command(extra: str) -> str:
    """Returns the command that adds an extra to this installation, wherever it was installed from."""
    return pip_command(*_requirement(extra, _origin()))


@cache
def registered_entries(group: str) -> Mapping[str, EntryPoint]:
    """Returns what Assay and other packages register in a group of entry points, by name, sorted.

    Example:
        >>> registered_entries("assay.metrics")["faithfulness"].value
        'assay.metrics.faithfulness:Faithfulness'
    """
    project = _checkout_project()
    entries: dict[str, EntryPoint] = {}
    if project is not None:
        own = project["entry-points"].get(group, {})
        entries = {name: EntryPoint(name, value, group) for name, value in own.items()}
    for entry in entry_points(group=group):
        is_own = entry.dist is not None and entry.dist.name == "assay"
        if is_own and project is not None:
            continue  # pyproject.toml said so already
        if entry.name in entries and entries[entry.name].value != entry.value:
            owners = sorted(_owner(rival) for rival in (entry, entries[entry.name]))
            raise UsageError(f"{entry.name} is registered in {group} by two packages: {' and '.join(owners)}")
        entries[entry.name] = entry
    return dict(sorted(entries.items()))


def load_entry(entry: EntryPoint) -> Any:
    """Imports what an entry point names."""
    try:
        return entry.load()
    except AssayError:
        raise
    except Exception as error:  # another package's module may fail in any way
        raise _explain_failed_import(entry, error) from error


def entry_folder(entry: EntryPoint) -> Traversable:
    """Returns the folder of the package that an entry point names, without importing that package itself."""
    parent, _, name = entry.value.rpartition(".")
    try:
        return resources.files(parent).joinpath(name) if parent else resources.files(name)
    except Exception as error:  # another package's module may fail in any way
        raise _explain_failed_import(entry, error) from error


def _explain_failed_import(entry: EntryPoint, error: Exception) -> UsageError:
    registered = f"{entry.name} is registered in {entry.group} by the package {_owner(entry)} as {entry.value}"
    return UsageError(f"{registered}, which cannot be imported: {type(error).__name__}: {error}")


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "assay"


@cache
def _checkout_project() -> Mapping[str, Any] | None:
    """The table `project` of the checkout's `pyproject.toml`; None in an installed package."""
    folder = Path(__file__).parent
    if (folder / "languages").is_dir():
        return None
    with (folder.parent / "pyproject.toml").open("rb") as file:
        project: Mapping[str, Any] = tomllib.load(file)["project"]
    return project


def _own_requirements() -> list[str]:
    project = _checkout_project()
    if project is None:
        return distribution("assay").requires or []
    extras = project["optional-dependencies"]
    return [f'{line} ; extra == "{extra}"' for extra, lines in extras.items() for line in lines]


def _origin() -> dict[str, Any] | None:
    """Where Assay was installed from (PEP 610); a checkout that is not installed counts as installed from there."""
    try:
        recorded = distribution("assay").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    if recorded is None and _checkout_project() is not None:  # what a build left there says nothing of where it is from
        return {"url": Path(__file__).parents[1].as_uri(), "dir_info": {"editable": True}}
    return json.loads(recorded) if recorded else None


def pip_command(*arguments: str) -> str:
    """Returns the command that runs `pip install` for the Python that runs now."""
    if find_spec("pip") is None:  # as in a tool's environment made by uv
        return join_words("uv", "pip", "install", "--python", sys.executable, *arguments)
    return python_command("-m", "pip", "install", *arguments)


def python_command(*arguments: str) -> str:
    """Returns the command that runs the Python that runs now with these arguments."""
    return join_words(sys.executable, *arguments)


def _requirement(extra: str, origin: dict[str, Any] | None) -> tuple[str, ...]:
    """pip's arguments for the extra, by the content of `direct_url.json` (PEP 610); None: from a package index."""
    if origin is None:
        return (f"assay[{extra}]",)
    url: str = origin["url"]
    if vcs := origin.get("vcs_info"):
        return (f"assay[{extra}] @ {vcs['vcs']}+{url}@{vcs['commit_id']}",)
    if urlsplit(url).scheme != "file":
        return (f"assay[{extra}] @ {url}",)
    path = f"{Path(url2pathname(urlsplit(url).path))}[{extra}]"
    return ("-e", path) if origin.get("dir_info", {}).get("editable") else (path,)
