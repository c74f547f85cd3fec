"""The words that say what a group of texts is about: class-based TF-IDF (Grootendorst, 2022)."""

from collections.abc import Mapping, Sequence
from functools import cache

from ..languages import find_language

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
