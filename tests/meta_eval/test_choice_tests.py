"""What is claimed of a choice: fits against scikit-learn, tests that repeat the fit, and estimates given the claim."""

import numpy as np
import pytest
from scipy.stats import truncnorm
from sklearn.linear_model import LogisticRegression, RidgeCV
from tables_of_scores import score_table

from assay.meta_eval.chance import Chance, chance_of_any, chance_of_best, chance_of_fit, chance_of_measures
from assay.meta_eval.combiners import COMBINERS, fit_combiner, logistic_weights, ridge_weights
from assay.meta_eval.cross_validation import CombinationTask, column_spearmans, cross_validate
from assay.meta_eval.estimate import Estimate
from assay.meta_eval.selection import select
from assay.meta_eval.winner_estimate import believable_error, estimate_winner, winning_limits


def plain_estimate(rho: float, error: float) -> Estimate:
    """A rho of 60 items with the interval of its standard error on Fisher's z scale."""
    low, high = np.tanh(np.arctanh(rho) + np.array([-1.96, 1.96]) * error)
    return Estimate(rho, float(low), float(high), n=60)


PLAIN = plain_estimate(0.5, 0.13)


@pytest.mark.parametrize("items", [30, 150])
def test_many_ridges_at_once_are_those_of_scikit_learn(items):
    """Targets from noise to nearly the first variable, so that different penalties are chosen."""
    generator = np.random.default_rng(0)
    x = generator.random((items, 6))
    targets = x[:, :1] * np.array([0, 1, 3, 30]) + generator.normal(size=(items, 4))
    expected = [RidgeCV(alphas=np.logspace(-2, 3, 11)).fit(x, target).coef_ for target in targets.T]
    np.testing.assert_allclose(ridge_weights(x, targets), np.transpose(expected), atol=1e-9)


@pytest.mark.parametrize("items", [30, 150])
def test_many_logistic_fits_at_once_are_those_of_scikit_learn(items):
    """Outcomes from noise to perfectly separated; a column of one outcome has equal weights."""
    generator = np.random.default_rng(1)
    x = generator.random((items, 6))
    spread = x.std(axis=0)
    good = x[:, :1] * np.array([0, 2, 100]) + generator.normal(size=(items, 3)) > np.array([0, 1, 50])
    expected = [
        LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-9).fit(x / spread, column).coef_[0] / spread
        for column in good.T
    ]
    np.testing.assert_allclose(logistic_weights(x, good), np.transpose(expected), rtol=1e-4, atol=1e-4)
    assert logistic_weights(x, np.ones((items, 1), dtype=bool)).ravel().tolist() == [1.0] * 6


@pytest.mark.parametrize("kind", COMBINERS)
def test_sets_of_ratings_are_fitted_apart(kind):
    generator = np.random.default_rng(2)
    scores, ratings = generator.normal(size=(40, 3)), generator.integers(1, 6, (40, 5)).astype(float)
    together = fit_combiner(kind, scores, ratings, middle=3.0).predict(scores[:7])
    for number in range(5):
        alone = fit_combiner(kind, scores, ratings[:, [number]], middle=3.0).predict(scores[:7])
        np.testing.assert_allclose(together[:, [number]], alone, atol=1e-6)


def test_the_critical_rho_is_the_first_that_is_no_claim():
    """Of 1,999 shufflings 19 may reach a rho for p = 20 / 2,000: the twentieth largest is 0.980."""
    chance = Chance(np.zeros(1), np.arange(1, 2000) / 2000)
    critical = chance.critical_rho(0.01)
    assert critical == pytest.approx(0.99)  # 1,980 / 2,000: 19 are above it
    assert chance.p(critical) > 0.01 >= chance.p(critical + 1e-6)
    assert Chance(np.zeros(1), np.arange(50.0) / 50).critical_rho(0.01) == 1.0  # 1 / 51 at the least


