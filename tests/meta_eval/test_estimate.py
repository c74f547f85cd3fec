"""The mean of values in groups, and its interval."""

import numpy as np
import pytest
from scipy import special, stats

from assay.meta_eval.arrays import Floats
from assay.meta_eval.difference import find_standing
from assay.meta_eval.estimate import OF_CORRELATIONS, estimate, estimate_mean, estimate_mean_of_groups


def between(mean: float, away: float, low: float, high: float) -> tuple[float, float]:
    """The interval on the scale of log odds of the mean's place between two values, by SciPy's logistic functions."""
    place = (mean - low) / (high - low)
    step = away / (high - low) / (place * (1 - place))
    ends = special.expit(special.logit(place) + np.array([-step, step]))
    return tuple(low + (high - low) * ends)


def test_independent_values_have_students_interval_on_log_odds():
    values = np.random.default_rng(0).normal(size=12)
    mean = estimate_mean(values, [str(number) for number in range(12)])
    away = stats.t.ppf(0.975, 11) * stats.sem(values)
    assert (mean.low, mean.high) == pytest.approx(between(values.mean(), away, values.min(), values.max()), rel=1e-4)


def test_leaving_equal_groups_out_gives_the_same_error():
    """The jackknife of a mean of G equal groups has Student's interval of the groups' means."""
    values = np.random.default_rng(1).random(60)
    groups = [f"g{number % 12}" for number in range(60)]
    by_jackknife = estimate(lambda weights: values @ weights / weights.sum(axis=0), groups)
    by_groups = estimate_mean(values, groups)
    means = values.reshape(5, 12).mean(axis=0)
    away = stats.t.ppf(0.975, 11) * stats.sem(means)
    assert (by_groups.n, by_groups.groups) == (by_jackknife.n, by_jackknife.groups) == (60, 12)
    assert (by_jackknife.low, by_jackknife.high) == pytest.approx((means.mean() - away, means.mean() + away), rel=1e-4)
    assert (by_groups.low, by_groups.high) == pytest.approx(
        between(means.mean(), away, values.min(), values.max()), rel=1e-4
    )


def test_the_mean_of_rare_exceptions_has_an_interval_that_leans_away_from_its_bound():
    """Three 0 among twenty values 1: mean 0.85, standard error sqrt(0.85 * 0.15 / 19)."""
    values = [1.0] * 17 + [0.0] * 3
    mean = estimate_mean(values, [str(number) for number in range(20)])
    away = stats.t.ppf(0.975, 19) * (0.85 * 0.15 / 19) ** 0.5
    assert (mean.low, mean.high) == pytest.approx(between(0.85, away, 0, 1), rel=1e-4)
    assert 0.85 - mean.low > 2 * (mean.high - 0.85)


def test_unequal_groups_by_hand():
    """Sizes 4 1 1 1 1, sums 4 0 0 0 0: mean 0.5, deviations 2 and four times -0.5, shares 1/2 and four times 1/8.

    Variance (4 / 0.5 + 4 * 0.25 / 0.875) / 64. Degrees: the eigenvalues of C (diag(s) - s s' / 8) C, with
    C = diag(1 / sqrt(1 - h)), squared sum over sum of squares.
    """
    sizes, sums = np.array([4.0, 1, 1, 1, 1]), [4.0, 0, 0, 0, 0]
    scaled = np.diag(1 / np.sqrt(1 - sizes / 8))
    eigenvalues = np.linalg.eigvalsh(scaled @ (np.diag(sizes) - np.outer(sizes, sizes) / 8) @ scaled)
    degrees = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    away = stats.t.ppf(0.975, degrees) * np.sqrt((8 + 8 / 7) / 64)
    mean = estimate_mean_of_groups(sums, sizes, bounds=(-9, 9))
    assert degrees < 3
    assert (mean.value, mean.n, mean.groups) == (0.5, 8, 5)
    assert (mean.low, mean.high) == pytest.approx(between(0.5, away, -9, 9))


def test_many_groups_have_the_normal_interval_over_groups():
    """10,000 groups of two equal items, half of the groups 0 and half 1: the error is .5 / sqrt(9,999)."""
    values = [float(number % 2) for number in range(10_000) for _ in range(2)]
    groups = [str(number) for number in range(10_000) for _ in range(2)]
    mean = estimate_mean(values, groups)
    assert (mean.value, mean.n, mean.groups) == (0.5, 20_000, 10_000)
    assert mean.high == pytest.approx(0.5 + 1.9602 * 0.5 / 9_999**0.5, rel=1e-4)


@pytest.mark.parametrize("values", [[1.0] * 40, [0.1 + 0.2] * 39 + [0.3]])
def test_what_does_not_vary_has_no_interval_of_width_zero(values):
    mean = estimate_mean(values, [str(number) for number in range(40)])
    assert (mean.low, mean.high, mean.problem) == (None, None, "an interval needs 5 groups that differ")


def test_an_interval_is_cut_where_its_figure_ends():
    """2, 2, 2, 2 and -2 in five groups: 1.2 +- 2.776 * 1.789 / sqrt(5) = 2.221, and no difference is above 2."""
    values = np.array([2.0, 2, 2, 2, -2])

    def mean(weights: Floats) -> Floats:
        result: Floats = values @ weights / weights.sum(axis=0)
        return result

    whole, bounded = (estimate(mean, list("abcde"), bounds=bounds) for bounds in (None, OF_CORRELATIONS))
    assert (whole.low, whole.high) == pytest.approx((1.2 - 2.221, 1.2 + 2.221), abs=1e-3)
    assert (bounded.value, bounded.low, bounded.high) == (whole.value, whole.low, 2.0)
    assert bounded.half_width == pytest.approx(whole.half_width) == pytest.approx(2.221, abs=1e-3)
    assert find_standing(bounded) == find_standing(whole), "the error is that of the end that is not cut"
