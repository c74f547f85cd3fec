"""Subject Combination (Lassche et al., 2024, V-B): who does what in the answer, does so in the context."""

from collections.abc import Collection, Iterable

from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import SampleTexts, StarredFeature, bound_evidence
from .parse_cache import MOST_PARSED, Pair


def subject_combination(answer: Iterable[Pair], context: Collection[Pair]) -> float | None:
    """The share of the answer's different (verb, subject) pairs that the context has, in [0, 1]; None without pairs."""
    pairs = set(answer)
    return len(pairs & set(context)) / len(pairs) if pairs else None


class SubjectCombination(StarredFeature):
    """The share of the answer's (verb, subject) lemma pairs, by spaCy's dependency parse, found in the contexts."""

    name = "heuristic.subject_combination"
    parsed = True

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when no parser is installed (the reason says what to type) or no verb has a subject."""
        pairs = texts.answer_parsed.subjects
        if pairs is None:
            return skipped(texts.lacking or "the answer was not parsed")
        longest = max(map(len, (texts.answer, *texts.contexts)))
        bound = bound_evidence("characters of the answer and of each context are parsed", longest, MOST_PARSED)
        context = {pair for passage in texts.contexts_parsed for pair in passage.subjects or ()}
        value = subject_combination(pairs, context)
        if value is None:
            return skipped("the answer has no verb with a subject", bound)
        matches = {f"{subject} {verb}": (verb, subject) in context for verb, subject in pairs}
        reason = (
            f"{sum(matches.values())} of the answer's {count_of(len(matches), 'pair')} of subject and verb are in "
            "the context"
        )
        evidence = {
            "in_context": [pair for pair, is_match in matches.items() if is_match],
            "not_in_context": [pair for pair, is_match in matches.items() if not is_match],
        }
        return scored(value, reason, evidence | bound)
