"""Ratings of people: who rates which answer next, what they said, and how it becomes a rated set."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
