"""Figures, result tables and sections as values, rendered once each to the terminal, HTML, Markdown and JSON."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
