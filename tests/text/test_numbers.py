"""Numbers in texts, in Dutch and in English notation; texts that differ only in their numbers."""

import pytest
from hypothesis import given, strategies as st

from assay.languages import load_language
from assay.text import NumberFormat, find_numbers, format_shown, join_ranges, numeral_readings, parse_number

DUTCH = load_language("nl")
ENGLISH = load_language("en")


@pytest.mark.parametrize(
    ("language", "text", "value", "decimals", "unit"),
    [
        ("nl", "1.234,5 Mbps", 1234.5, 1, "Mbps"),
        ("en", "1,234.5 Mbps", 1234.5, 1, "Mbps"),
        ("en", "0.5 percentage points", 0.5, 1, "pp"),
        ("nl", "€ 12.500,-", 12500, 0, "EUR"),
        ("nl", "-€ 5", -5, 0, "EUR"),
        ("en", "−4.5%", -4.5, 1, "%"),  # U+2212
        ("nl", "min 3 procent", -3, 0, "%"),
        ("en", "1\u2009234\u2009567 kbps", 1234567, 0, "kbps"),
        ("en", "1'234 CHF", 1234, 0, "CHF"),
        ("en", "2.3 million", 2300000, -5, None),  # the 3 is hundreds of thousands
        ("nl", "2,5 mln. euro", 2500000, -5, "EUR"),
        ("en", "US$ 5bn", 5e9, -9, "USD"),
        ("en", "473.5 ML", 473.5, 1, "ML"),
        ("en", "5 ml", 5, 0, "ml"),
        ("nl", "12 vierkante meter", 12, 0, "m**2"),
        ("de", "-3,5 Grad Celsius", -3.5, 1, "degC"),
        ("nl", "3,5 mln Zwitserse frank", 3500000, -5, "CHF"),
        ("de", "30 sek", 30, 0, "s"),
        ("de", "30 SEK", 30, 0, "SEK"),
        ("nl", "vijfentwintig duizend euro", 25000, 0, "EUR"),
        ("en", "one hundred and three", 103, 0, None),
        ("en", "1.5e3", 1500, -2, None),
        ("nl", "tweehonderd dagen", 200, 0, "day"),
    ],
)
def test_a_number_is_read_with_its_precision_and_unit(language, text, value, decimals, unit):
    number = parse_number(text, load_language(language))
    assert number is not None
    assert (number.value, number.decimals, number.unit) == (value, decimals, unit)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("between 3–9 March", [3, 9]),  # a span, no minus
        ("Q1 of 5G in v2.0.1 and H2O", []),
        ("at 10:30 on 2026-03-05 and 3-3-2026, season 2009-10", []),
        ("5, 6 and 7.", [5, 6, 7]),
        ("from 3 -9", [3, 9]),
        ("3x as much", [3]),
    ],
)
def test_what_is_a_number_in_a_text(text, numbers):
    assert [number.value for number in find_numbers(text, ENGLISH)] == numbers


def test_ordinals_and_what_fits_both_notations():
    assert [(n.value, n.ordinal) for n in find_numbers("de 3e en de vierde plaats", DUTCH)] == [(3, True), (4, True)]
    assert [r.value for r in find_numbers("1.234 euro", DUTCH)[0].readings] == [1234, 1.234]
    assert [r.value for r in find_numbers("1.234 euro", ENGLISH)[0].readings] == [1.234, 1234]
    first, _ = find_numbers("1.234 van 12,5", ENGLISH)
    assert [r.value for r in first.readings] == [1234]
    assert format_shown("1.234,5") is NumberFormat.COMMA
    assert format_shown("1,234,567") is NumberFormat.POINT
    assert format_shown("0.123") is NumberFormat.POINT  # no group begins with 0
    assert format_shown("1.234") is None
    assert numeral_readings("1.23.4") == {}
    assert numeral_readings("12,34,567") == {}


@given(st.integers(0, 10**9), st.integers(0, 3))
def test_both_notations_read_the_same_value(whole, decimals):
    value = whole / 10**decimals
    english = f"{value:,.{decimals}f}"
    dutch = english.translate(str.maketrans(",.", ".,"))
    assert numeral_readings(english)[NumberFormat.POINT] == numeral_readings(dutch)[NumberFormat.COMMA]
    assert numeral_readings(english)[NumberFormat.POINT].value == value


@given(st.integers(-(10**7), 10**7), st.integers(0, 3))
def test_a_written_number_is_found_whole(whole, decimals):
    written = f"{whole / 10**decimals:,.{decimals}f}"
    (number,) = find_numbers(f"The mean was {written} in all.", ENGLISH)
    assert number.text == written
    assert float(written.replace(",", "")) in [reading.value for reading in number.readings]


@pytest.mark.parametrize(
    ("language", "text", "value", "unit"),
    [
        ("en", "a third of the calls", 100 / 3, "%"),
        ("en", "one in five loans", 20, "%"),
        ("nl", "driekwart", 75, "%"),
        ("nl", "Eén op de drie klanten", 100 / 3, "%"),
        ("en", "two and a half times", 2.5, None),
        ("nl", "anderhalf miljoen euro", 1_500_000, "EUR"),
        ("en", "fifteen dozen", 180, None),
        ("nl", "dertien en een half procent", 13.5, "%"),
        ("de", "zwölfeinhalb Stunden", 12.5, "h"),
        ("en", "a quarter of an hour", 15, "min"),
        ("en", "a minute longer", 1, "min"),
    ],
)
def test_parts_and_halves_in_words_are_numbers(language, text, value, unit):
    (number,) = find_numbers(text, load_language(language))
    assert (number.value, number.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "the one starting in March, that one, the big one"),
        ("en", "One day stands out."),
        ("en", "over a quarter"),  # three months
    ],
)
def test_what_only_looks_like_a_number_is_none(language, text):
    assert find_numbers(text, load_language(language)) == []


LIMIT = "maximum context length is 4096 tokens; you requested {} tokens ({} in the messages, 500 in the completion)"


@pytest.mark.parametrize(
    ("counts", "joined"),
    [
        (
            {"needs 4,412 tokens, holds 4,096": 2, "needs 10,020 tokens, holds 4,096": 1},
            {"needs 4,412 to 10,020 tokens, holds 4,096": 3},
        ),
        (
            {LIMIT.format(5020, 4520): 1, LIMIT.format(9000, 8500): 1, LIMIT.format(900, 8600): 1},
            {LIMIT.format("900 to 9000", "4520 to 8600"): 3},
        ),
        ({"no reply within 60 s": 4}, {"no reply within 60 s": 4}),
        ({"no reply within 60 s": 1, "no reply within 7.5 s": 1}, {"no reply within 7.5 to 60 s": 2}),
    ],
)
def test_numbers_that_say_how_much_are_one_range(counts, joined):
    assert join_ranges(counts) == joined


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the server answered 429", "the server answered 503"),
        ("status 429 after 3 attempts of 60 s", "status 503 after 3 attempts of 60 s"),
        ("Connect call failed 127.0.0.1:9 after 2 s", "Connect call failed 127.0.0.1:80 after 2 s"),
        ("gpt-4 takes no 9,000 tokens", "gpt-5 takes no 9,000 tokens"),
        ("needs 5 tokens", "has 5 tokens"),
        ("", "5 tokens"),
    ],
)
def test_numbers_that_name_something_keep_texts_apart(first, second):
    assert join_ranges({first: 1, second: 2}) == {first: 1, second: 2}
