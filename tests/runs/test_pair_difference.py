"""Paired differences: hand-derived means and p-values, and the laws that they keep."""

import pytest
from hypothesis import given, settings, strategies as st

from assay.eval_sets import Sample
from assay.runs import (
    RatedText,
    comparable_ratings,
    find_common_raters,
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
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]) == {"june-2": "may-3"}


def test_rows_of_one_file_in_another_order_are_paired_by_question_too():
    a, b = samples("set", ("How?", "1"), ("Why?", "2")), samples("set", ("Why?", "3"), ("How?", "4"))
    assert pair_samples(a, b, ["may/set.csv"], ["june/set.csv"]) == {"set-1": "set-2", "set-2": "set-1"}


def test_ids_of_their_own_stay_apart():
    """Two samples that somebody gave different ids are different, whatever they ask."""
    a, b = samples("x", ("How?", "1")), samples("y", ("How?", "1"))
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]) == {}
    same_id = [a[0].model_copy(update={"user_input": "Why?"})]
    assert pair_samples(a, same_id, ["may.csv"], ["june.csv"]) == {}


def text(question, *versions, **ratings):
    return RatedText(question, frozenset(versions), ratings)


def means_that_count(answers, raters):
    return [sum(row.values()) / len(row) if row else None for row in comparable_ratings(answers, raters)]


def test_raters_who_saw_one_version_do_not_count():
    answers = [text("q1", 0, ann=3, cy=1), text("q1", 1, ann=4), text("q2", 0, cy=1), text("q3", 1, ann=5)]
    assert find_common_raters(answers, (0, 1)) == {"ann"}
    assert means_that_count(answers, {"ann"}) == [3, 4, None, 5]


def test_the_same_answer_shows_a_rater_both_versions():
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1)) == {"ann"}
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1, 2)) == frozenset()


def test_of_a_pair_only_those_count_who_rated_both_sides():
    both = {"ann", "bob"}
    pair = [text("q", 0, ann=2, bob=5), text("q", 1, ann=4)]
    assert means_that_count(pair, both) == [2, 4]
    other = [text("q", 0, ann=2), text("q", 1, bob=4)]
    assert means_that_count(other, both) == [None, None]


def test_of_three_answers_those_count_who_rated_most_of_them():
    raters = {"ann", "bob", "cy"}
    three = [text("q", 0, ann=1, bob=2), text("q", 1, ann=3, bob=4), text("q", 2, ann=5, cy=2)]
    assert means_that_count(three, raters) == [1, 3, 5]  # ann rated all three
    apart = [text("q", 0, ann=1), text("q", 1, ann=3, bob=4), text("q", 2, bob=5)]
    assert means_that_count(apart, raters) == [1, 3, None]  # ann's pair comes first of two


def test_several_answers_of_one_version_are_one_side():
    trials = [text("task", 0, ann=1), text("task", 0, bob=3), text("task", 1, ann=5), text("task", 1, bob=4)]
    assert means_that_count(trials, {"ann", "bob"}) == [1, 3, 5, 4]


def test_the_ratings_that_count_are_those_of_the_means():
    """Cleo rated one of the two answers: her rating is left out, and can be counted."""
    pair = [RatedText("Q", frozenset({0}), {"ann": 2, "cleo": 5}), RatedText("Q", frozenset({1}), {"ann": 4})]
    assert comparable_ratings(pair, {"ann", "cleo"}) == [{"ann": 2}, {"ann": 4}]
