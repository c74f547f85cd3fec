"""Judges behind a judge, with which `judges align` tries candidates: remembering, observing, aligned, counting."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from ...errors import UsageError
from ...judges import Answer, Answers, Judge, Question, Reply, Request
from ...judges.alignment import Alignment, answer_share, question_kind
from ...judges.request_size import estimate_tokens

T = TypeVar("T", bound=BaseModel)


class WrappedJudge:
    """A judge behind a judge: other questions than typed ones pass through."""

    def __init__(self, judge: Judge) -> None:
        self.inner = judge
        self.name = judge.name
        self.logprobs = judge.logprobs

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Asks the judge behind."""
        return await self.inner.ask(question)


class RememberingJudge(WrappedJudge):
    """Remembers the answers to each request, so that another calibration of them asks nothing."""

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge)
        self._answers: dict[Any, Answers] = {}

    async def decide(self, request: Request) -> Answers:
        """The answers, asked for once."""
        key = (request.task, request.sample, tuple(request.state.items()), repr(request.questions), id(request.prompts))
        if key not in self._answers:
            self._answers[key] = await self.inner.decide(request)
        return self._answers[key]


class ObservingJudge(WrappedJudge):
    """Notes what each answer says as a number.

    Attributes:
        observations: Sample, kind of question, and the number in [0, 1].
    """

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge)
        self.observations: list[tuple[str, str, float]] = []

    async def decide(self, request: Request) -> Answers:
        """The answers of the judge behind."""
        answers = await self.inner.decide(request)
        for answer in answers.values():
            share = answer_share(answer)
            if share is not None:
                self.observations.append((request.sample, question_kind(request.task, answer.question), share))
        return answers


class AlignedJudge(WrappedJudge):
    """The judge behind with an alignment per sample."""

    def __init__(self, judge: Judge, alignments: Mapping[str, Alignment]) -> None:
        super().__init__(judge)
        self._alignments = alignments

    async def decide(self, request: Request) -> Answers:
        """The answers of the judge behind to the prepared request, calibrated."""
        alignment = self._alignments[request.sample]
        prepared = await alignment.prepare(request)
        return alignment.calibrate(prepared, await self.inner.decide(prepared))


class CountingJudge(WrappedJudge):
    """Counts what would be asked and asks nothing.

    Attributes:
        questions: Typed questions that have an order.
        tokens: Estimated tokens of their prompts, one call each.
    """

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge)
        self.questions = 0
        self.tokens = 0

    async def decide(self, request: Request) -> Answers:
        """The first option of every question."""
        prompt = request.prompts.load(request.task, request.language)
        wording = [prompt.task, prompt.template_without_fields, *(message["content"] for message in prompt.opening)]
        answers = {}
        for question in request.questions:
            answers[question.id] = Answer(question, question.options[0])
            self.questions += answer_share(answers[question.id]) is not None
            self.tokens += estimate_tokens([*wording, *request.state.values(), repr(question)])
        return Answers(answers)

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Refuses: such a question is not learned from."""
        raise UsageError(
            f"the prompt {question.prompt.name} is no typed question, so that a judge cannot learn its answers; align "
            "faithfulness, weakest_claim or a rating"
        )
