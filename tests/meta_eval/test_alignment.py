"""A judge that learned: calibration by hand, what wins and what does not."""

import numpy as np
import pytest
from tables_of_scores import table_of

from assay.meta_eval import AS_IT_IS, AlignmentResult, Floats, Places, compare_candidates, fit_calibration


def odds(p: Floats) -> Floats:
    result: Floats = np.log(p / (1 - p))
    return result


def test_calibration_by_hand():
    """Of what is said with .8 half is good, of what is said with .2 a fifth.

    Two points, two parameters: a + b ln 4 = ln(.5 / .5) = 0 and a - b ln 4 = ln(.2 / .8) = -ln 4, so that a = -ln 2 and
    b = 1/2. Twice the weight for each yes of the first: 2 x .5 / (2 x .5 + .5) = 2/3, a = -ln 2 / 2 and b = 3/4.
    """
    said = odds(np.repeat([0.8, 0.2], 10))
    good = np.repeat([0.5, 0.2], 10)
    assert fit_calibration(said, good, np.ones(20)) == pytest.approx((-np.log(2), 0.5), abs=1e-4)
    yes_no, heavier = np.tile([1.0, 0.0], 5), np.tile([2.0, 1.0], 5)
    good, weights = np.concatenate([yes_no, good[10:]]), np.concatenate([heavier, np.ones(10)])
    assert fit_calibration(said, good, weights) == pytest.approx((-np.log(2) / 2, 0.75), abs=1e-4)


def test_calibration_undoes_a_known_miscalibration():
    """Truth q, said p with logit p = 2 logit q + 1: the map back is logit q = logit p / 2 - 1/2."""
    truth = np.linspace(0.05, 0.95, 400)
    assert fit_calibration(2 * odds(truth) + 1, truth, np.ones(400)) == pytest.approx((-0.5, 0.5), abs=1e-4)


@pytest.mark.filterwarnings("error")
def test_targets_that_are_told_apart_are_calibrated_steeply():
    """Every yes is said with more than a half: the penalty alone ends the slope. No warning of a library is shown."""
    said = np.concatenate([np.linspace(-15, -0.1, 300), np.linspace(0.1, 15, 300)])
    intercept, slope = fit_calibration(said, (said > 0).astype(float), np.ones(600))
    assert slope > 40 and intercept == pytest.approx(0, abs=1e-3)


def test_what_cannot_be_calibrated_stays():
    assert fit_calibration(np.zeros(20), np.linspace(0, 1, 20), np.ones(20)) is None
    assert fit_calibration(np.linspace(-1, 1, 20), np.full(20, 0.5), np.ones(20)) is None
    assert fit_calibration(np.linspace(-1, 1, 9), np.linspace(0, 1, 9), np.ones(9)) is None


def test_a_judge_that_is_right_against_the_grain_gets_no_falling_map():
    """The mean target is a half: log odds 0."""
    said = np.linspace(0.1, 0.9, 40)
    assert fit_calibration(odds(said), 1 - said, np.ones(40)) == pytest.approx((0, 0), abs=1e-12)


Answers = tuple[Floats, Places, Floats]


def simulate(seed: int, answers: int = 90, claims: int = 4) -> Answers:
    """P of each claim (answers, claims), the group of each answer, and its rating in 1..5.

    A claim is supported or not. The judge says about 0.97 of a supported one and, half of the time, anything between
    0.5 and 0.93 of one that is not, so that its mean hardly moves: what is below 0.95 should count as nothing.
    """
    draw = np.random.default_rng(seed)
    group = np.repeat(np.arange(answers // 2), 2)
    rate = np.clip(draw.beta(2, 1, answers // 2)[group] + draw.normal(0, 0.1, answers), 0.05, 0.95)
    supported = draw.uniform(size=(answers, claims)) < rate[:, None]
    unsupported = np.where(draw.uniform(size=supported.shape) < 0.5, draw.uniform(0.5, 0.93, supported.shape), 0.9)
    said = np.where(supported, draw.uniform(0.95, 0.99, supported.shape), unsupported)
    ratings = np.clip(np.round(1 + 4 * supported.mean(axis=1) + draw.normal(0, 0.4, answers)), 1, 5)
    return said, group, ratings


def align(simulated: Answers, ratings: Floats, seed: int = 0) -> AlignmentResult:
    """Compares the mean P as it is with the mean of calibrated P, as `assay judges align` does for faithfulness."""
    said, group, _ = simulated
    table = table_of({}, ratings, groups=tuple(map(str, group)))

    def calibrated(training: Places, others: Places) -> Floats:
        targets = np.repeat((ratings[training] - 1) / 4, said.shape[1])
        intercept, slope = fit_calibration(odds(said[training]).ravel(), targets, np.ones(len(targets)))
        scores: Floats = (1 / (1 + np.exp(-intercept - slope * odds(said[others])))).mean(axis=1)
        return scores

    candidates = {AS_IT_IS: lambda _, others: said[others].mean(axis=1), "calibrated": calibrated}
    return compare_candidates(table, candidates, permutations=400, seed=seed)


def test_what_wins_is_adopted_with_its_figures():
    simulated = simulate(0)
    result = align(simulated, simulated[2])
    assert result.is_adopted and result.chosen == "calibrated"
    first, calibrated = result.rows
    assert first.name == AS_IT_IS and first.difference is None
    assert calibrated.squared_error < first.squared_error
    assert "beyond noise" in result.reason
    assert "lie nearer" in result.reason and result.gain is None
