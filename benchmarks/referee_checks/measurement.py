"""What a simulation measured, beside what must hold."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure of a simulation."""

    case: str  # the population and its size, such as `7 groups of 4`
    figure: str  # what was measured, such as `95% interval of Spearman's rho holds the truth`
    value: float  # what came out
    error: float  # its Monte Carlo standard error
    low: float = 0.0  # the least value that keeps the promise
    high: float = 1.0  # the largest value that keeps the promise

    @property
    def verdict(self) -> str:
        """`holds`, `within error` (two Monte Carlo errors), or `BROKEN`."""
        if self.is_within(0):
            return "holds"
        return "within error" if self.is_within(2) else "BROKEN"

    def is_within(self, errors: float) -> bool:
        """Whether the promise holds, give or take so many Monte Carlo errors."""
        return self.low - errors * self.error <= self.value <= self.high + errors * self.error


def share(case: str, figure: str, outcomes: Iterable[bool], *, low: float = 0.0, high: float = 1.0) -> Measurement:
    """Measures how often something came out.

    The error is at least that of one outcome in all repeats, so that a share of 0 is not shown as certain.

    Example:
        >>> share("coin", "heads", [True, False, True, True], low=0.4, high=0.6).verdict
        'within error'
    """
    counted = [bool(outcome) for outcome in outcomes]
    value, n = sum(counted) / len(counted), len(counted)
    likely = min(max(value, 1 / n), 1 - 1 / n) if n > 1 else 0.5
    return Measurement(case, figure, value, math.sqrt(likely * (1 - likely) / n), low, high)


def average(case: str, figure: str, values: Iterable[float], *, low: float, high: float) -> Measurement:
    """Measures the mean of a figure over repeats.

    Example:
        >>> average("bias", "estimate less truth", [0.1, -0.1], low=-0.05, high=0.05).value
        0.0
    """
    known = list(values)
    mean = sum(known) / len(known)
    variance = sum((value - mean) ** 2 for value in known) / max(len(known) - 1, 1)
    return Measurement(case, figure, mean, math.sqrt(variance / len(known)), low, high)
