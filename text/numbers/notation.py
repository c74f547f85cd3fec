"""How numbers and units are written, in all languages together: a table rarely says its language."""

import re
from functools import cache

from ...languages import Language, packs_with
from .cldr_units import cldr_units


@cache
def notation_languages() -> tuple[Language, ...]:
    """Lists the languages whose notation is known."""
    return packs_with("notation")


@cache
def notation_words(kind: str) -> frozenset[str]:
    """The words of one kind (`missing`, `ordinals`, ...) in all languages."""
    return frozenset(word for language in notation_languages() for word in getattr(language.notation, kind))


@cache
def notation_signs(kind: str) -> dict[str, str]:
    """What the words of one kind (`name_units`) stand for, in all languages."""
    return {
        word: meaning for language in notation_languages() for word, meaning in getattr(language.notation, kind).items()
    }


@cache
def notation_powers(kind: str) -> dict[str, int]:
    """The powers of ten that the words of one kind (`header_scales`) stand for, in all languages."""
    return {word: power for pack in notation_languages() for word, power in getattr(pack.notation, kind).items()}


@cache
def currencies() -> dict[str, str]:
    """Signs, codes and names of currencies, in lower case -> ISO codes, in all languages."""
    return {written: code for language in notation_languages() for written, code in language.currencies.items()}


@cache
def currency_signs() -> str:
    """The signs of currencies, as a class of a regular expression: `[€$£]`."""
    return f"[{re.escape(''.join(sorted(written for written in currencies() if len(written) == 1)))}]"


@cache
def unit_aliases() -> dict[str, str]:
    """Units, currencies and percent as written (as given, or in lower case) -> as computed with, in all languages."""
    named = [cldr_units(language) for language in notation_languages()]
    exact = {written: unit for units in named for written, unit in units.items()}
    aliases = {written.lower(): unit for written, unit in reversed(exact.items())} | exact
    aliases |= currencies()
    for language in notation_languages():
        notation = language.notation
        for unit, written in notation.units.items():
            aliases |= dict.fromkeys([unit, *written], unit)  # "sek" is a second, SEK a krona
        aliases |= dict.fromkeys(notation.percent, "%") | dict.fromkeys(notation.percentage_points, "pp")
    return aliases | {code: code for code in currencies().values()}


def known_unit(text: str) -> str | None:
    """Finds the unit that a text is, as computed with (a pint unit, `%`, `pp`, an ISO currency); None for another text.

    Example:
        >>> known_unit("euros"), known_unit("per cent"), known_unit("apples")
        ('EUR', '%', None)
    """
    written = text.strip()
    aliases = unit_aliases()
    return aliases.get(written) or aliases.get(written.lower())
