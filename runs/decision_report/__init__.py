"""A decision between versions, as tables and charts, and as one HTML file that opens from disk."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
