"""Thresholds, Clopper-Pearson for groups, and prediction-powered inference."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster
from tables_of_scores import table_of

from assay.meta_eval import (
    estimate_share,
    evaluate_table,
    fit_scorer,
    intraclass_correlation,
    p_of_share,
    triage_policy,
    variance_of_mean,
)


def test_clopper_pearson_is_scipys():
    holds = np.array([True] * 3 + [False] * 17)
    estimate, exact = estimate_share(holds, np.arange(20)), stats.binomtest(3, 20).proportion_ci(0.95, method="exact")
    assert (estimate.value, estimate.low, estimate.high) == (0.15, pytest.approx(exact.low), pytest.approx(exact.high))


def test_nothing_wrong_among_twenty_nine_is_below_a_tenth():
    """1 - .05^(1/29) = .098: what a one-sided bound of 95% says after 29 right answers, and 28 are not enough."""
    one_sided = [estimate_share(np.zeros(n, bool), np.arange(n), 0.90).high for n in (28, 29)]
    assert one_sided == pytest.approx([1 - 0.05 ** (1 / 28), 1 - 0.05 ** (1 / 29)])
    assert one_sided[1] < 0.1 < one_sided[0]


def test_the_variance_of_a_mean_over_groups_is_that_of_a_regression_on_a_constant():
    generator = np.random.default_rng(4)
    values, groups = generator.normal(size=40), generator.integers(0, 9, 40)
    expected = cov_cluster(OLS(values, np.ones(40)).fit(), groups)[0, 0]
    assert variance_of_mean(values, groups) == pytest.approx(expected)
    assert variance_of_mean(values, np.zeros(40, int)) == np.inf  # one group tells none


def test_a_perfect_score_sends_the_good_and_holds_the_bad():
    ratings = np.repeat([1.0, 3.0, 5.0], [60, 20, 60])
    noise = np.random.default_rng(0).uniform(-0.4, 0.4, 140)
    policy = triage_policy(table_of({}, ratings), ratings + noise)
    # the bound is on bad answers: those rated 3 may be sent, and a few rated 1 until one in ten cannot be ruled out
    assert policy.problem == "" and policy.send_at is not None and policy.hold_below is not None
    assert policy.sent >= 75
    assert policy.wrong_rate.value is not None and policy.wrong_rate.value <= 0.1
    assert policy.sent + policy.held + policy.to_person == 140


def test_a_useless_score_sends_nothing_and_says_what_it_would_take():
    generator = np.random.default_rng(2)
    ratings = np.repeat([1.0, 5.0], 40)
    policy = triage_policy(table_of({}, ratings), generator.normal(size=80))
    assert (policy.send_at, policy.sent, policy.wrong_rate.value) == (None, 0, None)
    assert policy.problem == (
        "no threshold keeps the share of bad answers among those sent at 10% or less with 95% confidence: 40 of 80 "
        "rated answers are bad, and at least 29 answers must be sent without a bad one among them "
        "(more where answers come in groups)"
    )


def test_the_p_value_of_a_share_by_hand():
    """1 wrong of 46: .9^46 + 46 * .1 * .9^45 = .0480. Pairs with rho 1/2 count as 46 / 1.5 with 2/3 wrong."""
    wrong = np.arange(46) == 0
    assert p_of_share(wrong, np.arange(46), 0.1, 0.5) == pytest.approx(0.9**46 + 4.6 * 0.9**45)
    paired = p_of_share(wrong, np.arange(46) // 2, 0.1, 0.5)
    assert paired == pytest.approx(stats.beta.sf(0.1, 2 / 3 + 1, 46 / 1.5 - 2 / 3)) and paired > 0.1


def test_the_correlation_within_groups_by_hand():
    """Groups 0 0 1 | 1 1 0: between 1/6, within 1/3, so the estimate is 0; its error is sqrt(2 * 5 / (9 * 4 * 1))."""
    values, groups = np.array([0.0, 0, 1, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 1])
    assert intraclass_correlation(values, groups) == pytest.approx(np.sqrt(10 / 36) / 2)
    assert intraclass_correlation(values, np.arange(6)) == 0.0
    assert intraclass_correlation(values, np.zeros(6, int)) == 1.0


def test_the_strictest_threshold_is_tested_first():
    """Of the best 30, 3 are bad, and then none of 300: over all 330 that is 1%, but the first test fails."""
    predicted = np.arange(330.0)
    ratings = np.full(330, 5.0)
    ratings[-30::10] = 1.0
    policy = triage_policy(table_of({}, ratings), predicted)
    assert policy.send_at is None and policy.problem.startswith("no threshold keeps")
    ratings[-30:], ratings[:30:10] = 5.0, 1.0
    assert triage_policy(table_of({}, ratings), predicted).send_at == 0.0


def test_no_threshold_is_offered_where_the_check_found_more_bad_answers_than_the_aim():
    generator = np.random.default_rng(11)
    quality = generator.normal(size=120)
    policy = triage_policy(
        table_of({}, np.where(quality < -1, 1.0, 5.0)), 0.4 * quality + generator.normal(size=120), folds=2
    )
    assert (policy.send_at, policy.sent, policy.sent_bad) == (None, 0, 0)
    assert (policy.checked_sent, policy.checked_sent_bad) == (54, 8)
    assert policy.problem == "in the check 8 of 54 answers sent were bad, which is more than 10%"


def test_what_is_counted_is_what_the_thresholds_that_stand_do():
    """What stands sends 62 and holds 44 of 120, whatever those of the folds did, which is told apart."""
    generator = np.random.default_rng(4)
    predicted = generator.integers(0, 40, 120) / 13
    ratings = np.where(predicted + generator.normal(scale=0.1, size=120) > 1.5, 5.0, 1.0)
    policy = triage_policy(table_of({}, ratings), predicted)
    assert (policy.send_at, policy.hold_below) == (1.53, 1.23)
    sent, held = predicted >= policy.send_at, predicted < policy.hold_below
    counts = (sent.sum(), (sent & (ratings < 3)).sum(), held.sum(), (held & (ratings > 3)).sum(), (~sent & ~held).sum())
    assert counts == (62, 2, 44, 0, 14)
    assert (policy.sent, policy.sent_bad, policy.held, policy.held_good, policy.to_person) == counts
    assert (policy.checked_sent, policy.checked_sent_bad) == (55, 2)
    assert policy.wrong_rate.value == policy.checked_sent_bad / policy.checked_sent


def test_answers_of_one_score_are_treated_alike():
    """Every bad answer has the score 0 and every good one 1, in groups of unequal size: none of the sent is bad."""
    generator = np.random.default_rng(15)
    scores = np.repeat([1.0, 0.0], [240, 120])
    ratings = np.where(scores == 1, generator.choice([3.0, 4.0, 5.0], 360), generator.choice([1.0, 2.0], 360))
    groups = tuple(f"g{number}" for number in generator.integers(0, 40, 360))
    evaluation = evaluate_table(table_of({"faithfulness": scores}, ratings, groups=groups), permutations=200, repeats=1)
    assert evaluation.policy is not None
    assert (evaluation.policy.sent, evaluation.policy.sent_bad) == (240, 0)


def test_an_answer_without_a_score_is_never_sent_and_lowers_no_threshold():
    """60 scored 1 are rated 5, 20 scored 0 are rated 1, 6 without a score 3.

    Of the 60 none is bad (without a fold too: 0.9^57 = 0.002 < 0.05): they are sent, at 5. The 6 would stand between,
    at 3, without a bad one either; nothing is known of them.
    """
    scores, ratings = np.repeat([1.0, 0.0, np.nan], [60, 20, 6]), np.repeat([5.0, 1.0, 3.0], [60, 20, 6])
    evaluation = evaluate_table(table_of({"judge": scores}, ratings), permutations=200, repeats=1)
    policy, selection = evaluation.policy, evaluation.selection
    assert policy is not None and selection is not None
    assert (policy.send_at, policy.sent, policy.sent_bad, policy.unscored) == (5.0, 60, 0, 6)
    assert policy.sent + policy.held + policy.to_person == 86 and policy.to_person >= 6
    assert selection.predictions[-6:] == (None,) * 6 and None not in selection.predictions[:-6]


@pytest.mark.parametrize(("metric", "send_at"), [("faithfulness", 5.0), ("token_overlap", None)])
def test_what_the_verdict_sends_unread_is_what_the_policy_and_the_scorer_send(metric, send_at):
    """60 good answers and 60 bad ones that a score tells apart: only of word overlap alone the verdict lets none go."""
    table = table_of({metric: np.repeat([1.0, 0.0], 60)}, np.repeat([5.0, 1.0], 60))
    evaluation = evaluate_table(table, permutations=200, repeats=1)
    said = evaluation.verdict.statements[2][1].name
    assert said == ("use_best" if send_at else "use_reading")
    assert evaluation.policy is not None
    assert evaluation.policy.send_at == fit_scorer(table, evaluation).send_at == send_at
    problem = "" if send_at else "not by word overlap or length, which an added polite sentence changes"
    assert evaluation.policy.problem == problem
