"""Sets that are written, and read with the notes on how they were read."""

import json
from typing import Any

from assay.eval_sets import load_set


def read(path, text, **options: Any):
    """The samples of a file with this text, and the notes without the file's name."""
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    samples = load_set(path, notes=notes, **options)
    return samples, [note.removeprefix(f"{path}: ") for note in notes]


def write_rows(path, rows):
    """Writes a row of JSON per line; returns the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
