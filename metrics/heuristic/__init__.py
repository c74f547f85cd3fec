"""The deterministic heuristic scorer (Lassche et al., 2024, III to VI): no judge, no key, and it explains itself."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
