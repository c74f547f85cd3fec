"""General Answer (Lassche et al., 2024, IV-C.2): an answer that is vague is less likely true."""

import re
from collections.abc import Sequence
from functools import cache

from ...languages import Language
from ...text.components import find_components, find_errors
from ...text.lemmas import words
from ...text.sentences import claiming_sentences
from ...text.wording import count_of
from ..score import Score, scored, skipped
from .company_terms import is_general
from .feature import Feature, SampleTexts

_SHORTEST = 4


def general_answer(specific: Sequence[bool]) -> float | None:
    """The share of the answer's sentences that are specific, in [0, 1]; None without sentences."""
    return sum(specific) / len(specific) if specific else None


def is_specific(sentence: str, language: Language) -> bool:
    """Whether a sentence says something that would not fit any product: a component, an error, a number or a term.

    A vague phrase (`it depends on the situation`) makes it general all the same, unless it names a component.
    """
    if find_components(sentence, language):
        return True
    if _vague(language).search(sentence.lower()):
        return False
    sentence_words = words(sentence)
    terms = (len(word) >= _SHORTEST and word.isalpha() and not is_general(word, language) for word in sentence_words)
    return bool(find_errors(sentence, language)) or any(word[0].isdigit() for word in sentence_words) or any(terms)


@cache
def _vague(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, language.words.vague))})\b")


class GeneralAnswer(Feature):
    """The share of the answer's claiming sentences that are specific: 1 is specific, 0 could be about anything."""

    name = "heuristic.general_answer"
    by_sentences = True
    needs: tuple[str, ...] = ("response",)

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when no sentence of the answer claims anything (a greeting, a refusal)."""
        sentences = claiming_sentences(texts.answer, texts.language)
        named = [component.name for component in find_components(texts.answer, texts.language)]  # with its markup
        specific = [
            any(name in sentence for name in named) or is_specific(sentence, texts.language) for sentence in sentences
        ]
        value = general_answer(specific)
        if value is None:
            return skipped("no sentence of the answer claims anything")
        general = [sentence for sentence, detailed in zip(sentences, specific, strict=True) if not detailed]
        return scored(
            value, f"{sum(specific)} of {count_of(len(sentences), 'sentence')} are specific", {"general": general}
        )
