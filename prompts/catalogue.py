"""Which prompts there are, and finding one by name and language."""

from functools import cache
from importlib import resources

from ..errors import UsageError
from .prompt import Prompt, parse_prompt

FALLBACK_LANGUAGE = "en"


@cache
def prompt_names() -> dict[str, tuple[str, ...]]:
    """Every bundled prompt's name with its languages, both sorted."""
    found: dict[str, list[str]] = {}
    for entry in sorted(resources.files(__package__).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".md"):
            name, language, _ = entry.name.split(".")
            found.setdefault(name, []).append(language)
    return {name: tuple(languages) for name, languages in found.items()}


@cache
def load_prompt(name: str, language: str | None) -> Prompt:
    """The prompt of this name in this language; in English where there is none in the language.

    Raises `UsageError` for a name that no prompt has, `InputError` for a malformed file.
    """
    names = prompt_names()
    if name not in names:
        raise UsageError(f"no prompt is called {name!r}; there are {', '.join(names)}")
    language = language if language in names[name] else FALLBACK_LANGUAGE
    file = f"{name}.{language}.md"
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return parse_prompt(text, name, language, origin=f"prompts/{file}")
