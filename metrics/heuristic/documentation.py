"""Reads a company's documentation as texts, for its vocabulary."""

import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError

SUFFIXES = frozenset({".md", ".txt", ".rst", ".html", ".htm", ".adoc"})
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>|https?://\S+", re.DOTALL)


def read_documentation(paths: Sequence[Path]) -> list[str]:
    """Returns the text of each file, without tags and addresses.

    Args:
        paths: Files of any suffix, and folders, of which all files with one of `SUFFIXES` are read.

    Raises:
        InputError: A path does not exist, a file is not UTF-8 text, or the folders hold no documentation.
    """
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder")
        inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES) if path.is_dir() else []
        files += inside if path.is_dir() else [path]
    if not files:
        suffixes = ", ".join(sorted(SUFFIXES))
        raise InputError(f"{', '.join(map(str, paths))}: no documentation found; these files are read: {suffixes}")
    return [_read_text(file) for file in files]


def _read_text(file: Path) -> str:
    try:
        return _MARKUP.sub(" ", file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as text (UTF-8): {error}") from error
