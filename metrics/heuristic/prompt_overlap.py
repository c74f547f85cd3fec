"""Prompt Overlap (001, section V-B; Kumar et al.): an answer that takes up the question's words is likelier true."""

from collections.abc import Sequence

from ..metric import Score, scored, skipped
from .feature import Feature, Reading


def prompt_overlap(question: Sequence[str], answer: Sequence[str]) -> float | None:
    """The share of the question's different lemmas that the answer has, in [0, 1]; None without any."""
    asked = set(question)
    return len(asked & set(answer)) / len(asked) if asked else None


class PromptOverlap(Feature):
    """The share of the question's different words (lemmas) that the answer takes up, in [0, 1]."""

    name = "heuristic.prompt_overlap"
    needs: tuple[str, ...] = ("response", "user_input")

    def score_reading(self, reading: Reading) -> Score:
        """Skipped when the question has no words (in English: none but function words)."""
        asked = dict.fromkeys(reading.question_parsed.lemmas)
        value = prompt_overlap(reading.question_parsed.lemmas, reading.answer_parsed.lemmas)
        if value is None:
            return skipped("the question has no words to take up")
        shared = [word for word in asked if word in set(reading.answer_parsed.lemmas)]
        return scored(value, f"the answer has {len(shared)} of the question's {len(asked)} words", {"shared": shared})
