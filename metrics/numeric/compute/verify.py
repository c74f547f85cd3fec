"""A specification against tables: supported, contradicted or unverifiable, with the right number in the reason."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...claim import Verdict
from ..quantities.tolerance import HEDGES, holds
from ..quantities.units import convert, unit_and_power
from ..specification import Direction, Hedge, Specification, Statistic, Unverifiable
from ..tables.rows import rows_of
from ..tables.table import NumericTable
from .computation import Computed, StatisticInput, UnitRule, format_with_unit
from .statistics import STATISTICS, statistics_in

_COUNTS = statistics_in(UnitRule.COUNT)
_AMOUNTS = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_STEPS = ("day", "week", "month", "year", "h")
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_TIMES = (Statistic.TIME_OF_MAXIMUM, Statistic.TIME_OF_MINIMUM)
_MOST_PERCENT = 200.0
_FURTHER = 1.5  # times its margin a round phrase ("a third") may still be meant
_TELLING = 3  # digits that make an agreement no chance
_SCALES = (3, 6)  # powers of ten that a table may be in without saying so
_YES_OR_NO = (Statistic.TREND, Statistic.COMPARISON, Statistic.NO_ANOMALY)


@dataclass(frozen=True)
class Finding:
    """The verdict on one specification.

    `computed` is what it is in fact (a number in the claim's unit, a text for a time or a yes or no, None where nothing
    was computed), `unit` its unit, `arithmetic` the line that a person can follow, `reason` a sentence.
    """

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    unit: str | None = None
    arithmetic: str = ""
    table: str | None = None


def compute(asked: Specification, table: NumericTable) -> Computed:
    """The statistic that a specification asks for, in one reading of one table. Raises `Unverifiable`."""
    computed = STATISTICS[asked.statistic].compute(StatisticInput(asked, table))
    if not table.rows_are:
        return computed
    return replace(computed, arithmetic=f"{computed.arithmetic}; a row is the {table.rows_are}")


def verify(asked: Specification, table: NumericTable) -> Finding:
    """The verdict on a specification, in every reading of a table; unverifiable where two of them disagree."""
    first, *others = (_finding(asked, reading) for reading in table.readings)
    other = next((finding for finding in others if finding.verdict != first.verdict), None)
    if other is None:
        return first
    whose = "two readings of the table disagree"
    why = f"{whose}: {first.verdict} ({first.reason}) or {other.verdict} ({other.reason})"
    return Finding("unverifiable", why, arithmetic=first.arithmetic, table=first.table)


def _finding(asked: Specification, table: NumericTable) -> Finding:
    unit = asked.unit
    try:
        if asked.statistic in _COUNTS and asked.value is not None and unit in _STEPS and table.step != unit:
            raise Unverifiable(f"counted are {unit}s, but the rows of {table.name} are not one a {unit}")
        return _check_computed(asked, compute(asked, table), table)
    except Unverifiable as reason:
        return Finding("unverifiable", str(reason), table=table.name)


def _check_computed(asked: Specification, computed: Computed, table: NumericTable) -> Finding:
    if asked.place is not None and asked.statistic in (*_TIMES, Statistic.CROSSING):
        return _check_place(asked, computed, table)
    if asked.statistic in _TIMES or (asked.value is None and computed.holds is None and asked.direction is None):
        raise Unverifiable(f"the claim says no value to check; {computed.arithmetic}")
    if asked.value is None or asked.statistic in _YES_OR_NO:
        true = computed.holds if computed.holds is not None else _goes_as_claimed(asked, computed)
        return _decided_finding(asked, computed, table, true, ("yes" if true else "no", None, ""))
    _require_same_kind(asked, computed, table)
    options = list(_values_in_unit(asked, computed, table))
    match = next((option for option in options if _fits(asked, option[0])), None)
    if match is None and (why := _nearly_so(asked, computed, [value for value, _, _ in options])):
        raise Unverifiable(f"{why}; {computed.arithmetic}")
    return _decided_finding(asked, computed, table, match is not None, match or options[0])


def _nearly_so(asked: Specification, computed: Computed, values: list[float]) -> str | None:
    """Why a claim that does not hold may still be right: a round phrase, or a change between negative values."""
    if asked.margin is not None and HEDGES[asked.hedge].bound is None:
        wider = replace(asked, margin=_FURTHER * asked.margin, hedge=Hedge.ABOUT)
        return (
            "the claim has a round number that may be meant" if any(_fits(wider, value) for value in values) else None
        )
    if asked.hedge is not Hedge.EXACT or asked.value is None or len(f"{asked.value:g}".strip("0.-")) < _TELLING:
        return None
    if asked.statistic in _CHANGES and (computed.base or 0.0) < 0 and any(_fits(asked, -value) for value in values):
        return "the values are negative, and the change may be meant in size"
    amount = computed.unit not in ("%", "pp") and (asked.statistic in _AMOUNTS or computed.unit is not None)
    if amount and any(_fits(asked, value * 10.0**scale) for value in values for scale in _SCALES):
        return "the table does not say whether it is in thousands or millions, as the claim is"
    return None


def _goes_as_claimed(asked: Specification, computed: Computed) -> bool:
    """Whether a change without a size has the claimed direction; flat is a change within 5% of the base."""
    value = computed.value or 0.0
    if asked.direction is Direction.FLAT:
        whole = 100.0 if asked.statistic is Statistic.PERCENT_CHANGE else abs(computed.base or 0.0)
        return abs(value) <= 0.05 * whole
    if asked.statistic is Statistic.RATIO:
        value -= 1
    return value > 0 if asked.direction is Direction.UP else value < 0


def _values_in_unit(
    asked: Specification, computed: Computed, table: NumericTable
) -> Iterator[tuple[float, str | None, str]]:
    """The computed value in the claim's unit, by each definition, and on each scale that the table may be in."""
    unit = asked.unit if asked.statistic not in _COUNTS else None
    scaled = computed.unit and computed.unit not in ("%", "pp")
    power = unit_and_power(table.units.get(asked.series or ""))[1] if scaled else 0
    scales = [(power, "")]
    if power and unit is None:
        scales.append((0, "as the table writes it"))  # "846" of a column in thousands
    if computed.unit not in ("%", "pp") and asked.statistic not in _COUNTS | {Statistic.RATIO, Statistic.RANK}:
        if table.power and not power:
            scales.append((table.power, f"the table is in 10^{table.power}"))
        least, most = table.bounds(asked.series) if unit == "%" and asked.series else (math.nan, math.nan)
        if computed.unit is None and least >= 0 and most <= 1:
            scales.append((2, "the series is read as shares of 1"))
    for scale, why in scales:
        for definition, value in computed.values.items():
            in_unit = convert(value * 10.0**scale, computed.unit, unit)
            how = "; ".join(part for part in (f"of a {definition}" if definition in _DEFINED else "", why) if part)
            yield in_unit, unit or computed.unit, how


