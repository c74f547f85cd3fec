"""Prompt Overlap (Lassche et al., 2024, V-B; Kumar et al.): an answer with the question's words is likelier true."""

from collections.abc import Sequence

from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts


def prompt_overlap(question: Sequence[str], answer: Sequence[str]) -> float | None:
    """The share of the question's different lemmas that the answer has, in [0, 1]; None without any."""
    question_lemmas = set(question)
    return len(question_lemmas & set(answer)) / len(question_lemmas) if question_lemmas else None


class PromptOverlap(Feature):
    """The share of the question's different words (lemmas) that the answer takes up, in [0, 1]."""

    name = "heuristic.prompt_overlap"
    needs: tuple[str, ...] = ("response", "user_input")

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when the question has no words (in English: none but function words)."""
        question_lemmas = dict.fromkeys(texts.question_parsed.lemmas)
        value = prompt_overlap(texts.question_parsed.lemmas, texts.answer_parsed.lemmas)
        if value is None:
            return skipped("the question has no words to take up")
        shared = [word for word in question_lemmas if word in set(texts.answer_parsed.lemmas)]
        return scored(
            value,
            f"the answer has {len(shared)} of the question's {count_of(len(question_lemmas), 'word')}",
            {"shared": shared},
        )
