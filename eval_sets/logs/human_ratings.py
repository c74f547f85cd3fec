"""Ratings by people among the scores of a trace."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

_PERSON_SOURCES = {"ANNOTATION", "HUMAN"}
FEEDBACK_NAMES = {"rating", "human_rating", "user-feedback", "user_feedback", "feedback", "stars"}
"""Usual names of what customers say of an answer."""
_AUTHOR_KEYS = ("authorUserId", "author_user_id", "userId", "user_id")
_TIME_KEYS = ("updatedAt", "updated_at", "timestamp")


def trace_rating(scores: Any) -> dict[str, Any]:
    """Reads people's ratings among the scores of a trace of Langfuse.

    A person's score is an annotation, or one that is named as feedback; annotations count before feedback. It is a
    number, true or false, or a category to which the score's `config` gives a number. Scores with one name are ratings
    by several raters, of which the last of each counts; of several names, one that is named as feedback counts.

    Args:
        scores: A list of objects with name, value and source, or an object name -> value.

    Returns:
        `human_rating`, or `ratings` by rater, with `rating_min` and `rating_max` where the score tells its scale;
        empty without a person's score.

    Examples:
        >>> trace_rating([{"name": "helpful", "value": 4, "source": "ANNOTATION"}, {"name": "bleu", "value": 0.3}])
        {'human_rating': 4}
        >>> trace_rating([{"name": "good", "value": True, "source": "ANNOTATION", "authorUserId": "ada"}])
        {'ratings': {'ada': 1}, 'rating_min': 0, 'rating_max': 1}
    """
    rated = [(score, number) for score in _score_objects(scores) if (number := _number(score)) is not None]
    people = [pair for pair in rated if _is_annotation(pair[0])] or [pair for pair in rated if _is_feedback(pair[0])]
    names = {str(score.get("name")) for score, _ in people}
    if len(names) > 1:
        people = [pair for pair in people if _is_feedback(pair[0])]
        names = {str(score.get("name")) for score, _ in people}
    if not people or len(names) > 1:
        return {}
    people.sort(key=lambda pair: str(next((pair[0][key] for key in _TIME_KEYS if pair[0].get(key)), "")))
    scale = find_scale(people[-1][0])
    people = [pair for pair in people if find_scale(pair[0]) == scale]
    fields = {} if scale is None else {"rating_min": scale[0], "rating_max": scale[1]}
    authors = [next((score[key] for key in _AUTHOR_KEYS if score.get(key)), None) for score, _ in people]
    if len(people) == 1 and authors[0] is None:
        return {"human_rating": people[0][1], **fields}
    raters = [str(author or number) for number, author in enumerate(authors, 1)]
    return {"ratings": {rater: value for rater, (_, value) in zip(raters, people, strict=True)}, **fields}


def find_scale(score: Mapping[str, Any]) -> tuple[float, float] | None:
    """Finds the scale that a score tells: that of its config, or 0 to 1 of a true or false; None without one."""
    config = score.get("config")
    if isinstance(config, Mapping):
        low, high = config.get("minValue"), config.get("maxValue")
        if categories := _categories(config):
            low, high = min(categories.values()), max(categories.values())
        if _is_plain_number(low) and _is_plain_number(high) and low < high:
            return low, high
    return (0, 1) if score.get("dataType") == "BOOLEAN" or isinstance(score.get("value"), bool) else None


def _number(score: Mapping[str, Any]) -> Any:
    """A score's value as a number; None of one that is none."""
    value = score.get("value")
    if isinstance(value, bool):
        return int(value)
    config = score.get("config")
    if isinstance(value, str) and isinstance(config, Mapping):
        return _categories(config).get(value)
    return value if _is_number(value) else None


def _categories(config: Mapping[str, Any]) -> dict[str, float]:
    listed = config.get("categories")
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    return {str(entry.get("label")): entry["value"] for entry in entries if _is_plain_number(entry.get("value"))}


def _score_objects(scores: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(scores, list):
        return [score for score in scores if isinstance(score, Mapping)]
    if isinstance(scores, Mapping):
        named = ((name, value[0] if isinstance(value, list) and value else value) for name, value in scores.items())
        return [{"name": name, "value": value} for name, value in named]
    return []


def is_by_person(score: Mapping[str, Any]) -> bool:
    """Whether a score is an annotation, or named as the feedback of a user."""
    return _is_annotation(score) or _is_feedback(score)


def _is_annotation(score: Mapping[str, Any]) -> bool:
    return str(score.get("source", "")).upper() in _PERSON_SOURCES


def _is_feedback(score: Mapping[str, Any]) -> bool:
    return str(score.get("name", "")).lower() in FEEDBACK_NAMES


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().replace(".", "", 1).replace(",", "", 1).isdigit()
    return _is_plain_number(value)


def _is_plain_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
