"""Pairwise: which of two answers to one question is better, asked in both orders."""

from dataclasses import dataclass
from typing import Any

from ..eval_sets.preference import Choice
from ..eval_sets.sample import Sample
from ..judges import Answer, ChoiceQuestion, Judge, Request
from ..judges.question import ReplyPending
from ..judges.usage import NO_USAGE, Usage
from ..languages import language_or_fallback
from ..prompts import Prompts
from ..text.sentences import answer_to_its_reader
from .faithfulness import sentences_of_answer
from .judged import JudgedMetric, require_answers
from .metric import compute_for
from .sample_state import earlier_turns, sample_state
from .score import Score, scored

_ID = "better"
_TASK = "pairwise"
_LEFT_OUT = "[...]"  # an answer that says nothing but words to its judge
_VALUES: dict[Choice, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}


@dataclass(frozen=True, slots=True)
class OrderedChoice:
    """What a judge says of two answers in one order."""

    choice: Choice  # the better answer, whichever place it stood in; `tie` where the judge says neither
    preference: float | None  # P(second is better) - P(first is better), in [-1, 1]; None without probabilities
    answer: Answer  # the judge's answer, in the words that it was offered
    is_reversed: bool = False  # whether the second answer stood first

    @property
    def is_first_shown(self) -> bool | None:
        """Whether the judge chose what stood first; None where it says neither."""
        return None if self.choice == "tie" else (self.choice == "second") == self.is_reversed

    def evidence(self) -> dict[str, Any]:
        """As JSON values."""
        shares = None if self.answer.probabilities is None else dict(self.answer.probabilities)
        return {"shown_first": "second" if self.is_reversed else "first", "choice": self.choice} | {
            "option": self.answer.option,
            "probabilities": shares,
            "reason": self.answer.reason,
        }


@dataclass(frozen=True, slots=True)
class AnswerPreference:
    """Which of two answers a judge prefers, after both orders."""

    choice: Choice  # `first` or `second` where both orders prefer it; else `tie`
    # what the judge said in each order; none where the answers are the same, and nobody is asked
    orders: tuple[OrderedChoice, ...] = ()
    usage: Usage = NO_USAGE
    addressed: tuple[Choice, ...] = ()  # the answers out of which words to the judge were left: `first`, `second`

    @property
    def is_contradiction(self) -> bool:
        """Whether the judge preferred one answer in one order, and the other answer in the other order."""
        return {order.choice for order in self.orders} == {"first", "second"}

    @property
    def preference(self) -> float | None:
        """The mean over the orders of P(second is better) - P(first is better); None without probabilities."""
        if not self.orders:
            return 0.0
        shares = [order.preference for order in self.orders if order.preference is not None]
        return sum(shares) / len(shares) if len(shares) == len(self.orders) else None

    @property
    def reason(self) -> str:
        """Why the choice is what it is, in a sentence."""
        if not self.orders:
            return "the two answers are the same"
        if self.is_contradiction:
            place = "first" if self.orders[0].is_first_shown else "second"
            return f"a tie: the judge prefers whichever answer stands {place}"
        choices = [order.choice for order in self.orders]
        if self.choice != "tie":
            return f"the judge prefers the {self.choice} answer in both orders"
        if choices == ["tie", "tie"]:
            return "the judge prefers neither answer, in both orders"
        preferred = next(choice for choice in choices if choice != "tie")
        return f"a tie: the judge prefers the {preferred} answer in one order, and neither in the other"

    def evidence(self) -> dict[str, Any]:
        """The choice, both orders, and whether they contradict each other, as JSON values."""
        return {
            "choice": self.choice,
            "preference": self.preference,
            "contradiction": self.is_contradiction,
            "orders": [order.evidence() for order in self.orders],
            **({"words_to_the_judge_in": [*self.addressed]} if self.addressed else {}),
        }


