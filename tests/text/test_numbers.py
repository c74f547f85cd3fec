"""Numbers in texts, in Dutch and in English notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.languages import load_language
from assay.text.numbers import find_numbers, parse_number
from assay.text.numbers.numerals import NumberFormat, format_shown, numeral_readings

DUTCH = load_language("nl")
ENGLISH = load_language("en")


@pytest.mark.parametrize(
    ("language", "text", "value", "decimals", "unit"),
    [
        ("nl", "1.234,5 Mbps", 1234.5, 1, "Mbps"),
        ("en", "1,234.5 Mbps", 1234.5, 1, "Mbps"),
        ("nl", "12,3%", 12.3, 1, "%"),
        ("nl", "12,3 procentpunt", 12.3, 1, "pp"),
        ("en", "0.5 percentage points", 0.5, 1, "pp"),
        ("nl", "€ 12.500,-", 12500, 0, "EUR"),
        ("nl", "€ -5,00", -5, 2, "EUR"),
        ("nl", "-€ 5", -5, 0, "EUR"),
        ("en", "−4.5%", -4.5, 1, "%"),  # U+2212
        ("nl", "–7 ms", -7, 0, "ms"),  # an en dash
        ("nl", "min 3 procent", -3, 0, "%"),
        ("en", "1\u2009234\u2009567 kbps", 1234567, 0, "kbps"),
        ("nl", "12\u00a0500 euro", 12500, 0, "EUR"),
        ("en", "1'234 CHF", 1234, 0, "CHF"),
        ("en", "2.3 million", 2300000, -5, None),  # the 3 is hundreds of thousands
        ("nl", "2,5 mln. euro", 2500000, -5, "EUR"),
        ("en", "12k EUR", 12000, -3, "EUR"),
        ("en", "US$ 5bn", 5e9, -9, "USD"),
        ("en", "2,400 Swedish kronor", 2400, 0, "SEK"),
        ("en", "1 Swiss franc", 1, 0, "CHF"),
        ("en", "4.5 cm", 4.5, 1, "cm"),
        ("en", "2.28 bar", 2.28, 2, "bar"),
        ("en", "473.5 ML", 473.5, 1, "ML"),
        ("en", "5 ml", 5, 0, "ml"),
        ("nl", "12 vierkante meter", 12, 0, "m**2"),
        ("de", "10.000 Hektoliter", 10000, 0, "hL"),
        ("de", "-3,5 Grad Celsius", -3.5, 1, "degC"),
        ("en", "A$5.50", 5.5, 2, "AUD"),
        ("nl", "3,5 mln Zwitserse frank", 3500000, -5, "CHF"),
        ("nl", "20 Deense kronen", 20, 0, "DKK"),
        ("de", "1.250 US-Dollar", 1250, 0, "USD"),
        ("de", "30 sek", 30, 0, "s"),
        ("de", "30 SEK", 30, 0, "SEK"),
        ("en", "₹-5", -5, 0, "INR"),
        ("nl", "vijfentwintig duizend euro", 25000, 0, "EUR"),
        ("en", "one hundred and three", 103, 0, None),
        ("nl", "0,125", 0.125, 3, None),
        ("en", "1.5e3", 1500, -2, None),
        ("nl", "tweehonderd dagen", 200, 0, "day"),
    ],
)
def test_a_number_is_read_with_its_precision_and_unit(
    language: str, text: str, value: float, decimals: int, unit: str | None
) -> None:
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
def test_what_is_a_number_in_a_text(text: str, numbers: list[float]) -> None:
    assert [number.value for number in find_numbers(text, ENGLISH)] == numbers


def test_a_place_is_an_ordinal() -> None:
    assert [(n.value, n.ordinal) for n in find_numbers("de 3e en de vierde plaats", DUTCH)] == [
        (3, True),
        (4, True),
    ]


def test_what_fits_both_notations_has_both_readings_and_the_languages_comes_first() -> None:
    assert [r.value for r in find_numbers("1.234 euro", DUTCH)[0].readings] == [1234, 1.234]
    assert [r.value for r in find_numbers("1.234 euro", ENGLISH)[0].readings] == [1.234, 1234]


def test_the_other_numbers_of_a_text_give_its_notation_away() -> None:
    first, _ = find_numbers("1.234 van 12,5", ENGLISH)
    assert [r.value for r in first.readings] == [1234]


def test_a_numeral_gives_its_format_away_or_not() -> None:
    assert format_shown("1.234,5") is NumberFormat.COMMA
    assert format_shown("1,234,567") is NumberFormat.POINT
    assert format_shown("0.123") is NumberFormat.POINT  # no group begins with 0
    assert format_shown("1.234") is None
    assert numeral_readings("1.23.4") == {}
    assert numeral_readings("12,34,567") == {}


@given(st.integers(0, 10**9), st.integers(0, 3))
def test_both_notations_read_the_same_value(whole: int, decimals: int) -> None:
    value = whole / 10**decimals
    english = f"{value:,.{decimals}f}"
    dutch = english.translate(str.maketrans(",.", ".,"))
    assert numeral_readings(english)[NumberFormat.POINT] == numeral_readings(dutch)[NumberFormat.COMMA]
    assert numeral_readings(english)[NumberFormat.POINT].value == value


@given(st.integers(-(10**7), 10**7), st.integers(0, 3))
def test_a_written_number_is_found_whole(whole: int, decimals: int) -> None:
    written = f"{whole / 10**decimals:,.{decimals}f}"
    (number,) = find_numbers(f"The mean was {written} in all.", ENGLISH)
    assert number.text == written
    assert float(written.replace(",", "")) in [reading.value for reading in number.readings]


@pytest.mark.parametrize(
    ("language", "text", "value", "unit"),
    [
        ("en", "a third of the calls", 100 / 3, "%"),
        ("en", "rose by roughly two thirds", 200 / 3, "%"),
        ("en", "three quarters of all calls", 75, "%"),
        ("en", "one in five loans", 20, "%"),
        ("nl", "ruim een derde van de leden", 100 / 3, "%"),
        ("nl", "driekwart", 75, "%"),
        ("nl", "Eén op de drie klanten", 100 / 3, "%"),
        ("en", "two and a half times", 2.5, None),
        ("nl", "vijf en een halve dag", 5.5, "day"),
        ("nl", "anderhalf miljoen euro", 1_500_000, "EUR"),
        ("en", "two dozen", 24, None),
        ("en", "fifteen dozen", 180, None),
        ("en", "seventeen and a half percent", 17.5, "%"),
        ("nl", "dertien en een half procent", 13.5, "%"),
        ("nl", "tweeënhalf uur", 2.5, "h"),
        ("de", "zwölfeinhalb Stunden", 12.5, "h"),
        ("de", "eine von fünf Bestellungen", 20, "%"),
        ("en", "a quarter of an hour", 15, "min"),
        ("nl", "een half uur", 30, "min"),
        ("nl", "met een volle minuut", 1, "min"),
        ("en", "a minute longer", 1, "min"),
    ],
)
def test_parts_and_halves_in_words_are_numbers(language: str, text: str, value: float, unit: str | None) -> None:
    (number,) = find_numbers(text, load_language(language))
    assert (number.value, number.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "the one starting in March, that one, the big one"),
        ("en", "One day stands out."),
        ("nl", "Eén dag springt eruit."),
        ("en", "over a quarter"),  # three months
    ],
)
def test_what_only_looks_like_a_number_is_none(language: str, text: str) -> None:
    assert find_numbers(text, load_language(language)) == []
