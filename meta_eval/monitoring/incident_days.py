"""Single days that differ so much from those around them that they say nothing of how days usually differ."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, Places
from ..monthly_p_value import LONGEST
from .day_sums import DaySums

_AROUND = 7  # days before and after, of which the median is taken
_FEWEST_AROUND = 3  # days on each side, so that a change is not taken for an incident
_FEWEST_DAYS = 8  # fewer do not say what is usual
_UNLIKE = 4.0  # standard deviations of a day from the days before it, and from those after it
_MOST_PER_MONTH = 2  # more are how days differ
_MEDIAN_OF_SQUARES = 0.455  # of a standard normal variable


class IncidentDays:
    """Finds incidents: one or two days in a month on which something happened that was over the next day.

    A day is an incident where its mean lies 4 standard deviations above, or below, both the median of up to 7 days
    before it and that of up to 7 after it, at least 3 on each side. The variance of a day is what its groups explain
    times the median of what the days show of that, which no single day moves. A change of quality is none: the days
    after it are as it is. An incident of one figure is one of all.
    """

    def __init__(self, figures: Sequence[DaySums]) -> None:
        self._figures = figures
        self._found: dict[int, Places] = {}

    def up_to(self, last: int) -> Places:
        """Returns the places of the incidents, as the days up to one of them show them."""
        if last not in self._found:
            places = [_unlike_days(sums, last) for sums in self._figures]
            self._found[last] = np.unique(np.concatenate([np.empty(0, np.intp), *places]))
        return self._found[last]


def _unlike_days(sums: DaySums, last: int) -> Places:
    """The incidents of one figure; none where more days differ as much than a month has incidents."""
    days, means = sums.single_days(last)
    is_known = (means.size > 0) & (means.variance > 0)
    days, mean, error = days[is_known], means.mean[is_known], np.sqrt(means.variance[is_known])
    if len(days) < _FEWEST_DAYS:
        return np.empty(0, np.intp)
    before = np.array([_median(mean[max(0, place - _AROUND) : place]) for place in range(len(days))])
    after = np.array([_median(mean[place + 1 : place + 1 + _AROUND]) for place in range(len(days))])
    beyond = np.stack([mean - before, mean - after]) / error
    is_one_side = np.isnan(beyond).any(axis=0) | (beyond[0] * beyond[1] <= 0)
    distance = np.where(is_one_side, 0.0, np.abs(beyond).min(axis=0))
    usual = max(1.0, float(np.nanmedian(beyond**2)) / _MEDIAN_OF_SQUARES)
    found = days[distance > _UNLIKE * np.sqrt(usual)]
    months = max(1, -(-(int(sums.day_numbers[last]) - int(sums.day_numbers[days[0]]) + 1) // LONGEST))
    return found if len(found) <= _MOST_PER_MONTH * months else np.empty(0, np.intp)


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) >= _FEWEST_AROUND else np.nan
