"""Weighted ranks and the statistics over them, against brute force: the items really written out again."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.meta_eval.agreement_statistics import Ranks, spearman
from assay.meta_eval.correlation import auroc

weighted_items = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12
).filter(lambda items: any(times for _, _, times in items))


@given(weighted_items)
def test_weighted_ranks_are_those_of_the_items_written_out(items):
    values = np.array([value for value, _, _ in items], float)
    times = np.array([times for _, _, times in items])
    ranks = Ranks(values).weighted(times[:, None].astype(float))[:, 0]
    written_out = stats.rankdata(np.repeat(values, times))
    assert np.repeat(ranks, times) == pytest.approx(written_out)


@given(weighted_items)
@settings(deadline=None)
def test_weighted_spearman_is_that_of_the_items_written_out(items):
    x, y, times = (np.array(column) for column in zip(*items, strict=True))
    estimate = spearman(x.astype(float), y.astype(float))(times[:, None].astype(float))[0]
    if len(set(np.repeat(x, times))) == 1 or len(set(np.repeat(y, times))) == 1:
        assert math.isnan(estimate)
    else:
        assert estimate == pytest.approx(stats.spearmanr(np.repeat(x, times), np.repeat(y, times)).statistic)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=15))
def test_auroc_is_the_share_of_pairs_in_the_right_order(items):
    values, good = [float(value) for value, _ in items], [is_good for _, is_good in items]
    estimate = auroc(values, good, [str(n) for n in range(len(items))])
    pairs = [(a, b) for a, is_good in items if is_good for b, other in items if not other]
    if not pairs:
        assert estimate.value is None
    else:
        assert estimate.value == pytest.approx(sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs))
    assert estimate.n == len(items)
