"""Leaflets of a hospital that does not exist, in Dutch and English: a collection to try generation on."""

from pathlib import Path

NAME = "leaflets"


def leaflets() -> Path:
    """The folder of the bundled leaflets, as Markdown; `pdf` below it holds the same as PDF."""
    return Path(__file__).parent
