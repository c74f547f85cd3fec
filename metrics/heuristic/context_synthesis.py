"""Context Synthesis (Lassche et al., 2024, IV-C.2): an answer that combines documents is likelier true."""

from collections.abc import Sequence, Set

from ...text.lemmas import content_lemmas
from ...text.sentences import claiming_sentences
from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts

LEAST_SHARE = 0.5  # of a sentence's content words, for it to draw on a context


def find_source(sentence: Set[str], contexts: Sequence[Set[str]]) -> int | None:
    """Finds the context with most of a sentence's content words, by its place; None below half of them, or at a tie."""
    if not sentence or not contexts:
        return None
    shares = [len(sentence & context) / len(sentence) for context in contexts]
    best = max(shares)
    return shares.index(best) if best >= LEAST_SHARE and shares.count(best) == 1 else None


def context_synthesis(sources: Sequence[int | None], contexts: int) -> float:
    """Computes (different contexts that the sentences draw on - 1) / (the most possible - 1), in [0, 1].

    The most possible is the number of contexts or of sentences, whichever is smaller.
    """
    most = min(contexts, len(sources))
    return max(0, len({place for place in sources if place is not None}) - 1) / (most - 1) if most > 1 else 0.0


class ContextSynthesis(Feature):
    """How many of the documents the answer's sentences draw on, beyond the first, as a share of what could be."""

    name = "heuristic.context_synthesis"
    by_sentences = True

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped with one context, or when the answer has fewer than two sentences that claim something."""
        if len(texts.contexts) < 2:
            return skipped("there is one context: nothing to combine")
        sentences = claiming_sentences(texts.answer, texts.language)
        if len(sentences) < 2:
            return skipped("fewer than two sentences of the answer claim something")
        contexts = [set(content_lemmas(context, texts.language)) for context in texts.contexts]
        sources = [find_source(set(content_lemmas(sentence, texts.language)), contexts) for sentence in sentences]
        used = sorted({place + 1 for place in sources if place is not None})
        evidence = {
            "sentences": [
                {"text": s, "context": p if p is None else p + 1} for s, p in zip(sentences, sources, strict=True)
            ]
        }
        reason = f"the sentences draw on {len(used)} of {count_of(len(contexts), 'context')}"
        return scored(context_synthesis(sources, len(contexts)), reason, evidence)
