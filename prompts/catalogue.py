"""Which prompts there are, and finding one by name and language: ours, or a folder of the user's in their place."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path

from ..errors import InputError, UsageError
from .prompt import Prompt, parse_prompt

FALLBACK_LANGUAGE = "en"
_FILE = re.compile(r"([a-z_]+)\.([a-z]{2,3})\.md")
_LEFT_OVER = re.compile(r"\$\{?[A-Za-z_]\w*\}?|\{\{.*?\}\}")  # ${answer}, $Answer, {{answer}}

Own = Mapping[tuple[str, str], Prompt]  # by name and language
_own: ContextVar[Own | None] = ContextVar("prompts of the user's own", default=None)


@cache
def prompt_names() -> dict[str, tuple[str, ...]]:
    """Every bundled prompt's name with its languages, both sorted."""
    found: dict[str, list[str]] = {}
    for entry in sorted(resources.files(__package__).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".md"):
            name, language, _ = entry.name.split(".")
            found.setdefault(name, []).append(language)
    return {name: tuple(languages) for name, languages in found.items()}


def load_prompt(name: str, language: str | None) -> Prompt:
    """The prompt of this name in this language; in English where there is none in the language.

    Within `prompts_from` the user's own comes before ours. Raises `UsageError` for a name that no prompt has,
    `InputError` for a malformed file.
    """
    if (own := _own.get()) is None:
        return _bundled(name, language)
    if language is not None and (name, language) in own:
        return own[name, language]
    ours = _bundled(name, language)
    return own.get((name, ours.language), ours)


@contextmanager
def prompts_from(own: Own | None) -> Iterator[None]:
    """Within, these prompts (of `read_prompts`) stand in place of ours of the same name and language."""
    token = _own.set(own)
    try:
        yield
    finally:
        _own.reset(token)


def own_prompts() -> Own | None:
    """The user's own prompts in use here, or None."""
    return _own.get()


def read_prompts(folder: str | Path) -> dict[tuple[str, str], Prompt]:
    """The user's own prompts: every `NAME.LANGUAGE.md` of a folder.

    Raises `InputError` for a folder without any, a name that is not one of ours, other fields than ours has, or a
    placeholder that would be sent as it stands.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.md"))
    if not files:
        raise InputError(f"{folder}: there is no prompt (NAME.LANGUAGE.md, such as claims.nl.md) in this folder")
    return {(prompt.name, prompt.language): prompt for prompt in map(read_prompt, files)}


def read_prompt(file: Path) -> Prompt:
    """One prompt of the user's own; its file is called as ours is. Raises as `read_prompts` does."""
    named = _FILE.fullmatch(file.name)
    if named is None or named[1] not in prompt_names():
        raise InputError(
            f"{file}: a prompt's file is called NAME.LANGUAGE.md (claims.nl.md); "
            f"the names are {', '.join(prompt_names())}"
        )
    return parse_own(file, named[1], named[2])


def parse_own(file: Path, name: str, language: str) -> Prompt:
    """A file of any name, read as the prompt `name` in `language`. Raises as `read_prompts` does."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the prompt cannot be read: {error}; name a UTF-8 text file") from error
    prompt = parse_prompt(text, name, language, origin=str(file))
    wanted = _bundled(name, language).fields
    if lost := sorted(wanted - prompt.fields):
        raise InputError(f"{file}: the user part leaves out ${', $'.join(lost)}, which the judge has to see")
    if leaked := sorted(prompt.fields - wanted):
        fields = ", $".join(sorted(wanted))
        raise InputError(f"{file}: nothing fills in ${', $'.join(leaked)}; the fields are ${fields}")
    sent = [message["content"] for message in prompt.opening] + [prompt.unfilled]
    for text in sent:
        if left := _LEFT_OVER.search(text):
            raise InputError(
                f"{file}: {left[0]} would be sent as it stands; write $field in the user part, and there only"
            )
    return prompt


@cache
def _bundled(name: str, language: str | None) -> Prompt:
    names = prompt_names()
    if name not in names:
        raise UsageError(f"no prompt is called {name!r}; there are {', '.join(names)}")
    language = language if language in names[name] else FALLBACK_LANGUAGE
    file = f"{name}.{language}.md"
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return parse_prompt(text, name, language, origin=f"prompts/{file}")
