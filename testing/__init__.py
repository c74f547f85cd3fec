"""Assay in your own tests: `assert_score`, and a pytest plugin (extra `pytest`).

Names are imported when they are first used: pytest imports this package for the plugin in every session.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .assertion import aassert_score as aassert_score
    from .assertion import assert_score as assert_score

__all__ = ["aassert_score", "assert_score"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import assertion

    return getattr(assertion, name)
