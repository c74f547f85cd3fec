"""Spearman and its interval, against scipy and by hand."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from assay.meta_eval.bootstrap import bca_interval
from assay.meta_eval.correlation import auroc, spearman, spearman_influence


def follow(n: int, seed: int, noise: float = 1.0) -> tuple[list[float], list[float]]:
    """Values, and ratings 1-5 that follow them with noise."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=n)
    ratings = np.clip(np.round(3 + values + noise * generator.normal(size=n)), 1, 5)
    return values.tolist(), ratings.tolist()


def own_groups(n: int) -> list[str]:
    return [f"item{number}" for number in range(n)]


@pytest.mark.parametrize(("n", "seed"), [(5, 0), (20, 1), (60, 2), (500, 3)])
def test_rho_and_p_are_scipys(n: int, seed: int) -> None:
    values, ratings = follow(n, seed)
    estimate, expected = spearman(values, ratings, own_groups(n)), stats.spearmanr(values, ratings)
    assert (estimate.value, estimate.p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert (estimate.n, estimate.groups) == (n, n)


def test_ties_by_hand() -> None:
    """Values 1 2 2 4 5 rank 1 2.5 2.5 4 5, ratings 1 1 3 3 5 rank 1.5 1.5 3.5 3.5 5; deviations from their mean 3:

    (-2, -.5, -.5, 1, 2) and (-1.5, -1.5, .5, .5, 2): products 3 + .75 - .25 + .5 + 4 = 8, squares 9.5 and 9.
    """
    estimate = spearman([1, 2, 2, 4, 5], [1, 1, 3, 3, 5], own_groups(5))
    assert estimate.value == pytest.approx(8 / (9.5 * 9) ** 0.5)


@pytest.mark.parametrize(("n", "seed", "noise"), [(30, 4, 0.5), (60, 5, 1.0), (150, 6, 3.0)])
def test_the_interval_is_scipys_bca_for_independent_items(n: int, seed: int, noise: float) -> None:
    values, ratings = follow(n, seed, noise)
    estimate = spearman(values, ratings, own_groups(n), resamples=4000)
    expected = stats.bootstrap(
        (values, ratings),
        lambda x, y: stats.spearmanr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=4000,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = expected.high - expected.low
    assert estimate.low == pytest.approx(expected.low, abs=0.06 * width)
    assert estimate.high == pytest.approx(expected.high, abs=0.06 * width)


def test_the_interval_of_a_mean_is_scipys_bca() -> None:
    values = np.random.default_rng(7).exponential(size=50)
    estimate = bca_interval(
        lambda weights: weights.T @ values / weights.sum(axis=0), values.mean(), own_groups(50), resamples=9000
    )
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=9000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    assert estimate is not None
    assert estimate == pytest.approx((expected.low, expected.high), abs=0.02)


def test_items_of_one_source_say_less_than_independent_ones() -> None:
    """Every item three more times: with its source as the group nothing is gained, as items of their own much is."""
    values, ratings = follow(40, 8, 1.5)
    once = spearman(values, ratings, own_groups(40))
    grouped = spearman(values * 4, ratings * 4, own_groups(40) * 4)
    pretended = spearman(values * 4, ratings * 4, own_groups(160))
    assert once.low and once.high and grouped.low and grouped.high and pretended.low and pretended.high
    assert (grouped.low, grouped.high) == pytest.approx((once.low, once.high), abs=0.02)
    assert grouped.high - grouped.low > 1.6 * (pretended.high - pretended.low)  # by theory twice
    assert (grouped.n, grouped.groups) == (160, 40)


def test_the_interval_is_the_same_each_time() -> None:
    values, ratings = follow(30, 9)
    assert spearman(values, ratings, own_groups(30)) == spearman(values, ratings, own_groups(30))
    assert spearman(values, ratings, own_groups(30), seed=1) != spearman(values, ratings, own_groups(30))


def test_the_order_of_items_and_names_of_groups_do_not_matter_much() -> None:
    values, ratings = follow(60, 10)
    one, other = spearman(values, ratings, own_groups(60)), spearman(values[::-1], ratings[::-1], own_groups(60))
    assert one.value == pytest.approx(other.value)
    assert one.low == pytest.approx(other.low, abs=0.05)


@pytest.mark.parametrize(
    ("values", "ratings", "problem"),
    [
        ([], [], "only 0 rated scores"),
        ([1, 2, 3, 4], [1, 2, 3, 4], "only 4 rated scores"),
        ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5], "all values are equal"),
        ([1, 2, 3, 4, 5], [3, 3, 3, 3, 3], "all ratings are equal"),
    ],
)
def test_what_has_no_correlation_says_why(values: list[float], ratings: list[float], problem: str) -> None:
    estimate = spearman(values, ratings, own_groups(len(values)))
    assert (estimate.value, estimate.low, estimate.high, estimate.p) == (None, None, None, None)
    assert estimate.problem == problem


