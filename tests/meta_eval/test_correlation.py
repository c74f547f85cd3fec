"""Spearman, areas and the jackknife's weights, against scipy and by hand."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from assay.meta_eval import auroc, column_spearmans, mean_spearman, spearman, spearman_statistic


def follow(n: int, seed: int, noise: float = 1.0) -> tuple[list[float], list[float]]:
    """Values, and ratings 1-5 that follow them with noise."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=n)
    ratings = np.clip(np.round(3 + values + noise * generator.normal(size=n)), 1, 5)
    return values.tolist(), ratings.tolist()


def own_groups(n: int) -> list[str]:
    return [f"item{number}" for number in range(n)]


@pytest.mark.parametrize(("n", "seed"), [(5, 0), (20, 1), (60, 2), (500, 3)])
def test_rho_is_scipys(n, seed):
    values, ratings = follow(n, seed)
    estimate, expected = spearman(values, ratings, own_groups(n)), stats.spearmanr(values, ratings)
    assert estimate.value == pytest.approx(expected.statistic, abs=1e-12)
    assert (estimate.n, estimate.groups) == (n, n)


def test_the_rho_of_every_column_is_scipys():
    generator = np.random.default_rng(0)
    columns, ratings = generator.integers(0, 9, size=(40, 6)).astype(float), generator.integers(1, 6, size=40)
    columns[:, 5] = 1.0  # does not vary
    expected = [stats.spearmanr(column, ratings).statistic for column in columns.T[:5]]
    assert column_spearmans(columns, ratings).tolist() == pytest.approx([*expected, 0.0], abs=1e-12)


def test_the_interval_by_hand():
    """Five items, ranks 1 to 5 against 2 1 3 4 5: rho = 1 - 6 * 2 / 120 = 0.9.

    Without the first or the second item the order is perfect, which counts as 1 - 1/25; without one of the others the
    squared differences of four items still sum to 2, so rho = 1 - 6 * 2 / 60 = 0.8.
    """
    estimate = spearman([1, 2, 3, 4, 5], [2, 1, 3, 4, 5], own_groups(5))
    left_out = np.arctanh([0.96, 0.96, 0.8, 0.8, 0.8])
    away = stats.t.ppf(0.975, 4) * np.sqrt(4 / 5 * ((left_out - left_out.mean()) ** 2).sum())
    assert estimate.value == pytest.approx(0.9)
    assert estimate.low == pytest.approx(np.tanh(np.arctanh(0.9) - away))
    assert estimate.high == pytest.approx(np.tanh(np.arctanh(0.9) + away))


def test_what_separates_the_ratings_perfectly_may_still_have_exceptions():
    """Seven answers rated 0 and seven rated 1 above them: rho is sqrt(3/4 * 14^2 / (14^2 - 1)), and no item says less.

    Of 14 items without one 1 - 0.025^(1/14) could be such: a middle value of the high ones that is rated 0, or the
    other way round. The items with so much weight in addition have this rho by hand.
    """
    values, ratings = [float(place) for place in range(14)], [0.0] * 7 + [1.0] * 7
    estimate = spearman(values, ratings, own_groups(14))
    assert estimate.value == pytest.approx(np.sqrt(0.75 * 196 / 195))
    share = 1 - 0.025 ** (1 / 14)
    weight = 14 * share / (1 - share)
    # one more item with the value 10 (the middle of the high ones), rated 0
    x_ranks = np.array([*range(1, 11), 10.5 + weight / 2 + 0.5, *(place + weight for place in range(12, 15))])
    x_ranks[10] = 11 + weight / 2
    y_ranks = np.array([(7 + weight + 1) / 2] * 7 + [7 + weight + 4] * 7)
    x, y, w = np.append(x_ranks, x_ranks[10]), np.append(y_ranks, y_ranks[0]), np.append(np.ones(14), weight)
    covariance = np.cov(x, y, aweights=w)
    assert estimate.low == pytest.approx(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    assert estimate.p < 0.05


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=8, max_size=30))
def test_a_small_p_value_stands_beside_an_interval_without_0(pairs):
    values, ratings = (list(map(float, column)) for column in zip(*pairs, strict=True))
    estimate = spearman(values, ratings, own_groups(len(pairs)))
    if estimate.low is not None:
        assert (estimate.p > 0.05) == (estimate.low <= 0 <= estimate.high)


