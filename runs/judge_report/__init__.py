"""Judges compared, as one HTML file that opens from disk: no script, no network."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
