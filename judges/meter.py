"""What is noted of a judge's replies while something is measured: what they took, and what was asked.

The usage counts also where measuring fails and nobody is left to hand it on; what was asked, in the judge's prompt and
words, is for a person who doubts a score.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..prompts import PromptMessage
from .question import Question, RawReply
from .usage import Usage

_usages: ContextVar[list[Usage] | None] = ContextVar("usages", default=None)


class meter_usage:  # noqa: N801 -- read as the function that `contextmanager` makes, of which it is a quicker form
    """Collects the usage of every reply within, those of tasks that begin there too.

    Example:
        >>> with meter_usage() as usages:
        ...     count_usage(Usage(calls=1, tokens_in=20))
        >>> Usage.total(usages).tokens_in
        20
    """

    def __enter__(self) -> list[Usage]:
        self._measured: list[Usage] = []
        self._token = _usages.set(self._measured)
        return self._measured

    def __exit__(self, *_: object) -> None:
        _usages.reset(self._token)
        if self._measured and (outer := _usages.get()) is not None:  # what is measured around this counts them too
            outer.extend(self._measured)


def count_usage(usage: Usage) -> None:
    """Adds what a reply took to the meter of this task, if there is one."""
    if (usages := _usages.get()) is not None and usage.calls:
        usages.append(usage)


class SentQuestion(NamedTuple):
    """One question as it was sent, and the judge's reply to it, not yet parsed."""

    prompt: str
    messages: tuple[PromptMessage, ...]
    reply: RawReply


_sent: ContextVar[list[SentQuestion] | None] = ContextVar("sent_questions", default=None)


@contextmanager
def collect_replies() -> Iterator[list[SentQuestion]]:
    """Collects every question within that got a reply, those of tasks that begin there too."""
    collected: list[SentQuestion] = []
    token = _sent.set(collected)
    try:
        yield collected
    finally:
        _sent.reset(token)


def note_reply(question: Question[Any], reply: RawReply) -> None:
    """Notes a reply for whoever listens in this task, if anybody does."""
    if (collected := _sent.get()) is not None:
        collected.append(SentQuestion(question.prompt.identity, tuple(question.messages), reply))
