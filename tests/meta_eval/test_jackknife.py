"""Intervals from leaving out one group at a time."""

import numpy as np
import pytest
from scipy import stats

from assay.meta_eval.jackknife import jackknife_intervals
from assay.meta_eval.student import t_quantile


@pytest.mark.parametrize("degrees", [1, 2.5, 7.9, 8, 12.3, 40, 5000])
@pytest.mark.parametrize("share", [0.005, 0.9, 0.95, 0.975, 0.995])
def test_quantiles_are_scipys(degrees, share):
    assert t_quantile(share, degrees) == pytest.approx(stats.t.ppf(share, degrees), rel=1e-4)


def test_an_interval_on_log_odds_stays_between_0_and_1():
    """Five groups of one item, 1 1 1 1 0: the share 0.8 becomes 0.75 four times, and once 1, cut at 1 - 1/25."""
    is_one = np.array([1.0, 1, 1, 1, 0])
    [(low, high)] = jackknife_intervals(
        lambda weights: is_one @ weights / weights.sum(axis=0), 0.8, list("abcde"), levels=[0.95], scale="logit"
    )
    odds = np.log(np.array([0.75] * 4 + [0.96]) / np.array([0.25] * 4 + [0.04]))
    away = stats.t.ppf(0.975, 4) * np.sqrt(0.8 * ((odds - odds.mean()) ** 2).sum())
    assert low == pytest.approx(1 / (1 + np.exp(away - np.log(4))))
    assert high == pytest.approx(1 / (1 + np.exp(-away - np.log(4))))
    assert 0 < low < 0.8 < high < 1


def test_a_wider_level_has_a_wider_interval():
    values = np.random.default_rng(0).random(30)
    intervals = jackknife_intervals(
        lambda weights: values @ weights / weights.sum(axis=0),
        values.mean(),
        [*map(str, range(30))],
        levels=[0.9, 0.99],
    )
    (low, high), (lower, higher) = intervals
    assert lower < low < values.mean() < high < higher


def test_what_is_the_same_without_any_group_has_no_interval():
    """Two checks that call the same answers bad: their difference is 0 without any group, and nobody knows how sure."""
    assert jackknife_intervals(lambda weights: 0 * weights.sum(axis=0), 0.0, list("abcdefgh"), levels=[0.95]) is None


def test_a_perfect_area_rests_on_the_rarer_kind():
    """Six groups carry it: up to 1 - 0.025^(1/6) of such groups could be exceptions."""
    [(low, high)] = jackknife_intervals(
        lambda weights: weights.sum(axis=0) ** 0, 1.0, list("abcdefghij"), levels=[0.95], scale="logit", carriers=6
    )
    assert (low, high) == (pytest.approx(0.025 ** (1 / 6)), 1.0)
