"""Which version's answers are better for the raters: ship, keep, equivalent, or not settled yet."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
