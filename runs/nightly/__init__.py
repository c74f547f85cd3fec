"""Nightly runs of a suite: its sets, metrics, judges and gates, its reports and its history."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
