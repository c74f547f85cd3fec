"""What people said of a trace in MLflow: their feedback becomes ratings, and their expectations the reference."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...eval_sets.sample_columns import usual_scale
from .server import MlflowServer, RefusedCallError

LOW, HIGH = "assay.low", "assay.high"
"""The keys of a feedback's metadata with the range of the metric."""
_FEEDBACK_NAMES = ("rating", "human_rating", "user-feedback", "user_feedback", "feedback", "stars")
_REFERENCE_NAMES = (
    *("expected_response", "expected_answer", "expected_output", "reference", "reference_answer", "ground_truth"),
)
_MOST_SEARCHED = 200  # traces, for the scale of a name
_THUMBS = 0.0, 1.0
_NO_SCALE = "people's feedback is neither a thumb nor a number on a known scale; a label schema in MLflow gives one"

Scale = tuple[float, float]


class _Rating(NamedTuple):
    """A person's feedback that is a number or a thumb."""

    name: str
    rater: str
    value: float
    scale: Scale


class PeopleReader:
    """Reads what people said; the scale of numbers is looked up once per name.

    A thumb is 1 or 0 on a scale from 0 to 1. The scale of a number is that of the score that it corrects, else that of
    the experiment's label schema of this name, else the usual one that the numbers under this name lie on.

    Args:
        server: The server, which is asked for what a trace does not tell.
    """

    def __init__(self, server: MlflowServer) -> None:
        self._server = server
        self._scales: dict[str, Scale | None] = {}

    def ratings(self, assessments: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], str]:
        """Reads the ratings of one trace.

        Of several names one that is named as feedback counts; feedback that was corrected does not.

        Args:
            assessments: The trace's assessments, as the server returns them.

        Returns:
            The fields of a row (`ratings` by rater with their scale), and why people's feedback is not used, or "".
        """
        people = [one for one in assessments if _is_feedback_by_person(one)]
        ratings = [rating for one in people if (rating := self._read(one, assessments)) is not None]
        names = sorted({rating.name for rating in ratings})
        if len(names) > 1:
            ratings = [rating for rating in ratings if rating.name.lower() in _FEEDBACK_NAMES]
        chosen = {rating.name for rating in ratings}
        if len(chosen) != 1 or len({rating.scale for rating in ratings}) != 1:
            if not people:
                return {}, ""
            if not names:
                return {}, _NO_SCALE
            return {}, f"people's feedback has several names or scales: {', '.join(names)}"
        low, high = ratings[0].scale
        values = {rating.rater: rating.value for rating in ratings}  # the latest of each rater
        return {"ratings": values, "rating_min": low, "rating_max": high}, ""

    def _read(self, values: Mapping[str, Any], all_values: Sequence[Mapping[str, Any]]) -> _Rating | None:
        value, name = values["feedback"].get("value"), str(values.get("assessment_name") or "")
        source = values.get("source") or {}
        rater = str(source.get("source_id") or "default")
        if isinstance(value, bool):
            return _Rating(name, rater, float(value), _THUMBS)
        if not isinstance(value, int | float):
            return None
        scale = self._overridden_scale(values, all_values) or self._scale(name)
        if scale is None or not scale[0] <= value <= scale[1]:
            return None
        return _Rating(name, rater, float(value), scale)

    def _overridden_scale(
        self, values: Mapping[str, Any], all_values: Sequence[Mapping[str, Any]]
    ) -> tuple[float, float] | None:
        corrected = values.get("overrides")
        score = next((one for one in all_values if corrected and one.get("assessment_id") == corrected), None)
        metadata = score.get("metadata") if score is not None else None
        if not isinstance(metadata, Mapping):
            return None
        try:
            low, high = float(metadata[LOW]), float(metadata[HIGH])
        except (KeyError, ValueError, TypeError):
            return None
        return (low, high) if low < high else None

    def _scale(self, name: str) -> Scale | None:
        if name not in self._scales:
            self._scales[name] = self._schema_scale(name) or self._observed_scale(name)
        return self._scales[name]

    def _schema_scale(self, name: str) -> Scale | None:
        """The scale of the experiment's label schema of a name; None without one, and of a server without schemas."""
        try:
            reply = self._server.get(
                "/api/3.0/mlflow/label-schemas/get-by-name", {"experiment_id": self._server.experiment, "name": name}
            )
            numeric = reply["label_schema"]["input"]["numeric"]
            low, high = float(numeric["min_value"]), float(numeric["max_value"])
        except (RefusedCallError, KeyError, TypeError, ValueError):
            return None
        return (low, high) if low < high else None

    def _observed_scale(self, name: str) -> Scale | None:
        if "`" in name:
            return None
        try:
            traces, _ = self._server.search(f"feedback.`{name}` IS NOT NULL", _MOST_SEARCHED, order="timestamp_ms DESC")
        except RefusedCallError:
            return None
        numbers = [
            number
            for trace in traces
            for one in trace.get("assessments") or []
            if _is_feedback_by_person(one) and one.get("assessment_name") == name
            if _is_number(number := one["feedback"].get("value"))
        ]
        if set(numbers) <= {1}:  # the best of one usual scale, and the worst of another
            return None
        return usual_scale(min(numbers), max(numbers), whole=all(number == int(number) for number in numbers))


def find_expected_answer(assessments: Iterable[Mapping[str, Any]]) -> str | None:
    """Finds the expected answer among the expectations of a trace; None where there is none.

    Example:
        >>> find_expected_answer([{"assessment_name": "expected_response", "expectation": {"value": "30 days."}}])
        '30 days.'
    """
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
