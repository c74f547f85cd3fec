"""Words of a command that a message suggests: quoted so that a shell takes each for what it is."""

import os
import shlex
from pathlib import Path

_NT_SPECIAL = frozenset(" []<>&|@^%!()=;,'`")


def quote_word(word: str | Path) -> str:
    """Quotes one word of a command that a message suggests typing: every such word passes here.

    Returns:
        The word as a POSIX shell reads it; on Windows as its own shell does. Where a message or a terminal would change
        it (line ends, control characters, several spaces), its bytes are written as numbers. A line end at its very end
        is lost: no word of a shell that is written so can have one.

    Example:
        >>> quote_word("s1"), quote_word("a; $(x)"), quote_word(Path("-x.csv"))
        ('s1', "'a; $(x)'", './-x.csv')
        >>> print(quote_word("two\\nlines"))
        "$(printf 'two\\012lines')"
    """
    text = f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
    if os.name == "nt":
        return f'"{text}"' if not text or _NT_SPECIAL & {*text} else text
    if text.isprintable() and text == " ".join(text.split()):
        return shlex.quote(text)
    shown = (chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:03o}" for byte in os.fsencode(text))
    return f"\"$(printf '{''.join(shown)}')\""


def join_words(*words: str | Path) -> str:
    """Quotes the words of a command, and puts a space between them.

    Example:
        >>> join_words("assay", "show", "last", "order (2)")
        "assay show last 'order (2)'"
    """
    return " ".join(map(quote_word, words))
