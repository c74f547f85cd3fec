"""Folds that share no information: topics are split into folds, and shared documents removed."""

from .boilerplate import leave_out_boilerplate
from .fold_search import FoldError, FoldPlan, make_folds, require_documents
from .fold_tables import folds_block, topics_block
from .separation import Separate

__all__ = [
    "FoldError",
    "FoldPlan",
    "Separate",
    "folds_block",
    "leave_out_boilerplate",
    "make_folds",
    "require_documents",
    "topics_block",
]
