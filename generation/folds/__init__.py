"""Folds that share no information: topics are split into folds, shared documents removed, leaks measured."""

from .fold_search import FoldError, FoldPlan, make_folds, require_documents
from .leaks import Leaks, compare_leaks, measure_leaks
from .separation import Separate

__all__ = [
    "FoldError",
    "FoldPlan",
    "Leaks",
    "Separate",
    "compare_leaks",
    "make_folds",
    "measure_leaks",
    "require_documents",
]
