"""What a decision model replies, in either of the two protocols, as answers."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, model_validator

from ..typed_questions import NO, YES, Answer, Predicate, ScoreQuestion, TypedQuestion

SUM_TOLERANCE = 0.02
"""How far the probabilities of a question's options may sum to something else than 1; they are then divided by it."""
_TWICE = object()


class DecisionReply(BaseModel):
    """The body of a reply: `answers`, a list with names or an object by the questions' ids."""

    answers: list[Any] | dict[str, Any]

    @model_validator(mode="after")
    def _refuse_without_answer(self) -> "DecisionReply":
        if not self.answers:
            raise ValueError("it answers no question")
        return self


def read_answers(questions: Sequence[TypedQuestion], body: str) -> list[Answer]:
    """The answer to each question, in their order; one that cannot be read says why.

    Example:
        >>> body = '{"answers": [{"type": "predicate", "name": "1", "probability": 0.75}]}'
        >>> read_answers([Predicate("1", "It is free.")], body)[0].probabilities
        {'yes': 0.75, 'no': 0.25}
    """
    answers = json.loads(body, object_pairs_hook=_mark_duplicates)["answers"]
    if isinstance(answers, list):
        by_id = _by_name(answers, questions)
    else:
        by_id = {question: [answer] for question, answer in answers.items()}
    return [_read(question, by_id.get(question.id, [])) for question in questions]


def _mark_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        values[name] = _TWICE if name in values and values[name] != value else value
    return values


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
        return "the judge left it out"
    if _TWICE in entries or any(other != entries[0] for other in entries):
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
    return _checked({option: stated.get(name, 0.0) for name, option in names.items()})


def _checked(shares: dict[str, Any]) -> dict[str, float] | str:
    if wrong := [value for value in shares.values() if not _is_probability(value)]:
        return f"one of the judge's probabilities is {wrong[0]!r}"
    if abs(sum(shares.values()) - 1) > SUM_TOLERANCE:
        return f"the judge's probabilities sum to {sum(shares.values()):.2f}"
    return shares


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1
