"""The share of months without a change in which evidence reaches so many standard errors."""

import math

import numpy as np
import pytest

from assay.meta_eval.monthly_p_value import monthly_p_value, needed_z


def test_the_monthly_p_value_is_the_share_of_simulated_months():
    """Means of 1 to 30 of the last nightly runs, standardised, over 30 nightly runs."""
    sums = np.cumsum(np.random.default_rng(8).standard_normal((20_000, 60)), axis=1)
    highest = np.full(len(sums), -np.inf)
    for length in range(1, 31):
        looks = (sums[:, 30:] - sums[:, 30 - length : 60 - length]) / math.sqrt(length)
        highest = np.maximum(highest, looks.max(axis=1))
    for z in (2.0, 2.5, 3.0, 3.326, 3.7):
        share = (highest >= z).mean()
        assert monthly_p_value(z) == pytest.approx(share, rel=0.06, abs=3 * math.sqrt(share / len(sums)))
    assert monthly_p_value(-5) == monthly_p_value(0) > 0.98
    assert monthly_p_value(math.inf) < 1e-300


@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
def test_the_needed_z_is_the_inverse(level):
    assert monthly_p_value(needed_z(level)) == pytest.approx(level)
