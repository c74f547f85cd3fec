"""A metric that asks a judge: how it asks, and what its evidence says of that."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel

from ..errors import JudgeError
from ..eval_sets.sample import Sample
from ..judges import Answers, Judge, JudgeLike, Predicate, Question, Request, TypedQuestion, open_judge
from ..judges.question import Reply
from ..prompts import BUNDLED, Prompts
from .metric import Metric, compute_for
from .sample_state import Thread, fitting_thread

R = TypeVar("R", bound=BaseModel)
_NOTHING: Mapping[str, str] = MappingProxyType({})


class JudgedMetric(Metric):
    """A metric that asks a judge: it says what is asked, and in `measure` its formula.

    Args:
        judge: Who is asked.
        prompts: The prompts of the requests.
    """

    judge: Judge | None  # None in a metric that does without, and then asks nothing

    def __init__(self, judge: JudgeLike, prompts: Prompts = BUNDLED) -> None:
        self.judge = open_judge(judge)
        self.prompts = prompts

    def request(
        self, task: str, sample: Sample, state: Mapping[str, str], questions: Sequence[TypedQuestion]
    ) -> Request:
        """Typed questions about a sample."""
        return Request(task, state, questions, sample.language, sample.id, self.prompts)

    async def decide(
        self, task: str, sample: Sample, state: Mapping[str, str], questions: Sequence[TypedQuestion]
    ) -> Answers:
        """Asks typed questions about a sample. Raises `JudgeError` where one has no answer."""
        assert self.judge is not None
        return require_answers(await self.judge.decide(self.request(task, sample, state, questions)))

    async def decide_about_thread(
        self,
        task: str,
        sample: Sample,
        questions: Sequence[TypedQuestion],
        *,
        state: Mapping[str, str] = _NOTHING,
        alone: bool = False,
    ) -> tuple[Thread, Answers]:
        """Asks typed questions about a conversation, which is shown as long as the judge can read it.

        Args:
            task: The name of the prompt.
            sample: The conversation.
            questions: What is asked.
            state: What the judge reads before the conversation.
            alone: Whether the conversation has to fit beside the first question only, since a judge may be asked each
                in a call of its own.

        Raises:
            JudgeError: A question has no answer, or the conversation does not fit.
        """
        assert self.judge is not None

        def ask(conversation: str, asked: Sequence[TypedQuestion]) -> Request:
            return self.request(task, sample, {**state, "conversation": conversation}, asked)

        fitted = partial(ask, asked=questions[:1] if alone else questions)
        thread = await compute_for(sample, fitting_thread, sample, self.judge, fitted)
        return thread, require_answers(await self.judge.decide(ask(thread.text, questions)))

    async def ask(self, name: str, sample: Sample, schema: type[R], parts: Mapping[str, str]) -> Reply[R]:
        """Asks for what a prompt asks for, with its parts filled in."""
        assert self.judge is not None
        return await self.judge.ask(self.question(name, sample, schema, parts))

    def question(self, name: str, sample: Sample, schema: type[R], parts: Mapping[str, str]) -> Question[R]:
        """A prompt with its parts filled in, and the shape of the reply."""
        prompt = self.prompts.load(name, sample.language)
        return Question(prompt, prompt.render(parts), schema, sample.id, prompts=self.prompts)

    def asked_with(self, sample: Sample, *tasks: str, thread: Thread | None = None) -> dict[str, Any]:
        """Says in the evidence who was asked, what of a conversation was cut, and with which prompts."""
        assert self.judge is not None
        cut = {} if thread is None else thread.evidence()
        return {"judge": self.judge.name} | cut | self.prompts.evidence(tasks, sample.language)


def numbered(statements: Iterable[str]) -> list[Predicate]:
    """Makes predicates of statements, with the numbers from 1 as their ids."""
    return [Predicate(str(number), statement) for number, statement in enumerate(statements, start=1)]


def require_answers(answers: Answers) -> Answers:
    """Returns the answers, where every question has one."""
    for number, answer in enumerate(answers.values(), start=1):
        if answer.option is None:
            raise JudgeError(
                f"question {number} of {len(answers)} has no answer: {answer.problem or 'the judge declined'}"
            )
    return answers


def mean_probability(answers: Answers) -> float | None:
    """The mean P(yes) of predicates; None where the judge gives no probability of one."""
    shares = [answer.probability for answer in answers.values() if answer.probability is not None]
    return sum(shares) / len(shares) if len(shares) == len(answers) else None
