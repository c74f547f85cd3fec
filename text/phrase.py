"""A short text that a language pack has (`verdict.yaml`), with its values: written in the language of its reader."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..languages.fallback import FALLBACK
from .wording import verb_of

if TYPE_CHECKING:
    from ..languages import Language

_SECTION = "verdict"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text by its name in the packs, and what stands in its places: a text, a number, a figure or a phrase."""

    name: str
    values: Mapping[str, object]

    def write(self, language: str = FALLBACK) -> str:
        """The text in a language; in English where its pack lacks it."""
        own = texts_language(language)
        text = own.verdict.texts.get(self.name) or texts_language(FALLBACK).verdict.texts[self.name]
        if not isinstance(text, str):
            text = verb_of(float(str(self.values["count"])), *text)
        return text.format(**{name: _write_value(value, own) for name, value in self.values.items()})

    def __str__(self) -> str:
        """The text in English."""
        return self.write()


def phrase(name: str, /, **values: object) -> Phrase:
    """A text of the packs with its values. `count` chooses the form of one with two.

    Example:
        >>> phrase("answers", count=1200).write(), phrase("answers", count=1200).write("nl")
        ('1,200 answers', '1.200 antwoorden')
    """
    return Phrase(name, values)


def texts_language(code: str | None) -> "Language":
    """The language, where its pack has a `verdict.yaml`; else English."""
    from ..languages import language_or_fallback  # late: what has no verdict loads no packs

    return language_or_fallback(code, _SECTION)


def reader_language() -> str:
    """The language of who reads the terminal: that of LC_ALL, LC_MESSAGES or LANG (`nl_NL.UTF-8`), else English."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return texts_language(named.partition(".")[0]).code


def _write_value(value: object, language: "Language") -> str:
    if isinstance(value, Phrase):
        return value.write(language.code)
    if isinstance(value, str):
        return value
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    return shown.translate(str.maketrans(".,", ",.")) if language.profile.decimal_mark == "," else shown
