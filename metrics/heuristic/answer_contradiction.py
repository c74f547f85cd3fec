"""Answer Contradiction (Lassche et al., 2024, IV-C.2): the answer states something and denies it."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from ...languages import Language
from ...text.lemmas import lemma, words
from ...text.sentences import sentences
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts, bound_evidence

FEWEST_SHARED = 3  # content words: fewer are shared by chance
LEAST_SHARE = 0.75  # of the shorter statement's content words
MOST_STATEMENTS = 200
"""At most so many statements are compared: each is compared with every other."""

_NUMBER = re.compile(r"\d")

Opening = Literal["affirmative", "negative"]


class Statement(NamedTuple):
    """A clause as its content lemmas, and whether it denies."""

    text: str
    content: frozenset[str]
    denied: bool


def find_contradiction(statements: Sequence[Statement]) -> tuple[str, str] | None:
    """Finds the first two statements of which one denies what the other says, or None.

    Conservative: they share at least 3 content words and 3/4 of those of the shorter one, one denies and the other
    does not, and the shorter brings no number of its own (`not in 2023` does not contradict `in 2024`).
    """
    for place, first in enumerate(statements):
        for second in statements[place + 1 :]:
            short, long = sorted((first, second), key=lambda statement: len(statement.content))
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


def find_statements(text: str, language: Language) -> list[Statement]:
    """Finds the statements of an answer: the clauses of its sentences, but not of questions.

    Conditions (`if you did not ...`) and instructions (`choose a group`) state nothing.
    """
    statements: list[Statement] = []
    for sentence in sentences(text, language):
        if sentence.endswith("?"):
            continue
        clauses = [clause for clause in _clause_end(language).split(sentence) if clause]
        statements.extend(_statement(clause, language) for clause in clauses if _states(clause, language))
    return statements


def says_yes_and_no(text: str, language: Language) -> bool:
    """Whether one sentence of the answer begins with yes and another with no, as to one question."""
    openings: dict[Opening, bool] = {"affirmative": False, "negative": False}
    for sentence in sentences(text, language):
        for kind in openings:
            openings[kind] |= _opening(kind, language).match(sentence.lower()) is not None
    return all(openings.values())


def _states(clause: str, language: Language) -> bool:
    begins = words(clause)[:1]
    return not set(begins) & language.words.imperatives and not _condition(language).search(clause)


def _statement(clause: str, language: Language) -> Statement:
    idle, denials = language.words.function_words, language.words.negations
    clause_words = words(clause)
    content = frozenset(lemma(word, language) for word in clause_words if word not in idle and word not in denials)
    return Statement(clause, content, sum(word in denials for word in clause_words) % 2 == 1)


@cache
def _clause_end(language: Language) -> re.Pattern[str]:
    return re.compile(rf"[,;:]\s+|(?<!\s)\s+(?:{'|'.join(map(re.escape, language.words.clause_words))})\s+")


@cache
def _opening(kind: Opening, language: Language) -> re.Pattern[str]:
    openings = language.words.affirmative if kind == "affirmative" else language.words.negative
    return re.compile(rf"(?:{'|'.join(map(re.escape, openings))})\b[,.!]")


@cache
def _condition(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(language.words.conditions)})\b", re.IGNORECASE)


class AnswerContradiction(Feature):
    """1 when no contradiction was found in the answer, 0 when one was. Finds only plain ones, by negation."""

    name = "heuristic.answer_contradiction"
    by_sentences = True
    needs: tuple[str, ...] = ("response",)

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when the answer states nothing."""
        all_statements = find_statements(texts.answer, texts.language)
        if not all_statements:
            return skipped("the answer states nothing")
        if says_yes_and_no(texts.answer, texts.language):
            return scored(0.0, "the answer says both yes and no", {"statements": []})
        statements = all_statements[:MOST_STATEMENTS]
        bounds = bound_evidence("statements of the answer are compared", len(all_statements), MOST_STATEMENTS)
        if pair := find_contradiction(statements):
            return scored(0.0, f"{pair[0]!r} against {pair[1]!r}", {"statements": [*pair]} | bounds)
        return scored(1.0, "no statement of the answer denies another", {"statements": []} | bounds)
