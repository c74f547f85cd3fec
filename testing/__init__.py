"""Assay in your own tests: `assert_score`, and a pytest plugin (extra `pytest`)."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
