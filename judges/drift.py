"""Drift: whether the model behind a cassette still says what was recorded, by asking a share of the questions again."""

import hashlib
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from ..errors import BudgetReached, JudgeError
from .judge import LiteLLMJudge
from .probabilities import option_probabilities
from .question import Question, Reply
from .run import Transports
from .typed_questions import Answers, Request

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RepeatedQuestion:
    """One question that was asked again."""

    key: str
    prompt: str
    sample: str
    recorded: str
    now: str
    same_text: bool
    same_value: bool  # whether the values that were read from the texts are equal
    # by how much the probability of the first option moved; None where the judge gives no probabilities
    moved: float | None = None
    problem: str = ""  # why no usable reply came; empty where one came


class RepeatingJudge:
    """A judge that answers from its cassette, and asks a live judge a share of the same questions.

    Which questions depends on the seed and the question's key alone. The run goes on with the recorded replies, so
    that no further question changes.

    Attributes:
        repeated: The questions that were asked again, by key.
    """

    def __init__(self, recorded: LiteLLMJudge, live: LiteLLMJudge, share: float, seed: int = 0) -> None:
        self.name, self.logprobs = recorded.name, recorded.logprobs
        self.repeated: dict[str, RepeatedQuestion] = {}
        self._recorded, self._live = recorded, live
        self._share, self._seed = share, seed
        self._transports = Transports(recorded.settings)
        self._drawn: set[str] = set()

    async def decide(self, request: Request) -> Answers:
        """Returns the recorded answers; see `ask`."""
        return await self._transports.decide(request, self.ask)

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Returns the recorded reply.

        Raises:
            CassetteMiss: The question is not recorded.
        """
        reply = await self._recorded.ask(question)
        key = self._recorded.connection.keys.compute(question)
        if self._is_drawn(key) and key not in self._drawn:
            self._drawn.add(key)
            self.repeated[key] = await self._repeat(question, key, reply)
        return reply

    def _is_drawn(self, key: str) -> bool:
        number = hashlib.sha256(f"{self._seed}:{key}".encode()).digest()[:8]
        return int.from_bytes(number, "big") < self._share * 2**64

    async def _repeat(self, question: Question[T], key: str, before: Reply[T]) -> RepeatedQuestion:
        place = (key, question.prompt.identity, question.sample, before.raw.text)
        try:
            now = await self._live.ask(question)
        except BudgetReached:
            raise
        except JudgeError as error:
            return RepeatedQuestion(*place, now="", same_text=False, same_value=False, problem=str(error))
        moved = None
        if question.options:
            first = question.options[0]
            earlier, later = (option_probabilities(reply.raw, question.options) for reply in (before, now))
            moved = None if earlier is None or later is None else abs(later[first] - earlier[first])
        same = before.raw.text == now.raw.text
        return RepeatedQuestion(
            *place, now=now.raw.text, same_text=same, same_value=_values(before) == _values(now), moved=moved
        )


def _values(reply: Reply[Any]) -> Any:
    """What was read from a reply, whatever its probabilities are."""
    return [answer.option for answer in reply.value] if isinstance(reply.value, list) else reply.value
