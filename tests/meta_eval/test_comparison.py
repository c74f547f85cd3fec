"""Differences of two measures and of two runs' ratings, by hand."""

import numpy as np
import pytest
from scipy import stats
from tables_of_scores import score_table, table_of

from assay.errors import InputError
from assay.meta_eval import compare_metrics


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
    scores = table.scores[:, 0]
    near = scores + np.random.default_rng(5).normal(scale=0.1, size=300)
    twice = table_of({"m": scores, "near": near}, table.ratings)
    assert compare_metrics(twice, "m", "near").standing.kind == "equivalent"
    noise = score_table(25, 2, signal=0.0)
    assert compare_metrics(noise, "m0", "m1").standing.kind == "unsettled"


def test_only_items_that_both_scored_count():
    table = score_table(60, 2, signal=0.5, half_missing="m1")
    assert compare_metrics(table, "m0", "m1").n == 24


def test_what_cannot_be_compared_says_why():
    table = score_table(30, 2, signal=0.5, constant="m1")
    comparison = compare_metrics(table, "m0", "m1")
    assert comparison.problem == "scores or ratings do not vary"
    assert (comparison.difference.value, comparison.difference.p) == (None, None)
    with pytest.raises(InputError, match="no metric 'm7'"):
        compare_metrics(table, "m0", "m7")
