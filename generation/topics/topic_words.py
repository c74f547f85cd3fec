"""What a topic is about, in its own words: class-based TF-IDF (Grootendorst 2022)."""

from collections.abc import Mapping, Sequence
from functools import cache

_WORDS = 4
_PATTERN = r"(?u)\b[^\W\d_]{3,}\b"
# The most frequent words of a language say nothing about a topic
_STOP_WORDS = 200


def topic_words(texts: Mapping[int, str], languages: Sequence[str], words: int = _WORDS) -> dict[int, list[str]]:
    """The words that tell each topic from the others, the best first: weight tf * log(1 + A / f).

    `texts` holds a topic's sections as one text; tf is a word's frequency there, f that in all topics, A the average
    number of words a topic.
    """
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=_PATTERN, stop_words=stop_words(languages))
    try:
        counts = vectorizer.fit_transform(texts.values()).toarray()
    except ValueError:  # no word in any text
        return {topic: [] for topic in texts}
    names = vectorizer.get_feature_names_out()
    weights = counts * np.log(1 + counts.sum() / len(texts) / counts.sum(axis=0))
    best = np.argsort(-weights, axis=1, kind="stable")[:, :words]
    return {
        topic: [str(names[place]) for place in row if weights[number, place] > 0]
        for number, (topic, row) in enumerate(zip(texts, best, strict=True))
    }


def stop_words(languages: Sequence[str]) -> list[str]:
    """The most frequent words of the languages (of those that wordfreq knows)."""
    return sorted({word for language in set(languages) for word in _frequent(language) if word.isalpha()})


@cache
def _frequent(language: str) -> frozenset[str]:
    from wordfreq import available_languages, top_n_list

    return frozenset(top_n_list(language, _STOP_WORDS)) if language in available_languages() else frozenset()
