"""A tool's server, as errors name it: what it says is shown without keys, and a reply of another form is refused."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .server_texts import error_detail, server_words


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A server of a tool, as errors name it.

    Attributes:
        tool: The tool's name.
        url: The server's address, without a user.
        keys: The environment variables with the keys.
        secrets: The keys themselves, which no message may hold.
    """

    tool: str
    url: str
    keys: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tool} at {self.url}"

    def words(self, text: str) -> str:
        """Makes of what the server says one short line without its keys."""
        return server_words(text, self.secrets)

    def detail(self, content: bytes) -> str:
        """Finds what the server says in the body of an error, without its keys."""
        return error_detail(content, self.secrets)

    def failure(self, status: int, detail: str = "") -> str:
        """Says in words that a call failed in passing: an outage, or a limit of calls; no wrong address."""
        problem = "is asked too often" if status == 429 else "fails"
        return f"the server {problem} (status {status}{f': {detail}' if detail else ''})"

    def wrong_form(self, call: str, problem: str) -> InputError:
        """Makes an error of a reply that is none of this tool."""
        what = self.words(call)
        return InputError(
            f"{self} answers {what} with {self.words(problem)}, as no {self.tool} does: correct the address, or update "
            "the server"
        )

    def objects(self, reply: Any, name: str, call: str, *, is_needed: bool = True) -> list[dict[str, Any]]:
        """Returns the objects of a page.

        Raises:
            InputError: There is no such list, or something in it is no object.
        """
        if not isinstance(reply, Mapping):
            raise self.wrong_form(call, "no JSON object")
        listed = reply.get(name)
        if listed is None and not is_needed and not reply.get("error"):
            return []
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
    """How a user and a password are sent, which is as secret as they are.

    Example:
        >>> basic_secret("ann", "pw")
        'YW5uOnB3'
    """
    return base64.b64encode(f"{user}:{password}".encode()).decode()
