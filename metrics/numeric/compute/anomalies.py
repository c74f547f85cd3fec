"""Anomalies of a series: values far from the rest, and values far from what the season or the trend lets expect.

Robust z-score: 0.6745 (x - median) / MAD, an anomaly beyond 3.5 (Iglewicz and Hoaglin 1993); where the MAD is 0, the
mean absolute deviation takes its place. Seasonal: the same of the residuals of STL (Cleveland et al. 1990), beyond 5,
on a series in regular steps with at least three whole seasons. Without such a season but with a trend: the same of
the distances from the line of Theil and Sen.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..specification import Direction, Specification, Statistic, Unverifiable
from ..tables import Table, in_order, rows_of
from . import decomposition
from .aggregates import series_name
from .computation import Computed, shown
from .decomposition import FEWEST, robust_spread, robust_z, seasonal_residuals, trend_residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

THRESHOLD = 3.5
_LEAST_OF_SPREAD = 0.1  # a residual's spread counts as this share of the series' own, lest trifles become anomalies


_JUST_BEYOND = 1.2  # a score up to this times the threshold is beyond it by one method's luck


@dataclass(frozen=True, eq=False)
class Anomalies:
    """The anomalies of a series by one method: rows' positions in order of time, and every row's score (NaN: none)."""

    method: str
    places: tuple[int, ...]
    scores: "NDArray[Any]"
    threshold: float


@lru_cache(maxsize=64)
def anomalies_of(table: Table, series: str) -> tuple[Anomalies, ...]:
    """The anomalies of a whole series by each method that it allows, the robust z-score first.

    Raises `Unverifiable` for fewer than 8 values, or cells that are no numbers.
    """
    import numpy as np

    if unreadable := table.unreadable.get(series):
        raise Unverifiable(f"{series!r} cannot be read as a number in {table.row_name(unreadable[0])}")
    values = table.series(series).to_numpy()
    count = int((~np.isnan(values)).sum())
    if count < FEWEST:
        raise Unverifiable(f"what is unusual takes at least {FEWEST} values to tell; {series!r} has {count}")
    found = [_beyond(("robust z-score", THRESHOLD), robust_z(values), table)]
    least = _LEAST_OF_SPREAD * robust_spread(values)
    if (seasonal := seasonal_residuals(table, values)) is not None:
        residuals, rough = seasonal
        scores = robust_z(residuals, max(least, rough))
        found.append(_beyond(("seasonal decomposition (STL)", decomposition.THRESHOLD), scores, table))
    elif (left := trend_residuals(table, values)) is not None:
        found.append(
            _beyond(("distance from the trend (Theil-Sen)", decomposition.THRESHOLD), robust_z(left, least), table)
        )
    return tuple(found)


def _beyond(method: tuple[str, float], scores: "NDArray[Any]", table: Table) -> Anomalies:
    import numpy as np

    name, threshold = method
    places = in_order(table, np.flatnonzero(np.abs(np.nan_to_num(scores)) > threshold))
    return Anomalies(name, tuple(int(place) for place in places), scores, threshold)


def anomaly(asked: Specification, table: Table) -> Computed:
    """Whether there is an anomaly in the window (at the place, if one is named; upwards or downwards, if said).

    What season or trend show as unusual is an anomaly, though its value alone is none. Raises `Unverifiable` where only
    the plain z-score finds one (season or trend may explain it), or methods count differently and a count is claimed.
    """
    import numpy as np

    name = series_name(asked)
    rows = rows_of(table, asked.window)
    if asked.place is not None:
        rows = np.intersect1d(rows, rows_of(table, asked.place))
    told, meant = [], set(rows.tolist())
    for method in anomalies_of(table, name):
        inside = [place for place in method.places if place in meant and _goes(method, place, asked)]
        told.append((method, inside))
    texts = [f"{method.method} (|z| > {method.threshold}): {_named(method, inside, table)}" for method, inside in told]
    line = f"anomalies of {name}" + (
        f" in {asked.window.text or asked.window}" if str(asked.window) != "all rows" else ""
    )
    line += " by " + "; by ".join(texts)
    numbers = [len(inside) for _, inside in told]
    if (numbers[0] and not numbers[-1]) or (asked.value is not None and len(set(numbers)) > 1):
        raise Unverifiable(f"{line}: the methods disagree")
    inside = told[-1][1]
    if len(inside) == len(_near(*told[-1])) and inside and asked.statistic is Statistic.NO_ANOMALY:
        raise Unverifiable(f"{line}: only just beyond the threshold")
    holds = bool(inside) == (asked.statistic is Statistic.ANOMALY)
    return Computed({"": float(len(inside))}, None, line, tuple(inside), holds if asked.value is None else None)


def _near(method: Anomalies, places: list[int]) -> list[int]:
    return [place for place in places if abs(method.scores[place]) <= _JUST_BEYOND * method.threshold]


def _goes(method: Anomalies, place: int, asked: Specification) -> bool:
    return asked.direction is None or (method.scores[place] > 0) == (asked.direction is Direction.UP)


def _named(method: Anomalies, places: list[int], table: Table) -> str:
    texts = [f"{table.row_name(place)} (z={shown(round(float(method.scores[place]), 1))})" for place in places[:5]]
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return (", ".join(texts) + more) or "none"
