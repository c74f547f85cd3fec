"""How far raters prefer one of two runs: hand-derived differences, and what is said where ratings are too few."""

import numpy as np
import pytest

from assay.meta_eval.arrays import Floats
from assay.meta_eval.mean_rating import prediction_powered_mean
from assay.meta_eval.rating_difference import estimate_rating_difference

GROUPS = np.arange(40)


def ratings_of_both(seed: int = 0) -> tuple[Floats, Floats]:
    """40 ratings from 1 to 5 of each run."""
    draw = np.random.default_rng(seed)
    first, second = draw.integers(1, 6, (2, 40)).astype(float)
    return first, second


def test_all_pairs_rated_is_the_mean_difference():
    first, second = ratings_of_both()
    result = estimate_rating_difference((first, second), (first, second), GROUPS, scale=(1, 5))
    assert (result.rated_pairs, result.pairs) == (40, 40)
    assert result.difference.value == pytest.approx((second - first).mean())


def test_a_style_of_the_scores_cancels():
    """Scores of B that are 3 higher throughout, rated or not, change nothing."""
    first, second = ratings_of_both()
    rated = first.copy(), second.copy()
    for column in rated:
        column[15:] = np.nan
    plain, styled = (
        estimate_rating_difference(rated, (first, second + style), GROUPS, scale=(1, 5)) for style in (0.0, 3.0)
    )
    assert (styled.difference.value, styled.difference.low) == pytest.approx(
        (plain.difference.value, plain.difference.low)
    )
    expected = prediction_powered_mean(
        (second - first)[:15], (second - first)[:15], (second - first)[15:], GROUPS[:15], GROUPS[15:], scale=(-4, 4)
    )
    assert plain.difference == expected.mean


def test_too_few_ratings_say_nothing():
    """With none: (2.8 x 0.3 / 0.1)^2 = 70.6, so that 71 would do, of the 40 that there are."""
    first, second = ratings_of_both()
    a, b = first.copy(), second.copy()
    a[9:], b[9:] = np.nan, np.nan
    result = estimate_rating_difference((a, b), (first, second), GROUPS, scale=(1, 5))
    assert (result.difference.value, result.is_higher_in_b) == (None, None)
    assert result.ratings_needed == 40
    a, b = first.copy(), second.copy()
    a[20:], b[:20] = np.nan, np.nan  # twenty of each, and none of both
    result = estimate_rating_difference((a, b), (first, second), GROUPS, scale=(1, 5))
    assert (result.difference.value, result.rated_a, result.rated_b, result.rated_pairs) == (None, 20, 20, 0)
    many = np.full(200, np.nan)
    unknown = estimate_rating_difference((many, many), (np.zeros(200),) * 2, np.arange(200), scale=(1, 5))
    assert unknown.ratings_needed == 71