def test_few_groups_have_a_rho_and_no_interval() -> None:
    values, ratings = follow(40, 11)
    estimate = spearman(values, ratings, ["a", "b", "c", "d"] * 10)
    assert estimate.value == pytest.approx(stats.spearmanr(values, ratings).statistic)
    assert (estimate.low, estimate.high, estimate.problem) == (None, None, "too few groups for an interval")


def test_a_perfect_order_has_rho_1_and_an_interval_within_bounds() -> None:
    estimate = spearman(list(range(20)), list(range(20)), own_groups(20))
    assert estimate.value == pytest.approx(1)
    assert estimate.low is not None and estimate.high is not None
    assert -1 <= estimate.low <= estimate.high <= 1 + 1e-12
    assert not any(value != value for value in (estimate.value, estimate.low, estimate.high, estimate.p))  # noqa: PLR0124


def test_rare_values_do_not_break_the_interval() -> None:
    """In many resamples the one different value is not drawn: those have no rho and are left out."""
    estimate = spearman([0.0] * 29 + [1.0], [float(n % 5) for n in range(30)], own_groups(30))
    assert estimate.value is not None
    for bound in (estimate.low, estimate.high):
        assert bound is None or -1 <= bound <= 1


def test_auroc_by_hand() -> None:
    """Good 3 and 1, bad 2, 1 and 0: 3 beats all three; 1 beats 0 and ties with 1: 4.5 of 6 pairs."""
    estimate = auroc([3, 1, 2, 1, 0], [True, True, False, False, False], own_groups(5))
    assert (estimate.value, estimate.n) == (4.5 / 6, 5)


def test_the_interval_of_an_auroc_holds_the_truth_about_95_times_in_100() -> None:
    """Good values are normal around 1, bad ones around 0: the true area is Phi(1 / sqrt 2)."""
    truth, held = stats.norm.cdf(1 / 2**0.5), 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        good = np.arange(60) < 30
        estimate = auroc((generator.normal(size=60) + good).tolist(), good.tolist(), own_groups(60), resamples=400)
        assert estimate.low is not None and estimate.high is not None
        held += estimate.low <= truth <= estimate.high
    assert 52 <= held <= 60  # 57 expected, 52 is three standard deviations below


def test_meta_eval_needs_no_judge() -> None:
    """Scores of any other tool can be brought to it."""
    code = "import assay.meta_eval.correlation as c, sys, json; c.spearman([1,2,3,4,5,6],[1,2,3,4,6,5],list('abcdef'))"
    printing = f"{code}; print(json.dumps(sorted(name for name in sys.modules if name.startswith('assay'))))"
    out = subprocess.run([sys.executable, "-c", printing], capture_output=True, text=True, check=True).stdout
    assert {name.split(".")[1] for name in json.loads(out) if "." in name} == {"meta_eval"}


def test_influences_are_what_leaving_an_item_out_changes() -> None:
    """(n - 1) times (rho - rho without the item), but for terms of 1 / n; with ties in both variables."""
    random = np.random.default_rng(0)
    y = random.normal(size=400)
    x = (y + random.normal(size=400)).round(1)
    y = y.round()
    rho = stats.spearmanr(x, y).statistic
    left_out = [stats.spearmanr(np.delete(x, item), np.delete(y, item)).statistic for item in range(20)]
    influence = spearman_influence(x, y)
    assert influence[:20] == pytest.approx(399 * (rho - np.array(left_out)), abs=0.03)
    assert np.ptp(influence) > 2


def test_many_groups_have_the_normal_interval() -> None:
    """rho of independent values has the variance 1 / (n - 1); where each stands twice in its group, twice that."""
    random = np.random.default_rng(0)
    x, y = random.random((2, 6000))
    single = spearman(x, y, [f"g{item}" for item in range(6000)])
    assert single.value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert (single.high or 0) - (single.low or 0) == pytest.approx(2 * 1.96 / 5999**0.5, rel=0.03)
    twice = spearman(np.tile(x, 2), np.tile(y, 2), [f"g{item}" for item in range(6000)] * 2)
    assert (twice.n, twice.groups) == (12_000, 6000)
    assert (twice.low, twice.high) == (pytest.approx(single.low, abs=1e-3), pytest.approx(single.high, abs=1e-3))
