"""Weighted Kendall, Pearson and pairwise accuracy, against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.meta_eval.agreement_statistics import kendall, mean_spearman, pairwise_accuracy, pearson

weighted_items = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 3)), min_size=3, max_size=12
).filter(lambda items: any(times for _, _, times in items))


@given(weighted_items)
@settings(deadline=None)
def test_weighted_kendall_and_pearson_are_those_of_the_items_written_out(items):
    x, y, times = (np.array(column, float) for column in zip(*items, strict=True))
    a, b = np.repeat(x, times.astype(int)), np.repeat(y, times.astype(int))
    tau, r = (statistic(x, y)(times[:, None])[0] for statistic in (kendall, pearson))
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert np.isnan(tau) and np.isnan(r)
    else:
        assert tau == pytest.approx(stats.kendalltau(a, b).statistic)
        assert r == pytest.approx(stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize("levels", [5, 40])
def test_kendall_of_few_and_of_many_levels_is_scipys(levels):
    generator = np.random.default_rng(3)
    y = generator.integers(0, levels, 80).astype(float)
    x = np.round(y + generator.normal(scale=levels, size=80))
    times = generator.integers(0, 3, 80)
    expected = stats.kendalltau(np.repeat(x, times), np.repeat(y, times)).statistic
    assert kendall(x, y)(times[:, None].astype(float))[0] == pytest.approx(expected)


def test_the_mean_over_columns_is_the_mean_of_each():
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(30, 3)), generator.integers(1, 6, 30).astype(float)
    expected = np.mean([stats.spearmanr(column, y).statistic for column in x.T])
    assert mean_spearman(x, y)(np.ones((30, 1)))[0] == pytest.approx(expected)


def by_brute_force(x: np.ndarray, y: np.ndarray, epsilon: float) -> float:
    right = total = 0
    for i in range(len(x)):
        for j in range(i):
            order = 0.0 if abs(x[i] - x[j]) <= epsilon else np.sign(x[i] - x[j])
            right += order == np.sign(y[i] - y[j])
            total += 1
    return right / total


def test_a_perfect_metric_with_noise_in_its_ties_is_calibrated():
    """Ratings 1 to 5, scores up to 0.1 apart where ratings are tied: an epsilon of nearly 0.1 makes most pairs right.

    Not all: the largest gap of one half may be above the epsilon that the other half gave.
    """
    generator = np.random.default_rng(1)
    y = np.tile(np.arange(1.0, 6), 12)
    x = y + generator.uniform(-0.05, 0.05, 60)
    estimate = pairwise_accuracy(x, y, np.arange(60))
    statistic, epsilon = estimate
    assert statistic(np.ones((60, 1)))[0] > 0.99
    assert 0.05 < epsilon <= 0.1
    assert by_brute_force(x, y, 0.0) < 0.85  # uncalibrated, no tie would be right


def test_a_constant_is_right_about_ties_only():
    """Every rating stands twice in each of 20 groups, so that whichever half a group falls in, a half of 10 groups has
    20 ones and 20 twos: 2 * 190 tied pairs of 780."""
    y = np.tile([1.0, 1, 2, 2], 20)
    estimate = pairwise_accuracy(np.zeros(80), y, np.repeat(np.arange(20), 4))
    assert estimate[0](np.ones((80, 1)))[0] == pytest.approx(380 / 780)


def test_pairs_need_items():
    assert pairwise_accuracy(np.arange(4.0), np.arange(4.0), np.arange(4)) is None


def test_an_item_drawn_twice_makes_no_pair_with_itself():
    """Weights of 2 on everything leave the share as it is: only pairs of different items count."""
    generator = np.random.default_rng(2)
    x, y = generator.normal(size=40), generator.integers(1, 4, 40).astype(float)
    estimate = pairwise_accuracy(x, y, np.arange(40))
    once, twice = estimate[0](np.ones((40, 1)))[0], estimate[0](np.full((40, 1), 2.0))[0]
    assert once == pytest.approx(twice)
