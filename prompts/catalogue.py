"""Prompts: what one is, the bundled ones, and your own that replace them."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypedDict

from ..errors import InputError, UsageError
from ..languages import FALLBACK
from ..regular_files import read_text_file
from ..untrusted import neutralise

_HEADING = re.compile(r"^## (task|system|example user|example assistant|user)[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"\$([a-z_]+)")


class PromptMessage(TypedDict):
    """One turn of a conversation with a judge."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, eq=False)  # each is read once, and composed ones are found by it
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


OTHER_LANGUAGE = "other_prompt_language"
"""The key in a score's evidence that says that the judge was asked in another language than that of the texts."""
_FRAMES = ("single", "listed", "reason_first", "reason_after")  # in which the transports put questions
_FILE_NAME = re.compile(r"([a-z_]+)\.([a-z]{2,3})\.md")
_PLACEHOLDER = re.compile(r"\$\{?[A-Za-z_]\w*\}?|\{\{.*?\}\}")  # ${answer}, $Answer, {{answer}}


@dataclass(frozen=True)
class Prompts:
    """The prompts of a run: your own where you have one of that name and language, the bundled ones for the rest.

    Attributes:
        own: Your own prompts, by name and language.

    Example:
        >>> BUNDLED.load("claims", "nl").language
        'nl'
        >>> BUNDLED.load("claims", None).language
        'en'
    """

    own: Mapping[tuple[str, str], Prompt] = field(default_factory=dict)

    @classmethod
    def from_folder(cls, folder: str | Path) -> "Prompts":
        """Reads your own prompts: every `NAME.LANGUAGE.md` in a folder.

        Args:
            folder: The folder; it may hold as few of the prompts as you want to replace.

        Raises:
            InputError: There is no prompt in the folder, or one of them cannot be used (see `read_prompt`).
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder of prompts; correct the path")
        files = sorted(folder.glob("*.md"))
        if not files:
            raise InputError(f"{folder}: this folder has no prompt; put a file NAME.LANGUAGE.md in it (claims.nl.md)")
        return cls({(prompt.name, prompt.language): prompt for prompt in map(read_prompt, files)})

    def replacing(self, prompt: Prompt) -> "Prompts":
        """Returns these prompts with one more of your own."""
        return Prompts({**self.own, (prompt.name, prompt.language): prompt})

    def load(self, name: str, language: str | None) -> Prompt:
        """Finds the prompt of a name in a language.

        Args:
            name: The prompt's name, such as `claims`.
            language: A language code. Where there is no prompt in it (or it is None) the English prompt is used.

        Raises:
            UsageError: No prompt has this name.
            InputError: The bundled file is malformed.
        """
        if language is not None and (name, language) in self.own:
            return self.own[name, language]
        bundled = _load_bundled(name, language)
        return self.own.get((name, bundled.language), bundled) if self.own else bundled

    def evidence(self, names: Iterable[str], language: str | None) -> dict[str, Any]:
        """Says which prompts a judge was asked with, as a score's evidence.

        Args:
            names: The names of the prompts.
            language: The language of the texts that the judge read.

        Returns:
            `prompts`, the prompts' identities, with those of your own in which questions of all kinds are put; and
            `other_prompt_language`, a sentence, where a prompt is not in the language of the texts.

        Example:
            >>> BUNDLED.evidence(["claims"], "es")["other_prompt_language"]
            'there are no prompts in es: the judge was asked in en'
        """
        prompts = [self.load(name, language) for name in names]
        if self.own:
            frames = (self.load(name, language) for name in _FRAMES)
            prompts += [frame for frame in frames if (frame.name, frame.language) in self.own]
        identities: list[str] = []
        others: set[str] = set()  # languages
        for prompt in prompts:
            identities += [prompt.identity]
            if prompt.language != language:
                others |= {prompt.language}
        evidence: dict[str, Any] = {"prompts": identities}
        if language is not None and others:
            used = ", ".join(sorted(others))
            evidence[OTHER_LANGUAGE] = f"there are no prompts in {language}: the judge was asked in {used}"
        return evidence


BUNDLED = Prompts()


@cache
def prompt_names() -> dict[str, tuple[str, ...]]:
    """Lists the names of the bundled prompts with the languages of each, both sorted."""
    languages: dict[str, list[str]] = {}
    for entry in sorted(resources.files(__package__).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".md"):
            name, language, _ = entry.name.split(".")
            languages.setdefault(name, []).append(language)
    return {name: tuple(codes) for name, codes in languages.items()}


def bundled_prompts() -> list[Prompt]:
    """Loads every bundled prompt, sorted by name and language."""
    return [BUNDLED.load(name, language) for name, languages in prompt_names().items() for language in languages]


def read_prompt(file: Path) -> Prompt:
    """Reads one prompt of your own from a file that is named as the bundled one is: `NAME.LANGUAGE.md`.

    Args:
        file: A UTF-8 text file.

    Raises:
        InputError: The file's name is no prompt's, the file cannot be read, its fields are not those of the bundled
            prompt, or it holds a placeholder that would be sent unfilled.
    """
    match = _FILE_NAME.fullmatch(file.name)
    if match is None or match[1] not in prompt_names():
        raise InputError(
            f"{file}: this is not the name of a prompt; call the file NAME.LANGUAGE.md (claims.nl.md), "
            f"with one of the names {', '.join(prompt_names())}"
        )
    return read_prompt_as(file, match[1], match[2])


def read_prompt_as(file: Path, name: str, language: str) -> Prompt:
    """Reads a file of any name as the prompt `name` in `language`.

    Args:
        file: A UTF-8 text file.
        name: The name of the bundled prompt that it replaces.
        language: The language code that it is for.

    Raises:
        InputError: As for `read_prompt`.
    """
    text = read_text_file(file, "the prompt")
    prompt = parse_prompt(text, name, language, origin=str(file))
    bundled = _load_bundled(name, language)
    fields = bundled.fields
    if missing := sorted(fields - prompt.fields):
        raise InputError(f"{file}: the user part leaves out ${', $'.join(missing)}; the judge has to see it: add it")
    if unknown := sorted(prompt.fields - fields):
        known = ", $".join(sorted(fields))
        raise InputError(f"{file}: ${', $'.join(unknown)} is an unknown field; the fields are ${known}")
    for text in [message["content"] for message in prompt.opening] + [prompt.template_without_fields, prompt.task]:
        if placeholder := _PLACEHOLDER.search(text):
            raise InputError(
                f"{file}: {placeholder[0]} would be sent unfilled; write $field, and only in the user part"
            )
    return prompt


def bundled_prompt_text(name: str) -> str:
    """Returns the file of a bundled prompt, as a start for your own.

    Args:
        name: The prompt's name and language, such as `claims.nl`; without a language, English.

    Raises:
        UsageError: No prompt has this name, or it is not bundled in this language.

    Example:
        >>> bundled_prompt_text("claims.nl") != bundled_prompt_text("claims")
        True
    """
    base, _, language = name.partition(".")
    names = prompt_names()
    if language and base in names and language not in names[base]:
        raise UsageError(f"the prompt {base} is not bundled in {language!r}, but in {', '.join(names[base])}")
    return _read_bundled(base, language or FALLBACK)


@cache
def _load_bundled(name: str, language: str | None) -> Prompt:
    language = language if language in prompt_names().get(name, ()) else FALLBACK
    return parse_prompt(_read_bundled(name, language), name, language, origin=f"prompts/{name}.{language}.md")


def _read_bundled(name: str, language: str) -> str:
    if name not in prompt_names():
        raise UsageError(f"no prompt is called {name!r}; the prompts are {', '.join(prompt_names())}")
    return resources.files(__package__).joinpath(f"{name}.{language}.md").read_text(encoding="utf-8")
