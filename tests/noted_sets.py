"""A set that is written and read, with the notes on how it was read."""

from typing import Any

from assay.eval_sets import load_set


def read(path, text, **options: Any):
    """The samples of a file with this text, and the notes without the file's name."""
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    samples = load_set(path, notes=notes, **options)
    return samples, [note.removeprefix(f"{path}: ") for note in notes]
