"""What differs by language: one validated pack per language, a folder of YAML files."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
