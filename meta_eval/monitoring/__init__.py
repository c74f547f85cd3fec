"""Estimates of a chatbot in production that hold however often one looks, and what changed."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
