"""The registry of statistics: one entry each, used by the verdicts, the constructions and the judge's questions."""

from collections.abc import Mapping

from ..specification import Statistic
from .aggregates import AGGREGATES, count, count_beyond, crossing, extreme, missing, rank
from .anomalies import anomaly
from .computation import StatisticEntry, UnitRule
from .relations import comparison, correlation, difference, percent_change, ratio, share
from .trend import streak, trend

_S, _U = Statistic, UnitRule
_PLACE, _DIRECTION, _THRESHOLD, _VALUE_PLACE = ("place",), ("direction",), ("threshold",), ("value", "place")

_ENTRIES = (
    *AGGREGATES,
    StatisticEntry(_S.TIME_OF_MAXIMUM, extreme, _U.NO_VALUE, "the row or time with the highest value", _PLACE),
    StatisticEntry(_S.TIME_OF_MINIMUM, extreme, _U.NO_VALUE, "the row or time with the lowest value", _PLACE),
    StatisticEntry(_S.COUNT, count, _U.COUNT, "how many rows"),
    StatisticEntry(_S.MISSING, missing, _U.COUNT, "how many rows have no value"),
    StatisticEntry(_S.COUNT_ABOVE, count_beyond, _U.COUNT, "how many values above threshold", ("value", "threshold")),
    StatisticEntry(_S.COUNT_BELOW, count_beyond, _U.COUNT, "how many values below threshold", ("value", "threshold")),
    StatisticEntry(_S.DIFFERENCE, difference, _U.DISTANCE, "by how much one is more than the other"),
    StatisticEntry(_S.PERCENT_CHANGE, percent_change, _U.PERCENT, "by how many percent it changed"),
    StatisticEntry(_S.RATIO, ratio, _U.PLAIN, "how many times the other"),
    StatisticEntry(_S.TREND, trend, _U.NO_VALUE, "which way it goes over the window", _DIRECTION),
    StatisticEntry(_S.STREAK, streak, _U.COUNT, "how many times in a row it rose or fell", _DIRECTION),
    StatisticEntry(
        _S.RANK,
        rank,
        _U.PLAIN,
        "the place of a row from the highest, or with direction up from the lowest",
        _VALUE_PLACE,
    ),
    StatisticEntry(_S.COMPARISON, comparison, _U.NO_VALUE, "which of two is higher", _DIRECTION),
    StatisticEntry(_S.ANOMALY, anomaly, _U.NO_VALUE, "an unusual value, at place if the claim says where", ()),
    StatisticEntry(_S.NO_ANOMALY, anomaly, _U.NO_VALUE, "no unusual value", ()),
    StatisticEntry(_S.CROSSING, crossing, _U.NO_VALUE, "a value gets above or below threshold", _THRESHOLD),
    StatisticEntry(_S.CORRELATION, correlation, _U.PLAIN, "how two columns move together", ("compared_with",)),
    StatisticEntry(_S.SHARE, share, _U.PERCENT, "the percentage that the window is of the whole"),
)

_BY_STATISTIC = {entry.statistic: entry for entry in _ENTRIES}
STATISTICS: Mapping[Statistic, StatisticEntry] = {statistic: _BY_STATISTIC[statistic] for statistic in Statistic}
"""The entry of each statistic, in their order."""


def statistics_in(*units: UnitRule) -> frozenset[Statistic]:
    """The statistics whose value is measured so."""
    return frozenset(entry.statistic for entry in _ENTRIES if entry.unit in units)
