"""The transports to decision models: all questions in one call, by one of two protocols, and replies read alike."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from pydantic import BaseModel, model_validator

from ...errors import ReplyError
from ...prompts import Prompt
from ..question import Question, RawReply
from ..structured import read_once
from ..typed_questions import (
    NO,
    YES,
    Answer,
    ChoiceQuestion,
    Predicate,
    Request,
    ScoreQuestion,
    TypedQuestion,
)
from .chat import Transport, check_any_answer, check_asked, compose_task, delimit_all

_LEFT_OUT = "the judge left it out"
_TOKENS_PER_ANSWER = 16
_SUM_TOLERANCE = 0.02  # how far the probabilities of a question may sum to something else than 1


class DecisionReply(BaseModel):
    """The body of a reply: `answers`, a list with names or an object by the questions' ids."""

    answers: list[Any] | dict[str, Any]

    @model_validator(mode="after")
    def _refuse_without_answer(self) -> "DecisionReply":
        if not self.answers:
            raise ValueError("it answers no question")
        return self


class DecisionTransport(Transport):
    """All questions in one call of a decision model."""

    most_questions = 128
    protocol: Literal["decisions", "systemone"]

    @abstractmethod
    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The task's words, the state and the questions, as the protocol sends them."""

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[list[Answer]]:
        """The call, with its body."""
        prompt, shape = compose_task(request), cast(Any, DecisionReply)
        return Question(
            prompt,
            "",
            shape,
            request.sample,
            max_tokens=_TOKENS_PER_ANSWER * len(questions),
            protocol=self.protocol,
            prompts=request.prompts,
            body=self.body(request, questions, prompt),
        )

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: RawReply) -> list[Answer]:
        """The answer to each question, with its probabilities."""
        answers = read_once(reply, lambda body: read_answers(questions, DecisionReply.model_validate(body).answers))
        check_any_answer(answers, reply)
        # litellm drops what was not asked for, so that one counted from 0 shows only as one left out
        if left_out := [answer.question.id for answer in answers if answer.problem == _LEFT_OUT]:
            raise ReplyError(f"it leaves out {left_out[0]}: nobody knows which question each answer is to", reply.text)
        return answers


class Decisions(DecisionTransport):
    """As `litellm.adecisions` sends them."""

    protocol = "decisions"

    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The words of the task and the state as one input, then the questions by name."""
        asked = [_named_question(question) for question in questions]
        return {"input": f"{prompt.task}\n{delimit_all(request.state)}", "questions": asked}


def _named_question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "predicate", "name": question.id, "instructions": question.statement}
    named = {"name": question.id, "instructions": question.instructions}
    if isinstance(question, ChoiceQuestion):
        choices = [_described("value", option, text) for option, text in question.criteria.items()]
        return {"type": "choice", **named, "choices": choices}
    levels = [_described("label", level.label, level.description) for level in question.levels]
    return {"type": "score", **named, "levels": levels}


def _described(name: str, value: str, description: str) -> dict[str, str]:
    return {name: value} | ({"description": description} if description else {})


class SystemOne(DecisionTransport):
    """By the System One protocol, as `litellm.asystemone` sends them."""

    protocol = "systemone"

    def body(self, request: Request, questions: Sequence[TypedQuestion], prompt: Prompt) -> dict[str, Any]:
        """The words of the task and the parts of the state as an object, then the questions by their ids."""
        return {
            "state": {"task": prompt.task, **request.state},
            "questions": {question.id: _question(question) for question in questions},
        }


def _question(question: TypedQuestion) -> dict[str, Any]:
    if isinstance(question, Predicate):
        return {"type": "noul", "instructions": question.statement}
    if isinstance(question, ChoiceQuestion):
        criteria = {option: text or None for option, text in question.criteria.items()}
        return {"type": "choice", "instructions": question.instructions, "criteria": criteria}
    levels = [": ".join(filter(None, [level.label, level.description])) for level in question.levels]
    return {"type": "score", "instructions": question.instructions, "criteria": levels}


def read_answers(questions: Sequence[TypedQuestion], answers: list[Any] | dict[str, Any]) -> list[Answer]:
    """The answer to each question, in their order; one that cannot be read says why.

    Raises:
        ValueError: It answers a question that was not asked.

    Example:
        >>> answers = [{"type": "predicate", "name": "1", "probability": 0.75}]
        >>> read_answers([Predicate("1", "It is free.")], answers)[0].probabilities
        {'yes': 0.75, 'no': 0.25}
    """
    if isinstance(answers, list):
        by_id = _by_name(answers, questions)
    else:
        by_id = {question: [answer] for question, answer in answers.items()}
    by_id = check_asked(by_id, [question.id for question in questions])
    return [_read(question, by_id.get(question.id, [])) for question in questions]


def _by_name(answers: list[Any], questions: Sequence[TypedQuestion]) -> dict[str, list[Any]]:
    """The answers by the names that they repeat; by their places where none has a name and none is missing."""
    entries = [answer for answer in answers if isinstance(answer, dict)]
    if all(entry.get("name") is None for entry in entries) and len(answers) == len(questions):
        return {question.id: [answer] for question, answer in zip(questions, answers, strict=True)}
    by_id: dict[str, list[Any]] = {}
    for entry in entries:
        by_id.setdefault(str(entry.get("name")), []).append(entry)
    return by_id


def _read(question: TypedQuestion, entries: list[Any]) -> Answer:
    if problem := _problem(entries):
        return Answer(question, None, problem=problem)
    if entries[0].get("type") == "refusal":
        return Answer(question, None, declined=True, problem="the judge declined")
    shares = _shares(question, entries[0])
    if isinstance(shares, str):
        return Answer(question, None, problem=shares)
    total = sum(shares.values())
    probabilities = {option: share / total for option, share in shares.items()}
    return Answer(question, max(probabilities, key=probabilities.__getitem__), probabilities)


def _problem(entries: list[Any]) -> str:
    """Why what was said to a question is no single answer; "" where it is."""
    if not entries or entries[0] is None:
        return _LEFT_OUT
    if any(other != entries[0] for other in entries):
        return "the judge answered it in two ways"
    return "" if isinstance(entries[0], Mapping) else "the judge's answer has no fields"


def _shares(question: TypedQuestion, entry: Mapping[str, Any]) -> dict[str, float] | str:
    """The probability of each option as stated, or what is wrong with it."""
    if isinstance(question, Predicate):
        yes = entry.get("probability", entry.get("noul"))
        return {YES: float(yes), NO: 1 - float(yes)} if _is_probability(yes) else f"the judge's probability is {yes!r}"
    stated = entry.get("probabilities")
    if isinstance(stated, list):
        options = [option for option in stated if isinstance(option, Mapping)]
        stated = {str(option.get("value")): option.get("probability") for option in options}
    if not isinstance(stated, Mapping):
        return "the judge gave no probabilities"
    is_scale = isinstance(question, ScoreQuestion)
    names = {str(place) if is_scale else option: option for place, option in enumerate(question.options)}
    if not stated.keys() <= names.keys():
        return f"the judge's options are {', '.join(map(str, stated))[:80]}"
    shares = {option: stated.get(name, 0.0) for name, option in names.items()}
    if wrong := [value for value in shares.values() if not _is_probability(value)]:
        return f"one of the judge's probabilities is {wrong[0]!r}"
    if abs(sum(shares.values()) - 1) > _SUM_TOLERANCE:
        return f"the judge's probabilities sum to {sum(shares.values()):.2f}"
    return shares


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1
