"""One metric of one run as a report has it: counts, the mean with its interval, and the change since another run."""

from typing import Any, Self

from pydantic import BaseModel, model_validator

from ...meta_eval.estimate import Estimate
from ...metrics.specification import parse_specification
from ..answers.summary import MetricSummary


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

    @classmethod
    def of(cls, summary: MetricSummary, *, asked: bool = True, change: Estimate | None = None) -> Self:
        """The record of a summary, and of its change since another run."""
        counts = {name: getattr(summary, name) for name in ("n", "scored", "skipped", "failed")}
        means = {name: getattr(summary, name) for name in ("mean", "low", "high", "left_out")}
        report = cls(metric=summary.name, asked=asked, **counts, **means)
        if change is None:
            return report
        figures = {"change": change.value, "change_low": change.low, "change_high": change.high, "change_p": change.p}
        return report.model_copy(update=figures)
