"""Gates: the conditions that a suite sets for its nightly runs, and what came of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...judges.usage import NO_CALLS, LostCalls
from ..store.plan import MetricName

NO_JUDGE = "no judge"
"""The judge's name in a suite without judges."""

UNANSWERED = "unanswered"
"""The figure of every suite that is 1 where an answer is empty or a refusal, else 0: gates may name it as a metric."""

State = Literal["passed", "not settled", "failed", "undecided", "no baseline", "accepted"]

RELEASES = 5
"""In a month, so many changes of single answers that change nothing on average must not raise an alarm either."""

_FIELD_WORDS = {
    "reach": "reaching {:.6g}",
    "at_least": "at least {:.6g}",
    "at_most": "at most {:.6g}",
    "more_than": "by more than {:.6g}",
    "strict": "strict",
}


class _Gate(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    gate: str
    judge: str | None = Field(default=None, description="one of the suite's judges; each of them if left out")

    def name_for(self, metric: str | None) -> str:
        """Returns the gate as a name that no other gate of the suite has, such as `mean of bleu, at least 0.5`."""
        fields = self.model_dump(exclude_defaults=True, exclude={"gate", "metric", "judge"})
        bounds = [_FIELD_WORDS[field].format(value) for field, value in fields.items()]
        return ", ".join([f"{self.gate} of {metric}" if metric else self.gate, *bounds])


_STRICT = Field(default=False, description="whether tonight's figure alone decides, noise or not")


class MeanGate(_Gate):
    """The mean of a metric's values lies within the bounds, both included; it fails where noise is no explanation."""

    gate: Literal["mean"]
    metric: MetricName
    at_least: float | None = None
    at_most: float | None = None
    strict: bool = _STRICT

    @model_validator(mode="after")
    def _has_a_bound(self) -> "MeanGate":
        if self.at_least is None and self.at_most is None:
            raise ValueError("a gate on a mean has at_least, at_most or both")
        return self


class ShareGate(_Gate):
    """At least the share `at_least` of the scored samples reaches the value `reach`.

    A sample reaches it with a value of at least `reach`, or of at most `reach` where lower values are better.
    """

    gate: Literal["share"]
    metric: MetricName
    reach: float
    at_least: float = Field(ge=0, le=1)
    strict: bool = _STRICT


class RegressionGate(_Gate):
    """The mean has not become worse by more than `more_than` since the accepted runs.

    Worse is lower, or higher where lower values are better. Tested on the samples that these runs scored too.
    """

    gate: Literal["regression"]
    metric: MetricName
    more_than: float = Field(default=0.0, ge=0)


class CoverageGate(_Gate):
    """At least the share `at_least` of all samples has a value, of one metric or of each metric of the suite."""

    gate: Literal["coverage"]
    metric: MetricName | None = None
    at_least: float = Field(ge=0, le=1)
    strict: bool = _STRICT


Gate = Annotated[MeanGate | ShareGate | RegressionGate | CoverageGate, Field(discriminator="gate")]
GATES = ("mean", "share", "regression", "coverage")


class GateResult(BaseModel):
    """What came of one gate."""

    gate: str  # the gate's kind, such as `mean`
    name: str  # the gate with its metric and bounds, as no other gate of the suite is called
    judge: str | None  # the judge whose run it is about; None for a gate of 0.2 on the cost
    metric: str | None  # the metric that it is about; None for a gate of 0.2 on the cost
    # `passed`, `failed`, `not settled` (a figure beyond its bound, or a possible fall, as noise can bring one),
    # `undecided` (the figure could not be computed or tested), `no baseline` (no accepted run to compare with) or
    # `accepted` (it did not pass, and does not count: the run was accepted as the new baseline)
    state: State
    # the figure that was held against the bound, or None where there is none; of a regression how far the metric itself
    # changed: above 0 it is higher, whether that is better or worse
    value: float | None
    bound: float  # the bound; of two bounds the one that more speaks against; of a regression the change allowed
    reason: str
    samples: tuple[str, ...] = ()  # of a failed gate, all samples of which its reason names the first
    # the share of months (30 nightly runs) without a change in which this gate shows as much at some time; None where
    # nothing was tested
    p: float | None = None
    evidence: float | None = None  # one month without a change in so many shows as much in one of the suite's gates
    needed: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_earlier(cls, values: Any) -> Any:
        """A report by an earlier version marks what is not settled beside its state."""
        is_marked = isinstance(values, dict) and values.get("is_within_noise") and values.get("state") == "passed"
        return values | {"state": "not settled"} if is_marked else values

    @property
    def title(self) -> str:
        """The gate's name and its judge, if there is one: `mean of bleu, at least 0.5, by qwen`."""
        by_judge = "" if self.judge in {None, NO_JUDGE} else f"by {self.judge}"
        return ", ".join(part for part in (self.name, by_judge) if part)


class Spending(BaseModel):
    """What the live calls of a nightly run took: calls, tokens and US dollars (None where a price is unknown)."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    lost: LostCalls = NO_CALLS  # those of them without a reply, which may have cost nothing

    @property
    def bound(self) -> str:
        """What stands before its tokens and its cost: `at most ` where replies are lost."""
        return "at most " if self.lost else ""


def fewest_groups(level: float) -> int:
    """Returns how many groups of answers a fall of the whole takes to be told from chance.

    Example:
        >>> fewest_groups(0.05), fewest_groups(0.05 / 3)
        (7, 9)
    """
    # with g groups the smallest p-value of a sign-flip test is 2 ** -g
    return next(count for count in range(1, 64) if RELEASES * 2.0**-count < level)
