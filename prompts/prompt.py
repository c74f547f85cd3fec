"""One prompt: an opening that is the same for every sample, and a strict template of the rest."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypedDict

from ..errors import InputError, UsageError
from ..untrusted import neutralise

_HEADING = re.compile(r"^## (task|system|example user|example assistant|user)[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"\$([a-z_]+)")


class PromptMessage(TypedDict):
    """One turn of a conversation with a judge."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """A prompt in one language.

    Attributes:
        name: Its name, such as `claims`.
        language: A language code.
        opening: What is the same for every sample: the system part and the examples.
        template: The user part, with `$fields`.
        task: The words that typed questions about one state have in common, for a transport that renders the
            questions itself; "" where the prompt is for another purpose.
        parts: The identities of the prompts that this one was composed of; () for one that comes from one file.

    Example:
        >>> prompt = Prompt("greeting", "en", (), "Say hello to $name.")
        >>> prompt.render({"name": "<b>Ann"})
        'Say hello to ‹b>Ann.'
    """

    name: str
    language: str
    opening: tuple[PromptMessage, ...]
    template: str
    task: str = ""
    parts: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.identity)  # the messages are dictionaries, which have no hash

    @cached_property
    def identity(self) -> str:
        """`name.language@hash`, with 12 hexadecimal digits over the prompt's file; joined by `+` for a composed one."""
        if self.parts:
            return "+".join(self.parts)
        sent = [*(f"{m['role']}\x1f{m['content']}" for m in self.opening), self.template]
        content = "\x1e".join([*sent, self.task] if self.task else sent)
        return f"{self.name}.{self.language}@{hashlib.sha256(content.encode()).hexdigest()[:12]}"

    @cached_property
    def fields(self) -> frozenset[str]:
        """The names of the fields that `render` fills in."""
        return frozenset(self._pieces[1::2])

    @property
    def template_without_fields(self) -> str:
        """The user part, a space in place of each field."""
        return " ".join(self._pieces[0::2])

    @cached_property
    def _pieces(self) -> list[str]:
        return _FIELD.split(self.template)  # text, field, text, field, ..., text

    def render(self, fields: Mapping[str, str]) -> str:
        """Fills in the user part.

        Args:
            fields: The text of each field. It is neutralised first: it is data, and can close no tag.

        Raises:
            UsageError: A field is missing, or the prompt has no such field.
        """
        if fields.keys() != self.fields:
            raise UsageError(f"prompt {self.identity} takes the fields {sorted(self.fields)}, not {sorted(fields)}")
        pieces = self._pieces.copy()
        pieces[1::2] = [neutralise(fields[name]) for name in pieces[1::2]]
        return "".join(pieces)

    def messages(self, user: str) -> list[PromptMessage]:
        """Returns all messages as sent, with a rendered user part."""
        return [*self.opening, PromptMessage(role="user", content=user)]


def parse_prompt(text: str, name: str, language: str, origin: str) -> Prompt:
    """Parses a prompt file: `## task`, `## system`, pairs of `## example user` and `## example assistant`, `## user`.

    A prompt for typed questions has `## task`, and may leave the rest out.
    """
    before, *parts = _HEADING.split(text)
    kinds, bodies = parts[0::2], [body.strip() for body in parts[1::2]]
    task = ""
    if kinds[:1] == ["task"]:
        task, kinds, bodies = bodies[0], kinds[1:], bodies[1:]
        if not before.strip() and task and not kinds:
            return Prompt(name=name, language=language, opening=(), template="", task=task)
    examples = kinds[1:-1] if kinds[:1] == ["system"] else kinds[:-1]
    if (
        before.strip()
        or kinds[-1:] != ["user"]
        or examples != ["example user", "example assistant"] * (len(examples) // 2)
    ):
        raise InputError(
            f"{origin}: the parts are {kinds or 'missing'}; write `## task` and `## system` (may be left out), then "
            "pairs of `## example user` and `## example assistant`, then one `## user`, and nothing before them"
        )
    roles: dict[str, Literal["system", "user", "assistant"]] = {
        "system": "system",
        "example user": "user",
        "example assistant": "assistant",
    }
    opening = tuple(
        PromptMessage(role=roles[kind], content=body) for kind, body in zip(kinds[:-1], bodies[:-1], strict=True)
    )
    return Prompt(name=name, language=language, opening=opening, template=bodies[-1], task=task)
