"""A tool's server, as errors name it: what it says is shown without keys, and a reply of another form is refused."""

import base64
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from ..errors import InputError
from ..judges.secrets import Scrubber
from ..presentation.texts import one_line
from ..text.wording import count_of

_LONGEST = 10_000  # characters that are looked through
_LONGEST_BODY = 1_000_000  # characters in which keys are looked for: they shrink what is left
_DEEPEST = 6
_SHORTEST_SECRET = 4  # characters; a shorter one is in any text
_FIELDS = ("message", "error", "errors", "detail", "msg", "error_code")  # in which an API says what is wrong


def server_words(text: str, secrets: Sequence[str] = (), length: int = 200) -> str:
    """Makes of what a server says one short line, without keys and without what a terminal would obey."""
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
    """Finds what a server says in the body of an error, as `server_words`; empty where that is a page or nothing."""
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
    """Returns a text that any server takes: half a character becomes a question mark, and a NUL a space."""
    return text.encode("utf-8", "replace").decode().replace("\x00", " ")


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A server of a tool, as errors name it."""

    tool: str  # the tool's name
    url: str  # the server's address, without a user
    keys: tuple[str, ...]  # the environment variables with the keys
    secrets: tuple[str, ...] = ()  # the keys themselves, which no message may hold
    oldest: str = "update it"  # which version is needed, or what to do without it

    def __str__(self) -> str:
        return f"{self.tool} at {self.url}"

    def words(self, text: str) -> str:
        """Makes of what the server says one short line without its keys."""
        return server_words(text, self.secrets)

    def detail(self, content: bytes) -> str:
        """Finds what the server says in the body of an error, without its keys."""
        return error_detail(content, self.secrets)

    def wrong_form(self, call: str, problem: str) -> InputError:
        """Makes an error of a reply that is none of this tool."""
        what = self.words(call)
        return InputError(
            f"{self} answers {what} with {self.words(problem)}, as no {self.tool} does: correct the address, or update "
            "the server"
        )

    def objects(self, reply: Any, name: str, call: str) -> list[dict[str, Any]]:
        """Returns the objects of a page."""
        if not isinstance(reply, Mapping):
            raise self.wrong_form(call, "no JSON object")
        listed = reply.get(name)
        if not isinstance(listed, list):
            detail = self.detail_of(reply)
            raise self.wrong_form(call, f"no list `{name}`{f' ({detail})' if detail else ''}")
        place = next((number for number, item in enumerate(listed, 1) if not isinstance(item, dict)), 0)
        if place:
            raise self.wrong_form(call, f"a list `{name}` whose entry {place:,} is no object")
        return listed

    def detail_of(self, reply: Any) -> str:
        """What an object says that is an error's, though its status is none's; empty of any other."""
        error = reply.get("error") or reply.get("errors") if isinstance(reply, Mapping) else None
        return self.detail(json.dumps({"error": error}).encode()) if error else ""


def basic_secret(user: str, password: str) -> str:
    """How a user and a password are sent, which is as secret as they are."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


MOST_PAGES = 100_000
"""Of traces, which are read page by page."""
MOST_KEPT_PAGES = 1000
"""Of what is kept until the last one has come: projects, the spans of a few traces, annotations."""


class Paging:
    """Watches the pages of one list."""

    def __init__(self, server: ToolServer, what: str, *, most: int = MOST_PAGES) -> None:
        self._server, self._what, self._most = server, what, most
        self._places: set[Hashable] = set()

    def follow(self, place: Hashable) -> None:
        """Notes the place of a page, before it is asked for; raises an error where the list leads on for ever."""
        if place in self._places or len(self._places) >= self._most:
            pages = count_of(len(self._places) + 1, "page")
            raise InputError(
                f"{self._server}: its list of {self._what} has no end: {pages} were read; update the server, or look "
                "what stands between"
            )
        self._places.add(place)
