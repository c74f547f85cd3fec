"""How this installation was made: the command that adds an extra to it, and the error where an extra is missing."""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .errors import UsageError

# `pandas>=2.2; extra == "numeric"`, `assay[bleu,numeric]; extra == "generation"`
_OF_AN_EXTRA = re.compile(r"(?P<name>[\w.-]+)(?:\[(?P<extras>[^]]*)])?.*;.*extra == [\"'](?P<extra>[\w-]+)[\"']")


@contextmanager
def require_extra(extra: str, purpose: str) -> Iterator[None]:
    """Makes an import of an extra that is not installed an error that says how to install it.

    Args:
        extra: The extra that brings the library.
        purpose: What needs it, as the subject of a sentence.

    Raises:
        UsageError: A module cannot be imported.

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
    """Checks that the packages of an extra are installed, without importing them.

    Args:
        extra: The extra, whose packages are read from the installed metadata of Assay.
        purpose: What needs it, as the subject of a sentence.

    Raises:
        UsageError: A package is missing.
    """
    if missing := missing_packages(extra):
        names = ", ".join(missing)
        raise UsageError(f"{purpose} needs the extra `{extra}` (missing: {names}): {install_command(extra)}")


@cache
def missing_packages(extra: str) -> tuple[str, ...]:
    """Returns the packages of an extra, and of the extras that it includes, that are not installed."""
    missing: list[str] = []
    for requirement in own_distribution().requires or ():
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
    """Returns the command that adds an extra to this installation, wherever it was installed from.

    Args:
        extra: The name of the extra, such as `generation`.
    """
    recorded = own_distribution().read_text("direct_url.json")
    return pip_command(*_requirement(extra, json.loads(recorded) if recorded else None))


def own_distribution() -> Distribution:
    """Returns the metadata of this installation of Assay.

    A build leaves an `assay.egg-info` in a checkout, which Python finds first there and which may be old: metadata that
    says where it was installed from comes before it.
    """
    installed = [each for each in distributions(name="assay") if each.read_text("direct_url.json")]
    return installed[0] if installed else distribution("assay")


def pip_command(*arguments: str) -> str:
    """Returns the command that runs `pip install` for the Python that runs now.

    Args:
        arguments: What follows `pip install`.
    """
    if find_spec("pip") is None:  # as in a tool's environment made by uv
        return " ".join(map(_quoted, ("uv", "pip", "install", "--python", sys.executable, *arguments)))
    return python_command("-m", "pip", "install", *arguments)


def python_command(*arguments: str) -> str:
    """Returns the command that runs the Python that runs now with these arguments."""
    return " ".join(map(_quoted, (sys.executable, *arguments)))


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


def _quoted(argument: str) -> str:
    if os.name == "nt":
        return f'"{argument}"' if set(argument) & set(" []<>&|@") else argument
    return shlex.quote(argument)
