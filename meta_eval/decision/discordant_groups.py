"""Bounds of a difference that only few groups show: by how many of them the one version is better, and the other."""

import numpy as np
from scipy import stats

from ..arrays import Floats, Places
from .version_means import changed_answers, shared_ratings
from .version_table import VersionTable

_LARGEST_GROUP = 2.0  # times the usual size: beyond, one group counts for too much


def bound_by_counts(table: VersionTable, first: int, second: int, error: float) -> tuple[float, float] | None:
    """Bounds a difference by the shares of groups in which either version is better, each of which is at most a bound.

    With U the upper bound of a share of G groups (Clopper and Pearson, 1934), the difference lies in [-U(groups in
    which the first is better) w, U(groups in which the second is) w], w being the width of the scale, and more where
    groups differ in size. U is that of a single look. Looked at 30 times while 600 groups come in, U at an error of
    1.25% is below a true share of .5% to 3% in at most 3.5% of cases (simulated); it holds 0 always, so that it never
    says that a version is better.

    Returns:
        The bounds; None where not every answer that differs is rated, or where groups differ much in size.

    Example:
        Of 100 groups the second is better in two and the first in none, on a scale of 0 to 1; Clopper and Pearson:

        >>> numbers = np.arange(100)
        >>> ratings = np.concatenate([np.where(numbers < 2, 0.0, 1.0), np.ones(100)])
        >>> table = VersionTable(("A", "B"), np.repeat([0, 1], 100), np.tile(numbers, 2), np.tile(numbers, 2),
        ...                      ratings, ratings, np.arange(200), (0.0, 1.0))
        >>> [round(end, 3) for end in bound_by_counts(table, 0, 1, 0.05)]
        [-0.036, 0.07]
    """
    rows = (table.version == first) | (table.version == second)
    ratings, changed = shared_ratings(table), changed_answers(table, (first, second))
    if np.isnan(ratings[changed]).any():
        return None
    group = np.unique(table.group[rows], return_inverse=True)[1].ravel()
    count = int(group.max()) + 1
    sizes = np.stack([np.bincount(group[table.version[rows] == one], minlength=count) for one in (first, second)])
    if (sizes[0] != sizes[1]).any() or sizes.max() > _LARGEST_GROUP * sizes.mean():
        return None
    values = np.where(changed, ratings, 0.0)[rows] * np.where(table.version[rows] == second, 1.0, -1.0)
    differences = np.bincount(group, weights=values)
    noise = 1e-9 * (table.scale[1] - table.scale[0])
    width = (table.scale[1] - table.scale[0]) * float(sizes.max() / sizes.mean())
    counts = int((differences < -noise).sum()), int((differences > noise).sum())
    below, above = (_upper_share(count, len(differences), error / 2) * width for count in counts)
    return -below, above


def bound_mean_by_counts(
    values: Floats, group: Places, scale: tuple[float, float], error: float
) -> tuple[float, float] | None:
    """Bounds a mean of which most groups show the same value, for a single look.

    With v the value of most groups and U the upper bound of the share of the others (Clopper and Pearson, 1934), the
    mean lies in v (1 - U) + U [the scale].

    Returns:
        The bounds; None where a rating is missing, or groups differ much in size.

    Example:
        One of 100 answers is rated 4, the others 5 of 5: U is 5.4%, so that the mean is at least 4.78.

        >>> low, high = bound_mean_by_counts(np.r_[4.0, np.full(99, 5.0)], np.arange(100), (1.0, 5.0), 0.05)
        >>> round(low, 2), round(high, 2)
        (4.78, 5.0)
    """
    number = np.unique(group, return_inverse=True)[1].ravel()
    sizes = np.bincount(number)
    if np.isnan(values).any() or sizes.max() > _LARGEST_GROUP * sizes.mean():
        return None
    means = (np.bincount(number, weights=values) / sizes).round(9)
    usual, counts = np.unique(means, return_counts=True)
    value, others = float(usual[counts.argmax()]), len(means) - int(counts.max())
    share = min(1.0, _upper_share(others, len(means), error / 2) * float(sizes.max() / sizes.mean()))
    low, high = (value + share * (end - value) for end in scale)
    return low, high


def _upper_share(count: int, groups: int, error: float) -> float:
    return float(stats.beta.isf(error, count + 1, groups - count)) if count < groups else 1.0
