"""What a customer asks more than once: sentences that ask, compared by an embedder and by their stems."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..eval_sets.message import Message
from ..judges.embedders import Embedder
from ..languages import Language
from ..text.lemmas import stem, words
from ..text.message_sentences import message_sentences
from ..text.phrase_list import any_pattern

SAME_COSINE = 0.8
"""From this cosine on two questions are the same."""
ALIKE_COSINE = 0.67
"""From this cosine on they are where they share their stems too."""
SHARED_STEMS = 0.4
"""The share of stems, of both together, that is enough then."""
_MOST_SWAPPED = 2  # words: "the invoice" for "the contract"
_LEAST_FRAME = 3  # words around them
_CODE = re.compile(r"(?<![\w#-])[\w#-]*\d[\w-]*")


class CustomerQuestion(NamedTuple):
    """A sentence in which the customer asks for something; its turn, its stems, and the numbers in it."""

    text: str
    turn: int
    stems: frozenset[str]
    numbers: frozenset[str]


class Repeated(NamedTuple):
    """A question that repeats an earlier one; with the earlier one's turn and the cosine of the two."""

    text: str
    turn: int
    earlier_turn: int
    cosine: float


def customer_questions(messages: Sequence[Message], language: Language) -> list[CustomerQuestion]:
    """Lists the sentences in which the customer asks for something, in order.

    Left out is what asks for nothing by itself ("Can you help me?"), and what has no word of its own.
    """
    wants, idle = _patterns(language)
    questions = []
    for turn, message in enumerate(messages):
        if message.role != "user":
            continue
        for text, _ in message_sentences(message.text):
            if not (text.endswith("?") or wants.search(text)) or idle.search(text):
                continue
            stems = frozenset(stem(word, language) for word in words(text)) - _function_stems(language)
            if stems:
                questions.append(CustomerQuestion(text, turn, stems, frozenset(_CODE.findall(text.casefold()))))
    return questions


async def find_repeated(messages: Sequence[Message], language: Language, embedder: Embedder) -> list[Repeated]:
    """Finds the questions of the customer that repeat one of an earlier message of theirs.

    Of several earlier ones the nearest counts; see `is_repeated`.
    """
    questions = customer_questions(messages, language)
    if len({question.turn for question in questions}) < 2:
        return []
    wordings = {text: place for place, text in enumerate(dict.fromkeys(question.text for question in questions))}
    vectors = await embedder.unit_vectors([*wordings])
    cosines = vectors @ vectors.T
    repeated = []
    last_asked: dict[str, CustomerQuestion] = {}  # by its wording: one that is repeated is compared once
    for turn, asked in groupby(questions, key=attrgetter("turn")):
        now = [*asked]
        for question in now:
            near = cosines[wordings[question.text]]
            alike = [
                (cosine, earlier.turn)
                for text, earlier in last_asked.items()
                if (cosine := float(near[wordings[text]])) >= ALIKE_COSINE and is_repeated(earlier, question, cosine)
            ]
            if alike:
                cosine, earlier_turn = max(alike)
                repeated.append(Repeated(question.text, turn, earlier_turn, round(min(1.0, cosine), 4)))
        last_asked |= {question.text: question for question in now}
    return repeated


def is_repeated(earlier: CustomerQuestion, later: CustomerQuestion, cosine: float) -> bool:
    """Whether a question repeats an earlier one: by the cosine alone, or by cosine and shared stems.

    Shared stems are those in both / those in either. Two questions with different numbers are two questions, and so are
    two that differ in one or two words in the same place ("on Monday", "on Sunday"), however near they are.
    """
    if earlier.numbers != later.numbers and earlier.numbers and later.numbers:
        return False
    if _swaps_words(words(earlier.text), words(later.text)):
        return False
    if cosine >= SAME_COSINE:
        return True
    shared = len(earlier.stems & later.stems) / len(earlier.stems | later.stems)
    return cosine >= ALIKE_COSINE and shared >= SHARED_STEMS


def _swaps_words(earlier: Sequence[str], later: Sequence[str]) -> bool:
    """Whether one text is the other with one or two words swapped for others."""
    shorter = min(len(earlier), len(later))
    start = next((place for place in range(shorter) if earlier[place] != later[place]), shorter)
    left = shorter - start
    end = next((place for place in range(left) if earlier[-1 - place] != later[-1 - place]), left)
    swapped = (len(earlier) - start - end, len(later) - start - end)
    return min(swapped) > 0 and max(swapped) <= _MOST_SWAPPED and start + end >= _LEAST_FRAME


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return any_pattern(language.effort.wants), any_pattern(language.effort.idle)


@cache
def _function_stems(language: Language) -> frozenset[str]:
    if not language.has("words"):
        return frozenset()
    return frozenset(stem(word, language) for word in language.words.function_words - language.words.negations)
