"""How numbers, units and dates are written in each language, from the data files in `notation/`."""

from functools import cache
from importlib import resources
from typing import Any

import yaml

LANGUAGES = ("en", "nl")


@cache
def notation(language: str) -> dict[str, Any]:
    """The notation of a language; English where there is none."""
    folder = resources.files(__package__).joinpath("notation")
    file = folder.joinpath(f"{language}.yaml")
    found: dict[str, Any] = yaml.safe_load((file if file.is_file() else folder.joinpath("en.yaml")).read_text("utf-8"))
    return found


@cache
def words(kind: str) -> frozenset[str]:
    """The words of one kind (`missing`, `ordinals`, ...) in all languages: a table rarely says its language."""
    return frozenset(str(word) for language in LANGUAGES for word in notation(language)[kind])


@cache
def signs(kind: str) -> dict[str, Any]:
    """What the words of one kind (`scales`, `currencies`, ...) stand for, in all languages."""
    return {str(word): held for language in LANGUAGES for word, held in notation(language)[kind].items()}


@cache
def unit_aliases() -> dict[str, str]:
    """Units, currencies and percent as written (as given, or in lower case) -> as computed with, in all languages."""
    aliases: dict[str, str] = {}
    for language in LANGUAGES:
        known = notation(language)
        for unit, written in known["units"].items():
            aliases |= {str(alias): unit for alias in [unit, *written]}
        aliases |= known["currencies"]
        aliases |= {code: code for code in known["currencies"].values()}
        aliases |= dict.fromkeys(known["percent"], "%") | dict.fromkeys(known["percentage_points"], "pp")
    return aliases


def known_unit(text: str) -> str | None:
    """The unit that a text is, as computed with (a pint unit, `%`, `pp`, an ISO currency); None where it is none."""
    written = text.strip()
    aliases = unit_aliases()
    return aliases.get(written) or aliases.get(written.lower())
