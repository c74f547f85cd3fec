"""Versions compared and decided between, metric by metric and by ratings; as tables, charts and one HTML file."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
