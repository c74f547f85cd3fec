"""Where an answer cites: which marks are citations, what they cite, and the answer without them."""

from typing import Any

import pytest

from assay.languages import load_language
from assay.metrics.citable_sources import CitableSources, SourceMatch
from assay.metrics.citation_marks import CitedAnswer, citation_pattern, read_citations

CONTEXTS = (
    "Title: Returns policy\nURL: https://shop.example/returns\nReturns are free.",
    "# Shipping\nParcels take two days.",
    "Gift cards do not expire.",
)


def read(answer: str, language: str = "en", contexts: tuple[str, ...] = CONTEXTS, **metadata: Any) -> CitedAnswer:
    return read_citations(answer, CitableSources(contexts, metadata, load_language(language)))


def cited(answer: str, language: str = "en", contexts: tuple[str, ...] = CONTEXTS) -> list[int | str]:
    """The numbers and names that an answer cites."""
    return [mark.name or mark.number or 0 for mark in read(answer, language, contexts).marks]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Free [1].", [1]),
        ("Free.[1]", [1]),
        ("Free[1][2].", [1, 2]),
        ("Free [2, 3].", [2, 3]),
        ("Free [1; 3].", [1, 3]),
        ("Free [1-3].", [1, 2, 3]),
        ("Free [^1].", [1]),
        ("Free [1](#sources).", [1]),
        ("Free [9].", [9]),
    ],
)
def test_numbers_that_cite(answer, numbers):
    marked = read(answer)
    assert [mark.number for mark in marked.marks] == numbers
    assert marked.plain == "Free."


@pytest.mark.parametrize(
    "answer",
    [
        "Since [2024] it is free.",
        "He said [sic] free.",
        "- [x] Done\n- [ ] Open",
        "Use `a[1]` here.",
        "Use a[1] here.",
        "Use row_names[2] here.",
        "Use rows[0].name here.",
        "Use rows[1] = 3 here.",
        "Use f()[1] here.",
        "```\nrows [1]\n```",
        "1. Open\n2. Save",
        "[1] Open the menu.\n[2] Click Save.",
        "(1) Open (2) Save",
        "A room of 20 m² or 10³ litres.",
        "x<sup>2</sup>",
        "The 4<sup>th</sup>",
        "See page 3 (p. 3).",
        "Click [Save].",
        "![1](https://shop.example/a.png)",
        'Click "Save".',
        "(see below)",
        "Read the returns policy.",
        "More information: call 0800 1234.",
        "Mail [us](mailto:a@b.example).",
        "Call us between [9-17] hours.",
        "[KP-4085] means [Save].",
        "[citation needed]",
    ],
)
def test_what_cites_nothing(answer):
    marked = read(answer)
    assert not marked.marks
    assert marked.plain == answer


@pytest.mark.parametrize(
    ("answer", "name", "plain"),
    [
        ("[Free](https://shop.example/returns).", "https://shop.example/returns", "Free."),
        ("[Free](https://other.example/).", "https://other.example/", "Free."),
        ("Free [1](https://other.example/).", "https://other.example/", "Free."),
        ("Free. [Learn more](https://shop.example/returns)", "https://shop.example/returns", "Free."),
        ("Free [^1].\n\n[^1]: Returns policy\n", "Returns policy", "Free."),
        ("Free [1].\n\n[1]: Returns policy", "Returns policy", "Free."),
    ],
)
def test_links_and_footnotes_that_cite(answer, name, plain):
    marked = read(answer)
    assert [mark.name for mark in marked.marks] == [name]
    assert marked.plain.strip() == plain


@pytest.mark.parametrize(
    ("answer", "pattern", "cites", "plain"),
    [
        ("Free【2】.", r"【(?P<number>\d+)】", [2], "Free."),
        ("Free (source: Shipping).", r"\(source: (?P<name>[^)]+)\)", ["Shipping"], "Free."),
        ("Free [doc 1, 3], so [2].", r"\[doc (?P<number>[^]]+)\]", [1, 3, 2], "Free, so."),
        ("Free {}.", r"\{(?P<name>[^}]*)\}", [], "Free {}."),
    ],
)
def test_what_a_pattern_finds_cites_too(answer, pattern, cites, plain):
    sources = CitableSources(CONTEXTS, {}, load_language("en"))
    marked = read_citations(answer, sources, citation_pattern(pattern))
    assert [mark.name or mark.number for mark in marked.marks] == cites
    assert marked.plain == plain


