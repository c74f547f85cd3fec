"""What was asked while something was measured, in the judge's prompt and words: for a person who doubts a score."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..prompts import Message
from .question import Question, RawReply


class SentQuestion(NamedTuple):
    """One question as it was sent, and what the judge said, before anything was made of it."""

    prompt: str
    messages: tuple[Message, ...]
    reply: RawReply


_sent: ContextVar[list[SentQuestion] | None] = ContextVar("sent_questions", default=None)


@contextmanager
def listening() -> Iterator[list[SentQuestion]]:
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
