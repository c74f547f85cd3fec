"""What people said of a trace in Phoenix: annotations of the kind HUMAN become ratings by rater."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from ...eval_sets.name_suggestions import quote_names
from ...eval_sets.sample_columns import usual_scale
from ...value_messages import shorten

NOTE = "note"
"""The name of annotations that are a text only."""
_FEEDBACK_NAMES = frozenset({"rating", "human_rating", "user-feedback", "user_feedback", "feedback", "stars"})
_THUMBS = {
    **dict.fromkeys(("👍", "+1", "up", "thumb up", "thumbs up", "positive"), 1.0),
    **dict.fromkeys(("👎", "-1", "down", "thumb down", "thumbs down", "negative"), 0.0),
}
_NO_LETTERS = {ord(letter): None for letter in "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"}  # of emoji
_ANONYMOUS = "person"

Scale = tuple[float, float]


class _Rating(NamedTuple):
    """A person's annotation that is a number on a known scale."""

    name: str
    rater: str
    value: float
    scale: Scale


class RatingReader:
    """Reads the ratings of people.

    The scale of a name is that of its annotation config in Phoenix. Without one a label that is a thumb is 1 or 0 on a
    scale from 0 to 1, and a number is on the usual scale of those that were read under this name. Where these are all 1
    there is none: 1 is the best of one usual scale and the worst of another.

    Args:
        configs: The annotation configs, as the server lists them.
    """

    def __init__(self, configs: Iterable[Mapping[str, Any]]) -> None:
        self._configs = {str(config.get("name")): config for config in configs}
        self._numbers: dict[str, tuple[float, float, bool]] = {}

    def observe(self, annotations: Iterable[Mapping[str, Any]]) -> None:
        """Notes the numbers under each name, before their traces are read."""
        for one in annotations:
            score, name = _result(one).get("score"), str(one.get("name"))
            if not _is_by_person(one) or not _is_number(score) or _thumb(one) is not None:
                continue
            low, high, is_whole = self._numbers.get(name, (score, score, True))
            self._numbers[name] = min(low, score), max(high, score), is_whole and score == int(score)

    def read(self, annotations: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], str]:
        """Reads the ratings among the annotations of one trace or session.

        Of several names one that is named as feedback counts. Of several annotations by one rater the latest counts.

        Args:
            annotations: The annotations that are about the answer.

        Returns:
            The fields of a row (`ratings` by rater, with their scale), and why what people said is not used, or "".
        """
        people = [one for one in annotations if _is_by_person(one) and _is_rating(one)]
        people.sort(key=lambda one: str(one.get("updated_at") or ""))
        ratings = [rating for one in people if (rating := self._read_one(one)) is not None]
        names = sorted({rating.name for rating in ratings})
        if len(names) > 1:
            ratings = [rating for rating in ratings if rating.name.lower() in _FEEDBACK_NAMES]
        chosen = {rating.name for rating in ratings}
        if len(chosen) != 1:
            if not people:
                return {}, ""
            if not names:
                named = quote_names(sorted({shorten(str(one.get("name"))) for one in people}))
                return {}, f"the scale of {named} is unknown: add an annotation config of this name in Phoenix"
            return {}, f"people annotated under several names, none of them `rating`: {quote_names(names)}"
        low, high = ratings[-1].scale
        values = {rating.rater: rating.value for rating in ratings if rating.scale == (low, high)}
        return {"ratings": values, "rating_min": low, "rating_max": high}, ""

    def _read_one(self, annotation: Mapping[str, Any]) -> _Rating | None:
        name, result = str(annotation.get("name")), _result(annotation)
        score, config = result.get("score"), self._configs.get(name)
        value: float | None = float(score) if _is_number(score) else None
        scale = None
        if config is not None:
            by_label = _category_scores(config)
            value = by_label.get(str(result.get("label"))) if value is None else value
            scale = None if value is None else _config_scale(config, by_label)
        if scale is None and (thumb := _thumb(annotation)) is not None:
            value, scale = thumb, (0.0, 1.0)
        if scale is None and value is not None:
            scale = self._observed_scale(name)
        if value is None or scale is None or not scale[0] <= value <= scale[1]:
            return None
        rater = annotation.get("user_id") or annotation.get("identifier") or _ANONYMOUS
        return _Rating(name, str(rater), value, scale)

    def _observed_scale(self, name: str) -> Scale | None:
        low, high, is_whole = self._numbers.get(name, (1.0, 1.0, True))
        return None if low == high == 1 else usual_scale(low, high, whole=is_whole)


def _is_by_person(annotation: Mapping[str, Any]) -> bool:
    return annotation.get("annotator_kind") == "HUMAN" and annotation.get("name") != NOTE


def _is_rating(annotation: Mapping[str, Any]) -> bool:
    """Whether it is more than a text."""
    result = _result(annotation)
    return _is_number(result.get("score")) or bool(result.get("label"))


def _result(annotation: Mapping[str, Any]) -> Mapping[str, Any]:
    result = annotation.get("result")
    return result if isinstance(result, Mapping) else {}


def _thumb(annotation: Mapping[str, Any]) -> float | None:
    """1 or 0 of a label that is a thumb; None of another, and where the score says something else."""
    result = _result(annotation)
    words = str(result.get("label") or "").translate(_NO_LETTERS).casefold().replace("_", " ").replace("-", " ")
    text = " ".join(words.split()) if words.strip() not in ("1",) else str(result.get("label")).strip()
    thumb, score = _THUMBS.get(text), result.get("score")
    if thumb is None or not _is_number(score):
        return thumb
    return thumb if score in ((1,) if thumb else (0, -1)) else None


def _category_scores(config: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that a config gives its labels."""
    values = config.get("values")
    entries = [entry for entry in values if isinstance(entry, Mapping)] if isinstance(values, list) else []
    return {str(entry.get("label")): float(entry["score"]) for entry in entries if _is_number(entry.get("score"))}


def _config_scale(config: Mapping[str, Any], by_label: Mapping[str, float]) -> Scale | None:
    bounds = [config.get("lower_bound"), config.get("upper_bound")]
    if by_label:
        bounds = [min(by_label.values()), max(by_label.values())]
    low, high = bounds
    return (float(low), float(high)) if _is_number(low) and _is_number(high) and low < high else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
