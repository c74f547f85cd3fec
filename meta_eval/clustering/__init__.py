"""Groups of texts by their vectors: Ward's clustering, how good the groups are, and how stable each of them is."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