_DEFINED = ("sample", "population")


def _require_same_kind(asked: Specification, computed: Computed, table: NumericTable) -> None:
    """Raises `Unverifiable` where a percentage is claimed of a series without a unit whose values are beyond 200.

    A part in words ("a third") is never the value of such a series.
    """
    if asked.unit != "%" or computed.unit is not None or asked.statistic in _COUNTS | {Statistic.RATIO}:
        return
    if asked.margin is not None:
        raise Unverifiable(f"a part is claimed, and the values of {asked.series!r} are none")
    if asked.series in table.columns and max(map(abs, table.bounds(str(asked.series)))) > _MOST_PERCENT:
        raise Unverifiable(f"a percentage is claimed, and the values of {asked.series!r} are none")


def _fits(asked: Specification, value: float) -> bool:
    assert asked.value is not None
    stated = asked.value
    if asked.statistic in _CHANGES:
        if asked.direction is None:
            return any(holds(signed, stated, asked.decimals, asked.hedge, asked.margin) for signed in (value, -value))
        if asked.direction is not Direction.FLAT:
            value = value if asked.direction is Direction.UP else -value
            stated = abs(stated)
    if asked.statistic is Statistic.RATIO and asked.direction is Direction.DOWN and stated >= 1:
        value = 1 / value if value else 0.0
    return holds(value, stated, asked.decimals, asked.hedge, asked.margin)


def _decided_finding(
    asked: Specification,
    computed: Computed,
    table: NumericTable,
    true: bool,
    outcome: tuple[float | str, str | None, str],
) -> Finding:
    """The finding that a claim is true or false; `outcome` is the computed value, its unit, and how it was read."""
    value, unit, how = outcome
    is_as_claimed = true != asked.negated
    line = f"{computed.arithmetic}{f' ({how})' if how else ''}"
    if isinstance(value, str) or asked.value is None:
        reason = line if is_as_claimed else f"{line}; the claim says otherwise"
    elif is_as_claimed:
        reason = f"computed {format_with_unit(value, unit)}: {line}"
    else:
        way = f" {asked.direction}" if asked.direction and asked.statistic in (*_CHANGES, Statistic.RATIO) else ""
        claimed_value = f"{format_with_unit(asked.value, asked.unit)}{way}"
        hedge = "" if asked.hedge == "exact" else f"{asked.hedge.replace('_', ' ')} "
        hedge = "not " + hedge if asked.negated else hedge
        reason = f"the claim says {hedge}{claimed_value}, computed is {format_with_unit(value, unit)}: {line}"
    return Finding("supported" if is_as_claimed else "contradicted", reason, value, unit, line, table.name)


def _check_place(asked: Specification, computed: Computed, table: NumericTable) -> Finding:
    """Whether the claim names the row of the computed value, or one of the rows where several have that value."""
    assert asked.place is not None
    there = set(rows_of(table, asked.place, may_be_none=True).tolist())
    where = ", ".join(table.row_name(place) for place in computed.places[:3]) or "nowhere"
    true = any(place in there for place in computed.places)
    finding = _decided_finding(asked, computed, table, true, (where, None, ""))
    if finding.verdict == "contradicted":
        statement = f"the claim says {'not ' if asked.negated else ''}{asked.place.text or asked.place}, it is {where}"
        return replace(finding, reason=f"{statement}: {computed.arithmetic}")
    return finding
