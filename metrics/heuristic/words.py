"""Words in the form in which texts are compared: lower-cased and lemmatised (001, section VI-A)."""

import re
from functools import cache, lru_cache

from .facts import word_set

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
_PLURAL = re.compile(r"(?:['’]s|en|s)$")
_DOUBLE = re.compile(r"([aeou])\1(?=[^aeiou]+$)")
_SHORTEST_STEM = 4


def words(text: str) -> list[str]:
    """The words and numbers of a text in order, lower-cased; a hyphen, point or apostrophe inside stays (`KP-2044`)."""
    return _WORD.findall(text.lower().replace("’", "'"))


@lru_cache(maxsize=100_000)
def lemma(word: str, language: str) -> str:
    """A word's dictionary form, lower-cased; the word itself in a language that simplemma does not know.

    One word has one lemma wherever it stands, heading or sentence: what is compared must not depend on a tagger.
    """
    if not word.isalpha():
        return word.lower()
    import simplemma

    if not _knows(language):
        return word.lower()
    return str(simplemma.lemmatize(word.lower(), lang=language)).lower()


@cache
def _knows(language: str) -> bool:
    import simplemma

    try:
        simplemma.lemmatize("a", lang=language)
    except ValueError:
        return False
    return True


def lemmas(text: str, language: str) -> tuple[str, ...]:
    """The lemmas of a text in order: all words in Dutch, in English without the function words (001, section VI-A)."""
    found = words(text)
    if language == "en":
        idle = word_set("function_words", "en")
        found = [word for word in found if word not in idle]
    return tuple(lemma(word, language) for word in found)


def content_lemmas(text: str, language: str) -> tuple[str, ...]:
    """The lemmas of a text in order without function words, in any language. Negations stay."""
    idle, kept = word_set("function_words", language), word_set("negations", language)
    found = (word for word in words(text) if word not in idle or word in kept)
    return tuple(lemma(word, language) for word in found)


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """A lemma without the plural that simplemma leaves on compounds: `loonstroken` and `loonstrook` are one.

    For finding a name in a text, where a wrong match costs less than a missed one.
    """
    found = lemma(word, language)
    short = _PLURAL.sub("", found)
    if len(short) < _SHORTEST_STEM:
        short = found
    return _DOUBLE.sub(r"\1", short) if language == "nl" else short
