"""What the grammar reads, sentence by sentence, in Dutch and English."""

from datetime import date

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.parse.sentence_reading import read_sentence, scene_of
from assay.metrics.numeric.specification import Condition, Direction, Hedge, Specification, Statistic, Window
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.table import NumericTable, Period, Times
from assay.metrics.numeric.times.compound_times import find_times

DAYS = [date(2026, 3, day).isoformat() for day in range(1, 32)]


@pytest.fixture(scope="module")
def network() -> NumericTable:
    """March 2026, which begins on a Sunday; throughput rises by 0.5 a day, 40.0 to 55.0."""
    columns = {
        "date": DAYS,
        "throughput_mbps": [40 + 0.5 * day for day in range(31)],
        "latency_ms": [25.0 - 0.25 * (day % 4) for day in range(31)],
        "active_users": [100 + 7 * (day % 5) for day in range(31)],
    }
    return table_of(Grid("network", columns, {"throughput_mbps": "Mbps", "latency_ms": "ms"}))


@pytest.fixture(scope="module")
def teams() -> NumericTable:
    columns = {"team": ["Ajax", "Feyenoord", "PSV"], "wins": [20, 18, 22], "points": [65, 60, 70]}
    return table_of(Grid("league", columns))


def specifications(sentence: str, table: NumericTable, language: str = "en", question: str = "") -> list[Specification]:
    """The first reading of each check."""
    read, _ = read_sentence(sentence, scene_of([table], language, question))
    assert not [part.reason for part in read if not part.tiers], sentence
    return [part.tiers[0][0][0] for part in read if part.tiers]


def span(first: int, last: int) -> Window:
    return Window(start=date(2026, 3, first), end=date(2026, 3, last))


READ = [
    ("nl", "De gemiddelde doorvoer in maart was 47,5 Mbps.", Statistic.MEAN, "throughput_mbps", span(1, 31), 47.5),
    ("en", "On 5 March the throughput was 42 Mbps.", Statistic.VALUE_AT, "throughput_mbps", span(5, 5), 42),
    ("nl", "Van 3 t/m 9 maart was de vertraging gemiddeld 24,6 ms.", Statistic.MEAN, "latency_ms", span(3, 9), 24.6),
    (
        "nl",
        "In de afgelopen zeven dagen was de mediaan van de latentie 24,5 ms.",
        Statistic.MEDIAN,
        "latency_ms",
        span(25, 31),
        24.5,
    ),
    ("nl", "Vorige week was de gemiddelde doorvoer 52,5 Mbps.", Statistic.MEAN, "throughput_mbps", span(23, 29), 52.5),
    (
        "en",
        "In the first week the average throughput was 41.5 Mbps.",
        Statistic.MEAN,
        "throughput_mbps",
        span(1, 7),
        41.5,
    ),
    ("en", "In total there were 3,500 active users in March.", Statistic.SUM, "active_users", span(1, 31), 3500),
    (
        "en",
        "Throughput was 12 Mbps on weekends on average.",
        Statistic.MEAN,
        "throughput_mbps",
        Window(weekdays=(5, 6)),
        12,
    ),
]


@pytest.mark.parametrize("case", READ, ids=lambda case: case[1])
def test_statistic_series_window_and_value(network, case):
    language, sentence, *expected = case
    (read,) = specifications(sentence, network, language)
    assert [read.statistic, read.series, read.window, read.value] == expected


HEDGES = [
    ("en", "nearly", Hedge.NEARLY),
    ("en", "just over", Hedge.JUST_OVER),
    ("en", "at least", Hedge.AT_LEAST),
    ("en", "no more than", Hedge.AT_MOST),
    ("nl", "circa", Hedge.ABOUT),
    ("nl", "ruim", Hedge.JUST_OVER),
]


@pytest.mark.parametrize(("language", "word", "hedge"), HEDGES)
def test_hedges(network, language, word, hedge):
    sentence = {"en": f"Average latency was {word} 24 ms.", "nl": f"De gemiddelde latentie was {word} 24 ms."}[language]
    (read,) = specifications(sentence, network, language)
    assert (read.statistic, read.hedge) == (Statistic.MEAN, hedge)


def test_an_extreme_with_its_day_is_two_checks(network):
    value, when = specifications("Throughput peaked at 55 Mbps on 31 March 2026.", network)
    assert (value.statistic, value.value, value.window) == (Statistic.MAXIMUM, 55, Window())
    assert (when.statistic, when.place) == (Statistic.TIME_OF_MAXIMUM, span(31, 31))


def test_changes(network):
    (percent,) = specifications("Throughput rose by 7.3% between 3 and 9 March.", network)
    assert percent.statistic is Statistic.PERCENT_CHANGE and percent.direction is Direction.UP
    assert (percent.window, percent.compared_window) == (span(9, 9), span(3, 3))
    before, after, way = specifications(
        "De doorvoer steeg van 41 Mbps op 3 maart naar 44 Mbps op 9 maart.", network, "nl"
    )
    assert [(s.statistic, s.window, s.value) for s in (before, after)] == [
        (Statistic.VALUE_AT, span(3, 3), 41),
        (Statistic.VALUE_AT, span(9, 9), 44),
    ]
    assert way.direction is Direction.UP
    (slope,) = specifications("Throughput shows an upward trend over the whole period.", network)
    assert (slope.statistic, slope.direction) == (Statistic.TREND, Direction.UP)


