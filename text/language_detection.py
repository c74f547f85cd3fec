"""Detects which language a text is in, also one that has no language pack."""

from collections.abc import Collection
from functools import cache
from typing import Any

from ..languages import FALLBACK, language_codes

CHARACTERS = 400
"""As much of each text is looked at: enough to tell languages apart, and detection walks every byte in Python."""
FEWEST_LETTERS = 20
"""A shorter text is in one of the languages with a pack: "hoi" could be in any."""
LEAST_PROBABILITY = 0.3
"""A language without a pack needs this probability among all that the detector knows; its relatives share the rest."""
MOST_PACKS = 0.02
"""And the languages with a pack may have at most this probability together."""
LEAST_SHARE = 0.6
"""A language with a pack needs this share of the probability of all languages with one."""

_NO_LANGUAGE = "zxx"  # ISO 639: no linguistic content


def detect_language(*texts: str) -> str:
    """Detects the language of texts that belong together, such as a question and its answer.

    Returns:
        An ISO 639 code: of a language with a pack, or of another one where the texts are long enough (20 letters) and
        the detector is sure: it has at least 0.3 of the probability among some 140 languages, and those with a pack
        have at most 0.02. English where the texts do not tell.

    Example:
        >>> detect_language("Waar vind ik mijn loonstrook?")
        'nl'
        >>> detect_language("¿Dónde encuentro mi nómina del mes de marzo?")
        'es'
        >>> detect_language("ok")
        'en'
    """
    text = "\n".join(text[:CHARACTERS] for text in texts)
    ranked = _identifier().rank(text)
    probabilities = dict(ranked)
    known = {code: float(probabilities[code]) for code in language_codes() if code in probabilities}
    first, probability = ranked[0]
    is_other = first not in known and first != _NO_LANGUAGE and probability >= LEAST_PROBABILITY
    if is_other and sum(known.values()) <= MOST_PACKS and _has_enough_letters(text):
        return str(first)
    best = max(known, key=known.__getitem__)
    return best if known[best] >= LEAST_SHARE * sum(known.values()) else FALLBACK


def may_be_in(text: str, languages: Collection[str]) -> bool:
    """Whether a text is more likely in one of some languages (ISO 639) than in another, or too short to tell.

    Example:
        >>> may_be_in("Où se trouve ma facture ?", ["fr"]), may_be_in("Kde najdu svou fakturu za březen?", ["fr"])
        (True, False)
    """
    text = text[:CHARACTERS]
    if not _has_enough_letters(text):
        return True
    known = {*languages, _NO_LANGUAGE}
    return sum(float(probability) for code, probability in _identifier().rank(text) if code in known) > 0.5


def _has_enough_letters(text: str) -> bool:
    return sum(character.isalpha() for character in text) >= FEWEST_LETTERS


@cache
def _identifier() -> Any:
    from py3langid import langid

    # 0.4 renamed it
    build = getattr(langid.LanguageIdentifier, "from_model_file", None) or langid.LanguageIdentifier.from_pickled_model
    # an identifier of our own: the module's is shared with whoever else uses the library in this process
    return build(langid.MODEL_FILE, norm_probs=True)
