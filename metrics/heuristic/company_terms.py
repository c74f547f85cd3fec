"""Company-Specific Terms (Lassche et al., 2024, V-B): the documentation's words make an answer likelier true."""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path

from ...languages import Language
from ...regular_files import read_text_file
from ...text.lemmas import lemma, words
from ...text.wording import count_of
from ..score import Score, scored
from .feature import Feature, SampleTexts

MOST_WORDS = 10_000  # of the documentation's words, the most frequent (Lassche et al., 2024)
RAREST_GENERAL = 0.99e-6  # once in a million words (Zipf 3, which wordfreq rounds). Rarer is not general language
ENOUGH_TERMS = 3

_SHORTEST = 4


def company_terms(terms: Collection[str]) -> float:
    """Computes min(1, different company terms of the answer / 3), in [0, 1]: a long list gains nothing."""
    return min(1.0, len(set(terms)) / ENOUGH_TERMS)


def build_vocabulary(texts: Iterable[str], language: Language, most: int = MOST_WORDS) -> list[str]:
    """Lists the company terms of a documentation: its `most` frequent words that are not general, frequent first.

    Words with digits or of fewer than 4 letters are left out; inflections count together, under their lemma.
    """
    counts = Counter(word for text in texts for word in words(text) if len(word) >= _SHORTEST and word.isalpha())
    frequent = (word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most])
    return list(dict.fromkeys(lemma(word, language) for word in frequent if not is_general(word, language)))


@lru_cache(maxsize=2048)  # contexts are shared by samples
def _context_terms(context: str, language: Language) -> frozenset[str]:
    return frozenset(build_vocabulary([context], language))


@cache
def is_general(word: str, language: Language) -> bool:
    """Whether a word or its lemma is general language: at least once in a million words of it (wordfreq's Zipf 3).

    In a language that wordfreq lacks every word is general.
    """
    frequencies = _frequencies(language)
    if frequencies is None:
        return True
    return any(frequencies.get(form, 0.0) >= RAREST_GENERAL for form in (word, lemma(word, language)))


@cache
def _frequencies(language: Language) -> dict[str, float] | None:
    """The share of each word in general language; `zipf_frequency` would split each word first."""
    from wordfreq import available_languages, get_frequency_dict

    frequencies: dict[str, float] | None = (
        get_frequency_dict(language.code) if language.code in available_languages() else None
    )
    return frequencies


def read_vocabulary(file: str | Path) -> frozenset[str]:
    """Reads the terms of a file: one per line, except lines that begin with #. Raises `InputError`."""
    lines = read_text_file(Path(file).expanduser(), "the vocabulary").splitlines()
    return frozenset(line.strip().lower() for line in lines if line.strip() and not line.startswith("#"))


class CompanyTerms(Feature):
    """How many company-specific terms the answer uses, three or more being 1."""

    name = "heuristic.company_terms"

    def __init__(self, vocabulary: str | None = None) -> None:
        """`vocabulary` is a file with one term per line; without it the sample's contexts take its place.

        Raises `InputError` when the file cannot be read.
        """
        super().__init__()
        self._known = read_vocabulary(vocabulary) if vocabulary else None
        if self._known is not None:
            self.needs = ("response",)

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer without company terms has 0."""
        language = texts.language
        known = self._known
        if known is None:
            known = frozenset[str]().union(*(_context_terms(context, language) for context in texts.contexts))
        used = dict.fromkeys(lemma(word, language) for word in words(texts.answer))
        terms = [word for word in used if word in known]
        reason = f"{count_of(len(terms), 'company-specific term')}" + (f": {', '.join(terms[:8])}" if terms else "")
        return scored(company_terms(terms), reason, {"terms": terms})
