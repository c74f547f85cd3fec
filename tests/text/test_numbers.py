"""Numbers in texts, in Dutch and in English notation; texts that differ only in their numbers."""

import pytest
from case_files import cases_beside
from hypothesis import given, strategies as st

from assay.languages import load_language
from assay.text import NumberFormat, find_numbers, format_shown, numeral_readings, parse_number

CASES = cases_beside(__file__)

DUTCH = load_language("nl")
ENGLISH = load_language("en")


@pytest.mark.parametrize(("language", "text", "value", "decimals", "unit"), CASES["numbers"])
def test_a_number_is_read_with_its_precision_and_unit(language, text, value, decimals, unit):
    number = parse_number(text, load_language(language))
    assert number is not None
    assert (number.value, number.decimals, number.unit) == (value, decimals, unit)


@pytest.mark.parametrize(("text", "numbers"), CASES["found"])
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


@pytest.mark.parametrize(("language", "text"), CASES["no_numbers"])
def test_what_only_looks_like_a_number_is_none(language, text):
    assert find_numbers(text, load_language(language)) == []
