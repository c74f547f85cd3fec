"""Filters that look at one pair at a time and ask no model (Twente paper, 4.6 and Appendix B)."""

from collections.abc import Callable

from ..languages import language_codes, language_or_fallback
from ..metrics.declined import find_refusal
from ..text.entities import Entity, find_entities, states_fact
from ..text.language_detection import detect_language
from ..text.text_matching import tokens
from .pair import Pair
from .section import Section

LEAST_ROUGE = 0.4
"""The lowest ROUGE-L precision of a long-form answer against its section, in [0, 1]."""
_SHORT_ANSWER = 12  # the most words of an answer that counts as short

Filter = Callable[[Pair, Section], str]
"""Returns why a pair is rejected, or "" for a pair that passes."""


def reject_empty(pair: Pair, _: Section) -> str:
    """Rejects a pair without a question or an answer, and one whose answer says that it does not know."""
    if not tokens(pair.question):
        return "there is no question"
    if not tokens(pair.answer):
        return "there is no answer"
    declining = find_refusal(pair.answer, language_or_fallback(pair.language))
    return f'the answer declines: "{declining.declining}"' if declining.declined else ""


def reject_other_language(pair: Pair, _: Section) -> str:
    """Rejects a pair in another language than its section."""
    if pair.language not in language_codes():
        return ""
    language = detect_language(pair.question, pair.answer)
    if language == pair.language:
        return ""
    return f"question and answer are in {language}, the section in {pair.language}"


def reject_factoid_looking(pair: Pair, _: Section) -> str:
    """Rejects a long-form pair whose answer is short and states a fact: it would mix the two kinds (B.1)."""
    if pair.kind == "factoid" or len(tokens(pair.answer)) > _SHORT_ANSWER:
        return ""
    facts = find_entities(pair.answer, language_or_fallback(pair.language, "entities"))
    return f"the answer is short and states the {facts[0].kind} {facts[0].text}" if facts else ""


def reject_unlike_section(pair: Pair, section: Section) -> str:
    """Rejects a long-form answer that shares few words with its section, such as one copied from an example (B.1)."""
    if pair.kind == "factoid":
        return ""
    precision = rouge_l_precision(pair.answer, section.full_text)
    if precision >= LEAST_ROUGE:
        return ""
    return f"ROUGE-L precision of the answer against the section is {precision:.2f}, below {LEAST_ROUGE:g}"


def reject_missing_fact(pair: Pair, section: Section) -> str:
    """Rejects a factoid pair whose fact is not in the section or the answer, or is already in the question (B.2)."""
    if pair.fact is None:
        return "" if pair.kind == "long-form" else "the pair names no fact"
    language = language_or_fallback(pair.language, "entities")
    candidates = [entity for entity in find_entities(pair.fact.text, language) if entity.kind == pair.fact.kind]
    fact = candidates[0] if candidates else Entity(pair.fact.kind, pair.fact.text, 0, {})
    if not states_fact(section.full_text, fact, language):
        return f"the section does not state the {fact.kind} {fact.text}"
    if not states_fact(pair.answer, fact, language):
        return f"the answer does not state the {fact.kind} {fact.text}"
    if states_fact(pair.question, fact, language):
        return f"the question gives away the {fact.kind} {fact.text}"
    return ""


SINGLE_PAIR_FILTERS: dict[str, Filter] = {
    "empty": reject_empty,
    "other language": reject_other_language,
    "factoid-looking": reject_factoid_looking,
    "unlike its section": reject_unlike_section,
    "fact missing": reject_missing_fact,
}
"""The filters by the name that tables show, in the order in which they are applied: cheap and certain ones first."""


def rouge_l_precision(answer: str, section: str) -> float:
    """Computes the length of the longest common subsequence of words / the number of words in the answer.

    ROUGE-L (Lin, 2004), precision only, since a section says much more than the answer to one question.

    Returns:
        A value in [0, 1]; 0 for an answer without words.

    Example:
        >>> rouge_l_precision("Keep the cast dry.", "Always keep your cast dry and warm.")
        0.75
    """
    from rapidfuzz.distance import LCSseq

    words = tokens(answer)
    return LCSseq.similarity(words, tokens(section)) / len(words) if words else 0.0
