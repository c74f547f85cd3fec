"""A figure with its interval: what every part of the meta-evaluation reports."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bootstrap import bca_interval

if TYPE_CHECKING:
    from .bootstrap import Statistic


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% interval (or the level of the evaluation); None where there is none, and `problem` why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    problem: str = ""


def estimate(
    statistic: "Statistic", groups: Sequence[str], *, resamples: int | None, level: float = 0.95, seed: int = 0
) -> Estimate:
    """The statistic of the items as they are (weights 1), with its BCa interval over groups (`bca_interval`)."""
    import numpy as np

    value = float(statistic(np.ones((len(groups), 1)))[0])
    if not math.isfinite(value):
        return Estimate(None, problem="undefined: the values or the ratings do not vary")
    interval = bca_interval(statistic, value, groups, resamples=resamples, level=level, seed=seed)
    if interval is None:
        return Estimate(value, problem="too few groups for an interval")
    return Estimate(value, *interval)