def task_of_noise(items: int, seed: int) -> CombinationTask:
    generator = np.random.default_rng(seed)
    scores, ratings = generator.normal(size=(items, 8)), generator.integers(1, 6, items).astype(float)
    return CombinationTask.build(scores, ratings, np.arange(items), middle=3, how="ranks", largest=1)


def test_the_fit_is_repeated_for_each_shuffling():
    """The figure is that of the folds; by chance it varies more than the 1 / sqrt(n - 1) of what nobody fitted."""
    task = task_of_noise(40, seed=3)
    done: list[int] = []
    chance = chance_of_fit(task, "ridge", repeats=2, folds=5, permutations=400, seed=0, on_progress=done.append)
    validation = cross_validate(task, repeats=2, folds=5, seed=0)
    ridge = next(number for number, way in enumerate(task.ways) if way.kind == "ridge")
    expected = column_spearmans(validation.predictions[ridge], task.ratings).mean()
    assert chance.reached[0] == pytest.approx(expected)
    assert np.sqrt((chance.by_chance**2).mean()) > 1.15 / np.sqrt(39)
    assert done[-1] == 400 and done == sorted(done)


def test_measures_share_one_test():
    """Five copies of one measure are one measure; a copy of the ratings is reached by no shuffling."""
    task = task_of_noise(40, seed=4)
    one = chance_of_measures(task, task.scores[:, [0]], permutations=200, seed=0)
    copies = chance_of_measures(task, task.scores[:, [0] * 5], permutations=200, seed=0)
    np.testing.assert_allclose(one.by_chance, copies.by_chance)
    chance = chance_of_measures(task, np.column_stack([task.ratings, task.scores]), permutations=199, seed=0)
    assert chance.reached[0] == pytest.approx(1.0) and chance.p(1.0) == 1 / 200


@pytest.mark.parametrize("sizes", [[1] * 40, [4] * 10, [1, 2, 4, 8, 16, 9]])
def test_the_tests_at_the_gate_shuffle_alike(sizes):
    """Of one metric the best subset is that metric, so that both tests see the same by chance."""
    groups, generator = np.repeat(np.arange(len(sizes)), sizes), np.random.default_rng(6)
    scores, ratings = generator.normal(size=(40, 1)), generator.integers(1, 6, 40).astype(float)
    task = CombinationTask.build(scores, ratings, groups, middle=3, how="ranks", largest=1)
    alone = chance_of_measures(task, task.scaled, permutations=50, seed=0)
    best = chance_of_best(task, permutations=50, seed=0)
    np.testing.assert_allclose(alone.by_chance, best.by_chance, atol=1e-9)


def test_a_joint_test_counts_what_any_of_its_tests_shows_by_chance():
    """Nine shufflings. The first test's rho is second of ten, p = .2, over .8 = .25; the second's fifth, .5 / .2 = 2.5.

    By chance the first test's best has .1 / .8 = .125, and the second's best .1 / .2 = .5: two of ten reach .25.
    """
    first = Chance(np.array([0.85]), np.arange(0.1, 1.0, 0.1))
    second = Chance(np.array([0.55]), np.arange(0.9, 0.0, -0.1))
    joint = chance_of_any([first, second], [0.8, 0.2])
    assert joint.reached[0] == pytest.approx(-0.25)
    assert joint.p(float(joint.reached[0])) == pytest.approx(0.2)


def test_one_answer_that_alone_keeps_a_measure_from_perfection_does_not_destroy_its_estimate():
    """Of 100 answers one good one is called bad: without it z is that of 1, and the jackknife's error is 3.4.

    A rival that misses two bad ones has .88; the estimate stays near what was reached, above the rival's half.
    """
    ratings = np.where(np.arange(100) < 10, 1.0, 5.0)
    values = np.where(np.arange(100) == 50, 0.0, (ratings > 3).astype(float))
    rho = float(column_spearmans(values[:, None], ratings)[0])
    error = believable_error(values, ratings, np.arange(100))
    assert 0.1 < error < 1.5
    plain = Estimate(rho, -0.9997, 0.9999, n=100)
    assert estimate_winner(plain, quoted=(0.69, 1.0), rivals=1, level=0.95).value == 0
    result = estimate_winner(plain, quoted=(0.69, 1.0), rivals=1, largest_error=error, level=0.95)
    assert result.value is not None and rho - 0.1 < result.value < rho