def test_counts_and_bounds(network):
    (days,) = specifications("De vertraging lag op 5 dagen boven de 24 ms.", network, "nl")
    assert (days.statistic, days.value, days.threshold) == (Statistic.COUNT_ABOVE, 5, 24)
    (never,) = specifications("Throughput never dropped below 40 Mbps.", network)
    assert (never.statistic, never.value, never.hedge) == (Statistic.MINIMUM, 40, Hedge.AT_LEAST)
    (always,) = specifications("De latentie bleef elke dag onder 26 ms.", network, "nl")
    assert (always.statistic, always.value, always.hedge) == (Statistic.MAXIMUM, 26, Hedge.LESS_THAN)


def test_comparisons(network, teams):
    (weeks,) = specifications("The average latency was higher in the first week than in the last 7 days.", network)
    assert (weeks.statistic, weeks.side_statistic, weeks.direction) == (
        Statistic.COMPARISON,
        Statistic.MEAN,
        Direction.UP,
    )
    assert (weeks.window, weeks.compared_window) == (span(1, 7), span(25, 31))
    (twice,) = specifications("Latency was twice as high on 5 March as on 6 March.", network)
    assert (twice.statistic, twice.value, twice.compared_window) == (Statistic.RATIO, 2, span(6, 6))
    (more,) = specifications("PSV had 4 more wins than Feyenoord.", teams)
    assert (more.statistic, more.value, more.direction) == (Statistic.DIFFERENCE, 4, Direction.UP)
    assert more.compared_window == Window(conditions=(Condition("team", "eq", "Feyenoord"),))
    (most,) = specifications("PSV has the most points.", teams)
    assert most.place == Window(conditions=(Condition("team", "eq", "PSV"),))
    (second,) = specifications("Ajax has the second highest points.", teams)
    assert (second.statistic, second.value, second.direction) == (Statistic.RANK, 2, Direction.DOWN)


def test_a_bare_number_answers_the_question(network):
    (read,) = specifications("47,5 Mbps.", network, "nl", "Wat was de gemiddelde doorvoer in maart?")
    assert (read.statistic, read.series, read.window) == (Statistic.MEAN, "throughput_mbps", span(1, 31))


UNREAD = [
    ("en", "Throughput will rise to 60 Mbps next week.", "forecast"),
    ("nl", "Naar verwachting stijgt de doorvoer volgende week naar 60 Mbps.", "forecast"),
    ("en", "The jitter was 5 ms on average in the capital.", "series"),
    ("en", "The average throughput in Amsterdam was 47.5 Mbps.", "Amsterdam"),
]


@pytest.mark.parametrize(("language", "sentence", "why"), UNREAD)
def test_what_cannot_be_checked_says_why(network, language, sentence, why):
    read, _ = read_sentence(sentence, scene_of([network], language))
    (unread,) = read
    assert not unread.tiers
    assert why.lower() in unread.reason.lower()


def test_what_may_be_meant_and_what_not(network):
    # the second sentence may be about the first week (43.0) or about all of March (55.0)
    claims = ["In the first week the average throughput was 41.5 Mbps.", "The maximum throughput was 43 Mbps."]
    checked = check_claims(claims, [network], "en")
    assert [claim.verdict for claim in checked] == ["supported", "unverifiable"]
    assert "two readings disagree" in checked[1].reason
    columns = {"date": DAYS[:4], "download speed": [10, 10, 10, 10], "upload speed": [5, 5, 5, 5]}
    table = table_of(Grid("links", columns))
    ambiguous, same = check_claims(["The average speed was 10.", "The average speed was 7."], [table], "en")
    assert ambiguous.verdict == "unverifiable"
    assert same.verdict == "contradicted"  # by either series
    (read,) = specifications("The average throughptu was 47.5 Mbps.", network)
    assert read.series == "throughput_mbps"
    unread, _ = read_sentence("The average temperature was 47.5.", scene_of([network], "en"))
    assert not unread[0].tiers
    told_apart = check_claims(["Throughput was 42 Mbps on 5 March because of the new mast."], [network], "en")
    assert [claim.verdict for claim in told_apart] == ["supported", "unverifiable"], "a cause beside a number"


TIMES = [
    ("en", "on 5/3/2026", [span(5, 5), Window(start=date(2026, 5, 3), end=date(2026, 5, 3))]),  # either order
    ("nl", "op 5-3-2026", [span(5, 5)]),
    ("en", "in the last 10 days of March", [span(22, 31)]),
    ("en", "in Q1 2026", [Window(start=date(2026, 1, 1), end=date(2026, 3, 31))]),
    ("nl", "in week 11", [span(9, 15)]),
    ("en", "from Monday to Friday", [Window(weekdays=(0, 1, 2, 3, 4))]),
    ("en", "since 20 March", [Window(start=date(2026, 3, 20))]),
    ("nl", "tot en met 9 maart", [Window(end=date(2026, 3, 9))]),
    ("en", "it may be 5", []),
]


@pytest.mark.parametrize("case", TIMES, ids=lambda case: case[1])
def test_times(case):
    language, text, windows = case
    times = find_times(text, language, Times(date(2026, 3, 1), date(2026, 3, 31), Period.DAY))
    assert [window for time in times for window in time.windows] == windows
