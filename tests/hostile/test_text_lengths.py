"""No text makes the functions of text/, the heuristics or the pattern metrics slow: their work grows with its length.

Each text was quadratic, or could be: runs of capitals, brackets and spaces, codes without an end, a thousand steps,
statements and guides.
"""

import asyncio
import json
from pathlib import Path

import pytest
from call_counts import assert_proportional

from assay.eval_sets import Sample
from assay.languages import load_language
from assay.metrics import Declined, load_metric
from assay.text import claiming_sentences, find_components, find_entities, find_guides, find_quote

PATTERNS = json.loads(Path(__file__).with_name("hostile_patterns.json").read_text(encoding="utf-8"))
UNITS = {pattern["name"]: pattern["unit"] for pattern in PATTERNS}
ENGLISH = load_language("en")
PLAIN = Sample(
    id="p", language="en", user_input="How?", response="Click Save.", retrieved_contexts=("1. Click Save.\n2. Wait.",)
)
LENGTH = 6_000  # at 2,400, what compares each row of a table with each other one would pass
FUNCTIONS = {
    "components": lambda text: find_components(text, ENGLISH),
    "entities": lambda text: find_entities(text, ENGLISH),
    "guides": lambda text: find_guides(text, ENGLISH),
    "claiming sentences": lambda text: claiming_sentences(text, ENGLISH),
    "quotes": lambda text: find_quote(f"{text[:200]} ... {text[-200:]}x", (text,)),
}
SLOW_BEFORE = (
    *("capitals", "spaces", "tabs", "quoted words", "almost codes", "dates", "semicolons", "bullets", "numbered steps"),
    *("table rows", "opening brackets", "abbreviations", "error codes", "curly quotes", "single quotes"),
)


def repeated(unit, length=LENGTH):
    return (unit * (length // len(unit) + 1))[:length]


@pytest.mark.parametrize("name", SLOW_BEFORE)
def test_functions_of_text_take_no_more_than_their_length(name):
    for function in FUNCTIONS.values():
        function("Click Save. It costs 5 euros.")  # patterns are compiled before anything is counted
        assert_proportional(function, repeated(UNITS[name]))


@pytest.mark.parametrize("name", SLOW_BEFORE)
def test_the_heuristics_take_no_more_than_their_length(name):
    metric = load_metric("heuristic:all_types=True")
    text = repeated(UNITS[name], 5_000)
    hostile = Sample(id="s", language="en", user_input=text, response=text, retrieved_contexts=(text[::-1],))
    assert asyncio.run(metric.assess(hostile)).status in {"scored", "skipped"}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNITS)
def test_every_pattern_up_to_100_kb(name):
    """What was quadratic took minutes at this length, longer than pytest-timeout allows."""
    text = repeated(UNITS[name], 100_000)
    for function in FUNCTIONS.values():
        function(text)
    assert Declined().score(response=text, language="en").status in {"scored", "skipped"}


@pytest.mark.parametrize(
    ("metric", "response", "bound"),
    [
        # 60 guides of two steps
        (
            "heuristic.verbatim_guide",
            "1. Open it.\n2. Close it.\n" * 60,
            "only the first 50 of 60 guides of answer or contexts are compared",
        ),
        # 600 different buttons
        (
            "heuristic.components_defined",
            " ".join(f"Click **B{n}x**." for n in range(600)),
            "only the first 500 of 600 components are looked up",
        ),
        (
            "factoid",
            " ".join(f"€ {n}" for n in range(1, 121)),
            "only the first 100 of the reference's 120 facts are compared",
        ),
    ],
)
def test_a_bound_that_is_met_stands_in_the_evidence(metric, response, bound):
    answered = PLAIN.model_copy(update={"response": response, "reference": response})
    assert asyncio.run(load_metric(metric).assess(answered)).evidence["bounds"] == [bound]


def test_no_bound_is_told_that_is_not_met():
    assert "bounds" not in asyncio.run(load_metric("heuristic:all_types=True").assess(PLAIN)).evidence
