"""What servers say, as messages show it, and texts as servers take them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ..judges.secrets import Scrubber
from ..presentation.texts import one_line

_LONGEST = 10_000  # characters that are looked through
_LONGEST_BODY = 1_000_000  # characters in which keys are looked for: they shrink what is left
_DEEPEST = 6
_SHORTEST_SECRET = 4  # characters; a shorter one is in any text
_FIELDS = ("message", "error", "errors", "detail", "msg", "error_code")  # in which an API says what is wrong


def server_words(text: str, secrets: Sequence[str] = (), length: int = 200) -> str:
    """Makes of what a server says one short line, without keys and without what a terminal would obey.

    Example:
        >>> server_words("no\\x1b[2J way:\\nkey-of-ann", ["key-of-ann"])
        'no[2J way: ***'
    """
    line = one_line(whole_text(text[:_LONGEST_BODY]))  # first: what is not shown could stand in the middle of a key
    for secret in _spellings(secrets):
        line = line.replace(secret, "***")
    return one_line(Scrubber().scrub_error(line[:_LONGEST]), length)


def _spellings(secrets: Sequence[str]) -> list[str]:
    """Keys as an address, JSON or HTML writes them, the longest first."""
    spellings = {
        spelling
        for secret in secrets
        for spelling in (secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1], escape(secret))
        if len(secret) >= _SHORTEST_SECRET
    }
    return sorted(spellings, key=len, reverse=True)


def error_detail(content: bytes, secrets: Sequence[str] = ()) -> str:
    """Finds what a server says in the body of an error, as `server_words`; empty where that is a page or nothing.

    Example:
        >>> error_detail(b'{"detail": [{"msg": "too long"}, {"msg": "too late"}]}'), error_detail(b"<html>")
        ('too long; too late', '')
    """
    try:
        messages = _messages(json.loads(content), 0)
        return server_words("; ".join(messages), secrets)
    except (ValueError, RecursionError):
        text = content[: 4 * _LONGEST_BODY].decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else server_words(text, secrets)


def _messages(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST or value in (None, ""):
        return
    if isinstance(value, Mapping):
        yield from _messages(next((value[name] for name in _FIELDS if value.get(name)), None), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _messages(item, depth + 1)
    else:
        yield str(value)


def whole_text(text: str) -> str:
    """Returns a text that any server takes: half a character becomes a question mark, and a NUL a space.

    Example:
        >>> whole_text("half \\ud83d")
        'half ?'
    """
    return text.encode("utf-8", "replace").decode().replace("\x00", " ")
