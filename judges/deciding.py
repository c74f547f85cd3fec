"""A request decided: sent by the judge's transport, each of its questions with one answer."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ReplyError
from .litellm_lookup import find_context_limit
from .meter import meter_usage
from .question import Question, RawReply, Reply, ReplyPending
from .request_fit import call_tokens
from .settings import JudgeSettings
from .transports import choose_transport
from .transports.transport import Transport
from .typed_questions import Answer, Answers, Request, TypedQuestion
from .usage import NO_USAGE, Usage

Ask = Callable[[Question[Any]], Awaitable[Reply[Any]]]
"""How a judge asks one question of a model: with recorded replies, bounds and second attempts."""


async def decide(request: Request, ask: Ask, settings: JudgeSettings) -> Answers:
    """Answers a request, in as many calls as its questions need.

    Questions that a reply leaves out, or that cannot be read in it, are asked once more; then they have no answer.

    Raises:
        JudgeError: There is no usable reply.
        BudgetReached: A call does not fit into the budget.
        ReplyPending: A reply comes later; all calls that can be made now were made.
    """
    if request.reason is None and settings.reason != "none":
        request = replace(request, reason=settings.reason)
    transport = choose_transport(settings, together=request.together, reason=request.reason not in {None, "none"})
    answers: dict[str, Answer] = {}
    pending: ReplyPending | None = None
    usage, replies = NO_USAGE, list[RawReply]()
    # one call after the other: a judge with a prefix cache then reads the state once
    for questions, call in _calls(request, request.questions, transport, settings):
        try:
            reply = await ask(call)
        except ReplyPending as postponed:
            pending = postponed
            continue
        usage += reply.usage
        replies.append(reply.raw)
        answers |= {answer.question.id: answer for answer in transport.parse(questions, call, reply)}
        given = [answers[question.id] for question in questions]
        lost = [answer.question for answer in given if answer.option is None and not answer.declined]
        if not lost or reply.corrected:
            continue
        second_call = replace(transport.render(request, lost), corrections=False)
        try:
            with meter_usage() as taken:
                reply = await ask(second_call)
        except ReplyError:
            usage += Usage.total(taken)
            continue  # the answers that they have say what was wrong with the first reply
        except ReplyPending as postponed:
            pending = postponed
            continue
        usage += reply.usage
        replies.append(reply.raw)
        answers |= {answer.question.id: answer for answer in transport.parse(lost, second_call, reply)}
    if pending is not None:
        raise pending
    return Answers({question.id: answers[question.id] for question in request.questions}, usage, tuple(replies))


def _calls(
    request: Request, questions: Sequence[TypedQuestion], transport: Transport, settings: JudgeSettings
) -> Iterator[tuple[Sequence[TypedQuestion], Question[Any]]]:
    """The calls for questions in their order: as few as the transport's limit and the model's context allow."""
    for start in range(0, len(questions), transport.most_questions):
        yield from _calls_that_fit(request, questions[start : start + transport.most_questions], transport, settings)


def _calls_that_fit(
    request: Request, questions: Sequence[TypedQuestion], transport: Transport, settings: JudgeSettings
) -> Iterator[tuple[Sequence[TypedQuestion], Question[Any]]]:
    call = transport.render(request, questions)
    context = find_context_limit(settings) if len(questions) > 1 else None
    if context is None or call_tokens(call, settings) <= context:
        yield questions, call
        return
    half = (len(questions) + 1) // 2
    yield from _calls_that_fit(request, questions[:half], transport, settings)
    yield from _calls_that_fit(request, questions[half:], transport, settings)
