"""A request decided: sent by a transport, each of its questions with one answer."""

from collections.abc import Awaitable, Callable
from typing import Any

from .question import Question, Reply, Usage
from .settings import JudgeSettings
from .transports import single
from .typed_questions import Answers, Request

Ask = Callable[[Question[Any]], Awaitable[Reply[Any]]]
"""How a judge asks one question of a model: with recorded replies, bounds and second attempts."""


async def decide(request: Request, ask: Ask, settings: JudgeSettings) -> Answers:
    """Answers a request.

    Args:
        request: The questions and their state.
        ask: Asks the model.
        settings: The judge's.

    Raises:
        JudgeError: There is no usable reply.
        BudgetReached: A call does not fit into the budget.
    """
    answers, usage, replies = {}, Usage(), []
    for question in request.questions:
        asked = single.render(request, question)
        reply = await ask(asked)
        answers[question.id] = single.parse(question, asked, reply.raw)
        usage += reply.usage
        replies.append(reply.raw)
    return Answers(answers, usage, tuple(replies))
