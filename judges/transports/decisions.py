"""The transport `decisions`: a decision model by OpenAI's protocol, all questions in one call."""

import json
from collections.abc import Sequence
from typing import Any

from ..question import Question, RawReply
from ..typed_questions import Answer, ChoiceQuestion, Predicate, Request, TypedQuestion
from .decision_reply import DecisionReply, read_answers
from .transport import Transport
from .wording import delimit_all, statement_of, task_alone

_TOKENS_PER_ANSWER = 16


class Decisions(Transport):
    """All questions in one call of a decision model, as `litellm.adecisions` sends them."""

    most_questions = 128

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[DecisionReply]:
        """The call: the words of the task and the state as its input, then the questions by name."""
        prompt = task_alone(request)
        body = {
            "input": f"{prompt.task}\n{delimit_all(request.state)}",
            "questions": [_question(question) for question in questions],
        }
        return Question(
            prompt,
            json.dumps(body, ensure_ascii=False),
            DecisionReply,
            request.sample,
            max_tokens=_TOKENS_PER_ANSWER * len(questions),
            protocol="decisions",
            corrections=False,
            prompts=request.prompts,
        )

    def parse(self, questions: Sequence[TypedQuestion], asked: Question[Any], raw: RawReply) -> list[Answer]:
        """The answer to each question, with its probabilities."""
        return read_answers(questions, raw.text)


def _question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "predicate", "name": question.id, "instructions": statement_of(question)}
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
