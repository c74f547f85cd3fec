"""Where an answer cites: which marks are citations, what they cite, and the answer without them."""

from typing import Any

import pytest
from call_counts import count_calls

from assay.languages import load_language
from assay.metrics.citable_sources import CitableSources, SourceMatch
from assay.metrics.citation_marks import CitedAnswer, read_citations

CONTEXTS = (
    "Title: Returns policy\nURL: https://shop.example/returns\nReturns are free.",
    "# Shipping\nParcels take two days.",
    "Gift cards do not expire.",
)


def read(answer: str, language: str = "en", contexts: tuple[str, ...] = CONTEXTS, **metadata: Any) -> CitedAnswer:
    pack = load_language(language)
    return read_citations(answer, CitableSources(contexts, metadata, pack), pack)


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
        ("Free [1 and 3].", [1, 3]),
        ("Free [1-3].", [1, 2, 3]),
        ("Free [1]-[3].", [1, 2, 3]),
        ("Free [1]–[3].", [1, 2, 3]),
        ("Free [[1]].", [1]),
        ("Free [[[1]]].", [1]),
        ("Free [doc1].", [1]),
        ("Free [Source 2].", [2]),
        ("Free [source: 2].", [2]),
        ("Free [Document 1, Document 3].", [1, 3]),
        ("Free [1, p. 4].", [1]),
        ("Free [1, pages 4-5; 2, § 3].", [1, 2]),
        ("Free [#2].", [2]),
        ("Free [^1].", [1]),
        ("Free¹.", [1]),
        ("Free²,³.", [2, 3]),
        ("Free<sup>1</sup>.", [1]),
        ("Free <sup>[1, 2]</sup>.", [1, 2]),
        ('Free<sup><a href="#s">2</a></sup>.', [2]),
        ("Free【1】.", [1]),
        ("Free【4:0†source】.", [0]),
        ("Free (see [1]).", [1]),
        ("Free ([1], [2]).", [1, 2]),
        ("Free (source 2).", [2]),
        ("Free, according to [2].", [2]),
        ("Free [1](#sources).", [1]),
        ("Free [9].", [9]),
    ],
)
def test_numbers_that_cite(answer: str, numbers: list[int]) -> None:
    marked = read(answer)
    assert [mark.number for mark in marked.marks] == numbers
    assert marked.plain == "Free."


@pytest.mark.parametrize(
    ("answer", "language", "number"),
    [
        ("Gratis [bron 2].", "nl", 2),
        ("Gratis, volgens [2].", "nl", 2),
        ("Gratis (zie bron 2).", "nl", 2),
        ("Gratis [1, blz. 3].", "nl", 1),
        ("Gratis [1 t/m 1].", "nl", 1),
        ("Gratis [doc2].", "nl", 2),
        ("Kostenlos [Quelle 2].", "de", 2),
        ("Kostenlos, laut [2].", "de", 2),
        ("Kostenlos (siehe [2]).", "de", 2),
        ("Kostenlos [2, S. 3].", "de", 2),
    ],
)
def test_words_of_the_language(answer: str, language: str, number: int) -> None:
    marked = read(answer, language)
    assert {mark.number for mark in marked.marks} == {number}
    assert marked.plain in {"Gratis.", "Kostenlos."}


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
def test_what_cites_nothing(answer: str) -> None:
    marked = read(answer)
    assert not marked.marks
    assert marked.plain == answer


@pytest.mark.parametrize(
    ("answer", "name", "plain"),
    [
        ("Free (Returns policy).", "Returns policy", "Free."),
        ("Free (source: Returns policy).", "Returns policy", "Free."),
        ("Free (source: Internal wiki).", "Internal wiki", "Free."),
        ("Free [Returns policy].", "Returns policy", "Free."),
        ("Free [source: Returns policy].", "Returns policy", "Free."),
        ('As stated in "Shipping", free.', "Shipping", "free."),
        ("According to the returns policy, free.", "returns policy", "free."),
        ("Free【1†Shipping】.", "Shipping", "Free."),
        ("[Free](https://shop.example/returns).", "https://shop.example/returns", "Free."),
        ("Free ([source](https://shop.example/returns)).", "https://shop.example/returns", "Free."),
        ("Free: https://shop.example/returns.", "https://shop.example/returns", "Free:."),
        ("[Free](https://other.example/).", "https://other.example/", "Free."),
        ("Free [1](https://other.example/).", "https://other.example/", "Free."),
    ],
)
def test_names_and_addresses_that_cite(answer: str, name: str, plain: str) -> None:
    marked = read(answer)
    assert [mark.name for mark in marked.marks] == [name]
    assert marked.plain == plain


