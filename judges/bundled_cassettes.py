"""The recordings that come with Assay: `bundled:NAME` where the file of a cassette is named."""

from importlib import resources
from pathlib import Path

from ..errors import InputError

PREFIX = "bundled:"


def is_bundled(path: str | Path) -> bool:
    """Returns whether a cassette is named as a bundled one.

    Example:
        >>> is_bundled("bundled:helpdesk.qwen1.5b.jsonl"), is_bundled("replies.jsonl")
        (True, False)
    """
    return str(path).startswith(PREFIX)


def bundled_cassette(name: str | Path) -> Path:
    """Returns the file of a bundled cassette.

    Args:
        name: Its name after `bundled:`, such as `bundled:helpdesk.qwen1.5b.jsonl`.

    Raises:
        InputError: No bundled cassette has this name.
    """
    folder = Path(str(resources.files("assay.cassettes")))
    path = folder / str(name).removeprefix(PREFIX)
    known = sorted(file.name for file in folder.glob("*.jsonl"))
    if path.name not in known or path.parent != folder:
        raise InputError(f"{name}: no such cassette is bundled; the bundled ones are {', '.join(known)}")
    return path
