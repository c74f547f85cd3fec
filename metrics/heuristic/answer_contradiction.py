"""Answer Contradiction (001, section IV-C.2): the answer says a thing and denies it."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ..metric import Score, scored, skipped
from ..sentences import sentences
from .facts import facts, word_set
from .reading import Feature, Reading
from .words import lemma, words

FEWEST_SHARED = 3  # content words: fewer are shared by chance
LEAST_SHARE = 0.75  # of the shorter statement's content words

_CLAUSE = re.compile(r"[,;:]\s+|\s+(?:maar|but|en|and|omdat|because|zodat|so that|terwijl|while)\s+")
_NUMBER = re.compile(r"\d")


class Statement(NamedTuple):
    """A clause as its content lemmas, and whether it denies."""

    text: str
    content: frozenset[str]
    denied: bool


def contradiction(statements: Sequence[Statement]) -> tuple[str, str] | None:
    """The first two statements of which one denies what the other says, or None.

    Conservative: they share at least 3 content words and 3/4 of those of the shorter one, one denies and the other
    does not, and the shorter brings no number of its own (`not in 2023` does not contradict `in 2024`).
    """
    for place, first in enumerate(statements):
        for second in statements[place + 1 :]:
            short, long = sorted((first, second), key=lambda each: len(each.content))
            shared = short.content & long.content
            own_number = any(_NUMBER.search(word) for word in short.content - long.content)
            if (
                first.denied != second.denied
                and len(shared) >= FEWEST_SHARED
                and len(shared) >= LEAST_SHARE * len(short.content)
                and not own_number
            ):
                return first.text, second.text
    return None


def statements_of(text: str, language: str) -> list[Statement]:
    """The statements of an answer: its sentences and, where a sentence has several, their clauses; no questions.

    Conditions (`if you did not ...`) and instructions (`choose a group`) state nothing.
    """
    found: list[Statement] = []
    for sentence in sentences(text, language):
        if sentence.endswith("?"):
            continue
        clauses = [clause for clause in _CLAUSE.split(sentence) if clause]
        found.extend(_statement(clause, language) for clause in clauses if _states(clause, language))
    return found


def says_yes_and_no(text: str, language: str) -> bool:
    """Whether one sentence of the answer begins with yes and another with no, as to one question."""
    openings = dict.fromkeys(("affirmative", "negative"), False)
    for sentence in sentences(text, language):
        for kind in openings:
            openings[kind] |= _opening(kind, language).match(sentence.lower()) is not None
    return all(openings.values())


def _states(clause: str, language: str) -> bool:
    begins = words(clause)[:1]
    return not set(begins) & word_set("imperatives", language) and not _condition(language).search(clause)


def _statement(clause: str, language: str) -> Statement:
    idle, denials = word_set("function_words", language), word_set("negations", language)
    found = words(clause)
    content = frozenset(lemma(word, language) for word in found if word not in idle and word not in denials)
    return Statement(clause, content, sum(word in denials for word in found) % 2 == 1)


@cache
def _opening(kind: str, language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, facts('signals', language)[kind]))})\b[,.!]")


@cache
def _condition(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(facts('signals', language)['conditions'])})\b", re.IGNORECASE)


class AnswerContradiction(Feature):
    """1 when no contradiction was found in the answer, 0 when one was. Finds only plain ones, by negation."""

    name = "heuristic.answer_contradiction"
    needs: tuple[str, ...] = ("response",)

    def of(self, reading: Reading) -> Score:
        """Skipped when the answer states nothing."""
        statements = statements_of(reading.answer, reading.language)
        if not statements:
            return skipped("the answer states nothing")
        if says_yes_and_no(reading.answer, reading.language):
            return scored(0.0, "the answer says both yes and no", {"statements": []})
        found = contradiction(statements)
        if found:
            return scored(0.0, f"{found[0]!r} against {found[1]!r}", {"statements": [*found]})
        return scored(1.0, "no statement of the answer denies another", {"statements": []})
