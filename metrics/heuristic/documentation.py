"""Reads a company's documentation as texts, for its vocabulary."""

import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ...regular_files import read_text_file

SUFFIXES = frozenset({".md", ".txt", ".rst", ".html", ".htm", ".adoc"})
_MOST_BYTES = 100_000_000  # of one file
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>|https?://\S+", re.DOTALL)


def read_documentation(paths: Sequence[Path]) -> list[str]:
    """Returns the text of each file, without tags and addresses."""
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
    return _MARKUP.sub(" ", read_text_file(file, "the documentation", most_bytes=_MOST_BYTES))
