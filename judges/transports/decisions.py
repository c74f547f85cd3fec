"""The transport `decisions`: a decision model by OpenAI's protocol, all questions in one call."""

from collections.abc import Sequence
from typing import Any

from ...prompts import Prompt
from ..typed_questions import ChoiceQuestion, Predicate, Request, TypedQuestion
from .decision_transport import DecisionTransport
from .wording import delimit_all, write_statement


class Decisions(DecisionTransport):
    """All questions in one call of a decision model, as `litellm.adecisions` sends them."""

    protocol = "decisions"

    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The words of the task and the state as one input, then the questions by name."""
        return {
            "input": f"{prompt.task}\n{delimit_all(request.state)}",
            "questions": [_question(question) for question in questions],
        }


def _question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "predicate", "name": question.id, "instructions": write_statement(question)}
    named = {"name": question.id, "instructions": question.instructions}
    if isinstance(question, ChoiceQuestion):
        choices = [_described("value", option, text) for option, text in question.criteria.items()]
        return {"type": "choice", **named, "choices": choices}
    return {
        "type": "score",
        **named,
        "levels": [_described("label", level.label, level.description) for level in question.levels],
    }


def _described(name: str, value: str, description: str) -> dict[str, str]:
    return {name: value} | ({"description": description} if description else {})
