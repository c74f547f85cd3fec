"""The meta-evaluation as one HTML file that opens from disk: no network, no script but its own."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
