"""What a transport is: it renders questions for a model, and parses what the model says to them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ..question import Question, Reply
from ..typed_questions import Answer, Request, TypedQuestion


class Transport(ABC):
    """A way for typed questions to reach a model. It sends nothing itself."""

    most_questions: int

    @abstractmethod
    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[Any]:
        """The call that asks questions of a request, at most `most_questions`."""

    @abstractmethod
    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: Reply[Any]) -> list[Answer]:
        """The answer to each question, in their order; one that cannot be read says why."""
