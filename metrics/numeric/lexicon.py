"""The words of numerical claims: what each kind of word looks like in a language, from its pack."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

from ...languages import FALLBACK, find_language, load_language, packs_with
from ...languages.claim_sections import Links

_SECTIONS = ("claim_marks", "claim_times", "series_names", "plain_words", "notation")
LANGUAGES = tuple(sorted((pack.code for pack in packs_with(*_SECTIONS)), key=lambda code: (code != FALLBACK, code)))
"""The languages that claims are read in, the fallback first."""

_DOUBLED = re.compile(r"([aeou])\1([^aeiou])$")
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

    `plain` words, and those with `plain_stems`, state nothing that can be checked, unless a column has such a name.
    """

    language: str
    kinds: dict[str, re.Pattern[str]]
    harmless: frozenset[str]
    articles: frozenset[str]
    scope_prepositions: frozenset[str]
    restrictive: frozenset[str]
    plain: frozenset[str]
    plain_stems: frozenset[str]
    links: Links
    extremes_of: dict[str, re.Pattern[str]]  # adjectives by the one quantity that they describe
    data: dict[str, Any]


def why_unread(language: str) -> str | None:
    """Why claims in a language are not read, with the cure; None where they are.

    A pack with `claim_marks.yaml` is meant for claims, and may still lack a file.
    """
    pack = find_language(language)
    if pack is not None and pack.code in LANGUAGES:
        return None
    if pack is not None and pack.has(_SECTIONS[0]):
        missing = [f"{section}.yaml" for section in _SECTIONS if not pack.has(section)]
        return (
            f"the language pack {pack.code} has claim_marks.yaml, but no {' and no '.join(missing)}; "
            f"write {'it' if len(missing) == 1 else 'them'} after languages/{FALLBACK}/"
        )
    known = ", ".join(f"{load_language(code).name} ({code})" for code in LANGUAGES)
    return f"numerical claims are read in {known}; there are no word lists for {language}"


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language; English where there are none in it."""
    pack = load_language(language if language in LANGUAGES else FALLBACK)
    marks, times, series, plain = pack.claim_marks, pack.claim_times, pack.series_names, pack.plain_words
    weekdays = {weekday.lower(): number for number, weekday in enumerate(pack.weekdays)}
    periods = {word: period for period, words in times.periods.items() for word in words}
    kinds: dict[str, list[str]] = {}
    for kind, patterns in [*marks.marks.items(), *times.time_marks]:
        kinds.setdefault(kind, []).extend(patterns)
    inflected = participle_forms(pack.code)
    participles = {
        kind: frozenset(form for form, base in inflected.items() if base in dict(series)[kind])
        for kind in ("was_done", "was_ended", "narrowing")
    }
    for forms in marks.extremes_of.values():
        kinds.setdefault("maximum", []).extend(forms.most)
        kinds.setdefault("minimum", []).extend(forms.least)
    return Lexicon(
        pack.code,
        {kind: whole_words(patterns) for kind, patterns in kinds.items() if patterns},
        harmless=marks.harmless,
        articles=marks.articles,
        scope_prepositions=marks.scope_prepositions,
        restrictive=marks.restrictive | participles["narrowing"] | participles["was_ended"],
        plain=plain.words,
        plain_stems=frozenset(stem_of(word, pack.code) for word in plain.verbs | plain.everyone),
        links=marks.links,
        extremes_of={name: whole_words([*forms.most, *forms.least]) for name, forms in marks.extremes_of.items()},
        data={**dict(marks), **dict(times), **dict(series), **participles, "weekdays": weekdays, "periods": periods},
    )


@cache
def participle_forms(language: str) -> dict[str, str]:
    """The forms of what columns are called after ("late", "delivered"), each with the one that the pack lists.

    "Gemiste" of "gemist", and "late" of "laat" where a vowel is doubled in a closed syllable.
    """
    pack = load_language(language)
    series = pack.series_names
    forms: dict[str, str] = {}
    for word in sorted(series.was_done | series.was_ended | series.narrowing):
        open_syllable = _DOUBLED.sub(r"\1\2", word) if pack.profile.doubled_vowels else word
        endings = product((word, open_syllable), series.adjective_endings)
        forms |= dict.fromkeys((word, *map("".join, endings)), word)
    return forms


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
    forms = participle_forms(language) if language in LANGUAGES else {}
    words = ((match[0].lower(), match.span()) for match in _TOKEN.finditer(text))
    return tuple(Token(word, *span, stem_of(forms.get(word, word), language)) for word, span in words)


@lru_cache(maxsize=50_000)
def stem_of(word: str, language: str) -> str:
    """The stem of a word: alike for its inflections (`dropped`, `drops`; `medewerker`, `medewerkers`)."""
    stemmer = _stemmer(language) if word[0].isalpha() else None
    return word if stemmer is None else str(stemmer.stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    """The stemmer of a language; None where there is none, and words are their own stems."""
    import snowballstemmer

    name = load_language(language).name.lower()
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
