"""Functions on strings: sentences, words, lemmas, quotes, entities, numbers; given a language where they need one."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
