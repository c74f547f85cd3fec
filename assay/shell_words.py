"""Words of a command that a message suggests: quoted so that a shell takes each for what it is."""

import os
import shlex
from pathlib import Path

_NT_SPECIAL = frozenset(" []<>&|@^%!()=;,'`")


def quote_word(word: str | Path) -> str:
    """Quotes one word of a command that a message suggests typing: every such word passes here.

    Returns:
        The word as a POSIX shell reads it; on Windows as its own shell does.

    Example:
        >>> quote_word("s1"), quote_word("a; $(x)"), quote_word(Path("-x.csv"))
        ('s1', "'a; $(x)'", './-x.csv')
    """
    text = f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
    if os.name == "nt":
        return f'"{text}"' if not text or _NT_SPECIAL & {*text} else text
    return shlex.quote(text)


def join_words(*words: str | Path) -> str:
    """Quotes the words of a command, and puts a space between them.

    Example:
        >>> join_words("assay", "show", "last", "order (2)")
        "assay show last 'order (2)'"
    """
    return " ".join(map(quote_word, words))
