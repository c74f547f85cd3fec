"""The position bias of a judge that compares two answers, derived by hand."""

import pytest

from assay.metrics import failed, scored
from assay.runs import measure_position_bias


def orders(*choices):
    """Scores of comparisons, by what was chosen in the given order and in the other."""
    made = []
    for forth, back in choices:
        evidence = {
            "orders": [{"shown_first": "first", "choice": forth}, {"shown_first": "second", "choice": back}],
            "contradiction": {forth, back} == {"first", "second"},
        }
        made.append(scored(0.5, "", evidence))
    return made


def test_the_position_bias_by_hand():
    """Choices: 2 of the first shown, 1 and 1, 1 and none, 1 and 1, none and 1, 0 of 2: 5 of 10 fell on the first."""
    comparisons = orders(
        ("first", "second"),  # first shown, first shown: a contradiction
        ("first", "first"),  # first shown, second shown
        ("first", "tie"),  # first shown
        ("second", "second"),  # second shown, first shown
        ("tie", "first"),  # second shown
        ("second", "first"),  # second shown twice: a contradiction
        ("tie", "tie"),
    )
    without = [scored(0.5, "the two answers are the same", {"orders": [], "contradiction": False}), failed("broken")]
    bias = measure_position_bias([*comparisons, *without], [str(n) for n in range(9)])
    assert bias.comparisons == 7
    assert bias.first_shown.value == pytest.approx(5 / 10)
    assert bias.contradictions.value == pytest.approx(2 / 7)
    low, high = bias.first_shown.low, bias.first_shown.high
    assert low is not None and high is not None
    assert 0 < low < 0.5 < high < 1


def test_a_judge_that_never_chooses_has_no_bias():
    bias = measure_position_bias(orders(*[("tie", "tie")] * 6), list("abcdef"))
    assert bias.first_shown.value is None
