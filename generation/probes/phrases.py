"""The phrases that probes add, one file a language."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Phrases:
    """What stands before and after an answer that is padded, what leads in a sentence that is said again, and what
    an answer says to its judge."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    again: tuple[str, ...]
    instructions: tuple[str, ...]


_FOLDER = files(__package__).joinpath("wording")
LANGUAGES = tuple(sorted(entry.name[:-5] for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml")))


@cache
def phrases_of(language: str | None) -> Phrases | None:
    """The phrases of a language; None where there are none."""
    if language not in LANGUAGES:
        return None
    held = yaml.safe_load(_FOLDER.joinpath(f"{language}.yaml").read_text(encoding="utf-8"))
    return Phrases(*(tuple(held[part]) for part in ("before", "after", "again", "instructions")))
