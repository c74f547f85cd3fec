"""The mean of very many answers from three levels, by hand and in simulation."""

import numpy as np
import pytest

from assay.errors import UsageError
from assay.meta_eval import (
    JudgedSample,
    LevelVariances,
    Strata,
    ThreeLevelMean,
    draw_stratified,
    plan_sample_sizes,
    three_level_mean,
    three_level_share,
)


def test_two_strata_by_hand():
    # 30 answers have the cheap score 0 and 10 have 1: W = 3/4, 1/4. Constant scores within the strata explain nothing,
    # so theta = 3/4 * mean(1, 2, 3, 2, 2) + 1/4 * mean(4, 5, 3, 4, 4) = 3/4 * 2 + 1/4 * 4 = 2.5.
    # Sums of squared deviations are 2 and 2, so the variance of the terms is (9/16 * 2 + 1/16 * 2) / 25 = 0.05, divided
    # by 1 - 1/5 for the fitted means: 0.0625. An answer adds (3/4 / 5)^2 = 0.0225 or (1/4 / 5)^2 = 0.0025, all 0.125,
    # of which 4/5 are left: 0.125 * 0.1 / (5 * 0.0225^2 + 5 * 0.0025^2) = 4.878 degrees, whose quantile is 2.590.
    # 2.5 is at 0.375 of the scale, log odds -0.5108 +- 2.590 * 0.25 / 4 / (0.375 * 0.625) = 0.6907: 0.2312 to 0.5448.
    strata = Strata.of_scores(np.repeat([0.0, 1.0], [30, 10]), strata=4)
    cheap = np.repeat([0.0, 1.0], 5)
    ratings = np.array([1.0, 2, 3, 2, 2, 4, 5, 3, 4, 4])
    result = three_level_mean(strata, JudgedSample(cheap, cheap, ratings, np.arange(10)), scale=(1, 5))
    assert strata.sizes.tolist() == [30, 10]
    assert result.mean.value == pytest.approx(2.5)
    assert result.mean.low == pytest.approx(1 + 4 * 0.2312, abs=1e-3)
    assert result.mean.high == pytest.approx(1 + 4 * 0.5448, abs=1e-3)
    assert result.ratings_alone.value == pytest.approx(3.0)
    assert result.variances == LevelVariances(pytest.approx(0.5), pytest.approx(0.5))  # 2 / 4 in each stratum


def test_a_judge_that_knows_the_rating_leaves_only_the_sample_of_judged_answers():
    random = np.random.default_rng(1)
    judged = random.normal(3, 1, size=400)
    ratings = np.where(np.arange(400) < 30, judged, np.nan)
    no_cheap = np.zeros(400)
    result = three_level_mean(
        Strata.of_scores(np.zeros(1000)), JudgedSample(no_cheap, judged, ratings, np.arange(400)), scale=(-9, 9)
    )
    assert result.mean.value == pytest.approx(judged.mean())
    assert result.variances.after_judge == pytest.approx(0, abs=1e-9)


def test_scores_against_the_ratings_do_not_help_and_do_not_harm():
    random = np.random.default_rng(2)
    ratings = random.integers(1, 6, size=100).astype(float)
    sample = JudgedSample(np.zeros(100), -ratings, ratings, np.arange(100))
    result = three_level_mean(Strata.of_scores(np.zeros(500)), sample, scale=(1, 5))
    assert result.mean.value == pytest.approx(ratings.mean())
    assert result.mean.low == result.ratings_alone.low


def test_without_a_bad_answer_the_interval_is_that_of_clopper_and_pearson():
    """None of 30: the upper end solves (1 - p)^30 = 0.025, so p = 0.1157; a judge that agrees says nothing more."""
    ratings = np.where(np.arange(100) < 30, 0.0, np.nan)
    scores = np.linspace(0, 1, 100)
    result = three_level_share(
        Strata.of_scores(np.linspace(0, 1, 900)), JudgedSample(scores, scores, ratings, np.arange(100))
    )
    for estimate in (result.mean, result.two_levels, result.ratings_alone):
        assert (estimate.value, estimate.low) == (0.0, 0.0)
        assert estimate.high == pytest.approx(0.1157, abs=5e-5)


def test_five_of_a_kind_let_the_scores_help():
    """4 bad of 40: Clopper and Pearson's 2.8% to 23.7%. With 10 of 40 the judge narrows it, to at most fourfold."""
    scores = np.tile(np.arange(40.0), 25)
    strata = Strata.of_scores(np.zeros(2000))

    def share(bad: int) -> ThreeLevelMean:
        ratings = np.where(np.arange(1000) < 40, np.tile(np.arange(40) >= 40 - bad, 25).astype(float), np.nan)
        judged = (scores >= 40 - bad).astype(float)  # never wrong
        return three_level_share(strata, JudgedSample(np.zeros(1000), judged, ratings, np.arange(1000)))

    few, enough = share(4), share(10)
    assert (few.mean.value, few.mean.low) == (pytest.approx(0.1), pytest.approx(0.0279, abs=1e-4))
    assert few.mean.high == pytest.approx(0.2366, abs=1e-4)
    # 10 of 40 as 40 of 160: 18.5% to 32.5%; of 40 alone 12.7% to 41.2%. The slope takes one of 39 degrees: 157.6 of 160
    assert enough.mean.low == pytest.approx(0.185, abs=3e-3) and enough.mean.high == pytest.approx(0.325, abs=3e-3)
    assert enough.ratings_alone.low == pytest.approx(0.127, abs=2e-3)


