"""Folds that share no information: topics are split into folds, and shared documents removed."""

from .fold_search import FoldError, FoldPlan, make_folds, require_documents
from .fold_tables import folds_block, topics_block
from .separation import Separate

__all__ = [
    "FoldError",
    "FoldPlan",
    "Separate",
    "folds_block",
    "make_folds",
    "require_documents",
    "topics_block",
]
