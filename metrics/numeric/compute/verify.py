"""A specification against tables: supported, contradicted or unverifiable, with the right number in the reason."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...score import Verdict
from ..specification import (
    HEDGES,
    PLACE_OF,
    Direction,
    Hedge,
    Specification,
    Statistic,
    Unverifiable,
    convert,
    unit_and_power,
)
from ..tables.table import NumericTable, rows_of
from .computation import Computed, StatisticInput, UnitRule, format_number
from .statistics import STATISTICS, statistics_in

_COUNTS = statistics_in(UnitRule.COUNT)
_AMOUNTS = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_YES_OR_NO = (Statistic.TREND, Statistic.COMPARISON, Statistic.NO_ANOMALY)
_STEPS = ("day", "week", "month", "year", "h")
_MOST_PERCENT = 200.0
_FURTHER = 1.5  # times its margin a round phrase ("a third") may still be meant
_ABOUT, _ABOUT_TELLING = 0.05, 0.02
_TELLING = 3  # digits from which a number is no round one: "about 362", or an agreement that is no chance
_SCALES = (3, 6)  # powers of ten that a table may be in without saying so
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


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
    groups = f"; a row is the {table.rows_are}" if table.rows_are else ""
    return replace(computed, arithmetic=f"{computed.arithmetic}{groups}")


def verify(asked: Specification, table: NumericTable) -> Finding:
    """The verdict on a specification, in every reading of a table; unverifiable where two of them disagree."""
    first, *others = (_finding(asked, reading) for reading in table.readings)
    other = next((finding for finding in others if finding.verdict != first.verdict), None)
    if other is None:
        return first
    readings = f"{first.verdict} ({first.reason}) or {other.verdict} ({other.reason})"
    why = f"two readings of the table disagree: {readings}"
    return Finding("unverifiable", why, arithmetic=first.arithmetic, table=first.table)


def _finding(asked: Specification, table: NumericTable) -> Finding:
    try:
        if asked.statistic in _COUNTS and asked.value is not None and asked.unit in _STEPS and asked.unit != table.step:
            raise Unverifiable(f"counted are {asked.unit}s, but the rows of {table.name} are not one a {asked.unit}")
        return _check_computed(asked, compute(asked, table), table)
    except Unverifiable as reason:
        return Finding("unverifiable", str(reason), table=table.name)


def _check_computed(asked: Specification, computed: Computed, table: NumericTable) -> Finding:
    if asked.place is not None and asked.statistic in (*PLACE_OF.values(), Statistic.CROSSING):
        there = rows_of(table, asked.place, may_be_none=True).tolist()
        where = ", ".join(table.row_name(place) for place in computed.places[:3]) or "nowhere"
        finding = Finding("supported", "", where, None, computed.arithmetic, table.name)
        is_there = any(place in computed.places for place in there)
        return _decided(asked, finding, is_there, asked.place.text or str(asked.place))
    if computed.holds is not None and (asked.value is None or asked.statistic in _YES_OR_NO):
        answer = "yes" if computed.holds else "no"
        return _decided(asked, Finding("supported", "", answer, None, computed.arithmetic, table.name), computed.holds)
    if asked.value is None or asked.statistic in PLACE_OF.values():
        raise Unverifiable(f"the claim says no value to check; {computed.arithmetic}")
    _require_same_kind(asked, table, computed.unit)
    options = list(_values_in_unit(asked, computed, table))
    match = next((option for option in options if _fits(asked, option[0])), None)
    if match is None and (why := _nearly_so(asked, computed, [value for value, _, _ in options])):
        raise Unverifiable(f"{why}; {computed.arithmetic}")
    value, unit, how = match or options[0]
    way = f" {asked.direction}" if asked.direction and asked.statistic in (*_CHANGES, Statistic.RATIO) else ""
    hedge = "" if asked.hedge is Hedge.EXACT else f"{asked.hedge.replace('_', ' ')} "
    claimed = f"{hedge}{format_number(asked.value, asked.unit)}{way}"
    line = f"{computed.arithmetic} ({how})" if how else computed.arithmetic
    return _decided(asked, Finding("supported", "", value, unit, line, table.name), match is not None, claimed)


def _decided(asked: Specification, finding: Finding, is_true: bool, claimed: str = "") -> Finding:
    """A finding with its verdict and the reason of it: what is `claimed` is empty for a yes or no."""
    line, value = finding.arithmetic, finding.computed
    text = value if isinstance(value, str) else None
    shown = format_number(float(value or 0), finding.unit) if text is None else text
    if is_true != asked.negated:
        return replace(finding, reason=line if text else f"computed {shown}: {line}")
    reason = f"{line}; the claim says otherwise"
    if claimed:
        negation = "not " if asked.negated else ""
        reason = f"the claim says {negation}{claimed}, {'it' if text else 'computed'} is {shown}: {line}"
    return replace(finding, verdict="contradicted", reason=reason)


def _require_same_kind(asked: Specification, table: NumericTable, unit: str | None) -> None:
    """Raises `Unverifiable` where a percentage is claimed of a series without a unit whose values are beyond 200.

    A part in words ("a third") is never the value of such a series.
    """
    if asked.unit != "%" or unit is not None or asked.statistic in _COUNTS | {Statistic.RATIO}:
        return
    is_beyond = asked.series in table.columns and max(map(abs, table.bounds(str(asked.series)))) > _MOST_PERCENT
    if asked.margin is not None or is_beyond:
        what = "percentage" if asked.margin is None else "part"
        raise Unverifiable(f"a {what} is claimed, and the values of {asked.series!r} are none")


def _values_in_unit(
    asked: Specification, computed: Computed, table: NumericTable
) -> Iterator[tuple[float, str | None, str]]:
    """The computed value in the claim's unit, by each definition, and on each scale that the table may be in."""
    unit = asked.unit if asked.statistic not in _COUNTS else None
    is_percent = computed.unit in ("%", "pp")
    power = unit_and_power(table.units.get(asked.series or ""))[1]
    if is_percent or not (computed.unit or asked.statistic in _AMOUNTS):
        power = 0
    scales = [(power, "")]
    if power and unit is None:
        scales.append((0, "as the table writes it"))  # "846" of a column in thousands
    if not is_percent and asked.statistic not in _COUNTS | {Statistic.RATIO, Statistic.RANK}:
        if table.power and not power:
            scales.append((table.power, f"the table is in 10^{table.power}"))
        least, most = table.bounds(asked.series) if unit == "%" and asked.series else (math.nan, math.nan)
        if computed.unit is None and least >= 0 and most <= 1:
            scales.append((2, "the series is read as shares of 1"))
    for scale, why in scales:
        for definition, value in computed.values.items():
            parts = (definition if asked.statistic is Statistic.DEVIATION else "", why)
            in_unit = convert(value * 10.0**scale, computed.unit, unit)
            yield in_unit, unit or computed.unit, "; ".join(filter(None, parts))


