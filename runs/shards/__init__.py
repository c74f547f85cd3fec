"""Scoring by shards: Parquet in, Parquet out, so that any engine that maps shards can drive it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
