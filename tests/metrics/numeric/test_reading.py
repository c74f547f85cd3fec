"""What the grammar reads, sentence by sentence, in Dutch and English."""

from datetime import date

import pytest

from assay.metrics import (
    Grid,
    Hedge,
    NumericTable,
    Period,
    Specification,
    Statistic,
    Times,
    Window,
    check_claims,
    find_times,
    read_sentence,
    scene_of,
    table_of,
)

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


def specifications(sentence: str, table: NumericTable, language: str = "en", question: str = "") -> list[Specification]:
    """The first reading of each check."""
    read, _ = read_sentence(sentence, scene_of([table], language, question))
    assert not [part.reason for part in read if not part.tiers], sentence
    return [part.tiers[0][0][0] for part in read if part.tiers]


def span(first: int, last: int) -> Window:
    return Window(start=date(2026, 3, first), end=date(2026, 3, last))


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
