"""The order of rating."""

import numpy as np
import pytest

from assay.runs import rating_order, score_columns

RAMP = np.arange(20.0)[:, None]


@pytest.mark.parametrize("choose", ["random", "spread", "disagreement"])
def test_every_answer_comes_once_and_the_seed_decides(choose: str) -> None:
    scores = np.random.default_rng(1).normal(size=(30, 2))
    order = rating_order(choose, scores, seed=3)  # type: ignore[arg-type]
    assert sorted(order) == list(range(30))
    assert rating_order(choose, scores, seed=3) == order  # type: ignore[arg-type]
    if choose != "disagreement":
        assert rating_order(choose, scores, seed=4) != order  # type: ignore[arg-type]


def test_spread_covers_the_range_with_every_five_ratings() -> None:
    """20 answers with scores 0 to 19: each turn takes one of 0-3, 4-7, 8-11, 12-15 and 16-19."""
    order = rating_order("spread", RAMP)
    for start in range(0, 20, 5):
        assert sorted(place // 4 for place in order[start : start + 5]) == [0, 1, 2, 3, 4]


def test_disagreement_puts_first_what_one_metric_ranks_high_and_another_low() -> None:
    """Both metrics rise together, but for answer 0, which the second puts on top: its ranks differ most."""
    second = np.array([5.0, 1.0, 2.0, 3.0, 4.0])
    order = rating_order("disagreement", np.column_stack([np.arange(5.0), second]))
    assert order[0] == 0


def test_choices_by_score_need_scores() -> None:
    with pytest.raises(ValueError, match="needs the scores of 1 metric"):
        rating_order("spread", np.empty((3, 0)))
    with pytest.raises(ValueError, match="needs the scores of 2 metrics"):
        rating_order("disagreement", RAMP)


def test_score_columns_leave_gaps() -> None:
    columns = score_columns({"a": {"s0": 1.0}, "b": {"s1": 2.0}}, ["s0", "s1"])
    assert np.array_equal(columns, [[1.0, np.nan], [np.nan, 2.0]], equal_nan=True)
    assert score_columns({}, ["s0", "s1"]).shape == (2, 0)
