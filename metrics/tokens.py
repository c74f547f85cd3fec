"""An answer as words: what the cheap baselines count."""

import re

_TOKEN = re.compile(r"\w+")


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, case folded, in order."""
    return _TOKEN.findall(text.casefold())
