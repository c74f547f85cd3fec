"""The sets kpi_nl and kpi_en are as eval_sets/README.md says."""

from collections import Counter

import pytest

from assay import load_set


@pytest.mark.parametrize("language", ["nl", "en"])
def test_what_a_set_holds(language):
    samples = load_set(f"kpi_{language}")
    assert len(samples) == 40
    assert Counter(sample.metadata["split"] for sample in samples) == {"development": 25, "held_out": 15}
    gold = Counter(claim["gold"] for sample in samples for claim in sample.metadata["claims"])
    assert min(gold.values()) >= 8 and set(gold) == {"supported", "contradicted", "unverifiable"}
    assert {sample.rating for sample in samples} >= {1, 2, 4, 5}
    for sample in samples:
        assert sample.response == " ".join(claim["text"] for claim in sample.metadata["claims"])
        assert sample.tables or "\n" in sample.retrieved_contexts[1]


@pytest.mark.parametrize("language", ["nl", "en"])
def test_ratings_by_the_rubric(language):
    """One false claim is a 2, more are a 1; without one, all supported is a 5, some a 4, none a 3."""
    for sample in load_set(f"kpi_{language}"):
        gold = Counter(claim["gold"] for claim in sample.metadata["claims"])
        without_false = 5 if not gold["unverifiable"] else 4 if gold["supported"] else 3
        assert sample.rating == (without_false, 2, 1)[min(gold["contradicted"], 2)], sample.id
