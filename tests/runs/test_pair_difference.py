"""Paired differences: hand-derived means and p-values, and the laws that they keep."""

import pytest
from hypothesis import given, settings, strategies as st

from assay.eval_sets import Sample
from assay.runs import (
    pair_samples,
    paired_difference,
)


def test_the_mean_and_its_p_value_by_hand():
    """Four groups that all fell by 1: of the 16 ways to flip them 2 are as far from 0."""
    fall = paired_difference([-1.0, -1.0, -1.0, -1.0], ["a", "b", "c", "d"])
    assert (fall.n, fall.groups, fall.value) == (4, 4, -1.0)
    assert fall.p == pytest.approx(2 / 16, abs=0.015)
    assert (fall.low, fall.high, fall.problem) == (None, None, "an interval needs 5 groups that differ")


def test_a_group_is_flipped_whole():
    """Twenty falls of one group are one piece of evidence: all flips are as far from 0."""
    assert paired_difference([-1.0] * 20, ["a"] * 20).p == 1
    alone = paired_difference([-1.0] * 20, [str(n) for n in range(20)]).p
    assert alone == pytest.approx(1 / 10_000)  # 2^-19: not once in 9,999 draws


def test_no_change_is_no_evidence():
    same = paired_difference([0.0] * 30, [str(n) for n in range(30)])
    assert (same.value, same.low, same.high, same.p) == (0.0, None, None, 1.0)
    none = paired_difference([], [])
    assert (none.n, none.value, none.p, none.problem) == (0, None, None, "no sample was scored in both runs")


@settings(max_examples=20)
@given(st.lists(st.floats(-1, 1), min_size=8, max_size=30))
def test_turning_the_runs_around_turns_the_difference(differences):
    groups = [str(n // 2) for n in range(len(differences))]
    there, back = paired_difference(differences, groups), paired_difference([-each for each in differences], groups)
    assert there.value == pytest.approx(-back.value)
    assert there.p == pytest.approx(back.p)
    assert paired_difference(differences, groups, seed=3) == paired_difference(differences, groups, seed=3)


def test_one_sample_that_changed_leaves_no_change_possible():
    """Of thirty samples one is lower by 1: nobody saw a change up, and still one is as possible as one down."""
    change = paired_difference([0.0] * 29 + [-1.0], [f"g{number}" for number in range(30)])
    assert change.value == pytest.approx(-1 / 30)
    assert change.low is not None and change.high is not None
    assert change.low < -0.06 < 0 < change.high
    assert change.p == 1.0


def samples(stem, *rows):
    return [
        Sample(id=f"{stem}-{number}", user_input=question, response=answer)
        for number, (question, answer) in enumerate(rows, 1)
    ]


def test_a_question_that_occurs_twice_pairs_no_rows_without_ids():
    a = samples("may", ("How?", "one"), ("How?", "two"), ("Why?", "x"))
    b = samples("june", ("How?", "two"), ("Why?", "y"), ("How?", "one"), ("Who?", "z"))
    pairing = pair_samples(a, b, ["may.csv"], ["june.csv"])
    assert (pairing.ids, pairing.by_question, pairing.other_question) == ({"june-2": "may-3"}, 1, ())


def test_ids_of_their_own_stay_apart():
    """Two samples that somebody gave different ids are different, whatever they ask."""
    a, b = samples("x", ("How?", "1")), samples("y", ("How?", "1"))
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]).ids == {}
    same_id = pair_samples(a, [a[0].model_copy(update={"user_input": "Why?"})], ["may.csv"], ["june.csv"])
    assert (same_id.ids, same_id.other_question) == ({}, ("x-1",))
