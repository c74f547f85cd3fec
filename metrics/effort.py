"""Effort: what a conversation cost the customer, in turns, in questions asked twice, and in facts given twice."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ..errors import UsageError
from ..eval_sets.message import Message
from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import JudgeLike, Usage, open_judge
from ..judges.embedders import Embedder, open_embedder
from ..judges.usage import NO_USAGE
from ..languages import Language, language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.lemmas import stem, words
from ..text.message_sentences import message_sentences
from ..text.wording import count_of
from .asked_again import CHOICE, AskedAgain, find_asked_again
from .judged import JudgedMetric, numbered
from .metric import compute_for
from .score import Score, scored

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
    pack = language.effort
    questions = []
    for turn, message in enumerate(messages):
        if message.role != "user":
            continue
        for text, _ in message_sentences(message.text):
            if not (text.endswith("?") or pack.wants.search(text)) or pack.idle.search(text):
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
def _function_stems(language: Language) -> frozenset[str]:
    if not language.has("words"):
        return frozenset()
    return frozenset(stem(word, language) for word in language.words.function_words - language.words.negations)


PARTS = ("turns", "repeated", "asked_again")
"""What can be counted."""


class Effort(JudgedMetric):
    """What the conversation cost the customer; lower is better.

    Formula: the customer's messages + their questions that repeat an earlier one of theirs + the facts that the
    assistant asks for again though they were said, each with weight 1. Range: 0 or more.

    Repeated: a sentence of the customer that asks for something, with a cosine of at least 0.8 to one of an earlier
    message, or of at least 0.67 where 40% of their stems are shared; another number, or one or two words swapped in the
    same place ("on Monday", "on Sunday"), make another question. Asked again: rules (`languages/*/effort.yaml`) propose
    pairs of a question of the assistant and the earlier message, of the customer or a tool, that gave the fact: a
    number, a name, an address, a date, a choice. A judge decides of each pair, in one request; without a judge each
    pair counts. A request to confirm a value, and one after a value that could not be used, count as nothing.

    Args:
        judge: Decides whether what rules propose was asked again.
        embedder: Compares the customer's questions: an `Embedder`, or its name (`use`, `st:MODEL`, `litellm:MODEL`).
        count: What is counted, joined by `+`: `turns`, `repeated`, `asked_again`. The rest is not looked for.
        prompts: The prompts of the request.

    Raises:
        UsageError: `count` names something else, or nothing.
    """

    name = "effort"
    range = (0.0, None)
    needs = ("messages",)
    higher_is_better = False
    measures = "conversation"

    def __init__(
        self,
        judge: JudgeLike | None = None,
        embedder: Embedder | str = "use",
        count: str = "turns+repeated+asked_again",
        prompts: Prompts = BUNDLED,
    ) -> None:
        self.count = tuple(dict.fromkeys(part.strip() for part in count.split("+") if part.strip()))
        if wrong := [part for part in self.count if part not in PARTS] or ([] if self.count else [count]):
            raise UsageError(f"effort:count takes {', '.join(PARTS)}, joined by +, not {wrong[0]!r}")
        self.judge = None if judge is None else open_judge(judge)
        self.embedder = open_embedder(embedder)
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has the turns, and each question and fact with both messages; null if not counted.

        Raises:
            JudgeError: The judge or the embedder gave no usable reply.
        """
        if {"repeated", "asked_again"} & set(self.count):
            require_packages("numeric", "effort, which compares words (effort:count=turns does without)")
        language = language_or_fallback(sample.language, "effort")
        turns = sum(message.role == "user" and bool(message.text.strip()) for message in sample.messages)
        evidence: dict[str, Any] = {"turns": turns, "repeated": None, "asked_again": None}
        if "repeated" in self.count:
            repeated = await find_repeated(sample.messages, language, self.embedder)
            evidence["repeated"] = [one._asdict() for one in repeated]
            evidence["embedder"] = self.embedder.name
        usage = NO_USAGE
        if "asked_again" in self.count:
            pairs = await compute_for(sample, find_asked_again, sample.messages, language)
            evidence["decided_by"] = "rule"
            if pairs and self.judge is not None:
                judged, usage = await self._judge_pairs(sample, pairs)
                evidence |= judged
            else:
                evidence["asked_again"] = [_pair_evidence(pair) for pair in pairs]
        counts = {part: evidence[part] if part == "turns" else len(evidence[part]) for part in self.count}
        words = {"turns": "message", "repeated": "repeated question", "asked_again": "fact"}
        ends = {"turns": " of the customer", "repeated": "", "asked_again": " asked for again"}
        reason = ", ".join(count_of(count, words[part]) + ends[part] for part, count in counts.items())
        return scored(float(sum(counts.values())), reason, evidence, usage)

    async def _judge_pairs(self, sample: Sample, pairs: list[AskedAgain]) -> tuple[dict[str, Any], Usage]:
        """The pairs that the judge confirms, as evidence, and the usage."""
        statements = numbered(_statement(pair, sample) for pair in pairs)
        thread, answers = await self.decide_about_thread("asked_again", sample, statements)
        judged = [(pair, answer.support) for pair, answer in zip(pairs, answers.values(), strict=True)]
        evidence = {
            "asked_again": [_pair_evidence(pair, support) for pair, support in judged if support >= 0.5],
            "not_again": [_pair_evidence(pair, support) for pair, support in judged if support < 0.5],
            "decided_by": "judge",
            **self.asked_with(sample, "asked_again", thread=thread),
        }
        return evidence, answers.usage


def _statement(pair: AskedAgain, sample: Sample) -> str:
    """What the judge is asked of a pair: whether the question asks for what the earlier message gave."""
    words = language_or_fallback(sample.language, "effort").effort
    filled = {"turn": pair.turn, "said_turn": pair.said_turn, "value": " ".join(pair.value.split())}
    if pair.fact == CHOICE:
        return words.asked_choice.format(**filled)
    return words.asked_again.format(fact=words.facts[pair.fact].name, **filled)


def _pair_evidence(pair: AskedAgain, probability: float | None = None) -> dict[str, Any]:
    evidence = {"text": pair.text, "turn": pair.turn, "said_turn": pair.said_turn, "fact": pair.fact}
    return evidence | ({"value": pair.value} if probability is None else {"value": pair.value, "support": probability})