def _nearly_so(asked: Specification, computed: Computed, values: list[float]) -> str | None:
    """Why a claim that does not hold may still be right: a round phrase, or a change between negative values."""
    assert asked.value is not None
    if asked.margin is not None and HEDGES[asked.hedge].bound is None:
        wider = replace(asked, margin=_FURTHER * asked.margin, hedge=Hedge.ABOUT)
        is_near = any(_fits(wider, value) for value in values)
        return "the claim has a round number that may be meant" if is_near else None
    if asked.statistic in _CHANGES and (computed.base or 0.0) < 0 and any(_fits(asked, -value) for value in values):
        return "the values are negative, and the change may be meant in size"
    if asked.hedge is not Hedge.EXACT or len(f"{asked.value:g}".strip("0.-")) < _TELLING:
        return None
    is_amount = computed.unit not in ("%", "pp") and (asked.statistic in _AMOUNTS or computed.unit is not None)
    if is_amount and any(_fits(asked, value * 10.0**scale) for value in values for scale in _SCALES):
        return "the table does not say whether it is in thousands or millions, as the claim is"
    return None


def _fits(asked: Specification, value: float) -> bool:
    """Whether a computed value is as claimed, in the claimed direction."""
    assert asked.value is not None
    stated, values = asked.value, [value]
    if asked.statistic in _CHANGES and asked.direction is None:
        values = [value, -value]
    elif asked.statistic in _CHANGES and asked.direction is not Direction.FLAT:
        stated, values = abs(stated), [value if asked.direction is Direction.UP else -value]
    elif asked.statistic is Statistic.RATIO and asked.direction is Direction.DOWN and stated >= 1:
        values = [1 / value if value else 0.0]
    return any(holds(value, stated, asked.decimals, asked.hedge, asked.margin) for value in values)


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%. Decimals may be negative.
    """
    slack = _ROUNDING * max(abs(computed), abs(stated))
    above = computed - stated
    if bound := HEDGES[hedge].bound:
        return {"gt": above > slack, "ge": above >= -slack, "lt": above < -slack, "le": above <= slack}[bound]
    if share is None and hedge is not Hedge.EXACT:
        digits = str(round(abs(stated) * 10.0**decimals)).rstrip("0")  # 41,000 has two
        share = _ABOUT if len(digits) < _TELLING else _ABOUT_TELLING
    margin = max(0.5 * 10.0**-decimals, abs(stated) * (share or 0.0))
    beyond = above if stated >= 0 else -above
    least, most = (0.0 if hedge is Hedge.JUST_OVER else -margin), (0.0 if hedge is Hedge.NEARLY else margin)
    return least - slack <= beyond <= most + slack
