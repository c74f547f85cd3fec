"""The decision between variants of a measure, by hand: verdicts, the correction for their number, and the sentence."""

import numpy as np
import pytest
from scipy import stats
from tables_of_scores import table_of

from assay.meta_eval import Floats, variant_sentences
from assay.meta_eval.decision import VariantDecision, decide_variants

RATINGS = np.tile([1.0, 2, 3, 4, 5], 40)
NOISE = np.random.default_rng(0).normal(size=(len(RATINGS), 3))


def decide(*, items: int = 200, lower_is_better: bool = False, **variants: Floats) -> VariantDecision | None:
    columns = {name: column[:items] for name, column in variants.items()}
    return decide_variants(table_of(columns, RATINGS[:items], directions=dict.fromkeys(variants, not lower_is_better)))


GOOD, NONE = RATINGS + NOISE[:, 0], NOISE[:, 1]


def test_the_four_verdicts_and_their_sentences():
    """Scores with the rating in them beside noise; twice the scores rank all answers alike."""
    better, worse = decide(old=NONE, new=GOOD), decide(old=GOOD, new=NONE)
    assert (better.verdict, better.best) == ("ship", "new")
    assert (worse.verdict, worse.best) == ("keep", "old")
    row = better.differences[0]
    assert row.difference == pytest.approx(-worse.differences[0].difference)
    assert better.sentence == (
        f"Ship new: it agrees better with your raters than old ({row.difference:+.2f}, likely {row.low:+.2f} to "
        f"{row.high:+.2f}, on 200 answers)."
    )
    assert worse.sentence.startswith("Keep old: no other agrees better with your raters, ")
    same = decide(old=GOOD, new=2 * GOOD)
    assert (same.verdict, same.differences[0].difference) == ("equivalent", pytest.approx(0))
    assert same.sentence.startswith("No difference that matters: new agrees with your raters as old does, within 0.1 (")
    unsettled = decide(items=20, old=NOISE[:, 1], new=NOISE[:, 2])
    assert unsettled.verdict == "unsettled"
    assert unsettled.ratings is not None
    assert unsettled.sentence.startswith("Not settled: new may agree better with your raters than old, or worse (")
    assert unsettled.sentence.endswith(" more ratings would settle it.")
    assert decide(old=-NONE, new=-GOOD, lower_is_better=True).verdict == "ship"  # the sign turns


def test_the_same_ranks_are_not_surely_the_same_elsewhere():
    """No exception among G groups: up to 1 - .025^(1 / G) of others may be one, each worth four times its share."""
    for items, verdict in ((200, "equivalent"), (60, "unsettled")):
        decision = decide(items=items, old=GOOD, new=2 * GOOD)
        bound = 4 * (1 - 0.025 ** (1 / items))
        (row,) = decision.differences
        assert (row.low, row.high) == (pytest.approx(-bound), pytest.approx(bound))
        assert decision.verdict == verdict


def test_of_several_each_interval_is_wider():
    """Of two others each has 1 - .05 / 2: its half width is that of one other, times the ratio of t's quantiles."""
    one = decide(old=NONE, new=GOOD).differences[0]
    two = decide(old=NONE, new=GOOD, third=NOISE[:, 2]).differences[0]
    ratio = stats.t.isf(0.0125, 199) / stats.t.isf(0.025, 199)
    assert (two.high - two.low) / (one.high - one.low) == pytest.approx(ratio)
    assert one.p is not None and two.p == pytest.approx(2 * one.p)


def test_of_several_the_best_of_those_that_are_better_is_shipped():
    decision = decide(old=NONE, fair=RATINGS + 2 * NOISE[:, 0], good=GOOD)
    assert (decision.verdict, decision.best) == ("ship", "good")
    assert decision.notes == ("The intervals of the 2 comparisons hold for all of them together.",)
    kept = decide(old=GOOD, twice=2 * GOOD, noise=NONE)  # one is worse, one as good
    assert (kept.verdict, kept.best) == ("keep", "old")
    assert ", the next best being twice (" in kept.sentence


def test_a_variant_that_cannot_be_compared_is_named():
    constant = np.ones(200)
    decision = decide(old=NONE, new=GOOD, flat=constant)
    assert (decision.verdict, len(decision.differences)) == ("ship", 1)
    assert decision.notes[0] == "flat cannot be compared with old: scores or ratings do not vary."
    assert decide(old=NONE, flat=constant) is None
    assert variant_sentences(None, "old") == [
        "Not settled: no agreement with ratings can be compared with that of old."
    ]
