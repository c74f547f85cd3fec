"""The transport `systemone`: a decision model by the System One protocol, all questions in one call."""

import json
from collections.abc import Sequence
from typing import Any

from ..question import Question, RawReply
from ..typed_questions import Answer, ChoiceQuestion, Predicate, Request, TypedQuestion
from .decision_reply import DecisionReply, read_answers
from .transport import Transport
from .wording import statement_of, task_alone

_TOKENS_PER_ANSWER = 16


class SystemOne(Transport):
    """All questions in one call of a decision model, as `litellm.asystemone` sends them."""

    most_questions = 128

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[DecisionReply]:
        """The call: the words of the task and the parts of the state as an object, then the questions by their ids."""
        prompt = task_alone(request)
        body = {
            "state": {"task": prompt.task, **request.state},
            "questions": {question.id: _question(question) for question in questions},
        }
        return Question(
            prompt,
            json.dumps(body, ensure_ascii=False),
            DecisionReply,
            request.sample,
            max_tokens=_TOKENS_PER_ANSWER * len(questions),
            protocol="systemone",
            corrections=False,
            prompts=request.prompts,
        )

    def parse(self, questions: Sequence[TypedQuestion], asked: Question[Any], raw: RawReply) -> list[Answer]:
        """The answer to each question, with its probabilities."""
        return read_answers(questions, raw.text)


def _question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "noul", "instructions": statement_of(question)}
    if isinstance(question, ChoiceQuestion):
        criteria = {option: text or None for option, text in question.criteria.items()}
        return {"type": "choice", "instructions": question.instructions, "criteria": criteria}
    levels = [": ".join(filter(None, [level.label, level.description])) for level in question.levels]
    return {"type": "score", "instructions": question.instructions, "criteria": levels}
