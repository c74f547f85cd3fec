"""What the two transports to decision models share: one call with all questions, and replies that are read alike."""

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from ...prompts import Prompt
from ..question import Question, Reply
from ..typed_questions import Answer, Request, TypedQuestion
from .decision_reply import DecisionReply, read_answers
from .transport import Transport
from .wording import compose_task

_TOKENS_PER_ANSWER = 16


class DecisionTransport(Transport):
    """All questions in one call of a decision model."""

    most_questions = 128
    protocol: Literal["decisions", "systemone"]

    @abstractmethod
    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The task's words, the state and the questions, as the protocol sends them."""

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[DecisionReply]:
        """The call, with the body as its user part."""
        prompt = compose_task(request)
        return Question(
            prompt,
            json.dumps(self.body(request, questions, prompt), ensure_ascii=False),
            DecisionReply,
            request.sample,
            max_tokens=_TOKENS_PER_ANSWER * len(questions),
            protocol=self.protocol,
            corrections=False,
            prompts=request.prompts,
        )

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: Reply[Any]) -> list[Answer]:
        """The answer to each question, with its probabilities."""
        return read_answers(questions, reply.raw.text)
