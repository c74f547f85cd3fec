"""Laws of computing, of judging and of checking a claim, for any table and any statistic."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from assay.metrics import (
    Direction,
    Grid,
    Hedge,
    NumericTable,
    Specification,
    Statistic,
    Window,
    anomalies_of,
    compute,
    holds,
    table_of,
    verify,
)

VALUED = (
    *(Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MINIMUM, Statistic.MAXIMUM, Statistic.RANGE),
    *(Statistic.LATEST, Statistic.FIRST, Statistic.DEVIATION, Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE),
    *(Statistic.RATIO, Statistic.SHARE),
)
numbers = st.integers(10, 99_999).map(lambda number: number / 10)
columns = st.lists(st.one_of(numbers, st.none()), min_size=4, max_size=30).filter(
    lambda xs: None not in (xs[0], xs[-1])
)


def table(values: list[float | None], **columns: list[Any]) -> NumericTable:
    return table_of(Grid("t", {**columns, "x": values}))


def asked(statistic: Statistic, **rest: Any) -> Specification:
    sides = {"window": Window(last=1), "compared_window": Window(first=1)}
    two_sided = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE, Statistic.RATIO, Statistic.SHARE)
    return Specification(statistic, "x", **((sides if statistic in two_sided else {}) | rest))


@pytest.mark.parametrize("statistic", VALUED)
@given(values=columns, decimals=st.integers(0, 3))
@settings(max_examples=6)
def test_a_computed_fact_is_supported_and_beyond_its_precision_contradicted(statistic, values, decimals):
    made = table(values)
    value = compute(asked(statistic), made).value
    stated = round(value, decimals)
    direction = Direction.UP if value > 0 else Direction.DOWN
    directed = {"direction": direction} if statistic in (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE) else {}
    claim = asked(statistic, value=abs(stated) if directed else stated, decimals=decimals, **directed)
    assert verify(claim, made).verdict == "supported"
    assert claim.value is not None
    # a sample's deviation and a population's are both right, and lie apart by less than 16% from 4 values on
    beyond = 0.2 * abs(value) if statistic is Statistic.DEVIATION else 0.0
    moved = replace(claim, value=claim.value + 1.2 * 10.0**-decimals + beyond)
    assert verify(moved, made).verdict == "contradicted"
    assert verify(replace(moved, negated=True), made).verdict == "supported"


@pytest.mark.parametrize("statistic", VALUED)
@given(values=columns, stated=numbers, hedge=st.sampled_from(Hedge), power=st.integers(1, 3))
@settings(max_examples=6)
def test_scaling_table_and_claim_together_changes_no_verdict(statistic, values, stated, hedge, power):
    scaled = [None if value is None else value * 10**power for value in values]
    claim = asked(statistic, value=stated, decimals=1, hedge=hedge)
    free = statistic in (Statistic.PERCENT_CHANGE, Statistic.RATIO, Statistic.SHARE)
    grown = claim if free else replace(claim, value=stated * 10**power, decimals=1 - power)
    assert verify(claim, table(values)).verdict == verify(grown, table(scaled)).verdict


@given(values=columns.filter(lambda xs: any(x is not None and x % 1 and x > 1000 for x in xs)), stated=numbers)
@settings(max_examples=15)
def test_both_number_formats_give_one_verdict(values, stated):
    english = ["" if value is None else f"{value:,.1f}" for value in values]
    dutch = [cell.translate(str.maketrans(",.", ".,")) for cell in english]
    findings = [
        verify(Specification(Statistic.SUM, "x", value=stated, decimals=1), table_of(Grid("t", {"x": cells})))
        for cells in (english, dutch)
    ]
    assert findings[0] == findings[1]


@given(values=columns, statistic=st.sampled_from(VALUED), place=st.integers(0, 29))
@settings(max_examples=15)
def test_order_of_the_rows_does_not_matter_where_there_are_dates(values, statistic, place):
    days = [f"2026-01-{day + 1:02}" for day in range(len(values))]
    turn = place % len(values)
    turned = table(values[turn:] + values[:turn], date=days[turn:] + days[:turn])
    straight = table(values, date=days)
    assert compute(asked(statistic), turned).value == pytest.approx(compute(asked(statistic), straight).value)


@given(computed=st.floats(-1e6, 1e6), decimals=st.integers(-2, 4))
def test_a_value_rounds_to_its_own_rounding(computed, decimals):
    assert holds(computed, round(computed, decimals), decimals, Hedge.EXACT)


@pytest.mark.parametrize(("digits", "margin"), [((1, 99), 0.05), ((101, 999), 0.02)], ids=["round", "three digits"])
@given(st.data(), st.floats(0.001, 0.3))
def test_what_each_hedge_means(digits, margin, data, off):
    stated = 1e6 * data.draw(st.integers(*digits).filter(lambda number: number < 100 or number % 10))
    above, below = stated * (1 + off), stated * (1 - off)
    decimals = 0  # so great a number that the stated precision does not matter
    assert holds(above, stated, decimals, Hedge.ABOUT) == (off <= margin)
    assert holds(below, stated, decimals, Hedge.NEARLY) == (off <= margin)
    assert not holds(above, stated, decimals, Hedge.NEARLY)
    assert holds(above, stated, decimals, Hedge.JUST_OVER) == (off <= margin)
    assert not holds(below, stated, decimals, Hedge.JUST_OVER)
    assert holds(above, stated, decimals, Hedge.MORE_THAN)
    assert not holds(stated, stated, decimals, Hedge.MORE_THAN)
    assert holds(stated, stated, decimals, Hedge.AT_LEAST)
    assert holds(below, stated, decimals, Hedge.AT_MOST)
    assert not holds(above, stated, decimals, Hedge.AT_MOST)
    assert holds(-below, -stated, decimals, Hedge.NEARLY) == (off <= margin)


def season(length: int, size: float) -> list[float]:
    """Whole weeks that rise and fall by so much, and a wobble that is no noise of chance."""
    return [50 + size * (0, 1, 2, 3, 4, 3, 1)[day % 7] + ((day * 37) % 11) / 10 for day in range(length)]


def test_an_anomaly_hidden_in_the_season_is_found_by_decomposition_only():
    # as low as every Monday, but on a Friday: nothing unusual for its value, but for its day
    values = season(56, 5.0)
    values[25] = 50.0
    days = [day.isoformat() for day in _days(56)]
    made = table_of(Grid("t", {"date": days, "x": values}))
    plain, seasonal = anomalies_of(made, "x")
    assert plain.places == ()
    assert seasonal.places == (25,)
    assert verify(Specification(Statistic.NO_ANOMALY, "x"), made).verdict == "contradicted"


def test_a_value_that_the_season_explains_is_neither_usual_nor_unusual():
    values = season(56, 0.0)
    for sunday in range(6, 56, 7):
        values[sunday] = 90.0
    made = table_of(Grid("t", {"date": [day.isoformat() for day in _days(56)], "x": values}))
    plain, seasonal = anomalies_of(made, "x")
    assert (plain.places, seasonal.places) == (tuple(range(6, 56, 7)), ())
    assert "disagree" in verify(Specification(Statistic.ANOMALY, "x"), made).reason


def test_an_anomaly_beside_a_trend():
    # each step 10 lower, and back up to 80 once: among 10..120 a usual value, but 50 above the line
    values = [120.0 - 10 * number for number in range(12)]
    values[9] = 80.0
    made = table(values)
    plain, beside = anomalies_of(made, "x")
    assert (plain.places, beside.places) == ((), (9,))
    assert verify(Specification(Statistic.ANOMALY, "x", place=Window(positions=(9,))), made).verdict == "supported"


def _days(count: int) -> list[Any]:
    from datetime import date, timedelta

    return [date(2026, 3, 2) + timedelta(days=number) for number in range(count)]


def test_a_spike_is_an_anomaly_by_both_methods_and_a_steady_series_has_none():
    values = season(56, 0.0)
    days = [day.isoformat() for day in _days(56)]
    steady = table_of(Grid("t", {"date": days, "x": values}))
    assert verify(Specification(Statistic.NO_ANOMALY, "x"), steady).verdict == "supported"
    values[30] = 90.0
    spiked = table_of(Grid("t", {"date": days, "x": values}))
    there = Window(start=_days(56)[30], end=_days(56)[30])
    assert verify(Specification(Statistic.ANOMALY, "x", place=there), spiked).verdict == "supported"
    assert verify(Specification(Statistic.ANOMALY, "x", value=1), spiked).verdict == "supported"
    assert verify(Specification(Statistic.NO_ANOMALY, "x"), spiked).verdict == "contradicted"


def test_irregular_steps_have_no_season_and_few_values_no_anomalies():
    days = [day.isoformat() for day in _days(56)]
    days[10] = "2025-01-01"
    assert len(anomalies_of(table_of(Grid("t", {"date": days, "x": season(56, 5.0)})), "x")) == 1
    few = table_of(Grid("t", {"x": [1.0, 2.0, 90.0]}))
    assert "at least 8" in verify(Specification(Statistic.ANOMALY, "x"), few).reason
