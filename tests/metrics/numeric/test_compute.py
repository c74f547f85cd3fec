"""Each statistic on a table small enough to compute by hand."""

import math
from datetime import date
from typing import Any

import pytest

from assay.metrics import (
    Condition,
    Direction,
    Finding,
    Grid,
    Hedge,
    NumericTable,
    Specification,
    Statistic,
    Unverifiable,
    Window,
    compute,
    table_of,
    verify,
)

UP, DOWN, FLAT = Direction.UP, Direction.DOWN, Direction.FLAT
S = Statistic

# Sunday 1 March 2026 to Sunday 8 March; x is missing on the 4th
DAYS = [f"2026-03-0{day}" for day in range(1, 9)]
TABLE = table_of(
    Grid(
        "kpi",
        {
            "date": DAYS,
            "x": [10, 12, 11, None, 14, 16, 15, 22],
            "y": [1, 2, 3, 4, 5, 6, 7, 8],
            "z": [5, 5, 5, 5, 5, 5, 5, 5],
            "site": ["A", "B", "A", "B", "A", "B", "A", "C"],
        },
        {"x": "Mbps", "y": "%"},
    )
)


def day(first: int, last: int | None = None) -> Window:
    return Window(start=date(2026, 3, first), end=date(2026, 3, last or first))


def finding(statistic: Statistic, series: str | None = None, window: Window | None = None, **rest: Any) -> Finding:
    return verify(Specification(statistic, series, window or Window(), **rest), TABLE)


@pytest.mark.parametrize(
    ("statistic", "series", "window", "value"),
    [
        (S.MEAN, "x", Window(), 100 / 7),  # 10+12+11+14+16+15+22 = 100 over 7
        (S.MEDIAN, "x", Window(), 14),
        (S.SUM, "x", Window(), 100),
        (S.MINIMUM, "x", Window(), 10),
        (S.MAXIMUM, "x", Window(), 22),
        (S.RANGE, "x", Window(), 12),
        (S.LATEST, "x", Window(), 22),
        (S.FIRST, "x", Window(), 10),
        (S.COUNT, None, Window(), 8),
        (S.COUNT, "x", Window(), 7),
        (S.MEAN, "x", day(1, 3), 11),
        (S.MEAN, "x", Window(last=2), 18.5),
        (S.MEAN, "x", Window(first=2), 11),
        (S.MEAN, "y", Window(weekdays=(6,)), 4.5),  # the two Sundays: 1 and 8
        (S.SUM, "y", Window(months=(3,)), 36),
        (S.SUM, "y", Window(conditions=(Condition("site", ("B", "C")),)), 20),
        (S.COUNT, None, Window(conditions=(Condition("site", ("Q",)),)), 0),
        (S.VALUE_AT, "x", day(5), 14),
        (S.SHARE, "y", day(1, 4), 100 * 10 / 36),
    ],
)
def test_a_statistic(statistic, series, window, value):
    assert compute(Specification(statistic, series, window), TABLE).value == pytest.approx(value)


def test_counts_over_a_threshold_with_its_unit():
    assert finding(S.COUNT_ABOVE, "x", threshold=14_000, threshold_unit="kbps", value=3).verdict == "supported"
    assert (
        finding(S.COUNT_ABOVE, "x", threshold=14, threshold_included=True, value=4, unit="day").verdict == "supported"
    )
    assert finding(S.COUNT_BELOW, "x", threshold=11, value=1).verdict == "supported"
    assert "not one a month" in finding(S.COUNT_BELOW, "x", threshold=11, value=1, unit="month").reason


def test_deviation_holds_of_a_sample_or_a_population():
    # of 1..8: sum of squares 42; sqrt(42/7) = 2.449, sqrt(42/8) = 2.291
    computed = compute(Specification(S.DEVIATION, "y"), TABLE)
    assert computed.values == pytest.approx({"of a sample": math.sqrt(6), "of a population": math.sqrt(5.25)})
    assert "of a sample" in finding(S.DEVIATION, "y", value=2.45, decimals=2).reason
    assert "of a population" in finding(S.DEVIATION, "y", value=2.29, decimals=2).reason
    assert finding(S.DEVIATION, "y", value=2.4, decimals=2).verdict == "contradicted"


def test_extremes_and_crossings():
    assert finding(S.TIME_OF_MAXIMUM, "x", place=day(8)).verdict == "supported"
    wrong = finding(S.TIME_OF_MAXIMUM, "x", place=day(7))
    assert (wrong.verdict, wrong.computed) == ("contradicted", "2026-03-08")
    assert finding(S.TIME_OF_MINIMUM, "z", place=day(3)).verdict == "supported"  # all are equal
    assert finding(S.CROSSING, "x", threshold=20, direction=UP).verdict == "supported"
    assert finding(S.CROSSING, "x", threshold=13, direction=UP, place=day(5)).verdict == "supported"
    assert finding(S.CROSSING, "x", threshold=13, direction=UP, place=day(8)).verdict == "contradicted"
    assert finding(S.CROSSING, "x", threshold=9, direction=DOWN, negated=True).verdict == "supported"


