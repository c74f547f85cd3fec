"""The annotator's tree: every way leads to an answer, and Fig. 2 of the paper is in it."""

import pytest
from pydantic import ValidationError

from assay.metrics.heuristic.decision_tree import Tree, annotators_tree, walk

FINE = {
    "answer_contradiction": 1.0,
    "error_mismatch": None,
    "components_defined": 1.0,
    "verbatim_guide": 0.0,
    "off_context": 1.0,
    "general_answer": 1.0,
    "hal": 0.9,
    "context_synthesis": None,
}


@pytest.mark.parametrize(
    ("changed", "leaf"),
    [
        ({}, "from_context"),
        ({"answer_contradiction": 0.0}, "contradicts"),
        ({"error_mismatch": 0.0}, "other_error"),
        ({"error_mismatch": 1.0}, "from_context"),
        ({"components_defined": 0.5, "verbatim_guide": 1.0}, "invented"),
        ({"verbatim_guide": 1.0}, "verbatim"),
        ({"off_context": 0.5}, "other_case"),
        ({"general_answer": 0.0}, "vague"),
        ({"general_answer": None}, "states_nothing"),
        ({"hal": 0.1}, "elsewhere"),
        ({"context_synthesis": 1.0}, "combined"),
    ],
)
def test_every_leaf_is_reached(changed, leaf):
    assert walk(annotators_tree(), FINE | changed).leaf == leaf


def test_the_way_says_what_was_asked_and_answered():
    way = walk(annotators_tree(), FINE | {"answer_contradiction": 0.0})
    assert [(step.asks, step.value, step.reply) for step in way.steps] == [
        ("Does the answer contradict itself?", 0.0, "yes")
    ]
    assert (way.answer, way.because) == ("untrue", "it says a thing and denies it")


LEAF = {"answer": "true", "because": "so"}


@pytest.mark.parametrize(
    "nodes",
    [
        {"a": {"asks": "?", "feature": "hal", "least": 1, "yes": "b", "no": "absent"}, "b": LEAF},
        {"a": {"asks": "?", "feature": "hal", "least": 1, "yes": "b", "no": "a"}, "b": LEAF},
        {"a": {"asks": "?", "feature": "hal", "yes": "b", "no": "b"}, "b": LEAF},
        {"a": LEAF | {"asks": "?", "feature": "hal", "least": 1, "yes": "a", "no": "a"}},
    ],
    ids=["leads nowhere", "circle", "no bound", "both question and leaf"],
)
def test_a_tree_that_is_none_is_refused(nodes):
    with pytest.raises(ValidationError):
        Tree.model_validate({"start": "a", "nodes": nodes})
