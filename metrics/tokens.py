"""An answer as words: what the cheap baselines count."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\w+")
_LONG = 20_000  # characters: texts beyond are not kept, so that a few huge ones take no memory


def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, case folded, in order."""
    return _kept(text) if len(text) < _LONG else _found(text)


def _found(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.casefold()))


_kept = lru_cache(maxsize=64)(_found)  # the baselines of a sample come one after another, all with the same texts
