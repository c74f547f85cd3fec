"""Folds that share no information: topics clustered, what stands in two folds removed, leaks counted."""

from .folding import Folding, make_folds
from .leaks import Leaks, leaks, leaks_before_and_after
from .separation import Separate

__all__ = ["Folding", "Leaks", "Separate", "leaks", "leaks_before_and_after", "make_folds"]
