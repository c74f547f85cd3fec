"""Ratings by people among the scores of a trace."""

from collections.abc import Iterable, Mapping
from typing import Any

_PERSON_SOURCES = {"ANNOTATION", "HUMAN"}
FEEDBACK_NAMES = {"rating", "human_rating", "user-feedback", "user_feedback", "feedback", "stars"}
"""Usual names of what customers say of an answer."""


def trace_rating(scores: Any) -> dict[str, Any]:
    """Reads people's ratings among the scores of a trace of Langfuse.

    A person's score is a number from an annotation, or one that is named as feedback. Several annotations with one name
    are ratings by several raters; of several names, one that is named as feedback counts.

    Args:
        scores: A list of objects with name, value and source, or an object name -> value.

    Returns:
        `human_rating`, or `ratings` by rater; empty without a person's score.

    Examples:
        >>> trace_rating([{"name": "helpful", "value": 4, "source": "ANNOTATION"}, {"name": "bleu", "value": 0.3}])
        {'human_rating': 4}
    """
    people = [score for score in _score_objects(scores) if _is_number(score.get("value")) and _is_by_person(score)]
    names = {str(score.get("name")) for score in people}
    if len(names) > 1:
        people = [score for score in people if str(score.get("name")).lower() in FEEDBACK_NAMES]
        names = {str(score.get("name")) for score in people}
    if not people or len(names) > 1:
        return {}
    if len(people) == 1:
        return {"human_rating": people[0]["value"]}
    raters = [str(score.get("authorUserId") or score.get("userId") or number) for number, score in enumerate(people, 1)]
    return {"ratings": {rater: score["value"] for rater, score in zip(raters, people, strict=True)}}


def _score_objects(scores: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(scores, list):
        return [score for score in scores if isinstance(score, Mapping)]
    if isinstance(scores, Mapping):
        named = ((name, value[0] if isinstance(value, list) and value else value) for name, value in scores.items())
        return [{"name": name, "value": value} for name, value in named]
    return []


def _is_by_person(score: Mapping[str, Any]) -> bool:
    if str(score.get("source", "")).upper() in _PERSON_SOURCES:
        return True
    return str(score.get("name", "")).lower() in FEEDBACK_NAMES


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().replace(".", "", 1).replace(",", "", 1).isdigit()
    return isinstance(value, int | float) and not isinstance(value, bool)