def test_what_would_have_been_quoted_anyway_is_not_corrected():
    result = estimate_winner(PLAIN, level=0.95)
    assert (result.value, result.n) == (pytest.approx(0.5, abs=1e-3), 60)
    assert (result.low, result.high) == (pytest.approx(PLAIN.low, abs=1e-3), pytest.approx(PLAIN.high, abs=1e-3))
    without = Estimate(0.5, problem="few")  # an interval
    assert estimate_winner(without, quoted=(0.4, 1.0), level=0.95) == without
    noise = select(score_table(60, 4, signal=0.0), resamples=5, permutations=199, repeats=1)
    selection = noise[0]  # nothing is claimed, and nothing corrected
    assert not selection.is_beyond_chance and selection.p_of_selection > 0.01
    assert selection.agreement == selection.chosen.out_of_fold


@pytest.mark.parametrize("least", [0.2, 0.3, 0.42])
def test_the_correction_is_that_of_a_truncated_normal(least):
    """0.4 z + 0.6 m, m the mean under which half of the quoted z are as large; the ends where 97.5% and 2.5% are."""
    result = estimate_winner(PLAIN, quoted=(least, 1.0), level=0.95)
    z, cut = np.arctanh(0.5), np.arctanh(least)
    median = (np.arctanh(result.value) - 0.4 * z) / 0.6
    for mean, share in ((median, 0.5), (np.arctanh(result.high), 0.975)):
        assert truncnorm.sf(z, (cut - mean) / 0.13, np.inf, mean, 0.13) == pytest.approx(share, abs=0.01)
    assert 0 <= result.low < result.value < 0.5


def test_a_close_race_ends_at_the_simultaneous_interval():
    """Where a rival has the same rho nothing is left to tell from but 3.48 errors (4.10 for 12), and the rho itself."""
    for rivals, quantile in ((0, 3.48), (11, 4.10)):
        result = estimate_winner(plain_estimate(0.9, 0.1), quoted=(0.9, 1.0), rivals=rivals, level=0.95)
        assert result.low == pytest.approx(np.tanh(np.arctanh(0.9) - quantile * 0.1), abs=0.01)
        assert result.high == 0.9
    assert estimate_winner(PLAIN, quoted=(0.5, 1.0), rivals=1000, level=0.95).low == 0.0


def test_the_limits_of_winning():
    """A rival that moves with the winner never catches it; one that is unrelated does at its own rho."""
    generator = np.random.default_rng(5)
    ratings = generator.normal(size=4000)
    winner, noise = ratings + generator.normal(size=4000), ratings + 2 * generator.normal(size=4000)
    groups = np.arange(4000)
    assert winning_limits(winner, np.empty((4000, 0)), ratings, groups) == (-1.0, 1.0)
    assert winning_limits(winner, winner[:, None], ratings, groups) == (-1.0, 1.0)
    low, high = winning_limits(winner, noise[:, None], ratings, groups)
    own = column_spearmans(noise[:, None], ratings)[0]
    assert low < own + 0.05 and high == 1.0


def test_the_claim_falls_back_to_the_metric_that_is_shown():
    """What agrees best out of fold is a combination that is not shown beyond chance; the metric in it is."""
    for seed in range(40):
        table = score_table(60, 10, signal=0.25, seed=seed)
        result = select(table, prefer="best", resamples=5, permutations=199, repeats=1, folds=3)
        selection, predictions = result
        if selection.choices[-1].rule == "shown":
            break
    assert selection.chosen.metrics == ("m0",) and selection.is_beyond_chance
    assert selection.choices[0].combination.metrics != ("m0",)
    assert [row.metrics for row in selection.combinations if row.chosen] == [("m0",)]
    np.testing.assert_array_equal(predictions.chosen, predictions.single)
