"""The trend of a series: the slope of a straight line through it, whether that differs from flat, and streaks."""

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ....text.wording import count_of
from ..specification import Direction, Unverifiable
from ..tables.rows import all_values
from ..tables.table import LENGTHS, NumericTable, unit_of_period
from .computation import Computed, StatisticInput, format_number, single
from .relations import SIGNIFICANT

if TYPE_CHECKING:
    from numpy.typing import NDArray

STABLE = 0.05  # a series whose line moves less than 5% of its mean over the window is stable, however sure the slope


@dataclass(frozen=True)
class TrendLine:
    """A least-squares line: its slope per `step` ("day", "month", "row"), the slope's two-sided p-value (1 if n < 3),
    the number of values, and how far the line moves from the first to the last value, as a share of the series' mean.
    """

    slope: float
    p: float
    n: int
    step: str
    moved: float | None

    @property
    def direction(self) -> Direction:
        """Up or down where the slope differs from 0 at p < 0.05 and the line moves by 5% or more; else flat."""
        if self.p >= SIGNIFICANT or (self.moved is not None and abs(self.moved) < STABLE):
            return Direction.FLAT
        return Direction.UP if self.slope > 0 else Direction.DOWN


def line_of(table: NumericTable, series: str, rows: "NDArray[Any]") -> TrendLine:
    """The least-squares line of a series over some rows, by their real times if they have any.

    Raises `Unverifiable` for fewer than 2 values, or values all of one time.
    """
    import numpy as np
    from scipy.stats import linregress

    values = all_values(table, series, rows)
    known = ~np.isnan(values)
    y = values[known]
    at, step = _at(table, rows[known])
    if len(y) < 2 or np.ptp(at) == 0:
        raise Unverifiable(f"a trend takes at least 2 values; {series!r} has {len(y)}")
    if len(y) == 2:
        slope, p = float((y[1] - y[0]) / (at[1] - at[0])), 1.0
    else:
        fit = linregress(at, y)
        slope, p = float(fit.slope), float(fit.pvalue) if np.ptp(y) else 1.0
    mean = float(np.abs(y.mean()))
    moved = slope * float(np.ptp(at)) / mean if mean else None
    return TrendLine(slope, p, len(y), step, moved)


def _at(table: NumericTable, rows: "NDArray[Any]") -> "tuple[NDArray[Any], str]":
    import numpy as np

    if table.times is None or table.times.hasnans:
        return np.arange(len(rows), dtype=float), "row"
    times = table.times[rows]
    days = (times - times[0]).total_seconds().to_numpy() / 86400
    step = unit_of_period(table.period)
    return days / LENGTHS[step], step


def trend(data: StatisticInput) -> Computed:
    """Whether the series goes as the claim says.

    Up and down hold if the slope has that sign at p < 0.05 (with 2 values: if the second is so), flat if the line moves
    by less than 5% of the mean. Raises `Unverifiable` where the slope is as claimed, or not flat, but may be chance.
    """
    direction = data.asked.direction
    if direction is None:
        raise Unverifiable("it is not said which way the trend goes")
    line = line_of(data.table, data.name, data.rows)
    text = f"{data.title('slope')} = {format_number(line.slope)} a {line.step} (n={line.n}, p={line.p:.2g})"
    if direction is Direction.FLAT:
        as_claimed = line.moved is not None and abs(line.moved) < STABLE
        chance = not as_claimed and line.p >= SIGNIFICANT
    else:
        as_claimed = line.slope > 0 if direction is Direction.UP else line.slope < 0
        chance = as_claimed and line.p >= SIGNIFICANT
    if chance and line.n > 2:
        raise Unverifiable(f"{text}: that may be chance")
    return single(line.slope, None, text, holds=as_claimed)


def streak(data: StatisticInput) -> Computed:
    """Counts the consecutive changes in one direction that end the window; without a value, whether all changes are.

    Raises `Unverifiable` where the last streak is shorter than the claimed one, and another is long enough: the claim
    does not say which of them it means.
    """
    import numpy as np

    if len(data.cells) < 2 or not data.is_known.all():
        raise Unverifiable(f"a streak takes at least 2 values, none of them missing; of {data.name!r} there are not")
    up = data.asked.direction is Direction.UP
    goes = (np.diff(data.cells) > 0) if up else (np.diff(data.cells) < 0)
    way = "rises" if up else "falls"
    if data.asked.value is None:  # "every month"
        line = f"{data.title(way)}: {int(goes.sum())} of {count_of(len(goes), 'step')}"
        return Computed(arithmetic=line, holds=bool(goes.all()))
    runs = [(same, len(list(run))) for same, run in groupby(goes.tolist())]
    last = runs[-1][1] if runs[-1][0] else 0
    longest = max((length for same, length in runs if same), default=0)
    line = f"{data.title(f'{way} in a row')}: {last} at the end, at most {longest}"
    if last < data.asked.value <= longest:
        raise Unverifiable(f"it does not say which streak is meant; {line}")
    return single(last, None, line)
