"""A judge under probes, by hand: which claims count, what a flip is, and intervals where all or none flipped."""

import pytest

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.metrics import Score
from assay.runs import compare_probed

SAMPLES = [Sample(id=f"s{number}", user_input="q", response="a", group=f"g{number // 2}") for number in range(12)]


def score(*claims):
    claim_evidence = [
        {"text": text, "verdict": "supported" if p >= 0.5 else "not_found", "probability": p} for text, p in claims
    ]
    return Score(sum(p for _, p in claims) / len(claims), "scored", "", {"claims": claim_evidence}, Usage())


def measure_flips(before, after, samples=SAMPLES):
    return compare_probed(samples, before, after)


def all_of(*claims):
    return {sample.id: score(*claims) for sample in SAMPLES}


def test_a_flip_is_across_even_odds_and_only_claims_of_both_count():
    """Of three claims one crosses 0.5, one moves below it, and one is gone; a new one counts in the score alone."""
    before = all_of(("Open it.", 0.4), ("Close it.", 0.1), ("Gone.", 0.9))
    effect = measure_flips(before, all_of(("open  it.", 0.6), ("Close it.", 0.45), ("Believe me.", 1.0)))
    assert (effect.flips.n, effect.flips.value) == (24, 0.5)
    assert effect.shift.value == pytest.approx((0.6 + 0.45 + 1.0) / 3 - (0.4 + 0.1 + 0.9) / 3)
    assert (effect.shift.n, effect.shift.groups) == (12, 6)


def test_an_interval_is_over_groups():
    """Of twelve three rise above 0.5, in two of the six groups, and one falls below it."""
    after = all_of(("A.", 0.2)) | {sample: score(("A.", 0.8)) for sample in ("s0", "s1", "s2")}
    before = all_of(("A.", 0.2)) | {"s4": score(("A.", 0.9))}
    effect = measure_flips(before, after)
    assert effect.flips.value == 4 / 12
    assert effect.flips.low is not None and effect.flips.high is not None
    assert 0 <= effect.flips.low < 4 / 12 < effect.flips.high < 1


def test_none_of_few_is_not_surely_none():
    """Wilson's interval of 0 of 6 groups reaches z^2 / (6 + z^2) = 0.39 with z = 1.96; of 6 of 6 from 0.61."""
    none, every = (
        measure_flips(all_of(("A.", 0.7)), all_of(("A.", 0.7))),
        measure_flips(all_of(("A.", 0.7)), all_of(("A.", 0.2))),
    )
    reach = 1.96**2 / (6 + 1.96**2)
    assert (none.flips.value, none.flips.low, none.flips.high) == (0, 0, pytest.approx(reach, abs=1e-3))
    assert (every.flips.value, every.flips.low, every.flips.high) == (1, pytest.approx(1 - reach, abs=1e-3), 1)


def test_a_computed_claim_counts_with_the_judges_verdict():
    def computed(judged):
        mine = {"text": "It is 5.", "verdict": judged, "probability": None}
        return {"text": "It is 5.", "verdict": "contradicted", "probability": None, "source": "numeric", "judge": mine}

    before, after = (
        {sample.id: Score(0.0, "scored", "", {"claims": [computed(verdict)]}, Usage()) for sample in SAMPLES}
        for verdict in ("not_found", "supported")
    )
    assert measure_flips(before, after).flips.value == 1


def test_what_failed_or_could_not_be_changed_does_not_count():
    before, lost = all_of(("A.", 0.7)), Score(None, "failed", "no", {}, Usage())
    effect = measure_flips(before, {"s0": score(("A.", 0.7)), "s1": lost})
    assert (effect.flips.n, effect.shift.n) == (1, 1)
    nothing = measure_flips(before, {})
    assert (nothing.flips.n, nothing.flips.value, nothing.shift.value) == (0, None, None)
    assert nothing.flips.problem == "no claim stands in both"
