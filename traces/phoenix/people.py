"""What people said of a trace in Phoenix: annotations of the kind HUMAN."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...eval_sets.logs.human_ratings import (
    HumanRating,
    ObservedScales,
    PeopleRatings,
    Scale,
    is_number,
    join_ratings,
    make_scale,
)

NOTE = "note"
"""The name of annotations that are a text only."""
_ANONYMOUS = "person"  # the one user of a server without users
_CURE = "add an annotation config with this name in Phoenix"


class RatingReader:
    """Reads the ratings of people.

    The scale of a name is that of its annotation config in Phoenix, else the usual one of the numbers that were
    observed under it.
    """

    def __init__(self, configs: Iterable[Mapping[str, Any]]) -> None:
        self._configs = {str(config.get("name")): config for config in configs}
        self._scales = ObservedScales()

    def observe(self, annotations: Iterable[Mapping[str, Any]]) -> None:
        """Notes the numbers under each name, before their traces are read."""
        self._scales.observe(self._people(annotations))

    def read(self, annotations: Iterable[Mapping[str, Any]]) -> PeopleRatings:
        """Reads the ratings among the annotations of one trace or session."""
        return join_ratings(self._people(annotations), self._scales, cure=_CURE)

    def _people(self, annotations: Iterable[Mapping[str, Any]]) -> list[HumanRating]:
        """What people said: ratings, and texts."""
        own = (one for one in annotations if one.get("annotator_kind") == "HUMAN")
        read = [(one.get("name") == NOTE, self._read_one(one)) for one in own]
        ratings = [one._replace(value=None, label="") if is_note else one for is_note, one in read]
        return [one for one in ratings if one.value is not None or one.label or one.reason]

    def _read_one(self, annotation: Mapping[str, Any]) -> HumanRating:
        result = annotation.get("result")
        result = result if isinstance(result, Mapping) else {}
        name, score, label = str(annotation.get("name")), result.get("score"), str(result.get("label") or "")
        by_label = _category_scores(self._configs.get(name, {}))
        value = score if is_number(score) else by_label.get(label)
        rater = annotation.get("user_id") or annotation.get("identifier") or _ANONYMOUS
        # a label that the config gives no number may be a thumb
        scale = None if value is None else _config_scale(self._configs.get(name, {}), by_label)
        time, reason = str(annotation.get("updated_at") or ""), result.get("explanation")
        return HumanRating(name, str(rater), value, label, scale, time, reason if isinstance(reason, str) else "")


def _category_scores(config: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that a config gives its labels."""
    values = config.get("values")
    entries = [entry for entry in values if isinstance(entry, Mapping)] if isinstance(values, list) else []
    return {str(entry.get("label")): float(entry["score"]) for entry in entries if is_number(entry.get("score"))}


def _config_scale(config: Mapping[str, Any], by_label: Mapping[str, float]) -> Scale | None:
    if by_label:
        return make_scale(min(by_label.values()), max(by_label.values()))
    return make_scale(config.get("lower_bound"), config.get("upper_bound"))
