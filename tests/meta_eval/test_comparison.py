"""Differences of two measures and of two runs' ratings, by hand."""

import numpy as np
import pytest
from scipy import stats
from tables_of_scores import score_table

from assay.errors import InputError
from assay.meta_eval import (
    ScoreTable,
    compare_metrics,
    williams,
)


def test_williams_by_hand():
    """r12 .5, r13 .3, r23 .4, n 100 (the example of `paired.r` in R's psych, which prints t = 2.06, p = 0.042).

    |R| = 1 - .25 - .09 - .16 + .12 = .62; t = .2 sqrt(99 * 1.4 / (2 * .62 * 99 / 97 + .16 * .216)).
    """
    t, p = williams(0.5, 0.3, 0.4, 100)
    assert t == pytest.approx(0.2 * (99 * 1.4 / (1.24 * 99 / 97 + 0.16 * 0.216)) ** 0.5)
    assert (round(t, 2), round(p, 3)) == (2.06, 0.042)


def test_williams_of_equal_scores_is_nothing():
    assert williams(0.5, 0.5, 1.0, 50) == (0.0, 1.0)


def test_the_difference_is_that_of_scipys_rhos_and_turns_with_the_order():
    table = score_table(60, 2, signal=0.5, useful=1)
    one, other = (compare_metrics(table, *names, permutations=300) for names in (("m0", "m1"), ("m1", "m0")))
    rhos = [stats.spearmanr(table.column(name), table.mean_rating).statistic for name in ("m0", "m1")]
    assert (one.rho_first, one.rho_second) == pytest.approx(rhos)
    assert one.difference.value == pytest.approx(rhos[0] - rhos[1])
    assert other.difference.value == pytest.approx(rhos[1] - rhos[0])
    assert one.p_williams == pytest.approx(other.p_williams)
    assert one.p_permutation is not None and one.p_permutation < 0.02
    assert one.standing.kind == "better" and other.standing.kind == "worse"


def test_nearly_the_same_scores_are_equivalent_within_the_margin_and_few_items_cannot_say():
    table = score_table(300, 1, signal=1.0)
    jitter = table.scores + np.random.default_rng(5).normal(scale=0.1, size=(300, 1))
    twice = ScoreTable(table.items, ("m", "near"), np.hstack([table.scores, jitter]), table.ratings, table.raters)
    assert compare_metrics(twice, "m", "near", permutations=50).standing.kind == "equivalent"
    noise = score_table(25, 2, signal=0.0)
    assert compare_metrics(noise, "m0", "m1", permutations=50).standing.kind == "unsettled"


def test_only_items_that_both_scored_count():
    table = score_table(60, 2, signal=0.5, half_missing="m1")
    assert compare_metrics(table, "m0", "m1", permutations=50).n == 24


def test_what_cannot_be_compared_says_why():
    table = score_table(30, 2, signal=0.5, constant="m1")
    comparison = compare_metrics(table, "m0", "m1", permutations=50)
    assert (comparison.problem, comparison.difference.value, comparison.p_permutation) == (
        "scores or ratings do not vary",
        None,
        None,
    )
    with pytest.raises(InputError, match="no metric 'm7'"):
        compare_metrics(table, "m0", "m7")
