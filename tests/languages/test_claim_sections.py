"""The words of numerical claims in the packs: short lines, named groups, and mistakes with their place."""

import re

import pytest

from assay.errors import InputError
from assay.languages import load_language, packs_with, parse_yaml, read_yaml
from assay.languages.claim_sections import ClaimMarks, ClaimTimes, SeriesNames
from assay.metrics.numeric.lexicon import lexicon, stem_of
from assay.metrics.numeric.names.column_names import concepts
from assay.metrics.numeric.times.holidays import holiday_dates

_MARKS = """
marks: {mean: ['<middle>']}
harmless: [a]
articles: [a]
scope_prepositions: [of]
restrictive: [net]
harmless_cell: [a]
"""


def test_a_group_stands_for_any_of_its_alternatives():
    marks = parse_yaml("groups: {middle: [average, 'mean(?: value)?']}" + _MARKS, ClaimMarks, "marks.yaml")
    (pattern,) = marks.marks["mean"]
    assert re.fullmatch(pattern, "mean value") and re.fullmatch(pattern, "average") and not re.fullmatch(pattern, "sum")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("groups: {centre: [average]}" + _MARKS, 2, "marks.mean.0: .*<middle> names no group"),
        ("groups: {middle: ['(']}" + _MARKS, 1, "groups.middle.0: .*is no regular expression"),
        (
            "groups: {middle: [average]}" + _MARKS.replace("mean", "maen"),
            2,
            "marks.maen: 'maen' is no kind of mark; write mean",
        ),
        (_MARKS.replace("<middle>", "").lstrip(), 1, "marks.mean.0: .*is empty, and matches everywhere"),
        ("groups: {middle: [average, '']}" + _MARKS, 1, "groups.middle.1: .*is empty, and matches everywhere"),
    ],
)
def test_a_mistake_in_marks_is_told_with_its_place(tmp_path, text, line, message):
    file = tmp_path / "claim_marks.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"{re.escape(str(file))}, line {line}[:,] .*{message}"):
        read_yaml(file, ClaimMarks)


@pytest.mark.parametrize("day", ["02-30", "3-1", "-1", "Easter Sunday .. 13-01"])
def test_a_holiday_that_is_no_day_is_told_with_its_place(day):
    text = f"holiday_names:\n  carnival: ['{day}']\narticle: 'the '\n"
    with pytest.raises(InputError, match=r"times.yaml, line 2, holiday_names.carnival.* is no day of a year"):
        parse_yaml(text, ClaimTimes, "times.yaml")


def test_holidays_are_of_countries_that_the_library_knows():
    """A misspelled name would never be read, and a misspelled country would stop every claim."""
    for pack in packs_with("claim_times"):
        days = [day for spans in pack.claim_times.holiday_names.values() for span in spans for day in span]
        dates = holiday_dates(pack.code, 2025)
        assert {day.holiday.lower() for day in days if not day.holiday[0].isdigit()} <= dates.keys(), pack


def test_a_country_without_a_calendar_is_told_with_its_place(monkeypatch):
    monkeypatch.setitem(lexicon("en").data, "holiday_calendars", ["XX"])
    with pytest.raises(InputError, match=r"languages/en/claim_times.yaml, holiday_calendars, XX: .*XX.* write a code"):
        holiday_dates("en", 1999)


def test_concepts_are_those_that_a_language_has():
    known = concepts()
    named = {concept for pack in packs_with("series_names") for concept in pack.series_names.synonyms}
    assert (known.agents | known.people | known.levels | known.flows | known.better_up | known.better_down) <= named
    names: SeriesNames = load_language("en").series_names
    for pack in packs_with("series_names"):
        assert set(pack.series_names.hints) <= set(names.synonyms) | set(names.hints)


@pytest.mark.parametrize("pack", packs_with("plain_words"), ids=lambda pack: pack.code)
def test_a_plain_verb_or_noun_stands_in_one_form(pack):
    """They are compared by their stems, so that a second form says nothing."""
    words = pack.plain_words
    assert len({stem_of(word, pack.code) for word in words.verbs | words.everyone}) == len(words.verbs | words.everyone)
