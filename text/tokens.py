"""A text as words: what the cheap baselines count."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\w+")
_LONG = 20_000  # characters: texts beyond are not remembered, so that a few huge ones take no memory


def tokens(text: str) -> tuple[str, ...]:
    """Splits a text into its words and numbers, case folded, in order.

    Example:
        >>> tokens("Click Run, then wait.")
        ('click', 'run', 'then', 'wait')
    """
    return _remembered(text) if len(text) < _LONG else split_tokens(text)


def split_tokens(text: str) -> tuple[str, ...]:
    """Splits a text as `tokens` does, and does not remember it."""
    return tuple(_TOKEN.findall(text.casefold()))


# A sample's baselines come one after another, all with the same texts.
_remembered = lru_cache(maxsize=64)(split_tokens)
