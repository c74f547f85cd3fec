"""Whether what a judge is asked fits into its context."""

from dataclasses import replace
from typing import Any

from .litellm_lookup import find_context_limit
from .question import Question
from .request_size import measure_question
from .settings import JudgeSettings
from .transports import choose_transport
from .typed_questions import Request


def context_need(asked: Request | Question[Any], settings: JudgeSettings) -> tuple[int, int | None]:
    """Returns how many tokens a judge must be able to read and write, and how many it can.

    The questions of a request that do not fit together are asked in several calls: what counts is the largest alone.

    Returns:
        The estimated tokens; and the length of the judge's context, None where that is not known.
    """
    limit = find_context_limit(settings)
    if isinstance(asked, Question):
        return call_tokens(asked, settings), limit
    asked = replace(asked, reason=asked.reason or settings.reason)
    transport = choose_transport(settings, together=asked.together, reason=asked.reason != "none")
    return max(call_tokens(transport.render(asked, [question]), settings) for question in asked.questions), limit


def call_tokens(call: Question[Any], settings: JudgeSettings) -> int:
    """The most tokens that a call may take, in and out together."""
    size = measure_question(call, settings, None)
    return size.tokens_in + size.tokens_out
