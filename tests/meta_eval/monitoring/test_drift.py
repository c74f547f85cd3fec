"""Drift between two periods: the energy distance by hand, its level with groups, and what it finds."""

import numpy as np
import pytest

from assay.errors import UsageError
from assay.meta_eval.monitoring import agreement_drift, drift, question_drift, share_drift


def test_the_energy_distance_is_that_of_the_hand_count() -> None:
    """Old 0, 0, 0, 0, 0 and new 1, 1, 1, 1, 0: E|X - Y| = .8, E|X - X'| = 0, E|Y - Y'| = 2 * .8 * .2 = .32.

    2 * .8 - 0 - .32 = 1.28, of 1.6: 0.8.
    """
    result = question_drift(np.zeros((5, 1)), np.array([[1.0], [1], [1], [1], [0]]), np.arange(10))
    assert result.change == pytest.approx(0.8)
    assert result.groups == 10


def test_a_p_value_is_the_share_of_ways_to_deal_the_groups() -> None:
    """Five zeros and five ones: of the 252 ways to deal ten groups two are as far apart, so p = 2 / 252 = .0079."""
    result = question_drift(np.zeros((5, 1)), np.ones((5, 1)), np.arange(10))
    assert result.p == pytest.approx(2 / 252, abs=0.004)
    assert result.p_in_month == pytest.approx(30 * result.p)


def test_groups_in_both_periods_swap_their_parts() -> None:
    """Six groups that all rise by 1: of 64 ways to swap their parts, two are as far apart."""
    old = 0.1 * np.arange(6)[:, None]
    result = question_drift(old, old + 1, np.tile(np.arange(6), 2))
    assert result.p == pytest.approx(2 / 64, abs=0.01)


@pytest.mark.parametrize("session", [1, 5])
def test_noise_has_small_p_values_as_rarely_as_it_must(session: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that ask alike, between two periods that ask alike."""
    monkeypatch.setattr(drift, "PERMUTATIONS", 199)
    generator, values = np.random.default_rng(3), []
    for number in range(200):
        group = np.repeat(np.arange(24), session)
        vectors = generator.normal(size=(24, 4))[group] + 0.3 * generator.normal(size=(len(group), 4))
        half = len(group) // 2
        values.append(question_drift(vectors[:half], vectors[half:], group, seed=number).p)
    assert np.mean(np.array(values) <= 0.05) == pytest.approx(0.05, abs=0.045)
    assert np.mean(values) == pytest.approx(0.5, abs=0.07)


def test_many_questions_are_drawn_by_groups() -> None:
    generator = np.random.default_rng(1)
    result = question_drift(
        generator.normal(size=(4000, 8)), generator.normal(0.3, 1, size=(4000, 8)), np.arange(8000) // 4
    )
    assert 240 <= result.groups <= 260  # 500 questions of each period in groups of four
    assert result.p_in_month < 0.05


def test_a_share_that_did_not_change_is_not_called_so() -> None:
    result = share_drift(np.arange(50) < 5, np.arange(50) < 5, np.arange(100))
    assert (result.change, result.old, result.new, result.p) == (0.0, 0.1, 0.1, 1.0)


def test_a_judge_that_became_less_sure_is_seen() -> None:
    """The mean error stays; the rank correlation falls."""
    generator = np.random.default_rng(2)
    ratings, is_new = np.tile([1.0, 2, 3, 4, 5], 60), np.arange(300) >= 150
    judged = ratings / 5 + np.where(is_new, 0.5, 0.05) * generator.normal(size=300)
    result = agreement_drift(judged, ratings, is_new, np.arange(300))
    assert result.old is not None and result.new is not None and result.new < 0.7 < result.old
    assert result.p_in_month < 0.05


def test_too_few_are_said() -> None:
    few = question_drift(np.zeros((4, 2)), np.ones((40, 2)), np.arange(44))
    assert few.change is None and few.p == 1.0 and "5 groups" in few.problem
    few = agreement_drift(np.arange(12.0), np.arange(12.0), np.arange(12) > 8, np.arange(12))
    assert few.change is None and "10 judged and rated" in few.problem
    assert share_drift(np.zeros(0, bool), np.ones(9, bool), np.arange(9)).problem
    with pytest.raises(UsageError, match="finite"):
        question_drift(np.full((9, 2), np.nan), np.ones((9, 2)), np.arange(18))
    with pytest.raises(UsageError, match="one number per answer"):
        question_drift(np.ones((9, 2)), np.ones((9, 2)), np.arange(17))


def test_equal_values_do_not_drift() -> None:
    result = agreement_drift(np.ones(40), np.full(40, 4.0), np.arange(40) > 19, np.arange(40))
    assert result.p == 1.0 and result.old is None
