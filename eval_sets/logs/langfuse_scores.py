"""What people said among the scores of Langfuse."""

from collections.abc import Iterable, Mapping
from typing import Any

from .human_ratings import FEEDBACK_NAMES, HumanRating, Scale, is_number, make_scale

_PERSON_SOURCES = {"ANNOTATION", "HUMAN"}
_AUTHOR_KEYS = ("authorUserId", "author_user_id", "userId", "user_id")
_TIME_KEYS = ("updatedAt", "updated_at", "timestamp")


def read_scores(scores: Any) -> list[HumanRating]:
    """Reads what people said among scores.

    A person's score is an annotation, or one that is named as feedback; annotations count before feedback. A category
    has the number that the score's `config` gives it.

    Example:
        >>> scores = [{"name": "helpful", "value": 4, "source": "ANNOTATION"}, {"name": "bleu", "value": 0.3}]
        >>> read_scores(scores)[0].value
        4
    """
    people = [(score, _read(score)) for score in _score_objects(scores) if is_by_person(score)]
    people = [(score, rating) for score, rating in people if rating.value is not None or rating.label]
    annotations = [rating for score, rating in people if _is_annotation(score)]
    return annotations or [rating for _, rating in people]


def is_by_person(score: Mapping[str, Any]) -> bool:
    """Whether a score is an annotation, or named as the feedback of a user."""
    return _is_annotation(score) or str(score.get("name", "")).lower() in FEEDBACK_NAMES


def _is_annotation(score: Mapping[str, Any]) -> bool:
    return str(score.get("source", "")).upper() in _PERSON_SOURCES


def _read(score: Mapping[str, Any]) -> HumanRating:
    value, config = score.get("value"), score.get("config")
    config = config if isinstance(config, Mapping) else {}
    categories = _categories(config)
    number: float | None = None
    if isinstance(value, str):
        number = categories.get(value, _parse(value))
    elif isinstance(value, bool) or is_number(value):
        number = value
    return HumanRating(
        str(score.get("name")),
        str(next((score[key] for key in _AUTHOR_KEYS if score.get(key)), "")),
        number,
        value if isinstance(value, str) else "",
        _scale(score, config, categories),
        str(next((score[key] for key in _TIME_KEYS if score.get(key)), "")),
        str(score.get("comment") or ""),
    )


def _scale(score: Mapping[str, Any], config: Mapping[str, Any], categories: Mapping[str, float]) -> Scale | None:
    if categories:
        scale = make_scale(min(categories.values()), max(categories.values()))
    else:
        scale = make_scale(config.get("minValue"), config.get("maxValue"))
    return (0.0, 1.0) if scale is None and score.get("dataType") == "BOOLEAN" else scale


def _categories(config: Mapping[str, Any]) -> dict[str, float]:
    listed = config.get("categories")
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    return {str(entry.get("label")): entry["value"] for entry in entries if is_number(entry.get("value"))}


def _parse(text: str) -> float | None:
    """The number that a text is, as in a CSV file."""
    digits = text.strip().replace(",", ".", 1)
    return float(digits) if digits.isascii() and digits.replace(".", "", 1).isdigit() else None


def _score_objects(scores: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(scores, list):
        return [score for score in scores if isinstance(score, Mapping)]
    if isinstance(scores, Mapping):
        named = ((name, value[0] if isinstance(value, list) and value else value) for name, value in scores.items())
        return [{"name": name, "value": value} for name, value in named]
    return []
