"""The words of numerical claims: what each kind of word looks like in a language, from the data files in `words/`."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from ...languages import read_yaml

LANGUAGES = ("en", "nl")
_LISTS = ("harmless", "plain_verbs", "harmless_cell", "articles", "scope_prepositions", "restrictive")
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
    """The words of one language: `kinds` matches each kind of mark, `data` is the rest of the file.

    `plain` words say nothing that is checked, unless a column is called so; of those, `everyone` are nouns for all that
    a table is about, which narrow nothing even after a preposition.
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
    data: dict[str, Any]


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language; English where there are none in it."""
    language = language if language in LANGUAGES else "en"
    data = _data(language) | _data(f"series_{language}") | _data(f"times_{language}")
    plain = _data(f"plain_{language}")
    marks, of_times = data["marks"], data["time_marks"]
    said = {kind: [*marks.get(kind, []), *of_times.get(kind, [])] for kind in [*marks, *of_times]}
    kinds = {kind: whole_words(patterns) for kind, patterns in said.items() if patterns}
    words = {kind: frozenset(data[kind].split()) for kind in _LISTS}
    words["restrictive"] |= frozenset(f"{data['narrowing']} {data['was_ended']}".split())
    plainly = frozenset(f"{plain['words']} {plain['verbs']} {plain['everyone']}".split())
    return Lexicon(
        language,
        kinds,
        **words,
        plain=plainly,
        everyone=frozenset(stem_of(word, language) for word in plain["everyone"].split()),
        data=data,
    )


def _data(name: str) -> dict[str, Any]:
    return read_yaml(resources.files(__package__).joinpath("words").joinpath(f"{name}.yaml"), dict[str, Any])


def whole_words(patterns: list[str]) -> re.Pattern[str]:
    """One expression for any of the patterns as whole words, without case; the longest that fits first."""
    ordered = sorted(patterns, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{pattern})' for pattern in ordered)})(?!\w)", re.IGNORECASE)


def tokens(text: str, language: str) -> list[Token]:
    """The words, numbers and signs of a text, in order."""
    return [
        Token(found[0].lower(), *found.span(), stem_of(found[0].lower(), language)) for found in _TOKEN.finditer(text)
    ]


@lru_cache(maxsize=50_000)
def stem_of(word: str, language: str) -> str:
    """The stem of a word: alike for its inflections (`dropped`, `drops`; `medewerker`, `medewerkers`)."""
    return str(_stemmer(language).stemWord(word)) if word[0].isalpha() else word


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("dutch" if language == "nl" else "english")
