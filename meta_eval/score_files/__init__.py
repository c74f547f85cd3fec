"""Scores and ratings from the files of any tool, matched and made one table."""

from .flat_rows import FlatRow, flat_rows, flatten
from .read_options import ReadOptions
from .score_join import JoinedScores, join_sources, read_score_files, read_score_table
from .score_sources import Item, ScoreSource, read_ratings, read_scores

__all__ = [
    "FlatRow",
    "Item",
    "JoinedScores",
    "ReadOptions",
    "ScoreSource",
    "flat_rows",
    "flatten",
    "join_sources",
    "read_ratings",
    "read_score_files",
    "read_score_table",
    "read_scores",
]