def test_items_of_one_source_say_less_than_independent_ones():
    """Every item three more times: with its source as the group nothing is gained, as items of their own much is."""
    values, ratings = follow(40, 8, 1.5)
    once = spearman(values, ratings, own_groups(40))
    grouped = spearman(values * 4, ratings * 4, own_groups(40) * 4)
    pretended = spearman(values * 4, ratings * 4, own_groups(160))
    assert once.low and once.high and grouped.low and grouped.high and pretended.low and pretended.high
    assert (grouped.low, grouped.high) == pytest.approx((once.low, once.high), abs=0.02)
    assert grouped.high - grouped.low > 1.6 * (pretended.high - pretended.low)  # by theory twice
    assert (grouped.n, grouped.groups) == (160, 40)


@pytest.mark.parametrize(
    ("values", "ratings", "problem"),
    [
        ([], [], "only 0 rated scores"),
        ([1, 2, 3, 4], [1, 2, 3, 4], "only 4 rated scores"),
        ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5], "all values are equal"),
        ([1, 2, 3, 4, 5], [3, 3, 3, 3, 3], "all ratings are equal"),
    ],
)
def test_what_has_no_correlation_says_why(values, ratings, problem):
    estimate = spearman(values, ratings, own_groups(len(values)))
    assert (estimate.value, estimate.low, estimate.high, estimate.p) == (None, None, None, None)
    assert estimate.problem == problem


def test_few_groups_have_a_rho_and_no_interval():
    values, ratings = follow(40, 11)
    estimate = spearman(values, ratings, ["a", "b", "c", "d"] * 10)
    assert estimate.value == pytest.approx(stats.spearmanr(values, ratings).statistic)
    assert (estimate.low, estimate.high, estimate.problem) == (None, None, "an interval needs 5 groups that differ")


def test_a_perfect_order_has_rho_1_and_an_interval_within_bounds():
    """Of 20 groups without an exception up to 1 - 0.025^(1/20) could have one, which costs four times its share."""
    estimate = spearman(list(range(20)), list(range(20)), own_groups(20))
    assert (estimate.value, estimate.high) == (pytest.approx(1), pytest.approx(1))
    assert estimate.low == pytest.approx(1 - 4 * (1 - 0.025 ** (1 / 20)))
    assert estimate.p == pytest.approx(2 * 0.75**20)
    reversed_order = spearman(list(range(20)), list(range(20, 0, -1)), own_groups(20))
    assert (reversed_order.low, reversed_order.high) == (-1, pytest.approx(-estimate.low))


def test_rare_values_do_not_break_the_interval():
    """Without the one item that differs there is no rho: all rests on one group, and nobody knows how sure it is."""
    estimate = spearman([0.0] * 29 + [1.0], [float(n % 5) for n in range(30)], own_groups(30))
    assert estimate.value is not None
    assert (estimate.low, estimate.high, estimate.problem) == (None, None, "an interval needs 5 groups that differ")


def test_an_area_that_rests_on_few_bad_answers_has_no_interval():
    """Four bad answers in four groups, and thirty good ones: the good ones cannot say how sure the area is."""
    values, is_good = [float(number) for number in range(34)], [False] * 4 + [True] * 30
    estimate = auroc(values, is_good, own_groups(34))
    assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
    assert estimate.problem == "an interval needs 5 groups with answers of each kind; 4 have them"


def test_meta_eval_needs_no_judge():
    """Scores of any other tool can be brought to it."""
    code = "import assay.meta_eval.correlation as c, sys, json; c.spearman([1,2,3,4,5,6],[1,2,3,4,6,5],list('abcdef'))"
    printing = f"{code}; print(json.dumps(sorted(name for name in sys.modules if name.startswith('assay'))))"
    out = subprocess.run([sys.executable, "-c", printing], capture_output=True, text=True, check=True).stdout
    assert {name.split(".")[1] for name in json.loads(out) if "." in name} == {
        "languages",
        "meta_eval",
        "text",
        "untrusted",
    }


weighted_items = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 3)), min_size=3, max_size=12
).filter(lambda items: any(times for _, _, times in items))


@given(weighted_items)
@settings(deadline=None)
def test_weighted_correlations_are_those_of_the_items_written_out(items):
    x, y, times = (np.array(column, float) for column in zip(*items, strict=True))
    a, b = np.repeat(x, times.astype(int)), np.repeat(y, times.astype(int))
    result = spearman_statistic(x, y)(times[:, None])[0]
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert np.isnan(result)
    else:
        assert result == pytest.approx(stats.spearmanr(a, b).statistic)


def test_several_columns_have_the_mean_of_their_correlations():
    """One orders as the ratings do (1), and one against them (-1)."""
    x = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    assert mean_spearman(x, np.array([1.0, 2.0, 3.0]))(np.ones((3, 1)))[0] == pytest.approx(0)
