"""Which measure to trust: how far scores, of Assay or of any other tool, agree with people's ratings."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
