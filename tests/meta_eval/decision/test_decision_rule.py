"""The verdicts, their bounds and their sentences, by hand where a hand reaches."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from assay.errors import InputError
from assay.meta_eval import (
    ConfidenceSequence,
    EstimatedDifference,
    MaxT,
    SettlingRule,
    more_answers_needed,
    more_ratings_needed,
)
from assay.meta_eval.decision import PreferenceTable, VersionTable, decide_versions

from .test_version_means import two_versions


def rated_pairs(differences, seed=0):
    """Questions, all rated in both versions, with these differences of ratings."""
    a = 2.5 + np.random.default_rng(seed).integers(0, 2, len(differences))
    return two_versions(a, a + np.asarray(differences, float))


def test_ship_keep_and_unsettled_follow_the_interval():
    """40 differences of 1 +- 0.5 (error 0.08): far from 0. 40 of +-1: around 0, and wider than the margin."""
    better = 1 + 0.5 * (-1.0) ** np.arange(40)
    assert decide_versions(rated_pairs(better)).verdict == "ship"
    kept = decide_versions(rated_pairs(-better))
    assert (kept.verdict, kept.best) == ("keep", "A")
    unsettled = decide_versions(rated_pairs((-1.0) ** np.arange(40)))
    assert unsettled.verdict == "unsettled"
    assert unsettled.needs.ratings is None  # all are rated
    assert unsettled.needs.answers is not None


def test_the_bounds_by_hand():
    """Differences of 1 +- 0.5, n = 40: s = 0.5 sqrt(40/39) / sqrt(40) and 39 degrees of freedom.

    The fixed interval is 1 +- t(0.975, 39) s = 2.0227 s; the sequence is wider, with the spread 0.1 of 4 points.
    """
    row = decide_versions(rated_pairs(1 + 0.5 * (-1.0) ** np.arange(40))).differences[0]
    error = 0.5 / math.sqrt(39)
    assert (row.fixed_low, row.fixed_high) == pytest.approx((1 - 2.0227 * error, 1 + 2.0227 * error), abs=1e-4)
    half = ConfidenceSequence(0.4).half_width(error, 39, error=0.05)
    assert (row.low, row.high) == pytest.approx((1 - half, 1 + half))
    assert half > 2.0227 * error
    assert (row.questions, row.changed, row.rated) == (40, 40, 40)


def test_equivalent_needs_the_interval_within_the_margin():
    """400 differences of +-0.1 have the error 0.005: within 0.1, but not within 0.01."""
    table = rated_pairs(0.1 * (-1.0) ** np.arange(400))
    assert decide_versions(table, margin=0.1).verdict == "equivalent"
    assert decide_versions(table, margin=0.01).verdict == "unsettled"


def test_versions_that_answer_alike_are_equivalent():
    decision = decide_versions(two_versions([3.0] * 8, [3.0] * 8, same=range(8)))
    assert decision.verdict == "equivalent"
    assert (decision.differences[0].low, decision.differences[0].high) == (0.0, 0.0)
    assert [version.p_best for version in decision.versions] == [0.5, 0.5]


def test_few_changed_answers_have_a_bound_of_their_share():
    """Two of 400 answers changed: at most 1.8% of answers differ (Clopper-Pearson), by at most 4 points."""
    a = np.full(400, 3.0)
    decision = decide_versions(two_versions(a, a, same=range(2, 400)))
    assert decision.differences[0].high == pytest.approx(0.0157 * 4, abs=0.002)
    assert decision.verdict == "equivalent"


def test_ratings_that_do_not_vary_have_a_bound():
    """Every B is exactly one better in 30 questions: at most b = 1 - 0.05^(1/30) = 9.5% differ, by 4 points at most.

    0.905 +- 0.380 leaves out 0. With six questions b = 39.3%: 0.607 +- 1.572 does not.
    """
    row = decide_versions(rated_pairs(np.ones(30))).differences[0]
    assert (row.low, row.high) == pytest.approx((0.905 - 0.380, 0.905 + 0.380), abs=2e-3)
    assert decide_versions(rated_pairs(np.ones(30))).verdict == "ship"
    assert decide_versions(rated_pairs(np.ones(6))).verdict == "unsettled"


def test_ratings_of_one_version_say_nothing_of_a_difference():
    """A has 40 rated answers, B one: the scores alone decide, as if nothing were rated, and it is said."""
    a = 2 + np.arange(40.0) % 3
    b = np.where(np.arange(40) == 3, 4.0, np.nan)
    scores_a, scores_b = a / 10, (a + 1 + 0.3 * (-1.0) ** np.arange(40)) / 10
    table = two_versions(a, b, scores_a=scores_a, scores_b=scores_b, score_scale=(0.0, 1.0))
    decision = decide_versions(table)
    assert (decision.basis, decision.scale) == ("scores", (0.0, 1.0))
    assert decision.differences[0].difference == pytest.approx(float((scores_b - scores_a).mean()))
    assert decision.differences[0].by_score
    assert any("1 rating of B does not count" in note for note in decision.notes)
    assert any("40 ratings of A do not count: those of one version" in note for note in decision.notes)


def test_a_version_of_which_nothing_is_known_is_an_error():
    """C has neither ratings nor scores: no mean is made up for it."""
    table = three_versions(np.arange(40) % 2, np.arange(40) % 3)
    is_c = table.version == 2
    known = [np.where(is_c, np.nan, column) for column in (table.scores, table.ratings)]
    with pytest.raises(InputError, match="nothing is known of C"):
        decide_versions(replace(table, scores=known[0], ratings=known[1]))


def test_a_score_alone_never_says_equivalent():
    nothing = np.full(400, np.nan)
    a = np.random.default_rng(0).normal(3, 0.2, 400)
    table = two_versions(nothing, nothing, scores_a=a, scores_b=a + 0.01 * (-1.0) ** np.arange(400) + 0.001)
    assert decide_versions(table).verdict == "unsettled"


def three_versions(b, c):
    """A, B and C with everything rated; B and C differ from A by these."""
    count = len(b)
    a = 2 + np.random.default_rng(1).integers(0, 2, count).astype(float)
    ratings = np.concatenate([a, a + b, a + c])
    numbers = np.tile(np.arange(count), 3)
    version = np.repeat([0, 1, 2], count)
    return VersionTable(("A", "B", "C"), version, numbers, numbers, ratings, ratings, np.arange(3 * count), (-1.0, 7.0))


def test_three_versions():
    wave = 0.5 * (-1.0) ** np.arange(40)
    both = decide_versions(three_versions(1 + wave, 2 + np.roll(wave, 1)))
    assert (both.verdict, both.best) == ("ship", "C")
    assert [version.ranks for version in both.versions] == [(3, 3), (2, 2), (1, 1)]
    assert [(row.first, row.second) for row in both.differences] == [("A", "B"), ("A", "C"), ("B", "C")]
    one = decide_versions(three_versions(1 + wave, 2 * np.roll(wave, 1)))
    assert (one.verdict, one.best) == ("ship", "B")
    assert decide_versions(three_versions(-1 + wave, -2 + np.roll(wave, 1))).verdict == "keep"
    open_ = decide_versions(three_versions(-1 + wave, 2 * np.roll(wave, 1)))
    assert open_.verdict == "unsettled"
    assert open_.versions[1].ranks == (3, 3)
    many = (-1.0) ** np.arange(200)  # one worse and one equal: nothing is better, and nothing is left to settle
    assert decide_versions(three_versions(-1 + 0.5 * many, 0.01 * many)).verdict == "keep"


def test_scores_alone_say_that_they_are_alone():
    a = 2 + np.random.default_rng(0).integers(0, 2, 40).astype(float)
    nothing = np.full(40, np.nan)
    scores_b = a + 1 + 0.5 * (-1.0) ** np.arange(40)
    table = two_versions(nothing, nothing, scores_a=a, scores_b=scores_b)
    decision = decide_versions(table, measure="faithfulness")
    assert (decision.verdict, decision.basis) == ("ship", "scores")
    assert decision.sentence.startswith("By faithfulness alone, which no rating of these answers corrects: ship B")
    assert any("style" in note for note in decision.notes)
    same = two_versions(nothing, nothing, scores_a=np.arange(40), scores_b=np.arange(40), same=range(40))
    assert (decide_versions(same).verdict, decide_versions(same).basis) == ("equivalent", "scores")
    always = two_versions(nothing, nothing, scores_a=-np.ones(40), scores_b=np.ones(40), scale=(-1.0, 1.0))
    sure = decide_versions(always, measure="pairwise")  # a judge that always prefers B
    assert (sure.verdict, sure.basis) == ("ship", "scores")


def test_nothing_to_decide_by_is_an_error():
    nothing = np.full(10, np.nan)
    with pytest.raises(InputError, match="rate some of them"):
        decide_versions(two_versions(nothing, nothing))
    with pytest.raises(InputError, match="above 0"):
        decide_versions(rated_pairs(np.ones(10)), margin=0.0)


def test_the_largest_of_two_independent_t():
    """Sidak: both of two independent normal numbers lie within 2.2365 in 95% of cases."""
    two = MaxT.of_covariance(np.diag([1.0, 4.0]), 1e6)
    assert two.quantile(0.95, 1e6) == pytest.approx(2.2365, abs=0.04)
    assert MaxT.of_covariance(np.array([[4.0]]), 10).quantile(0.95, 10) == pytest.approx(2.228, abs=1e-3)


@given(st.floats(0.01, 3), st.floats(0.01, 2), st.sampled_from([4.0, 12.0, 200.0, math.inf]), st.floats(0.02, 0.5))
@settings(max_examples=200)
def test_the_p_value_and_the_interval_say_the_same(difference, error, degrees, spread):
    sequence = ConfidenceSequence(spread)
    leaves_out_zero = difference > sequence.half_width(error, degrees, error=0.05)
    p = sequence.p_value(difference, error, degrees)
    assert leaves_out_zero == (p < 0.05) or p == pytest.approx(0.05, rel=1e-6)


def test_the_sequence_holds_at_every_look():
    """A sum of normal steps is looked at 500 times: the sequence leaves out its mean in at most 5% of 2,000 walks."""
    random = np.random.default_rng(0)
    steps = np.arange(10, 5010, 10)
    walks = np.cumsum(random.normal(size=(2000, 500)) * np.sqrt(10), axis=1) / steps
    sequence = ConfidenceSequence(0.1)
    widths = np.array([sequence.half_width(1 / math.sqrt(n), math.inf, error=0.05) for n in steps])
    misses = (np.abs(walks) > widths).any(axis=1).mean()
    fixed = (np.abs(walks) > 1.96 / np.sqrt(steps)).any(axis=1).mean()
    assert misses <= 0.05
    assert fixed > 0.3  # what it is for


def test_what_would_settle_it():
    """A difference of 0.5 with the error 0.25 is settled by more; the more is explained by scores, the fewer."""
    rule = SettlingRule(ConfidenceSequence(0.4), 0.05, 0.1, 0.1, 4.0)
    plain = EstimatedDifference(0.5, 0.2, 0.2, 30, 999, 30, 2000, corrected_by_ratings=True)
    helped = EstimatedDifference(0.5, 0.2, 0.3, 30, 999, 30, 2000, corrected_by_ratings=True)
    few = EstimatedDifference(0.5, 0.2, 0.2, 30, 999, 30, 40, corrected_by_ratings=True)
    needed, fewer = more_ratings_needed(plain, rule), more_ratings_needed(helped, rule)
    assert needed > 30
    assert more_ratings_needed(few, rule) is None
    answers = more_answers_needed(few, rule)
    assert answers > 40
    assert fewer is None or fewer != needed


def preferred(table, values):
    """One comparison of A and B per question, of these values."""
    count = len(values)
    return PreferenceTable(
        ("A", "B"),
        np.zeros(count, int),
        np.ones(count, int),
        np.asarray(values, float),
        np.arange(count),
        np.arange(count),
    )


def test_preferences_alone_decide_on_their_own_scale():
    """60 comparisons, 45 won by B and 15 by A: a net share of wins of 0.5, with the error 0.866 / sqrt(59) = 0.113."""
    nothing = np.full(60, np.nan)
    table = two_versions(nothing, nothing)
    decision = decide_versions(table, preferred(table, [1, 1, 1, -1] * 15))
    assert (decision.verdict, decision.basis, decision.scale) == ("ship", "preferences", (-1.0, 1.0))
    row = decision.differences[0]
    assert (row.fixed_low, row.fixed_high) == pytest.approx((0.5 - 2.001 * 0.1127, 0.5 + 2.001 * 0.1127), abs=2e-3)
    assert "your raters prefer its answers to those of A, by a net share of wins of 0.50" in decision.sentence


def test_few_groups_that_differ_are_bounded_by_their_counts():
    """Of 115 tasks A alone solves one and B alone two: two or fewer of 115 have the chance .05 / 4 at the upper bound.

    Half of the 5% is that of the counts, and half of that is for either end (Clopper and Pearson).
    """
    solved_a, solved_b = np.ones(115), np.ones(115)
    solved_a[:2] = solved_b[2] = 0.0
    row = decide_versions(two_versions(solved_a, solved_b, scale=(0.0, 1.0))).differences[0]
    assert stats.binom.cdf(2, 115, row.high) == pytest.approx(0.0125, abs=1e-9)
    assert stats.binom.cdf(1, 115, -row.low) == pytest.approx(0.0125, abs=1e-9)
    assert row.fixed_high < row.high
