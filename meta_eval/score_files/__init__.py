"""Scores and ratings from the files of any tool, matched and made one table."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
