"""The words of numerical claims: what each kind of word looks like in a language, from its pack."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ...languages import FALLBACK, load_language, packs_with
from ...languages.claim_sections import Links

_SECTIONS = ("claim_marks", "claim_times", "series_names", "plain_words", "notation")
LANGUAGES = tuple(sorted((pack.code for pack in packs_with(*_SECTIONS)), key=lambda code: (code != FALLBACK, code)))
"""The languages that claims are read in, the fallback first."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of a text: `text[start:end]`, in lower case, with its stem."""

    text: str
    start: int
    end: int
    stem: str

    @property
    def is_word(self) -> bool:
        """Whether it is letters or digits, not a sign."""
        return self.text[0].isalnum()


@dataclass(frozen=True)
class Lexicon:
    """The words of one language: `kinds` matches each kind of mark, `data` is the rest of its pack.

    `plain` words state nothing that can be checked, unless a column has such a name. `everyone` holds stems of plain
    nouns for all that a table is about: they narrow nothing, even after a preposition.
    """

    language: str
    kinds: dict[str, re.Pattern[str]]
    harmless: frozenset[str]
    plain_verbs: frozenset[str]
    harmless_cell: frozenset[str]
    articles: frozenset[str]
    scope_prepositions: frozenset[str]
    restrictive: frozenset[str]
    plain: frozenset[str]
    everyone: frozenset[str]  # their stems
    links: Links
    extremes_of: dict[str, re.Pattern[str]]  # adjectives by the one quantity that they describe
    data: dict[str, Any]


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language; English where there are none in it."""
    pack = load_language(language if language in LANGUAGES else FALLBACK)
    marks, times, series, plain = pack.claim_marks, pack.claim_times, pack.series_names, pack.plain_words
    weekdays = {weekday.lower(): number for number, weekday in enumerate(pack.weekdays)}
    kinds: dict[str, list[str]] = {}
    for kind, patterns in [*marks.marks, *times.time_marks]:
        kinds.setdefault(kind.removesuffix("_"), []).extend(patterns)
    for forms in marks.extremes_of.values():
        kinds["maximum"].extend(forms.most)
        kinds["minimum"].extend(forms.least)
    return Lexicon(
        pack.code,
        {kind: whole_words(patterns) for kind, patterns in kinds.items() if patterns},
        harmless=marks.harmless,
        plain_verbs=marks.plain_verbs,
        harmless_cell=marks.harmless_cell,
        articles=marks.articles,
        scope_prepositions=marks.scope_prepositions,
        restrictive=marks.restrictive | series.narrowing | series.was_ended,
        plain=plain.words | plain.verbs | plain.everyone,
        everyone=frozenset(stem_of(word, pack.code) for word in plain.everyone),
        links=marks.links,
        extremes_of={name: whole_words([*forms.most, *forms.least]) for name, forms in marks.extremes_of.items()},
        data={**dict(marks), **dict(times), **dict(series), "weekdays": weekdays | times.more_weekdays},
    )


def whole_words(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for any of the patterns as whole words, without case; the longest that fits first."""
    ordered = sorted(patterns, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{pattern})' for pattern in ordered)})(?!\w)", re.IGNORECASE)


def any_of(words: Iterable[str]) -> str:
    """One expression for any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


@lru_cache(maxsize=10_000)
def tokens(text: str, language: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a text, in order."""
    return tuple(
        Token(match[0].lower(), *match.span(), stem_of(match[0].lower(), language)) for match in _TOKEN.finditer(text)
    )


@lru_cache(maxsize=50_000)
def stem_of(word: str, language: str) -> str:
    """The stem of a word: alike for its inflections (`dropped`, `drops`; `medewerker`, `medewerkers`)."""
    return str(_stemmer(language).stemWord(word)) if word[0].isalpha() else word


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(load_language(language).name.lower())
