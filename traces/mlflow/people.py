"""What people said of a trace in MLflow: their feedback becomes ratings, and their expectations the reference."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
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
from ...value_messages import shorten
from ..http_client import RefusedRequest
from .server import MlflowServer

LOW, HIGH = "assay.low", "assay.high"
"""The keys of a feedback's metadata with the range of the metric."""
_REFERENCE_NAMES = (
    *("expected_response", "expected_answer", "expected_output", "reference", "reference_answer", "ground_truth"),
)
_MOST_SEARCHED = 200  # traces, for the scale of a name
_CURE = "add a label schema with this name in MLflow"


class PeopleReader:
    """Reads what people said; the scale of numbers is looked up once per name.

    A thumb is 1 or 0 on a scale from 0 to 1. The scale of a number is that of the score that it corrects, else that of
    the experiment's label schema of this name, else the usual one that the numbers under this name lie on.
    """

    def __init__(self, server: MlflowServer) -> None:
        self._server = server
        self._scale = cache(lambda name: self._schema_scale(name) or self._observed_scale(name))

    def ratings(self, assessments: Sequence[Mapping[str, Any]]) -> PeopleRatings:
        """Reads the ratings of one trace; feedback that was corrected does not count."""
        people = [one for one in assessments if _is_feedback_by_person(one)]
        return join_ratings((self._read(one, assessments) for one in people), self._scale, cure=_CURE)

    def _read(self, values: Mapping[str, Any], all_values: Sequence[Mapping[str, Any]]) -> HumanRating:
        rating = _read_feedback(values)
        scale = None if isinstance(rating.value, bool) else self._overridden_scale(values, all_values)
        return rating._replace(scale=scale)

    def _overridden_scale(self, values: Mapping[str, Any], all_values: Sequence[Mapping[str, Any]]) -> Scale | None:
        corrected = values.get("overrides")
        score = next((one for one in all_values if corrected and one.get("assessment_id") == corrected), None)
        metadata = score.get("metadata") if score is not None else None
        if not isinstance(metadata, Mapping):
            return None
        try:
            low, high = float(metadata[LOW]), float(metadata[HIGH])
        except (KeyError, ValueError, TypeError):
            return None
        return make_scale(low, high)

    def _schema_scale(self, name: str) -> Scale | None:
        """The scale of the experiment's label schema of a name; None without one, and of a server without schemas."""
        try:
            wanted = {"experiment_id": self._server.experiment, "name": name}
            reply = self._server.client.call("GET", "/api/3.0/mlflow/label-schemas/get-by-name", params=wanted)
            numeric = reply["label_schema"]["input"]["numeric"]
            low, high = float(numeric["min_value"]), float(numeric["max_value"])
        except (RefusedRequest, KeyError, TypeError, ValueError):
            return None
        return make_scale(low, high)

    def _observed_scale(self, name: str) -> Scale | None:
        if "`" in name:
            return None
        try:
            reply = self._server.search(f"feedback.`{name}` IS NOT NULL", _MOST_SEARCHED, order="timestamp_ms DESC")
        except RefusedRequest:
            return None
        scales = ObservedScales()
        listed = (
            one for trace in reply["traces"] for one in trace.get("assessments") or [] if _is_feedback_by_person(one)
        )
        scales.observe(rating for one in listed if (rating := _read_feedback(one)).name == name)
        return scales(name)


def find_expected_answer(assessments: Iterable[Mapping[str, Any]]) -> str | None:
    """Finds the expected answer among the expectations of a trace; None where there is none."""
    values: dict[str, Any] = {}
    for one in assessments:
        expectation = one.get("expectation")
        if not isinstance(expectation, Mapping) or one.get("valid") is False:
            continue
        value = expectation.get("value")
        values |= value if isinstance(value, Mapping) else {str(one.get("assessment_name")): value}
    return next((values[name] for name in _REFERENCE_NAMES if isinstance(values.get(name), str)), None)


def _is_feedback_by_person(values: Mapping[str, Any]) -> bool:
    source = values.get("source")
    is_person = isinstance(source, Mapping) and source.get("source_type") == "HUMAN"
    return is_person and isinstance(values.get("feedback"), Mapping) and values.get("valid") is not False


def _read_feedback(values: Mapping[str, Any]) -> HumanRating:
    value = values["feedback"].get("value")
    source = values.get("source") or {}
    return HumanRating(
        str(values.get("assessment_name") or ""),
        str(source.get("source_id") or "default"),
        value if isinstance(value, bool) or is_number(value) else None,
        value if isinstance(value, str) else _describe(value),
        time=str(values.get("last_update_time") or values.get("create_time") or ""),
        reason=str(values.get("rationale") or ""),
    )


def _describe(value: Any) -> str:
    """What is neither a number nor a text, in short, so that it is no text without a rating."""
    return "" if value is None or isinstance(value, bool) or is_number(value) else shorten(str(value))
