"""How this installation was made: the command that adds an extra to it, and the error where an extra is missing."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .errors import UsageError


@contextmanager
def require_extra(extra: str, purpose: str) -> Iterator[None]:
    """Makes an import of an extra that is not installed an error that says how to install it.

    Args:
        extra: The extra that brings the library.
        purpose: What needs it, as the subject of a sentence.

    Raises:
        UsageError: A module cannot be imported.

    >>> with require_extra("generation", "reading a PDF"):
    ...     import json
    """
    try:
        yield
    except ImportError as error:
        missing = f"{error.name} is missing" if isinstance(error, ModuleNotFoundError) else str(error)
        raise UsageError(f"{purpose} needs the extra `{extra}` ({missing}): {install_command(extra)}") from error


def install_command(extra: str) -> str:
    """Returns the command that adds an extra to this installation, wherever it was installed from.

    Args:
        extra: The name of the extra, such as `generation`.
    """
    recorded = distribution("assay").read_text("direct_url.json")
    return pip_command(*_requirement(extra, json.loads(recorded) if recorded else None))


def pip_command(*arguments: str) -> str:
    """Returns the command that runs `pip install` for the Python that runs now.

    Args:
        arguments: What follows `pip install`.
    """
    words = " ".join(_quoted(argument) for argument in arguments)
    if find_spec("pip") is None:  # as in a tool's environment made by uv
        return f"uv pip install --python {_quoted(sys.executable)} {words}"
    return f"{_quoted(sys.executable)} -m pip install {words}"


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
