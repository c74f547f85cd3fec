"""Words by their stems and lemmas, and the words that are typical of texts."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from ..languages import Language, find_language

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
_DOUBLE = re.compile(r"([aeou])\1(?=[^aeiou]+$)")
_SHORTEST_STEM = 4


def words(text: str) -> list[str]:
    """Splits a text into words and numbers, lower-cased; a hyphen, point or apostrophe inside stays.

    Example:
        >>> words("Open KP-2044's page.")
        ['open', "kp-2044's", 'page']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


@lru_cache(maxsize=100_000)
def lemma(word: str, language: Language) -> str:
    """Finds a word's dictionary form, lower-cased; the word itself in a language that simplemma does not know.

    One word has one lemma wherever it stands, heading or sentence: what is compared must not depend on a tagger.

    Example:
        >>> from assay.languages import load_language
        >>> lemma("payslips", load_language("en"))
        'payslip'
    """
    if not word.isalpha():
        return word.lower()
    import simplemma

    if not _has_lemmas(language):
        return word.lower()
    return str(simplemma.lemmatize(word.lower(), lang=language.code)).lower()


@cache
def _has_lemmas(language: Language) -> bool:
    import simplemma

    try:
        simplemma.lemmatize("a", lang=language.code)
    except ValueError:
        return False
    return True


def lemmas(text: str, language: Language) -> tuple[str, ...]:
    """The lemmas of a text in order: all words in Dutch, in English without the function words.

    Source: Lassche et al. (2024), section VI-A.
    """
    lemma_words = words(text)
    if not language.profile.function_words_in_lemmas:
        lemma_words = [word for word in lemma_words if word not in language.words.function_words]
    return tuple(lemma(word, language) for word in lemma_words)


def content_lemmas(text: str, language: Language) -> tuple[str, ...]:
    """The lemmas of a text in order without function words, in any language. Negations stay."""
    left_out = language.words.function_words - language.words.negations
    return tuple(lemma(word, language) for word in words(text) if word not in left_out)


@lru_cache(maxsize=100_000)
def stem(word: str, language: Language) -> str:
    """Removes the plural that simplemma leaves on compounds, so that `loonstroken` and `loonstrook` are the same.

    For finding a name in a text, where a wrong match costs less than a missed one.
    """
    whole = lemma(word, language)
    short = language.profile.plural.sub("", whole)
    if len(short) < _SHORTEST_STEM:
        short = whole
    return _DOUBLE.sub(r"\1", short) if language.profile.doubled_vowels else short


def content_stems(text: str, language: Language) -> tuple[str, ...]:
    """The stems of a text's words in order without function words; all its words where it has no others.

    Example:
        >>> from assay.languages import load_language
        >>> content_stems("I need my payslips.", load_language("en"))
        ('need', 'payslip')
    """
    all_words = words(text)
    stems = (stem(word, language) for word in all_words if word not in language.function_words)
    return tuple(stems) or tuple(all_words)


_WORDS = 4
_PATTERN = r"(?u)\b[^\W\d_]{3,}\b"
_STOP_WORDS = 200  # the most frequent words of a language say nothing about a group


def find_typical_words(texts: Mapping[int, str], languages: Sequence[str], count: int = _WORDS) -> dict[int, list[str]]:
    """Finds the words that distinguish each group of texts from the others.

    A word weighs tf * log(1 + A / f): tf is its frequency in the group, f its frequency in all groups, A the mean
    number of words per group.

    Returns:
        The words of each group, the highest weight first.

    Example:
        >>> find_typical_words({0: "plaster arm plaster", 1: "diet salt diet"}, ["en"], count=1)
        {0: ['plaster'], 1: ['diet']}
    """
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=_PATTERN, stop_words=stop_words(languages))
    try:
        counts = vectorizer.fit_transform(texts.values()).toarray()
    except ValueError:  # no text has a word
        return {group: [] for group in texts}
    names = vectorizer.get_feature_names_out()
    weights = counts * np.log(1 + counts.sum() / len(texts) / counts.sum(axis=0))
    order = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    return {
        group: [str(names[column]) for column in columns if weights[row, column] > 0]
        for row, (group, columns) in enumerate(zip(texts, order, strict=True))
    }


def stop_words(languages: Sequence[str]) -> list[str]:
    """Returns the most frequent words of languages, in alphabetical order.

    They are those of wordfreq; where it is not installed (extra `numeric`), the function words of the language packs.
    """
    return sorted({word for language in set(languages) for word in _frequent_words(language) if word.isalpha()})


@cache
def _frequent_words(language: str) -> frozenset[str]:
    try:
        from wordfreq import available_languages, top_n_list
    except ImportError:
        pack = find_language(language)
        return frozenset() if pack is None else frozenset(pack.function_words)
    return frozenset(top_n_list(language, _STOP_WORDS)) if language in available_languages() else frozenset()
