"""Prompts: one Markdown file per prompt and language; loading, hashing and rendering them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
