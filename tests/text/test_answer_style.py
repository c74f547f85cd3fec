"""What an answer looks like, counted, and which words are typical of a group of texts."""

import math

import pytest

from assay.text.answer_style import AnswerStyle, measure_style
from assay.text.typical_words import find_typical_words


@pytest.mark.parametrize(
    ("answer", "style"),
    [
        ("", AnswerStyle(0, 0, 0, 0)),
        ("Press OK.", AnswerStyle(2, 0, 0, 0)),
        ("# Steps\n\n- **Open** it\n- Save __now__", AnswerStyle(8, 2, 2, 1)),
        ("2 * 3 ** 4 is no bold, #1 no heading", AnswerStyle(11, 0, 0, 0)),
        ("- a\n  - b\n    1. c", AnswerStyle(6, 3, 0, 0)),
        ("- **A**: one\r\n- **B C**: two", AnswerStyle(7, 2, 2, 0)),
        ("Type:\n```\n# not a heading\n- no item\n```\n# One", AnswerStyle(12, 0, 0, 1)),
        ("-no item, 3.5 neither\n---\n####### seven", AnswerStyle(7, 0, 0, 0)),
    ],
)
def test_marks_are_counted_as_markdown_has_them(answer, style):
    assert measure_style(answer) == style


def test_logarithms_are_of_the_count_and_one():
    assert measure_style("- **a**").logarithms == {
        "length": math.log1p(2),
        "lists": math.log1p(1),
        "bold": math.log1p(1),
        "headings": 0.0,
    }


def test_a_hostile_text_is_measured_in_time():
    for text in (
        "- " * 50_000,
        "**" * 50_000,
        "**a" * 50_000,
        "```\n" * 50_000,
        " " * 100_000,
        "# " * 50_000,
        "__a*" * 50_000,
    ):
        measure_style(text)


def test_typical_words_are_those_that_other_groups_do_not_have():
    words = find_typical_words({0: "gips gips zaag folder", 4: "koffie koffie melk folder"}, ["nl"], count=2)
    assert words == {0: ["gips", "zaag"], 4: ["koffie", "melk"]}
    assert find_typical_words({0: "1 2", 1: "..."}, ["nl"]) == {0: [], 1: []}
