"""What is judged: samples, reading and writing sets of them, and the bundled sets."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
