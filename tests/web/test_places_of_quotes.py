"""Where a page says that the quote of a claim stands: never in a text that its claim does not name."""

import html
import re

import pytest

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.presentation import template_environment
from assay.web import view_answer

CLAIM = {"text": "It is free.", "verdict": "supported", "quote": "lamps are free", "place": None}
SAMPLE = Sample(id="s", user_input="Is it free?", response="It is free.", retrieved_contexts=("All lamps are free.",))


def quote_of(claim):
    """Where the page marks the quote: the context, the first and the last+1 character."""
    answer = view_answer(SAMPLE, [("faithfulness", Score(1.0, "scored", "", {"claims": [claim]}))])
    return answer["metrics"][0]["claims"][0].quote


def test_only_a_quote_without_a_named_document_is_searched_in_the_contexts():
    """Before `lamps are free` stand the four characters of `All `; the quote has fourteen."""
    assert quote_of(CLAIM) == (0, 4, 18)
    assert quote_of(CLAIM | {"document": {"kind": "customer", "turn": 3}}) is None
    assert quote_of(CLAIM | {"document": "handbook.pdf"}) == (0, 4, 18)  # of a metric of one's own


@pytest.mark.parametrize("place", [(1, 0, 5), (-1, 0, 5), (0, 0, 20), (0, 5, 5), (0, -3, 5)])
def test_a_place_that_the_contexts_do_not_have_marks_nothing(place):
    """There is one context, of 19 characters."""
    context, start, end = place
    assert quote_of(CLAIM | {"place": {"context": context, "start": start, "end": end}}) is None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"document": {"kind": "tool result", "turn": 5}}, "tool result, turn 5"),
        ({"document": {"kind": "table", "turn": None}}, "table"),
        (
            {"place": {"context": 0, "start": 4, "end": 18}, "document": {"kind": "context", "turn": 6}},
            "context 0, 4-18",
        ),
        ({}, "not in the context"),
        ({"document": {"kind": "<b>x</b>", "turn": 5}}, "<b>x</b>, turn 5"),
        ({"document": {"kind": "customer", "turn": True}}, "the customer"),
        ({"document": {"kind": " ", "turn": 1}}, "not in the context"),
        ({"document": {"kind": 1}, "place": {"context": "0"}}, "not in the context"),
    ],
)
def test_a_page_that_is_a_file_says_the_place_in_words(more, words):
    macros = template_environment().get_template("evidence.html").module
    page = str(macros.evidence_of("claims", [CLAIM | more]))
    assert "<b>" not in page
    text = " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())
    assert text.endswith(f"place of the quote: {words}")


def test_a_turn_is_linked_where_the_thread_has_it():
    macros = template_environment().get_template("evidence.html").module
    urls = {3: "#turn-3"}

    def page(turn):
        claim = CLAIM | {"document": {"kind": "tool result", "turn": turn}}
        return str(macros.evidence_of("claims", [claim], lambda turn: urls.get(turn, "")))

    assert '<a href="#turn-3">tool result, turn 3</a>' in page(3)
    assert "<a" not in page(99) + page(True) + page("3") + page(None)
