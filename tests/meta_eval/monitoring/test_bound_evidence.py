"""The state of an alarm, the score of skewed means, and what it takes to find a fall."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.meta_eval.monitoring.bound_evidence import (
    CLEARED,
    FALSE_ALARMS,
    AlarmState,
    DayEvidence,
    _normal_scores,
    ratings_needed,
    t_of_score,
)


def test_an_alarm_stands_until_later_days_are_within_the_bound():
    state = AlarmState().after(3, DayEvidence(FALSE_ALARMS * 1.01, 2))
    assert not state.is_raised
    state = state.after(4, DayEvidence(FALSE_ALARMS, 2))
    assert (state.is_raised, state.since, state.raised_at, state.first_change) == (True, 2, 4, 2)
    state = state.after(5, DayEvidence(0.9, 5, p_within=CLEARED * 1.01, within_start=5))  # between the two
    assert state.is_raised and state.p == FALSE_ALARMS
    state = state.after(9, DayEvidence(0.9, 5, p_within=CLEARED, within_start=6))
    assert (state.is_raised, state.since, state.restart, state.first_change) == (False, None, 6, 2)


def test_calm_days_clear_an_alarm_too():
    state = AlarmState().after(4, DayEvidence(0.01, 2)).after(20, DayEvidence(1.0, 5, 1.0, True, 6))
    assert not state.is_raised and state.restart == 6


@pytest.mark.parametrize("shape", [4.0, 16.0, 100.0])
def test_the_score_of_a_skewed_mean_is_that_of_its_tail(shape):
    """A gamma variable of shape k has skewness 2 / sqrt(k)."""
    for z in (1.0, 2.0, 3.33):
        t = (stats.gamma.isf(stats.norm.sf(z), shape) - shape) / math.sqrt(shape)
        scores = _normal_scores(np.array([t]), math.inf, np.array([2 / math.sqrt(shape)]))
        assert scores[0] == pytest.approx(z, rel=0.02)


@pytest.mark.parametrize("degrees", [4.0, 30.0, math.inf])
@pytest.mark.parametrize("skewness", [-0.5, 0.0, 0.8])
def test_the_t_of_a_score_is_the_inverse(degrees, skewness):
    for z in np.linspace(1, 4, 7):
        t = np.array([t_of_score(float(z), degrees, skewness)])
        assert _normal_scores(t, degrees, np.array([skewness]))[0] == pytest.approx(z)


def test_ratings_needed_grow_with_the_square_of_the_fall():
    few, many = (ratings_needed(0.64, fall, days=30, needed=3.33) or 0 for fall in (0.3, 0.1))
    assert many == pytest.approx(9 * few, rel=0.2)


def test_no_number_of_ratings_makes_up_for_few_judged_answers():
    """0.1 / (3.33 + .84) = .024: a standard error of .03 from what is not judged is more."""
    assert ratings_needed(0.64, 0.1, days=30, needed=3.33, others=0.03**2) is None
