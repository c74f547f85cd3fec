"""Folds that share no information: topics are split into folds, shared documents removed, leaks measured."""

from .fold_search import FoldPlan, make_folds
from .leaks import Leaks, compare_leaks, measure_leaks
from .separation import Separate

__all__ = ["FoldPlan", "Leaks", "Separate", "compare_leaks", "make_folds", "measure_leaks"]
