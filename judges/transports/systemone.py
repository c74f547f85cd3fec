"""The transport `systemone`: a decision model by the System One protocol, all questions in one call."""

from collections.abc import Sequence
from typing import Any

from ...prompts import Prompt
from ..typed_questions import ChoiceQuestion, Predicate, Request, TypedQuestion
from .decision_transport import DecisionTransport
from .wording import write_statement


class SystemOne(DecisionTransport):
    """All questions in one call of a decision model, as `litellm.asystemone` sends them."""

    protocol = "systemone"

    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The words of the task and the parts of the state as an object, then the questions by their ids."""
        return {
            "state": {"task": prompt.task, **request.state},
            "questions": {question.id: _question(question) for question in questions},
        }


def _question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "noul", "instructions": write_statement(question)}
    if isinstance(question, ChoiceQuestion):
        criteria = {option: text or None for option, text in question.criteria.items()}
        return {"type": "choice", "instructions": question.instructions, "criteria": criteria}
    levels = [": ".join(filter(None, [level.label, level.description])) for level in question.levels]
    return {"type": "score", "instructions": question.instructions, "criteria": levels}
