"""A judge's card: what one judge is worth on sets that people rated, as a value that can be kept and collected."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
