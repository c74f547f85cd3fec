"""How well a metric's values follow a person's ratings: rank correlation and area under the ROC curve."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..text.wording import count_of
from .estimate import OF_CORRELATIONS, TOO_FEW_GROUPS, Estimate, estimate
from .groups import FEWEST_GROUPS, LEVEL, Statistic, unseen_share

if TYPE_CHECKING:
    from .arrays import Bools, Floats

FEWEST_ITEMS = 5
_PERFECT = 1 - 1e-9
_P_VALUES = 60


def spearman(
    values: Sequence[float], ratings: Sequence[float], groups: Sequence[str], *, level: float = LEVEL
) -> Estimate:
    """Estimates Spearman's rank correlation of values and ratings, with an interval over whole groups.

    rho is Pearson's correlation of the ranks; tied values share their mean rank (Spearman, 1904). Interval and p-value
    are those of `estimate_correlation`. rho in [-1, 1]. No value with fewer than five items, or where values or ratings
    are all equal; `problem` says which.
    """
    import numpy as np

    from . import ranks

    x, y = np.asarray(values, float), np.asarray(ratings, float)
    if problem := correlation_problem(x, y):
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=problem)
    return estimate_correlation(ranks.mean_spearman, x[:, None], y, groups, level=level)


def estimate_correlation(
    prepare: "Callable[[Floats, Floats], Statistic]",
    x: "Floats",
    y: "Floats",
    groups: Sequence[str],
    *,
    level: float = LEVEL,
) -> Estimate:
    """Estimates a correlation of x (items, columns) and y (items,), with its interval and the p-value of none.

    The interval leaves out one group at a time, on the scale of Fisher's z (`jackknife_interval`). What no answer
    shows, leaving answers out cannot show either: where no item has values above the mean of x beside values below that
    of y, or the other way round, or both, up to `unseen_share` of the items could be of that kind. The interval reaches
    as far as the correlation with so many exceptions. The p-value is of the same statistic: it is at most 1 - level
    where the interval leaves out 0.

    `prepare` makes the statistic of two variables, of which the first has columns.
    """
    import numpy as np

    result = estimate(prepare(x, y), groups, scale="fisher", level=level, null=0.0, keeps_empty=True)
    if result.value is None or result.low is None or result.high is None or abs(result.value) > _PERFECT:
        return result
    low, high, p, items = result.low, result.high, result.p or 0.0, len(y)
    p_values = np.append(np.geomspace(1e-6, 1 - level, _P_VALUES), np.linspace(1 - level, 1, _P_VALUES)[1:])
    shares = np.array([unseen_share(items, 1 - one) for one in p_values])
    for x_place, y_place in _unseen_kinds(x.mean(axis=1), y):
        statistic = prepare(np.vstack([x, x[x_place]]), np.append(y, y[y_place]))
        reached = statistic(np.vstack([np.ones((items, len(shares))), items * shares / (1 - shares)]))
        end = float(reached[_P_VALUES - 1])
        low, high = min(low, end), max(high, end)
        if (crosses := reached * result.value <= 0).any():
            p = max(p, min(1.0, float(p_values[crosses].max()) * (1 + 1e-9)))
    if high - low < 1 - _PERFECT:
        return Estimate(result.value, n=result.n, groups=result.groups, problem=TOO_FEW_GROUPS)
    return replace(result, low=low, high=high, p=p)


def estimate_rho_difference(
    first: "Floats",
    second: "Floats",
    ratings: "Floats",
    groups: Sequence[str],
    *,
    level: float = LEVEL,
    null: float | None = None,
) -> Estimate:
    """Estimates Spearman's rho of one measure with the ratings less that of another, as means over columns."""
    from . import ranks

    of_first, of_second = (ranks.mean_spearman(values, ratings) for values in (first, second))
    return estimate(
        lambda weights: of_first(weights) - of_second(weights), groups, bounds=OF_CORRELATIONS, level=level, null=null
    )


def _unseen_kinds(x: "Floats", y: "Floats") -> "Iterator[tuple[int, int]]":
    """Yields the kinds of items that there could be and are not: the places of a typical value of x and one of y."""
    is_high_x, is_high_y = x > x.mean(), y > y.mean()
    for x_side in (is_high_x, ~is_high_x):
        for y_side in (is_high_y, ~is_high_y):
            if x_side.any() and y_side.any() and not (x_side & y_side).any():
                yield _middle_place(x, x_side), _middle_place(y, y_side)


def _middle_place(values: "Floats", side: "Bools") -> int:
    """The place of the middle one of the values on a side."""
    import numpy as np

    places = np.flatnonzero(side)
    return int(places[np.argsort(values[places], kind="stable")[len(places) // 2]])


def correlation_problem(x: "Floats", y: "Floats") -> str:
    """Says why values `x` and ratings `y` of the same items have no correlation; empty where they have one."""
    import numpy as np

    if len(x) < FEWEST_ITEMS:
        return f"only {count_of(len(x), 'rated score')}"
    if np.ptp(x) == 0:
        return "all values are equal"
    return "all ratings are equal" if np.ptp(y) == 0 else ""


def auroc(values: "Sequence[float] | Floats", good: "Sequence[bool] | Bools", groups: Sequence[str]) -> Estimate:
    """Estimates the area under the ROC curve, with an interval over whole groups.

    The area is P(a good answer's value is above a bad one's), a tie counting half: the Mann-Whitney statistic divided
    by the number of pairs (Hanley and McNeil, 1982). Returns the area in [0, 1] with its interval on the scale of log
    odds; no value where all items are good, or none is, and no interval where fewer than five groups have good answers,
    or bad ones: a few answers of one kind carry the area, however many there are of the other.
    """
    import numpy as np

    from . import ranks

    x, is_good = np.asarray(values, float), np.asarray(good, bool)
    if is_good.all() or not is_good.any():
        kind = "bad" if is_good.any() else "good"
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=f"no {kind} answers")
    statistic, labels = ranks.auroc_statistic(x, is_good), np.asarray(groups)
    fewest = min(len(np.unique(labels[kind])) for kind in (is_good, ~is_good))
    if fewest < FEWEST_GROUPS:
        area = float(statistic(np.ones((len(x), 1)))[0])
        problem = f"an interval needs {count_of(FEWEST_GROUPS, 'group')} with answers of each kind; {fewest} have them"
        return Estimate(area, n=len(x), groups=len(np.unique(labels)), problem=problem)
    return estimate(statistic, groups, scale="logit", carriers=fewest)


def place_beside(agreement: float | None, best_baseline: float | None) -> str:
    """Where a metric stands by its agreement with the ratings beside the best baseline; "" where nobody knows.

    Example:
        >>> place_beside(0.4, 0.3), place_beside(0.3, 0.3), place_beside(None, 0.3)
        ('above baseline', 'equals baseline', '')
    """
    if agreement is None or best_baseline is None:
        return ""
    if agreement == best_baseline:
        return "equals baseline"
    return "above baseline" if agreement > best_baseline else "below baseline"
