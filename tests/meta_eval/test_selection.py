"""Combinations: the search against brute force, honesty under noise, and folds of whole groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tables_of_scores import score_table

from assay.errors import UsageError
from assay.meta_eval.cross_validation import (
    CombinationTask,
    best_subsets,
    column_spearmans,
    cross_validate,
    predict_subsets,
    simplest_size,
)
from assay.meta_eval.folds import grouped_folds
from assay.meta_eval.permutation import max_t, shuffle_by_group
from assay.meta_eval.selection import select
from assay.meta_eval.subsets import all_subsets, best_of_each_size, fit_scale, largest_size, subset_correlations


def test_all_subsets_of_four_by_hand() -> None:
    subsets = all_subsets(4, 2)
    assert ["".join("abcd"[place] for place in np.flatnonzero(row)) for row in subsets] == (
        ["a", "b", "c", "d", "ab", "ac", "ad", "bc", "bd", "cd"]
    )
    assert len(all_subsets(12, 12)) == 2**12 - 1


def test_too_many_subsets_are_refused_with_a_cure() -> None:
    with pytest.raises(UsageError, match=r"20 metrics have 1,048,575 subsets .* combine at most 3 metrics"):
        all_subsets(20, 20)


@pytest.mark.parametrize(("metrics", "size"), [(1, 1), (12, 12), (13, 6), (20, 3), (100, 1), (5000, 1)])
def test_the_largest_size_keeps_the_subsets_few(metrics: int, size: int) -> None:
    """At most 4,095: 13 metrics have just so many subsets of up to 6; 20 have 1,350 of up to 3, 6,195 of up to 4."""
    assert largest_size(metrics) == size
    assert largest_size(metrics, 2) == min(2, metrics)


def test_correlations_of_sums_are_numpys() -> None:
    generator = np.random.default_rng(0)
    x, y, subsets = generator.normal(size=(30, 4)), generator.normal(size=(30, 2)), all_subsets(4, 4)
    found = subset_correlations(x, y, subsets)
    for row, subset in enumerate(subsets):
        for column in range(2):
            expected = np.corrcoef(x @ subset, y[:, column])[0, 1]
            assert found[row, column] == pytest.approx(expected)


def test_the_best_of_each_size_by_hand() -> None:
    scores, sizes = np.array([0.1, 0.4, 0.2, 0.3, 0.5, 0.6, 0.1]), np.array([1, 1, 1, 2, 2, 2, 3])
    assert best_of_each_size(scores, sizes).tolist() == [1, 5, 6]


def test_the_scales_learn_from_training_scores_alone() -> None:
    training, nan = np.array([[1.0, 0], [2, 0], [2, 4], [4, np.nan]]), np.nan
    ranks, shares = (fit_scale(training, how) for how in ("ranks", "sum"))
    others = np.array([[2.0, 9], [0, nan], [9, 0]])
    # first column: 1 below 2 and 2 tied, (1 + 3) / 8 - .5 = 0; second: all below 9, and two of three tied with 0
    np.testing.assert_allclose(ranks(others), [[0, 0.5], [-0.5, 0], [0.5, 1 / 3 - 0.5]])
    # mean 2.25 between 1 and 4; mean 4/3 between 0 and 4; what lies outside is brought to the edge
    np.testing.assert_allclose(shares(others), [[-0.25 / 3, 2 / 3], [-1.25 / 3, 0], [1.75 / 3, -1 / 3]])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(2, 6), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_folds_hold_whole_groups_and_every_item_once(labels: list[int], folds: int, seed: int) -> None:
    groups = np.array(labels)
    found = grouped_folds(groups, folds, seed=seed)
    if len(set(labels)) == 1:
        assert found == []
        return
    assert sorted(np.concatenate(found).tolist()) == list(range(len(labels)))
    assert len(found) == min(folds, len(set(labels)))
    assert sum(len(set(groups[part].tolist())) for part in found) == len(set(labels))


def test_the_simplest_within_one_standard_error_by_hand() -> None:
    """Means .30 .38 .40; the best has spread .1 over 4 folds, so a standard error of .05: .38 is within, .30 not."""
    spread = np.array([-1, 1, -1, 1]) * 0.1 * np.sqrt(3) / 2
    scores = np.array([[0.30] * 4, [0.38] * 4, 0.40 + spread])
    assert simplest_size(scores, 4) == 2
    assert simplest_size(np.array([[0.2, 0.2], [0.5, 0.5]]), 2) == 2
    assert simplest_size(np.array([[0.5, 0.5], [0.2, 0.2]]), 2) == 1


def test_noise_is_near_nothing_out_of_fold() -> None:
    """12 noise metrics on 79 answers, rated as in Table I of 001: the best of all subsets looks like 0.25 in sample."""
    in_sample, out_of_fold = [], []
    for seed in range(25):
        generator = np.random.default_rng(seed)
        ratings = generator.permutation(np.repeat([1.0, 2, 3, 4, 5], [22, 2, 8, 6, 41]))
        scores = generator.normal(size=(79, 12))
        everything = np.arange(79)
        task = CombinationTask.build(scores, ratings, everything, middle=3, how="ranks", largest=12)
        best = predict_subsets(task, best_subsets(task, everything), everything, scores)
        in_sample.append(column_spearmans(best, ratings).max())
        found = cross_validate(task, repeats=1, folds=5, seed=seed, fitted=False)
        assert found is not None
        out_of_fold.append(column_spearmans(found.chosen, ratings)[0])
    assert 0.2 < np.mean(in_sample) < 0.3
    assert abs(np.mean(out_of_fold)) < 3.5 * np.std(out_of_fold) / 5  # 3.5 standard errors
    assert np.mean(out_of_fold) < 0.08


def test_two_planted_metrics_are_found_among_noise() -> None:
    found = select(score_table(200, 6, signal=0.4, useful=2), resamples=100, permutations=99, repeats=2)
    assert found is not None
    selection, predictions = found
    assert selection.chosen.metrics == ("m0", "m1")
    assert selection.p_of_selection == 0.01  # (0 + 1) / (99 + 1)
    assert selection.chosen.candidates == 63
    assert [row.kind for row in selection.combinations] == (
        ["subset"] * 6 + ["mean-rank", "normalised-sum", "ridge", "logistic", "tree"]
    )
    alone, both = selection.combinations[0], selection.combinations[1]
    assert both.chosen and both.out_of_fold.value and alone.out_of_fold.value
    assert both.out_of_fold.value > alone.out_of_fold.value + 0.1
    assert both.optimism == pytest.approx(both.in_sample - both.out_of_fold.value)
    assert dict(selection.stability)["m0"] > 0.95
    assert predictions.chosen.shape == (200, 2) and not np.isnan(predictions.chosen).any()


@pytest.mark.parametrize("combine", ["sum", "mean-rank", "ridge", "logistic", "tree"])
def test_every_combiner_can_be_asked_for(combine: str) -> None:
    table = score_table(80, 3, signal=0.8, useful=2)
    found = select(table, combine=combine, resamples=50, permutations=49, repeats=1)  # type: ignore[arg-type]
    assert found is not None
    assert found[0].chosen.kind == ("subset" if combine == "sum" else combine)
    assert found[0].chosen.out_of_fold.value and found[0].chosen.out_of_fold.value > 0.5
    assert sum(row.chosen for row in found[0].combinations) == 1


def test_what_cannot_be_a_candidate_says_why() -> None:
    table = score_table(60, 4, signal=0.5, useful=1, constant="m1", half_missing="m2", baseline="m3")
    found = select(table, resamples=50, permutations=49, repeats=1)
    assert found is not None
    assert dict(found[0].left_out) == {
        "m1": "all values are equal",
        "m2": "scored 24 of 60 rated answers, less than half",
        "m3": "a baseline, which metrics should beat",
    }
    assert found[0].chosen.metrics == ("m0",)


def test_shuffling_moves_whole_groups_of_equal_size() -> None:
    """Four groups of three, each with ratings of its own: shuffled, each group still holds one group's ratings."""
    groups = np.repeat(np.arange(4), 3)
    values = groups * 10 + np.tile([1.0, 2, 3], 4)
    for block in shuffle_by_group(values, groups, permutations=20, seed=0):
        for column in block.T:
            assert sorted(column) == sorted(values)
            assert all(len({value // 10 for value in column[groups == group]}) == 1 for group in range(4))


def test_permutation_p_is_that_of_scipy() -> None:
    table = score_table(40, 3, signal=0.2, useful=1)
    alone, together = max_t(table, permutations=4000)
    for name, p, with_all in zip(table.metrics, alone, together, strict=True):
        expected = stats.spearmanr(table.column(name), table.mean_rating).pvalue
        assert p == pytest.approx(expected, abs=0.03)
        assert with_all >= p
