"""How well a metric's values tell good answers from bad ones: area under the ROC curve with a bootstrap interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from .bootstrap import bca_interval


@dataclass(frozen=True, slots=True)
class Auroc:
    """P(a good answer's value is above a bad one's), ties half, with a 95% interval; None where undefined."""

    good: int
    bad: int
    area: float | None
    low: float | None
    high: float | None


def auroc(
    values: Sequence[float],
    good: Sequence[bool],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Auroc:
    """AUROC by the rank-sum (Mann-Whitney), equal lengths, with a BCa interval over groups. None without both kinds."""
    import numpy as np

    from . import weighted

    x, of_good = np.asarray(values, float), np.asarray(good, bool)
    number = int(of_good.sum())
    if number in {0, len(x)}:
        return Auroc(number, len(x) - number, None, None, None)
    areas = weighted.auroc(x, of_good)
    area = float(areas(np.ones((len(x), 1)))[0])
    interval = bca_interval(areas, area, groups, resamples=resamples, level=level, seed=seed)
    low, high = interval or (None, None)
    return Auroc(number, len(x) - number, area, low, high)
