"""Folds that share no information: topics clustered, what stands in two folds removed, leaks counted."""

from .fold_search import FoldPlan, make_folds
from .leaks import Leaks, compare_leaks, leaks
from .separation import Separate

__all__ = ["FoldPlan", "Leaks", "Separate", "compare_leaks", "leaks", "make_folds"]
