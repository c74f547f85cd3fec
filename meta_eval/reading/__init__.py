"""Scores and ratings from the files of any tool, matched and made one table."""

from .assemble import Joined, join, read_files, read_table
from .choices import Choices
from .measured import Item, Measured, ratings_of, scores_of
from .rows import FlatRow, flat_rows, flattened

__all__ = [
    "Choices",
    "FlatRow",
    "Item",
    "Joined",
    "Measured",
    "flat_rows",
    "flattened",
    "join",
    "ratings_of",
    "read_files",
    "read_table",
    "scores_of",
]
