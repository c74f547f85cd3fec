"""What a number of ratings could have shown."""

import math

import pytest
from scipy import stats

from assay.meta_eval.estimate import Estimate
from assay.meta_eval.power import AgreementPower


def test_more_measures_need_a_larger_agreement():
    """60 answers, 12 measures at 1%: (z(1 - .01/12) + z(.8)) sqrt(1.06/57) = (3.144 + .842) * .13637 = .5435."""
    power = AgreementPower(60, 60.0, 12, 0.01)
    assert power.smallest_shown() == pytest.approx(math.tanh(0.5435), abs=2e-4)
    assert power.power_of(power.smallest_shown()) == pytest.approx(0.8)
    assert AgreementPower(60, 60.0, 1, 0.01).smallest_shown() < power.smallest_shown()


def test_the_ratings_that_show_an_agreement():
    """For .4: 3 + 1.06 ((3.144 + .842) / .4236)^2 = 96.8 independent answers, so 37 more than 60.

    Where the 60 are worth 40, each new answer is worth as much less: 60 * 96.8 / 40 = 145.2, 86 more.
    """
    assert AgreementPower(60, 60.0, 12, 0.01).more_ratings(0.4) == 37
    assert AgreementPower(60, 40.0, 12, 0.01).more_ratings(0.4) == 86
    assert AgreementPower(200, 200.0, 12, 0.01).more_ratings(0.4) == 0


def test_the_effective_number_follows_from_the_width_of_the_intervals():
    """An interval of 30 groups whose half width on Fisher's scale is t(29) sqrt(1.06 / 47) is that of 50 answers."""
    away = float(stats.t.ppf(0.975, 29)) * math.sqrt(1.06 / 47)
    rho = Estimate(math.tanh(0.1), math.tanh(0.1 - away), math.tanh(0.1 + away), n=120, groups=30)
    unknown = Estimate(None, problem="all values are equal")
    power = AgreementPower.from_intervals(120, [rho, rho, unknown], measures=2, error=0.01, level=0.95)
    assert power.effective == pytest.approx(50)
    assert AgreementPower.from_intervals(40, [rho], measures=1, error=0.01, level=0.95).effective == 40
    assert AgreementPower.from_intervals(40, [unknown], measures=1, error=0.01, level=0.95).effective == 40