def pairwise_request(sample: Sample, prompts: Prompts, *, is_reversed: bool = False) -> Request:
    """What the judge is asked: which of a sample's two answers is better.

    What speaks to the judge is left out of the answers, as far as the language pack knows it.
    """
    words = language_or_fallback(sample.language, "statements").statements
    question = ChoiceQuestion(_ID, words.better_answer, words.better_answers)
    state = sample_state(sample, ("retrieved_contexts",)) | earlier_turns(sample)
    state |= sample_state(sample, ("user_input",))
    answers = [sample.response, sample.other_response][:: -1 if is_reversed else 1]
    for name, text in zip(("first_answer", "second_answer"), answers, strict=True):
        state[name] = _to_its_reader(sample, text)
    return Request(_TASK, state, [question], sample.language, sample.id, prompts)


def _to_its_reader(sample: Sample, text: str) -> str:
    return answer_to_its_reader(text, sentences_of_answer(sample, text)).strip() or _LEFT_OUT


def _addressed(sample: Sample) -> tuple[Choice, ...]:
    """The answers out of which words to the judge are left."""
    answers: dict[Choice, str] = {"first": sample.response, "second": sample.other_response}
    return tuple(place for place, text in answers.items() if _to_its_reader(sample, text) != text.strip())


async def prefer_answer(sample: Sample, judge: Judge, prompts: Prompts) -> AnswerPreference:
    """Asks a judge which of two answers is better, in both orders; of the same answer twice nobody is asked: a tie."""
    if " ".join(sample.response.split()) == " ".join(sample.other_response.split()):
        return AnswerPreference("tie")
    pending: ReplyPending | None = None
    orders, usage = list[OrderedChoice](), NO_USAGE
    for is_reversed in (False, True):  # one after the other: a judge with a prefix cache reads the contexts once
        try:
            order, spent = await _ask(sample, judge, prompts, is_reversed=is_reversed)
        except ReplyPending as postponed:
            pending = postponed
            continue
        orders.append(order)
        usage += spent
    if pending is not None:
        raise pending
    choice = orders[0].choice if orders[0].choice == orders[1].choice else "tie"
    addressed = await compute_for(sample, _addressed, sample)
    return AnswerPreference(choice, tuple(orders), usage, addressed)


async def _ask(sample: Sample, judge: Judge, prompts: Prompts, *, is_reversed: bool) -> tuple[OrderedChoice, Usage]:
    request = await compute_for(sample, pairwise_request, sample, prompts, is_reversed=is_reversed)
    answers = require_answers(await judge.decide(request))
    answer = answers[_ID]
    choices: list[Choice] = ["second", "first"] if is_reversed else ["first", "second"]
    options = dict(zip(answer.question.options, (*choices, "tie"), strict=True))
    shares = None
    if answer.probabilities is not None:
        by_choice = {options[option]: share for option, share in answer.probabilities.items()}
        shares = by_choice["second"] - by_choice["first"]
    return OrderedChoice(options[answer.option or ""], shares, answer, is_reversed), answers.usage


class Pairwise(JudgedMetric):
    """Whether the answer is better than another answer to the same question: 1 better, 0.5 a tie, 0 worse.

    The judge sees the question, the contexts where there are any, the earlier turns, and the two answers; it says
    first, second or neither. It is always asked in both orders: an answer is preferred only where both orders prefer
    it, anything else is a tie, and so is the same answer twice, which nobody is asked about. Range: 0, 0.5 or 1; the
    mean over a set is the share of wins with ties counted half. Without a usable answer in both orders the sample is
    failed. Source: Zheng et al. (2023), "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", 3.4.

    Args:
        judge: Chooses, in two requests per sample.
        prompts: The prompts of the requests.
    """

    name = "pairwise"
    needs = ("user_input", "response", "other_response")
    judge: Judge

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has both orders, `contradiction` and `preference` (above 0 for the other answer).

        Raises:
            JudgeError: The judge gave no usable reply in one of the orders.
        """
        preferred = await prefer_answer(sample, self.judge, self.prompts)
        evidence = preferred.evidence() | self.asked_with(sample, _TASK)
        return scored(_VALUES[preferred.choice], preferred.reason, evidence, preferred.usage)
