"""The means of versions: what they are by hand, and that they are right on average whatever the score is worth."""

import numpy as np
import pytest

from assay.meta_eval import changed_answers, estimate_version_means, rated_versions, usable_ratings
from assay.meta_eval.decision import VersionTable


def two_versions(a, b, *, scores_a=None, scores_b=None, same=(), group=None, **rest):
    """A table of versions A and B that answer the same questions; `same` are the questions with one answer."""
    count = len(a)
    numbers = np.arange(count)
    text_b = np.where(np.isin(numbers, list(same)), numbers, numbers + count)
    ratings = np.concatenate([a, b]).astype(float)
    scores = ratings if scores_a is None else np.concatenate([scores_a, scores_b]).astype(float)
    return VersionTable(
        ("A", "B"),
        np.repeat([0, 1], count),
        np.tile(numbers, 2),
        np.tile(numbers if group is None else np.asarray(group), 2),
        scores=scores,
        ratings=ratings,
        text=np.concatenate([numbers, text_b]),
        **rest,
    )


def test_all_rated_is_the_paired_difference():
    """Differences 1, 0, 1, 0, 1, 2: their mean is 5/6, their variance 17/30, and its error sqrt(17/30 / 6)."""
    a = np.array([1.0, 4, 2, 5, 3, 2])
    means = estimate_version_means(two_versions(a, a + np.array([1, 0, 1, 0, 1, 2])))
    assert means.means == pytest.approx([17 / 6, 22 / 6])
    difference, error, degrees = means.difference(0, 1)
    assert (difference, error) == pytest.approx((5 / 6, np.sqrt(17 / 30 / 6)))
    assert degrees == pytest.approx(5)


def test_questions_answered_alike_differ_by_nothing():
    """Of 12 questions 6 changed, of which one half is rated: 1 better each, so that the mean over all is 0.5 better."""
    changed = np.arange(6)
    a = np.where(np.isin(np.arange(12), [0, 2, 4]), np.nan, 3.0)
    a[6:] = np.nan
    b = a + 1 + np.array([0.0, 0.3, 0, -0.3, 0, 0, 0, 0, 0, 0, 0, 0])
    groups = np.arange(12)
    # six rated groups are needed at least: rate all but one
    a[[0, 2]], b[[0, 2]] = 3.0, 4.0
    table = two_versions(a, b, scores_a=np.zeros(12), scores_b=np.zeros(12), same=range(6, 12), group=groups)
    assert changed_answers(table).sum() == 2 * len(changed)
    assert estimate_version_means(table).difference(0, 1)[0] == pytest.approx(0.5)


def test_a_score_that_is_the_rating_gives_the_mean_of_all():
    """Slope 1, nothing left over: the estimate from six rated answers is the mean of the scores of all twenty."""
    truth_a, truth_b = np.arange(20.0) % 5 + 1, (np.arange(20.0) * 3) % 5 + 1
    is_rated = np.arange(20) < 7
    ratings_a, ratings_b = np.where(is_rated, truth_a, np.nan), np.where(is_rated, truth_b, np.nan)
    means = estimate_version_means(two_versions(ratings_a, ratings_b, scores_a=truth_a, scores_b=truth_b))
    assert means.means == pytest.approx([truth_a.mean(), truth_b.mean()])


def test_a_score_against_the_ratings_is_not_used():
    """The slope would be negative: it is 0, and the ratings alone count."""
    rated = np.arange(10) < 6
    a = np.where(rated, [1.0, 2, 3, 4, 4, 4, 0, 0, 0, 0], np.nan)
    table = two_versions(a, a + 1, scores_a=-np.nan_to_num(a), scores_b=-np.nan_to_num(a + 1))
    assert estimate_version_means(table).means == pytest.approx([3.0, 4.0])


def test_one_rating_serves_the_same_answer_of_both_versions():
    assert usable_ratings(two_versions([3.0] * 6, [np.nan] * 6, same=range(6))).tolist() == [3.0] * 12
    table = two_versions([3.0, np.nan, 4], [np.nan, np.nan, 5], same=[0])
    assert np.isnan(usable_ratings(table)).sum() == 2


def test_ratings_of_few_groups_do_not_count_beside_those_of_many():
    """B is rated in four groups, A in twenty: B's do not count; with five they do."""
    a = np.full(20, 3.0)
    for rated, counts in ((4, False), (5, True)):
        b = np.where(np.arange(20) < rated, 4.0, np.nan)
        assert rated_versions(two_versions(a, b)).tolist() == [True, counts]


def test_a_strict_half_of_the_questions_does_not_count_against_a_version():
    """B is rated on hard questions only, A on all: pairs keep the difficulty of the question out of it."""
    random = np.random.default_rng(3)
    hard = np.arange(200) < 100
    a = np.where(hard, 2.0, 4.0) + random.normal(0, 0.1, 200)
    b = np.where(hard, a + 0.5, np.nan)
    difference, *_ = estimate_version_means(
        two_versions(a, b, scores_a=np.zeros(200), scores_b=np.zeros(200))
    ).difference(0, 1)
    assert difference == pytest.approx(0.5, abs=0.06)
