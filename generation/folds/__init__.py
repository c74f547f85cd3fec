"""Folds that share no information: topics clustered, what stands in two folds removed, leaks counted."""

from .folding import Folding, Separate, make_folds
from .leaks import Leaks, leaks

__all__ = ["Folding", "Leaks", "Separate", "leaks", "make_folds"]
