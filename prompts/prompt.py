"""One prompt: what is the same for every sample, and the strict template of what is not."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypedDict

from ..errors import InputError, UsageError
from ..text.untrusted import neutralise

_HEADING = re.compile(r"^## (system|example user|example assistant|user)[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"\$([a-z_]+)")


class Message(TypedDict):
    """One turn of a conversation with a judge."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """A prompt in one language: an opening (system, examples) and a user part with `$fields`."""

    name: str
    language: str
    opening: tuple[Message, ...]
    template: str

    @cached_property
    def identity(self) -> str:
        """`name.language@hash`, the hash over everything that is sent: 12 hexadecimal digits."""
        content = "\x1e".join([*(f"{m['role']}\x1f{m['content']}" for m in self.opening), self.template])
        return f"{self.name}.{self.language}@{hashlib.sha256(content.encode()).hexdigest()[:12]}"

    @cached_property
    def fields(self) -> frozenset[str]:
        """The names that `render` must be given."""
        return frozenset(self._pieces[1::2])

    @property
    def template_without_fields(self) -> str:
        """The user part, a space in place of each field."""
        return " ".join(self._pieces[0::2])

    @cached_property
    def _pieces(self) -> list[str]:
        return _FIELD.split(self.template)  # text, field, text, field, ..., text

    def render(self, fields: Mapping[str, str]) -> str:
        """The user message for these fields, each neutralised first: field values are data, never instructions.

        Raises `UsageError` when a field is missing or is not one of the prompt's.
        """
        if fields.keys() != self.fields:
            raise UsageError(
                f"prompt {self.identity} takes the fields {sorted(self.fields)}, and was given {sorted(fields)}"
            )
        pieces = self._pieces.copy()
        pieces[1::2] = [neutralise(fields[name]) for name in pieces[1::2]]
        return "".join(pieces)

    def messages(self, user: str) -> list[Message]:
        """All messages as sent, for a rendered user part."""
        return [*self.opening, Message(role="user", content=user)]


def parse_prompt(text: str, name: str, language: str, origin: str) -> Prompt:
    """Reads a prompt file: `## system`, any pairs of `## example user` / `## example assistant`, `## user`.

    Raises `InputError` naming `origin` when a part is missing, doubled or out of order.
    """
    before, *parts = _HEADING.split(text)
    kinds, bodies = parts[0::2], [body.strip() for body in parts[1::2]]
    examples = kinds[1:-1] if kinds[:1] == ["system"] else kinds[:-1]
    if (
        before.strip()
        or kinds[-1:] != ["user"]
        or examples != ["example user", "example assistant"] * (len(examples) // 2)
    ):
        raise InputError(
            f"{origin}: the parts are {kinds or 'missing'}; write `## system` (may be left out), then pairs of "
            "`## example user` and `## example assistant`, then one `## user`, and nothing before them"
        )
    roles: dict[str, Literal["system", "user", "assistant"]] = {
        "system": "system",
        "example user": "user",
        "example assistant": "assistant",
    }
    opening = tuple(Message(role=roles[kind], content=body) for kind, body in zip(kinds[:-1], bodies[:-1], strict=True))
    return Prompt(name=name, language=language, opening=opening, template=bodies[-1])
