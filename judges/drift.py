"""Drift: whether the model behind a cassette still says what was recorded; a seeded share of questions asked anew."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from ..errors import BudgetReached, JudgeError
from .key import QuestionKeys
from .litellm_judge import LiteLLMJudge
from .probabilities import option_probabilities
from .question import Question, Reply

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RepeatedQuestion:
    """One question asked anew: what was recorded and what came, and by how much the probability of its first word
    moved (None where the judge tells no probabilities). `problem` says why nothing usable came."""

    key: str
    prompt: str
    sample: str
    recorded: str
    now: str
    same_text: bool
    same_value: bool
    moved: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DriftEstimate:
    """How often the value of a reply changed, of `asked` questions, with Wilson's 95% interval; `failed` got none."""

    asked: int
    failed: int
    other_text: int
    other_value: int
    share: float | None
    low: float | None
    high: float | None
    moved: float | None


class RepeatingJudge:
    """A judge that answers from its cassette and asks a share of the questions anew, on the side.

    Which ones follows from `seed` and the question's key alone. What comes is in `repeated`; the run goes on with what
    was recorded, so that no further question changes.
    """

    def __init__(self, recorded: LiteLLMJudge, live: LiteLLMJudge, share: float, seed: int = 0) -> None:
        self.name, self.logprobs = recorded.name, recorded.logprobs
        self.repeated: dict[str, RepeatedQuestion] = {}
        self._recorded, self._live = recorded, live
        self._share, self._seed = share, seed
        self._keys = QuestionKeys(recorded.settings)
        self._begun: set[str] = set()

    async def ask(self, question: Question[T]) -> Reply[T]:
        """The recorded reply. Raises `CassetteMiss` where there is none, `BudgetReached` at a bound."""
        reply = await self._recorded.ask(question)
        key = self._keys.compute(question)
        if self._chosen(key) and key not in self._begun:
            self._begun.add(key)
            self.repeated[key] = await self._repeat(question, key, reply)
        return reply

    def _chosen(self, key: str) -> bool:
        drawn = hashlib.sha256(f"{self._seed}:{key}".encode()).digest()[:8]
        return int.from_bytes(drawn, "big") < self._share * 2**64

    async def _repeat(self, question: Question[T], key: str, before: Reply[T]) -> RepeatedQuestion:
        place = (key, question.prompt.identity, question.sample, before.raw.text)
        try:
            now = await self._live.ask(question)
        except BudgetReached:
            raise
        except JudgeError as error:
            return RepeatedQuestion(*place, now="", same_text=False, same_value=False, problem=str(error))
        moved = None
        if question.options and before.raw.logprobs and now.raw.logprobs:
            first = question.options[0]
            was, is_now = (option_probabilities(reply.raw, question.options)[first] for reply in (before, now))
            moved = abs(is_now - was)
        same = before.raw.text == now.raw.text
        return RepeatedQuestion(
            *place, now=now.raw.text, same_text=same, same_value=before.value == now.value, moved=moved
        )


def estimate_drift(repeated: Sequence[RepeatedQuestion]) -> DriftEstimate:
    """The share of the questions with another value."""
    answered = [each for each in repeated if not each.problem]
    changed = sum(not each.same_value for each in answered)
    share = low = high = None
    if answered:
        from scipy.stats import binomtest

        share = changed / len(answered)
        interval = binomtest(changed, len(answered)).proportion_ci(method="wilson")
        low, high = float(interval.low), float(interval.high)
    moved = [each.moved for each in answered if each.moved is not None]
    return DriftEstimate(
        asked=len(repeated),
        failed=len(repeated) - len(answered),
        other_text=sum(not each.same_text for each in answered),
        other_value=changed,
        share=share,
        low=low,
        high=high,
        moved=sum(moved) / len(moved) if moved else None,
    )
