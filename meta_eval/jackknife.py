"""Confidence intervals from leaving out one group at a time, because items of one source are not independent."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from .student import t_quantile

if TYPE_CHECKING:
    from .arrays import Floats

Statistic = Callable[["Floats"], "Floats"]
"""Maps weights (items, columns), how often each item counts in each column, to one value per column (columns,).

The value is NaN where the statistic is undefined."""

Scale = Literal["plain", "fisher", "logit"]
"""On which scale a statistic's distribution is nearly normal: a mean on its own, a correlation on Fisher's z (1921),
an area or a share on that of log odds."""

FEWEST_GROUPS = 5
_SAME = 1e-9
_CELLS_PER_BLOCK = 500_000  # about what fits the processor's cache
_MANY_ITEMS = 20_000
_MOST_PARTS, _PARTS_OF_MANY_ITEMS = 200, 50  # with more groups, parts of several groups are left out


def jackknife_intervals(
    statistic: Statistic,
    value: float,
    groups: Sequence[str],
    *,
    levels: Sequence[float],
    scale: Scale = "plain",
    carriers: int | None = None,
) -> list[tuple[float, float]] | None:
    """Computes confidence intervals of a statistic of grouped items by the jackknife over groups.

    f(value) +- t sqrt((G - 1) / G * sum of (f(value without group g) - their mean)^2), with f the scale and t the
    quantile of Student's distribution with G - 1 degrees of freedom (Tukey, 1958; for few and unequal groups MacKinnon,
    Nielsen and Webb, 2023, "Cluster-robust inference"). Above 200 groups, one of 200 parts of the groups is left out at
    a time (50 above 20,000 items).

    Returns:
        One (low, high) per level, which holds `value`; None with fewer than five groups, where the statistic is
        undefined without one of them, or where it is the same without any of them. A perfect value (a correlation or
        an area at its bound in all of them) has an interval: up to 1 - tail^(1 / carriers) of the groups could be
        exceptions though none is among these (Clopper and Pearson, 1934). An exception takes its share from an area,
        and up to four times its share from a correlation (simulated, with rare kinds of answers).

    Example:
        The mean of 1 to 10, each its own group: 5.5 +- 2.262 * 0.9574, with 9 degrees of freedom:

        >>> import numpy as np
        >>> items = np.arange(1.0, 11.0)
        >>> def mean(weights):
        ...     return items @ weights / weights.sum(axis=0)
        >>> [(low, high)] = jackknife_intervals(mean, 5.5, list("abcdefghij"), levels=[0.95])
        >>> round(low, 3), round(high, 3)
        (3.334, 7.666)
    """
    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    count, items = int(group_of.max()) + 1, len(group_of)
    if count < FEWEST_GROUPS:
        return None
    parts = min(count, _MOST_PARTS if items <= _MANY_ITEMS else _PARTS_OF_MANY_ITEMS)
    part_of = (np.arange(count) * parts // count)[group_of]
    width = max(1, _CELLS_PER_BLOCK // items)
    left_out = np.concatenate(
        [
            statistic((part_of[:, None] != np.arange(first, min(first + width, parts))).astype(float))
            for first in range(0, parts, width)
        ]
    )
    if not np.isfinite(left_out).all():
        return None
    if np.ptp(np.array([value, *left_out])) < _SAME:
        return _perfect_intervals(value, carriers or count, levels, scale)
    # a correlation of 1 cannot be told from one that is this much less
    middle, *scaled = _to_scale(np.array([value, *left_out]), scale, 1 / items**2).tolist()
    spread = np.array(scaled) - np.mean(scaled)
    error = float(np.sqrt((parts - 1) / parts * (spread @ spread)))
    intervals = []
    for level in levels:
        away = t_quantile((1 + level) / 2, parts - 1) * error
        low, high = _from_scale(np.array([middle - away, middle + away]), scale).tolist()
        intervals.append((min(low, value), max(high, value)))
    return intervals


def _perfect_intervals(
    value: float, carriers: int, levels: Sequence[float], scale: Scale
) -> list[tuple[float, float]] | None:
    """The intervals of a value that is at its bound without any of the groups; None of another one."""
    lowest, highest, worth = (-1.0, 1.0, 4.0) if scale == "fisher" else (0.0, 1.0, 1.0)
    if scale == "plain" or min(abs(value - lowest), abs(value - highest)) >= _SAME:
        return None
    intervals = []
    for level in levels:
        exceptions = worth * (1 - ((1 - level) / 2) ** (1 / carriers))
        if abs(value - highest) < _SAME:
            intervals.append((max(lowest, highest - exceptions), highest))
        else:
            intervals.append((lowest, min(highest, lowest + exceptions)))
    return intervals


def _to_scale(values: "Floats", scale: Scale, step: float) -> "Floats":
    import numpy as np

    if scale == "plain":
        return values
    if scale == "fisher":
        return np.arctanh(np.clip(values, step - 1, 1 - step))
    shares = np.clip(values, step, 1 - step)
    scaled: Floats = np.log(shares / (1 - shares))
    return scaled


def _from_scale(values: "Floats", scale: Scale) -> "Floats":
    import numpy as np

    if scale == "plain":
        return values
    back: Floats = np.tanh(values) if scale == "fisher" else (np.tanh(values / 2) + 1) / 2
    return back