def test_changes_and_their_direction():
    rest: dict[str, Any] = {"window": day(8), "compared_window": day(1)}
    assert finding(S.DIFFERENCE, "x", value=12, direction=UP, **rest).verdict == "supported"
    assert finding(S.DIFFERENCE, "x", value=12, direction=DOWN, **rest).verdict == "contradicted"
    assert finding(S.DIFFERENCE, "x", value=12, **rest).verdict == "supported"  # no direction: either sign
    assert finding(S.PERCENT_CHANGE, "x", value=120, unit="%", direction=UP, **rest).verdict == "supported"
    assert "no value to check" in finding(S.PERCENT_CHANGE, "x", direction=UP, **rest).reason  # that is a comparison
    assert finding(S.RATIO, "x", value=2.2, decimals=1, **rest).verdict == "supported"
    assert finding(S.DIFFERENCE, "y", value=7, unit="pp", **rest).verdict == "supported"


def test_what_has_no_answer_says_why():
    assert "2026-03-04" in finding(S.VALUE_AT, "x", day(4), value=1).reason
    assert "no rows" in finding(S.MEAN, "x", Window(start=date(2027, 1, 1)), value=1).reason
    assert "it reaches from 2026-03-01" in finding(S.MEAN, "x", Window(start=date(2027, 1, 1)), value=1).reason
    assert "no series 'jitter'; it has x, y, z" in finding(S.MEAN, "jitter", value=1).reason
    assert "in Mbps cannot be compared with what is in ms" in finding(S.MEAN, "x", value=1, unit="ms").reason
    assert "different values" in finding(S.VALUE_AT, "y", day(1, 3), value=1).reason
    with pytest.raises(Unverifiable, match="compared with"):
        compute(Specification(S.DIFFERENCE, "x"), TABLE)
    with pytest.raises(Unverifiable, match="no threshold"):
        compute(Specification(S.COUNT_ABOVE, "x"), TABLE)


def test_comparison_and_rank():
    assert finding(S.COMPARISON, "x", compared_with="z", direction=UP).verdict == "supported"
    assert finding(S.COMPARISON, "x", compared_with="y", direction=UP).verdict == "unverifiable"  # Mbps and percent
    assert finding(S.COMPARISON, "z", compared_with="y", direction=FLAT, hedge=Hedge.ABOUT).verdict == "contradicted"
    assert finding(S.RANK, "x", place=day(6), value=2).verdict == "supported"  # 22, 16, 15, ...
    assert finding(S.RANK, "x", place=day(6), value=6, direction=UP).verdict == "supported"


def test_trend_says_when_it_may_be_chance():
    assert finding(S.TREND, "y", direction=UP).verdict == "supported"
    assert finding(S.TREND, "y", direction=DOWN).verdict == "contradicted"
    assert finding(S.TREND, "z", direction=FLAT).verdict == "supported"
    chance = finding(S.TREND, "x", day(1, 3), direction=UP)  # 10, 12, 11: three values prove nothing
    assert (chance.verdict, "may be chance" in chance.reason) == ("unverifiable", True)


def test_units_convert_and_the_reason_has_the_right_number():
    assert finding(S.MEAN, "x", day(1, 3), value=11_000, unit="kbps").verdict == "supported"
    wrong = finding(S.MEAN, "x", day(1, 3), value=12, unit="Mbps")
    assert wrong.verdict == "contradicted"
    assert (
        "computed is 11 Mbps: mean of x over 2026-03-01..2026-03-03 = (10 + 12 + 11) / 3 = 11 Mbps (n=3)"
        in wrong.reason
    )


def one(values: list[Any], **columns: list[Any]) -> NumericTable:
    return table_of(Grid("t", {**columns, "x": values}))


def test_two_readings_that_disagree_and_a_percentage_that_may_be_a_share_of_one():
    table = one(["1.234", "5.678"])
    finding = verify(Specification(S.SUM, "x", value=6912), table)
    assert (finding.verdict, "two readings of the table disagree" in finding.reason) == ("unverifiable", True)
    assert verify(Specification(S.COUNT, "x", value=2), table).verdict == "supported"  # the same in both
    finding = verify(Specification(S.MEAN, "x", value=1.5, decimals=1, unit="%"), one([0.01, 0.02]))
    assert (finding.verdict, "shares of 1" in finding.reason) == ("supported", True)


def test_rows_duplicate_or_out_of_order_and_cells_that_are_no_numbers():
    double = one([1, 2, 3], date=["2026-03-01", "2026-03-02", "2026-03-02"])
    second = Window(start=date(2026, 3, 2), end=date(2026, 3, 2))
    assert "different values" in verify(Specification(S.VALUE_AT, "x", second, value=2), double).reason
    assert "with different values" in verify(Specification(S.LATEST, "x", value=3), double).reason
    assert verify(Specification(S.SUM, "x", value=6), double).verdict == "supported"
    mixed = one(["1", "DNF", "3"])
    assert "row 2" in verify(Specification(S.SUM, "x", value=4), mixed).reason
    assert verify(Specification(S.SUM, "x", Window(positions=(0, 2)), value=4), mixed).verdict == "supported"
    table = one([3, 1, 2], date=["2026-03-03", "2026-03-01", "2026-03-02"])
    assert compute(Specification(S.LATEST, "x"), table).value == 3
    assert compute(Specification(S.MEAN, "x", Window(last=2)), table).value == 2.5


def test_months_are_not_cut_into_days():
    monthly = one([1, 2, 3], month=["2026-01", "2026-02", "2026-03"])
    whole = Window(start=date(2026, 2, 1), end=date(2026, 3, 31))
    assert verify(Specification(S.SUM, "x", whole, value=5), monthly).verdict == "supported"
    part = Window(start=date(2026, 2, 10), end=date(2026, 3, 31))
    assert "stand for months" in verify(Specification(S.SUM, "x", part, value=3), monthly).reason
