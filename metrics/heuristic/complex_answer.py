"""Complex Answer (Lassche et al., 2024, V-B; Kumar et al.): signal words of four kinds in the answer."""

import re
from functools import cache

from ...languages import Language
from ...text.wording import count_of
from ..score import Score, scored
from .feature import Feature, SampleTexts


def complex_answer(signs: dict[str, list[str]]) -> float:
    """The share of the kinds of signal words that are present at all, in [0, 1]: how many of a kind does not count."""
    return sum(bool(phrases) for phrases in signs.values()) / len(signs)


def find_signal_words(text: str, language: Language) -> dict[str, list[str]]:
    """The signal words in a text by kind (perspective, comparison, examples, reasoning), each once, in order."""
    lowered = text.lower()
    return {kind: list(dict.fromkeys(pattern.findall(lowered))) for kind, pattern in _patterns(language).items()}


@cache
def _patterns(language: Language) -> dict[str, re.Pattern[str]]:
    return {
        kind: re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(phrases, key=len, reverse=True)))})\b")
        for kind, phrases in language.words.signal_words
    }


class ComplexAnswer(Feature):
    """How many of the four kinds of signal words the answer has, as a share."""

    name = "heuristic.complex_answer"
    needs: tuple[str, ...] = ("response",)

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer without signal words has 0."""
        signs = find_signal_words(texts.answer, texts.language)
        present = [kind for kind, phrases in signs.items() if phrases]
        return scored(
            complex_answer(signs),
            f"signal words of {len(present)} of {count_of(len(signs), 'kind')}",
            {"signal_words": signs},
        )
