"""The bias of a judge, by hand."""

import pytest

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.metrics import Score
from assay.runs import measure_position


def score(value, **evidence):
    return Score(value, "failed" if value is None else "scored", "", evidence, Usage())


def test_position_is_that_of_two_answers_in_both_orders():
    """Of six pairs one is decided by the order (2 of 2 choices first), one chosen once (1 of 1), one last (0 of 2).

    The other three are decided by the answer, 1 of 2 each: 6 of 11 choices fell on what was read first.
    """
    samples = [Sample(id=f"s{place}", user_input="q", response="a", group=f"g{place}") for place in range(6)]

    def pair(first, second):
        orders = [{"shown_first": "first", "choice": first}, {"shown_first": "second", "choice": second}]
        return score(0.5, orders=orders, contradiction={first, second} == {"first", "second"})

    choices = [("first", "second"), ("first", "tie"), ("second", "first"), *[("first", "first")] * 3]
    scores = {f"s{place}": pair(*both) for place, both in enumerate(choices)}
    change = measure_position(samples, scores, is_of_pairs=True)
    assert change.value == pytest.approx(6 / 11 - 0.5)
    assert change.low is not None and change.high is not None and -0.5 < change.low < 0 < change.high < 0.5
