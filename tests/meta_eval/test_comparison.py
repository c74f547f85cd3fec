"""Differences of two measures and of two runs' ratings, by hand."""

import numpy as np
import pytest
from scipy import stats
from tables_of_scores import score_table

from assay.errors import InputError
from assay.meta_eval import (
    Floats,
    ScoreTable,
    compare_metrics,
    estimate_rating_difference,
    prediction_powered_mean,
)


def test_the_difference_is_that_of_scipys_rhos_and_turns_with_the_order():
    table = score_table(60, 2, signal=0.5, useful=1)
    one, other = (compare_metrics(table, *names) for names in (("m0", "m1"), ("m1", "m0")))
    rhos = [stats.spearmanr(table.column(name), table.mean_rating).statistic for name in ("m0", "m1")]
    assert (one.rho_first, one.rho_second) == pytest.approx(rhos)
    assert one.difference.value == pytest.approx(rhos[0] - rhos[1])
    assert other.difference.value == pytest.approx(rhos[1] - rhos[0])
    assert one.difference.p == pytest.approx(other.difference.p)
    assert one.difference.p < 0.05 and one.difference.low > 0
    assert one.standing.kind == "better" and other.standing.kind == "worse"


def test_nearly_the_same_scores_are_equivalent_within_the_margin_and_few_items_cannot_say():
    table = score_table(300, 1, signal=1.0)
    jitter = table.scores + np.random.default_rng(5).normal(scale=0.1, size=(300, 1))
    twice = ScoreTable(table.items, ("m", "near"), np.hstack([table.scores, jitter]), table.ratings, table.raters)
    assert compare_metrics(twice, "m", "near").standing.kind == "equivalent"
    noise = score_table(25, 2, signal=0.0)
    assert compare_metrics(noise, "m0", "m1").standing.kind == "unsettled"


def test_only_items_that_both_scored_count():
    table = score_table(60, 2, signal=0.5, half_missing="m1")
    assert compare_metrics(table, "m0", "m1").n == 24


def test_what_cannot_be_compared_says_why():
    table = score_table(30, 2, signal=0.5, constant="m1")
    comparison = compare_metrics(table, "m0", "m1")
    assert (comparison.problem, comparison.difference.value, comparison.difference.p) == (
        "scores or ratings do not vary",
        None,
        None,
    )
    with pytest.raises(InputError, match="no metric 'm7'"):
        compare_metrics(table, "m0", "m7")


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
    changes = rated[1] - rated[0]
    expected = prediction_powered_mean(changes, second - first, GROUPS, scale=(-4, 4))
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