@pytest.mark.parametrize(("pattern", "message"), [("(", "is a regular expression"), ("【.】", "has a group")])
def test_a_pattern_names_what_it_finds(pattern, message):
    with pytest.raises(ValueError, match=message):
        citation_pattern(pattern)


def test_a_link_cites_only_where_an_address_of_a_source_is_known():
    marked = read("Track it [here](https://track.example).", contexts=("A.", "B."))
    assert not marked.marks
    assert marked.other_links == ("https://track.example",)
    assert cited("Free [1](https://track.example).", contexts=("A.", "B.")) == ["https://track.example"]


@pytest.mark.parametrize(
    "sources",
    [
        "- [1]: <https://shop.example/returns>\n- [2]: Shipping",
        "[1]: https://shop.example/returns\n[2]: Shipping",
        "[1] [Returns](https://shop.example/returns)\n[2] Shipping",
    ],
)
def test_a_list_says_what_numbers_stand_for(sources):
    marked = read(f"Two days [2]. Free [1].\n\n{sources}\n")
    assert [(mark.number, mark.name) for mark in marked.marks] == [(2, "Shipping"), (1, "https://shop.example/returns")]
    assert marked.plain.strip() == "Two days. Free."


def test_footnotes_with_names():
    marked = read("Free[^ret].\n\n[^ret]: Returns policy, https://shop.example/returns")
    assert [(mark.text, mark.name) for mark in marked.marks] == [("[^ret]", "https://shop.example/returns")]


@pytest.mark.parametrize("line", ["[2]", "[2], [3].", "Source: [2]", "Sources used: [1], [2]", "([2])"])
def test_a_line_of_marks_stands_for_what_is_above(line):
    marked = read(f"Free [1].\n{line}\n")
    assert [mark.stands_alone for mark in marked.marks] == [False] + [True] * (len(marked.marks) - 1)
    assert marked.plain.strip() == "Free."
    assert not any(mark.stands_alone for mark in read(f"Free [1].\nSo it is {line}\n").marks)


def test_sources_by_number_name_label_and_address():
    english = load_language("en")
    sources = CitableSources(CONTEXTS, {}, english)
    assert [sources.find_number(number, 1) for number in (0, 1, 3, 4)] == [
        None,
        SourceMatch((0,), "number"),
        SourceMatch((2,), "number"),
        None,
    ]
    assert sources.find_number(0, 0) == SourceMatch((0,), "number")
    assert sources.find("RETURNS  policy") == SourceMatch((0,), "name")
    assert sources.find("Returns policy, page 3") == SourceMatch((0,), "name")
    assert sources.find("http://www.shop.example/returns/#top") == SourceMatch((0,), "address")
    assert sources.find("Returns") is None, "one word of a name is too little"
    assert CitableSources(("[7] A.", "[9] B."), {}, english).find_number(9, 1) == SourceMatch((1,), "label")
    assert CitableSources(("[7] A.", "[9] B."), {}, english).find_number(1, 1) is None
    named = CitableSources(("A.", "B."), {"sources": [{"title": "Terms"}, {"metadata": {"source": "b.pdf"}}]}, english)
    assert (named.find("terms"), named.find("b.pdf")) == (SourceMatch((0,), "name"), SourceMatch((1,), "name"))
    assert CitableSources(("A.", "B."), {"sources": ["Terms"]}, english).find("Terms") is None, "one entry for two"
    parts = CitableSources(("Title: T1 x\nA.", "Title: T1 x\nB."), {}, english)
    assert parts.find("T1 x") == SourceMatch((0, 1), "name"), "a document that was retrieved in parts"


def test_the_end_of_a_long_range_is_left_out():
    marked = read("Free [1-9999].")
    assert not marked.marks, "years, or nonsense"
    marked = read("Free [1-900].")
    assert [mark.number for mark in marked.marks] == [1, 2, 3, 4]
    assert marked.cut == 896
