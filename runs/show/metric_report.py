"""One metric of one run as a report has it: counts, the mean with its interval, and the change since another run."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, model_validator

from ...meta_eval.estimate import estimate_mean
from ...metrics.specification import parse_specification

ScoreOfGroup = tuple[float | None, str, str]
"""A value, its status, and the group of its answer."""


class MetricReport(BaseModel):
    """One metric of one run: counts, the mean with its 95% interval over groups, and the change since another run."""

    metric: str
    asked: bool  # whether the suite names it; the others are the baselines that stand in every table
    n: int  # samples; `scored`, `skipped` and `failed` add up to it
    scored: int
    skipped: int
    failed: int
    # the mean of the values, or None where no sample was scored; `low` and `high` are its interval, None for a scorer:
    # its mean is a predicted rating, whose error only ratings show (`predicted_rating`)
    mean: float | None
    low: float | None = None
    high: float | None = None
    # the share of the answers' sentences that were not judged; None of a metric that splits nothing
    left_out: float | None = None
    # the mean paired change since the run that this one is compared with; `change_low` and `change_high` are its
    # interval, and `change_p` its p-value, corrected for the number of metrics
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    change_p: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _leave_out_the_interval_of_a_scorer(cls, values: Any) -> Any:
        """Only ratings show how far off its predictions are."""
        if isinstance(values, dict) and parse_specification(str(values.get("metric"))).is_scorer:
            return values | {"low": None, "high": None}
        return values


def report_metric(
    metric: str, scores: Sequence[ScoreOfGroup], *, left_out: float | None = None, asked: bool = True
) -> MetricReport:
    """Returns the figures of a metric without a change."""
    values = [(value, group) for value, _, group in scores if value is not None]
    mean = estimate_mean([value for value, _ in values], [group for _, group in values])
    statuses = Counter(status for _, status, _ in scores)
    return MetricReport(
        metric=metric,
        asked=asked,
        n=sum(statuses.values()),
        scored=statuses["scored"],
        skipped=statuses["skipped"],
        failed=statuses["failed"],
        mean=mean.value,
        low=mean.low,
        high=mean.high,
        left_out=left_out,
    )
