"""Assay: tests what a support chatbot's answers are made of, and which measure agrees with your support team.

from assay import evaluate
results = evaluate("answers.csv", judge="openai/gpt-4o-mini")
"""

import _signal
import os
import sys

# In the command `assay` or `python -m assay`, not in a program that imports the package, Ctrl-C ends the process at
# once until the command runs: an interrupted import would be a traceback. `signal` itself takes a while to import.
_is_module = sys.argv[:1] == ["-m"] and "-m assay" in " ".join(sys.orig_argv)
_is_script = os.path.basename("".join(sys.argv[:1])) in ("assay", "assay.exe")  # noqa: PTH119 - as below
if (_is_module or _is_script) and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # not in background
    _signal.signal(_signal.SIGINT, lambda *_: os._exit(130))

if __name__ != "assay":  # the search path of a checkout's package has this folder too
    raise ImportError("this package is `assay`, wherever it stands")

from lazy_loader import attach_stub  # noqa: E402

# The subpackages of an installed package are inside it; in a checkout they are the folders beside it.
if not os.path.isdir(os.path.join(__path__[0], "languages")):  # noqa: PTH118, PTH112
    __path__.append(os.path.dirname(__path__[0]))  # noqa: PTH120 - pathlib takes longer to import than all the rest

__version__ = "0.2.0"

# A package's public names stand in the `__init__.pyi` beside its `__init__.py`, once; each is imported when it is used.
__getattr__, _list_names, __all__ = attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __dir__() -> list[str]:
    return sorted(__all__)
