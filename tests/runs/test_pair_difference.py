"""Paired differences: hand-derived means and p-values, and the laws that they keep."""

import pytest
from hypothesis import given, settings, strategies as st

from assay.runs import adjust_p_values, paired_difference


def test_the_mean_and_its_p_value_by_hand() -> None:
    """Four groups that all fell by 1: of the 16 ways to flip them 1 is as low, and 2 are as far from 0."""
    below = paired_difference([-1.0, -1.0, -1.0, -1.0], ["a", "b", "c", "d"], side="below")
    assert (below.n, below.groups, below.value) == (4, 4, -1.0)
    assert below.p == pytest.approx(1 / 16, abs=0.01)
    assert paired_difference([-1.0] * 4, list("abcd")).p == pytest.approx(2 / 16, abs=0.015)
    assert (below.low, below.high, below.problem) == (None, None, "an interval needs 5 groups that differ")


def test_a_group_is_flipped_whole() -> None:
    """Twenty falls of one group are one piece of evidence: half of all flips are as low."""
    assert paired_difference([-1.0] * 20, ["a"] * 20, side="below").p == pytest.approx(1 / 2, abs=0.02)
    alone = paired_difference([-1.0] * 20, [str(n) for n in range(20)], side="below").p
    assert alone == pytest.approx(1 / 10_000)  # 2^-20: not once in 9,999 draws


def test_no_change_is_no_evidence() -> None:
    same = paired_difference([0.0] * 30, [str(n) for n in range(30)], side="below")
    assert (same.value, same.low, same.high, same.p) == (0.0, None, None, 1.0)
    none = paired_difference([], [])
    assert (none.n, none.value, none.p, none.problem) == (0, None, None, "no sample was scored in both runs")


def test_a_fall_is_told_against_the_margin() -> None:
    """A fall of 0.02 each is beyond doubt, and not more than the 0.02 that was allowed."""
    falls, groups = [-0.02] * 20, [str(n) for n in range(20)]
    assert paired_difference(falls, groups, side="below").p == pytest.approx(1 / 10_000)
    assert paired_difference(falls, groups, side="below", against=-0.02).p == 1.0
    assert paired_difference(falls, groups, side="below", against=-0.01).p == pytest.approx(1 / 10_000)


@settings(max_examples=20)
@given(st.lists(st.floats(-1, 1), min_size=8, max_size=30))
def test_turning_the_runs_around_turns_the_difference(differences: list[float]) -> None:
    groups = [str(n // 2) for n in range(len(differences))]
    there, back = paired_difference(differences, groups), paired_difference([-each for each in differences], groups)
    assert there.value == pytest.approx(-back.value)  # type: ignore[operator]
    assert there.p == pytest.approx(back.p)
    assert paired_difference(differences, groups, seed=3) == paired_difference(differences, groups, seed=3)


def test_holm_by_hand() -> None:
    """0.01 x 3, then at least as much: 0.03 x 2 = 0.06, then 0.04 x 1, raised to 0.06."""
    assert adjust_p_values([0.04, 0.01, None, 0.03]) == pytest.approx([0.06, 0.03, None, 0.06])
    assert adjust_p_values([0.04]) == [0.04]
    assert adjust_p_values([None]) == [None]


def test_one_sample_that_changed_leaves_no_change_possible() -> None:
    """Of thirty samples one is lower by 1: nobody saw a change up, and still one is as possible as one down."""
    change = paired_difference([0.0] * 29 + [-1.0], [f"g{number}" for number in range(30)])
    assert change.value == pytest.approx(-1 / 30)
    assert change.low is not None and change.high is not None
    assert change.low < -0.06 < 0 < change.high
    assert change.p == 1.0
