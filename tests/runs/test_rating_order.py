"""The order of rating, and the weights that undo a drawn one."""

from collections.abc import Sequence

import numpy as np
import pytest

from assay.runs import rating_order, score_columns


def inverse_probability_weights(probabilities: Sequence[float], total: int) -> list[float]:
    """Weights that make the mean of sequentially drawn items an unbiased estimate of the mean of all.

    With q_m the probability of the m-th of M draws without replacement from N items, the weight is
    1 + (N - M) / (N - m) * (1 / ((N - m + 1) q_m) - 1) (Farquhar, Gal and Rainforth, 2021, "On Statistical Bias in
    Active Learning", R_LURE).
    """
    draws = len(probabilities)
    return [
        1.0 if total == place else 1 + (total - draws) / (total - place) * (1 / ((total - place + 1) * probability) - 1)
        for place, probability in enumerate(probabilities, start=1)
    ]


RAMP = np.arange(20.0)[:, None]


@pytest.mark.parametrize("choose", ["random", "spread", "disagreement", "active"])
def test_every_answer_comes_once_and_the_seed_decides(choose: str) -> None:
    scores = np.random.default_rng(1).normal(size=(30, 2))
    order, _ = rating_order(choose, scores, seed=3)  # type: ignore[arg-type]
    assert sorted(order) == list(range(30))
    assert rating_order(choose, scores, seed=3)[0] == order  # type: ignore[arg-type]
    if choose != "disagreement":
        assert rating_order(choose, scores, seed=4)[0] != order  # type: ignore[arg-type]


def test_spread_covers_the_range_with_every_five_ratings() -> None:
    """20 answers with scores 0 to 19: each turn takes one of 0-3, 4-7, 8-11, 12-15 and 16-19."""
    order, _ = rating_order("spread", RAMP)
    for start in range(0, 20, 5):
        assert sorted(place // 4 for place in order[start : start + 5]) == [0, 1, 2, 3, 4]


def test_disagreement_puts_first_what_one_metric_ranks_high_and_another_low() -> None:
    """Both metrics rise together, but for answer 0, which the second puts on top: its ranks differ most."""
    second = np.array([5.0, 1.0, 2.0, 3.0, 4.0])
    order, _ = rating_order("disagreement", np.column_stack([np.arange(5.0), second]))
    assert order[0] == 0


def test_active_prefers_the_ends_of_the_score_and_its_weights_undo_that() -> None:
    """The mean over many draws of the weighted mean of 8 of 20 values is the mean of all, 9.5 (of squares: 123.5)."""
    values = RAMP[:, 0] ** 2
    first, estimates, unweighted = [], [], []
    for seed in range(1500):
        order, probabilities = rating_order("active", RAMP, seed=seed)
        assert probabilities is not None
        weights = inverse_probability_weights(probabilities[:8], 20)
        first.append(order[0])
        estimates.append(float(np.mean(np.array(weights) * values[order[:8]])))
        unweighted.append(float(values[order[:8]].mean()))
    ends = np.isin(first, [0, 1, 18, 19]).mean()
    assert ends > 0.25  # 0.2 if drawn evenly; 0.5 / 20 + 0.5 * (0.475 + 0.425) * 2 / 5 a pair: 0.28 together
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - values.mean()) < 3 * error
    assert abs(np.mean(unweighted) - values.mean()) > 3 * error  # without the weights it is biased


def test_choices_by_score_need_scores() -> None:
    with pytest.raises(ValueError, match="needs the scores of 1 metric"):
        rating_order("spread", np.empty((3, 0)))
    with pytest.raises(ValueError, match="needs the scores of 2 metrics"):
        rating_order("disagreement", RAMP)


def test_score_columns_leave_gaps() -> None:
    columns = score_columns({"a": {"s0": 1.0}, "b": {"s1": 2.0}}, ["s0", "s1"])
    assert np.array_equal(columns, [[1.0, np.nan], [np.nan, 2.0]], equal_nan=True)
    assert score_columns({}, ["s0", "s1"]).shape == (2, 0)
