"""Filters on single pairs, without a model (003, 4.6 and Appendix B): each gives the reason why a pair goes, or ""."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

from ..eval_sets.language import LANGUAGES, detect_language
from ..metrics.declined import read_by_patterns
from ..metrics.entities import Entity, entities, states
from ..metrics.tokens import tokens
from .pair import Pair
from .section import Section


class Thresholds(BaseModel):
    """From where on a filter rejects.

    `rouge`: ROUGE-L precision of the answer against its section, in [0, 1]. `short_answer`: the most words of an
    answer that is taken for a fact only. `cosine`: of two questions, from which on they are one. `score`: the model's,
    1 to 5.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rouge: float = Field(default=0.4, ge=0, le=1)
    short_answer: int = Field(default=12, ge=0)
    cosine: float = Field(default=0.9, ge=-1, le=1)
    score: float = Field(default=2.0, ge=1, le=5)


Filter = Callable[[Pair, Section, Thresholds], str]


def empty(pair: Pair, _: Section, __: Thresholds) -> str:
    """No question, no answer, or an answer that says there is none."""
    if not tokens(pair.question):
        return "there is no question"
    if not tokens(pair.answer):
        return "there is no answer"
    declining = read_by_patterns(pair.answer, pair.language)
    return f'the answer declines: "{declining.declining}"' if declining.certain else ""


def other_language(pair: Pair, _: Section, __: Thresholds) -> str:
    """Question and answer in another language than the section; told apart are Dutch and English."""
    if pair.language not in LANGUAGES:
        return ""
    found = detect_language(pair.question, pair.answer)
    return "" if found == pair.language else f"question and answer are in {found}, the section in {pair.language}"


def factoid_looking(pair: Pair, _: Section, thresholds: Thresholds) -> str:
    """A long-form question whose answer is short and holds a fact: it would mix the two types (B.1)."""
    if pair.kind == "factoid" or len(tokens(pair.answer)) > thresholds.short_answer:
        return ""
    facts = entities(pair.answer, pair.language)
    return f"the answer is short and holds the {facts[0].kind} {facts[0].text}" if facts else ""


def unlike_section(pair: Pair, section: Section, thresholds: Thresholds) -> str:
    """A long-form answer whose words are not the section's: one that the examples "inspired", say (B.1)."""
    if pair.kind == "factoid":
        return ""
    share = rouge_l_precision(pair.answer, section.full_text)
    if share >= thresholds.rouge:
        return ""
    return f"ROUGE-L precision of the answer against the section is {share:.2f}, below {thresholds.rouge:g}"


def fact_missing(pair: Pair, section: Section, _: Thresholds) -> str:
    """A factoid pair whose fact is not in the answer or not in the section, or is given away in the question (B.2)."""
    if pair.fact is None:
        return "" if pair.kind == "long-form" else "the pair names no fact"
    found = [entity for entity in entities(pair.fact.text, pair.language) if entity.kind == pair.fact.kind]
    fact = found[0] if found else Entity(pair.fact.kind, pair.fact.text, 0, {})
    if not states(section.full_text, fact, pair.language):
        return f"the section does not state the {fact.kind} {fact.text}"
    if not states(pair.answer, fact, pair.language):
        return f"the answer does not state the {fact.kind} {fact.text}"
    return f"the question gives the {fact.kind} {fact.text} away" if states(pair.question, fact, pair.language) else ""


# In this order: what is cheap and sure first.
SINGLE_PAIR_FILTERS: dict[str, Filter] = {
    "empty": empty,
    "other language": other_language,
    "factoid-looking": factoid_looking,
    "unlike its section": unlike_section,
    "fact missing": fact_missing,
}


def rouge_l_precision(answer: str, section: str) -> float:
    """Longest common subsequence of the words of both / the answer's words, in [0, 1] (Lin, 2004).

    Precision, since a section says much more than an answer to one question.
    """
    from rapidfuzz.distance import LCSseq

    words = tokens(answer)
    return LCSseq.similarity(words, tokens(section)) / len(words) if words else 0.0