@pytest.mark.parametrize(
    ("answer", "targets", "plain"),
    [
        ("Free [Shipping; Returns policy].", ["Shipping", "Returns policy"], "Free."),
        ("Free [Doc 1: Returns policy].", ["Returns policy"], "Free."),
        ("Free [Returns policy, p. 3].", ["Returns policy, p. 3"], "Free."),
        ("Free. See https://shop.example/returns for details.", ["https://shop.example/returns"], "Free."),
        ("Free. [Learn more](https://shop.example/returns)", ["https://shop.example/returns"], "Free."),
        ("Free.<sup>[1](https://shop.example/returns)</sup>", ["https://shop.example/returns"], "Free."),
        ("Per the Shipping page, free.", ["Shipping"], "free."),
        ("Free.¹ Fast.²\n\n¹ Returns policy\n² Shipping", ["Returns policy", "Shipping"], "Free. Fast."),
        ("Free [1].\n\n(1) Returns policy", ["Returns policy"], "Free."),
        ("Free [^1].\n\n[^1]: Returns policy\n    of the shop\n", ["Returns policy"], "Free."),
    ],
)
def test_further_forms(answer: str, targets: list[str], plain: str) -> None:
    marked = read(answer)
    assert [mark.name for mark in marked.marks] == targets
    assert marked.plain.strip() == plain


def test_a_citation_that_opens_a_sentence_is_in_front_of_it() -> None:
    marked = read("Free. According to [2], fast. According to source 3 it is so. See [1].")
    assert marked.plain == "Free. fast. it is so."
    assert [(mark.number, mark.is_in_front) for mark in marked.marks] == [(2, True), (3, True), (1, False)]


def test_a_link_cites_only_where_an_address_of_a_source_is_known() -> None:
    marked = read("Track it [here](https://track.example) or at https://t.example.", contexts=("A.", "B."))
    assert not marked.marks
    assert marked.other_links == ("https://track.example", "https://t.example")
    assert cited("Free [1](https://track.example).", contexts=("A.", "B.")) == ["https://track.example"]


@pytest.mark.parametrize(
    "sources",
    [
        "Sources:\n[1] https://shop.example/returns\n[2] Shipping",
        "## Sources\n\n1. https://shop.example/returns\n2. Shipping",
        "**References**\n- [1]: <https://shop.example/returns>\n- [2]: Shipping",
        "[1]: https://shop.example/returns\n[2]: Shipping",
        "[1] [Returns](https://shop.example/returns)\n[2] Shipping",
    ],
)
def test_a_list_says_what_numbers_stand_for(sources: str) -> None:
    marked = read(f"Two days [2]. Free [1].\n\n{sources}\n")
    assert [(mark.number, mark.name) for mark in marked.marks] == [(2, "Shipping"), (1, "https://shop.example/returns")]
    assert marked.plain.strip() == "Two days. Free."


def test_footnotes_with_names() -> None:
    marked = read("Free[^ret].\n\n[^ret]: Returns policy, https://shop.example/returns")
    assert [(mark.text, mark.name) for mark in marked.marks] == [("[^ret]", "https://shop.example/returns")]


def test_sources_that_stand_alone_stand_for_what_is_above() -> None:
    for answer in ("Free.\nSource: Shipping", "Free.\n\nSources:\n- Shipping\n", "Free.\n[2]", "Free.\n(see [2])"):
        (mark,) = read(answer).marks
        assert mark.covers_from == 0, answer
    (mark,) = read("Hello.\nFree. Source: Shipping").marks
    assert mark.covers_from == len("Hello.\n"), "at the end of a line: for the line"
    assert cited("Free.\nSources: [1], [2]") == [1, 2]
    assert cited("Free.\nBronnen: Returns policy; Shipping", "nl") == ["Returns policy", "Shipping"]


def test_sources_by_number_name_label_and_address() -> None:
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


def test_the_end_of_a_long_range_is_left_out() -> None:
    marked = read("Free [1-9999].")
    assert not marked.marks, "years, or nonsense"
    marked = read("Free [1-900].")
    assert [mark.number for mark in marked.marks] == [1, 2, 3, 4]
    assert marked.cut == 896


@pytest.mark.parametrize(
    "text",
    [
        "[1]" * 50_000,
        "[" * 200_000,
        "[a](" * 50_000,
        "(" * 200_000,
        "[1] x. " * 30_000,
        "Source: x.\n" * 20_000,
        "[1] a\n" * 30_000,
        "[1] a\nb\n" * 20_000,
        "according to " * 20_000,
        '"a ' * 60_000,
        "¹" * 100_000,
        "\n" * 200_000,
        " " * 200_000,
        "`" * 100_000,
        "Sources:\n\n" * 20_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_answers_take_linear_time(text: str) -> None:
    read("warm")
    assert count_calls(lambda: read(text), warm_up=False) < 100 * len(text)
