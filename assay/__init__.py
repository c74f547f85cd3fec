"""Assay: tests what a support chatbot's answers are made of, and which measure agrees with your support team.

from assay import evaluate
results = evaluate("answers.csv", judge="openai/gpt-4o-mini")
"""

import os

if __name__ != "assay":  # the search path of a checkout's package has this folder too
    raise ImportError("this package is `assay`, wherever it stands")

from lazy_loader import attach_stub

# The subpackages of an installed package are inside it; in a checkout they are the folders beside it.
if not os.path.isdir(os.path.join(__path__[0], "languages")):  # noqa: PTH118, PTH112
    __path__.append(os.path.dirname(__path__[0]))  # noqa: PTH120 - pathlib takes longer to import than all the rest

__version__ = "0.2.0"

# A package's public names stand in the `__init__.pyi` beside its `__init__.py`, once; each is imported when it is used.
__getattr__, _list_names, __all__ = attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __dir__() -> list[str]:
    return sorted(__all__)
