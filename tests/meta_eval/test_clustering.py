"""Clustering of vectors: the measures, Ward's groups, their number and their stability."""

import numpy as np
import pytest

from assay.meta_eval import (
    choose_group_count,
    measure_clustering,
    measure_document_match,
    measure_robustness,
    share_in_same_group,
)


def test_document_match_is_formulas_1_and_2():
    # a: 2 of 3 sections in topic 0 -> 66.67; b: 1 of 1 without its outlier -> 100; c has only an outlier: left out
    match = measure_document_match([0, 0, 1, 1, -1, -1], ["a", "a", "a", "b", "b", "c"])
    assert match == pytest.approx((200 / 3 + 100) / 2)
    assert measure_document_match([-1], ["a"]) is None


def test_groups_are_matched_whatever_their_numbers():
    one, other = np.array([0, 0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0, -1])
    # 0 with 1 (two sections), 1 with 0 (two), outlier with outlier: 5 of 6
    assert share_in_same_group(one, other) == pytest.approx(5 / 6)
    assert share_in_same_group(one, one) == 1


def test_distant_clusters_are_robust_and_random_ones_are_not():
    points = np.repeat([[0.0, 0.0], [10.0, 10.0]], 20, axis=0)
    labels = np.repeat([0, 1], 20)
    assert measure_robustness(points, labels, 2, seed=1) == 100
    chance = np.random.default_rng(1).integers(0, 2, len(points))
    assert measure_robustness(points, chance, 2, seed=1) < 80


def test_measures_leave_outliers_out_and_are_none_for_one_topic():
    points = np.array([[0.0], [1.0], [10.0], [11.0], [100.0]])
    result = measure_clustering(points, np.array([0, 0, 1, 1, -1]), list("aabbb"), seed=0)
    # silhouette of 0: a = 1, b = mean(10, 11) = 10.5 -> 9.5 / 10.5; of 1: b = 9.5 -> 8.5 / 9.5; the others mirror these
    assert result.silhouette == pytest.approx((9.5 / 10.5 + 8.5 / 9.5) / 2)
    assert (result.topics, result.outliers, result.document_match) == (2, pytest.approx(0.2), 100)
    assert measure_clustering(points, np.zeros(5, dtype=int), list("aabbb"), seed=0).silhouette is None


def test_the_number_of_groups_is_the_one_of_the_highest_quality():
    points = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 6, axis=0) + np.arange(36).reshape(18, 2) / 100
    number, labels, measures = choose_group_count(
        points, [2, 3, 4], lambda of: of.silhouette or -1.0, documents=list("abcdef") * 3
    )
    assert (number, sorted(measures)) == (3, [2, 3, 4])
    assert labels.tolist() == [0] * 6 + [1] * 6 + [2] * 6