def test_the_interval_of_a_mean_near_the_end_of_the_scale_is_skewed():
    """Nine fives and a one: mean 4.6, variance 1.6 / 10, at 0.9 of the scale with log odds 2.197 +- 2.262 * 0.1 / 0.09.

    That is 2.513: from -0.316, or 0.4217 of the scale, to 4.710, or 0.9911. Plain +- t would end at 5 above 5.
    """
    ratings = np.repeat([5.0, 1.0], [9, 1])
    sample = JudgedSample(np.zeros(10), np.zeros(10), ratings, np.arange(10))
    mean = three_level_mean(Strata.of_scores(np.zeros(50)), sample, scale=(1, 5)).mean
    assert (mean.value, mean.low) == (pytest.approx(4.6), pytest.approx(1 + 4 * 0.4217, abs=1e-3))
    assert mean.high == pytest.approx(1 + 4 * 0.9911, abs=1e-3)


@pytest.mark.parametrize("rating", [3.0, 5.0])
def test_ratings_that_are_all_equal_or_of_few_groups_have_no_interval(rating):
    sample = JudgedSample(np.zeros(20), np.arange(20.0), np.full(20, rating), np.arange(20))
    mean = three_level_mean(Strata.of_scores(np.zeros(20)), sample, scale=(1, 5)).mean
    assert (mean.value, mean.low, mean.high) == (rating, None, None)
    assert mean.problem == "no interval: the ratings do not vary"
    few = JudgedSample(np.zeros(20), np.zeros(20), np.tile([1.0, 2, 3, 4], 5), np.repeat(np.arange(4), 5))
    mean = three_level_mean(Strata.of_scores(np.zeros(50)), few, scale=(1, 5)).mean
    assert (mean.value, mean.low, mean.groups) == (2.5, None, 4)
    assert mean.problem == "an interval needs 5 groups that differ"


def test_scores_that_lead_beyond_the_scale_leave_the_ratings_alone():
    """Twenty rated 4 and 5 by the judge's 0 and 1, twenty others at 9: the slope of 1 leads to 8.75."""
    judged = np.concatenate([np.tile([0.0, 1.0], 10), np.full(20, 9.0)])
    ratings = np.where(np.arange(40) < 20, 4 + judged, np.nan)
    ratings[0] = 5.0  # so that the slope does not explain all
    result = three_level_mean(
        Strata.of_scores(np.zeros(99)), JudgedSample(np.zeros(40), judged, ratings, np.arange(40)), scale=(1, 5)
    )
    assert result.two_levels.value == pytest.approx(4.55)
    assert result.two_levels.low == result.ratings_alone.low


def test_strata_with_few_rated_answers_are_joined():
    strata = Strata.of_scores(np.arange(100.0), strata=4)
    joined = strata.joined(np.array([1.0, 2, 3, 4, 5, 30, 80, 81, 82, 83, 84]), fewest=5)
    assert joined.sizes.sum() == 100
    assert len(joined.sizes) == 2


def test_a_draw_takes_from_each_stratum_its_share():
    cheap = np.random.default_rng(4).random(1000)
    drawn = draw_stratified(cheap, 100, strata=5, seed=7)
    assert len(set(drawn.tolist())) == 100
    edges = Strata.of_scores(cheap, 5).edges
    assert np.bincount(np.searchsorted(edges, cheap[drawn])).tolist() == [20] * 5
    assert drawn.tolist() == draw_stratified(cheap, 100, strata=5, seed=7).tolist()
    assert drawn.tolist() != draw_stratified(cheap, 100, strata=5, seed=8).tolist()


def test_a_draw_takes_each_answer_equally_often():
    cheap = np.arange(12.0)
    counts = np.zeros(12)
    for seed in range(1200):
        counts[draw_stratified(cheap, 4, strata=3, seed=seed)] += 1
    assert (abs(counts - 400) < 70).all()  # a third of 1,200; standard deviation 16


def test_a_plan_reaches_its_width():
    variances = LevelVariances(after_cheap=1.0, after_judge=0.4)
    plan = plan_sample_sizes(variances, answers=10**7, judge_cost=0.002, rating_cost=1.0, width=0.2)
    assert plan.width <= 0.2
    # m : r = sqrt(0.6 / 0.002) : sqrt(0.4 / 1) = 27.4, so V = 0.6 / (27.4 r) + 0.4 / r = 0.4219 / r; with the quantile
    # 1.97, (0.1 / 1.97)^2 = 0.002577 and r = 164
    assert plan.rated == pytest.approx(164, abs=2)
    assert plan.judged == pytest.approx(27.4 * plan.rated, rel=0.01)
    fewer = plan_sample_sizes(variances, answers=10**7, judge_cost=0.002, rating_cost=1.0, budget=plan.cost)
    assert fewer == plan


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "name a width or a budget"),
        ({"width": 1.0, "budget": 1.0}, "name a width or a budget"),
        ({"width": 0.001}, "cannot be reached"),
        ({"budget": 3.0}, "does not pay for 10 rated answers"),
        ({"width": 1.0, "judge_cost": 0.0}, "above 0"),
    ],
)
def test_a_plan_that_cannot_be_made(arguments, message):
    costs = {"judge_cost": 0.1, "rating_cost": 1.0} | arguments
    with pytest.raises(UsageError, match=message):
        plan_sample_sizes(LevelVariances(1.0, 0.5), answers=100, **costs)


def test_too_few_ratings_and_missing_scores_are_named():
    sample = JudgedSample(np.zeros(9), np.zeros(9), np.ones(9), np.arange(9))
    with pytest.raises(UsageError, match="9 rated answers do not suffice: rate at least 10"):
        three_level_mean(Strata.of_scores(np.zeros(9)), sample, scale=(1, 5))
    with pytest.raises(UsageError, match="each answer needs a cheap score"):
        Strata.of_scores(np.array([1.0, np.nan]))
    with pytest.raises(UsageError, match="51 of 50"):
        draw_stratified(np.zeros(50), 51)
