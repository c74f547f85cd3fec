"""Prediction-powered means: against ppi-python, brute force and by hand."""

import math

import numpy as np
import pytest
from scipy import special, stats
from tables_of_scores import score_table

from assay.errors import UsageError
from assay.meta_eval import (
    Estimate,
    Floats,
    MeanRating,
    estimate_mean,
    estimate_share,
    mean_of_table,
    powered_mean,
    prediction_powered_mean,
    ratings_for_width,
)

RATINGS = np.array([1, 5, 4, 2, 5, 3, 4, 1, 5, 4.0])
SCORES = 5 * np.array([0.2, 0.9, 0.6, 0.4, 0.7, 0.5, 0.9, 0.1, 0.8, 0.6])
UNRATED = 5 * np.array(
    [0.3, 0.8, 0.5, 0.6, 0.9, 0.2, 0.7, 0.75, 0.4, 0.55, 0.65, 0.85, 0.1, 0.95, 0.5, 0.6, 0.7, 0.3, 0.8, 0.45]
)


def powered(scores: Floats, unrated: Floats, groups: Floats | None = None) -> MeanRating:
    """Ten rated answers, then unrated ones; unless said, each its own group."""
    count = 10 + len(unrated)
    ratings = np.append(RATINGS, np.full(len(unrated), np.nan))
    numbers = np.arange(count) if groups is None else groups
    return prediction_powered_mean(ratings, np.append(scores, unrated), numbers, scale=(1, 5))


def test_the_powered_mean_is_that_of_ppi_python():
    """ppi_mean_pointestimate of ppi-python 0.2.3 gives 3.44002287 on these."""
    estimate = powered(SCORES, UNRATED)
    assert estimate.mean.value == pytest.approx(3.44002287)
    rest = RATINGS - estimate.power * SCORES
    assert np.sqrt(rest.var() / 10 + estimate.power**2 * UNRATED.var() / 20) == pytest.approx(0.29333918)
    assert (estimate.rated, estimate.unrated, estimate.classical.value) == (10, 20, 3.4)


def test_scores_that_say_nothing_leave_the_ratings_alone():
    estimate = powered(np.full(10, 2.0), np.full(20, 2.0))
    alone = estimate_mean(RATINGS, [str(number) for number in range(10)], bounds=(1, 5))
    assert (estimate.power, estimate.mean) == (0.0, estimate.classical)
    assert (estimate.mean.low, estimate.mean.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_scores_against_the_ratings_do_not_help_and_do_not_harm():
    estimate = powered(-SCORES, -UNRATED)
    assert (estimate.power, estimate.mean) == (0.0, estimate.classical)


def test_groups_that_hold_rated_and_unrated_answers_are_left_out_whole():
    """Rated and unrated answers of the same ten groups: the estimate without a group is that of the others."""
    groups = np.append(np.arange(10), np.repeat(np.arange(10), 2))
    ratings, scores = np.append(RATINGS, np.full(20, np.nan)), np.append(SCORES, UNRATED)
    estimate = powered(SCORES, UNRATED, groups).mean
    columns = (ratings, scores, groups)
    left_out = [powered_mean(*(column[groups != group] for column in columns)).value for group in range(10)]
    place, *without = special.logit((np.append(estimate.value, left_out) - 1) / 4)
    away = stats.t.ppf(0.975, 9) * np.sqrt(9 * np.var(without))
    assert [estimate.low, estimate.high] == pytest.approx(1 + 4 * special.expit([place - away, place + away]), rel=1e-4)


def test_scores_that_lead_beyond_the_scale_leave_the_ratings_alone():
    """Twenty rated 4 and 5 by the scores 0 and 1, and many others scored 99: the slope leads above 5."""
    scores = np.concatenate([np.tile([0.0, 1.0], 10), np.full(20, 99.0)])
    ratings = np.where(np.arange(40) < 20, 4 + scores, np.nan)
    ratings[0] = 5.0
    estimate = prediction_powered_mean(ratings, 1e6 * scores, np.arange(40), scale=(1, 5))
    assert 1 < estimate.mean.value <= 5


def test_a_share_is_never_known_better_than_its_ratings_tell():
    """Five of ten, one bad in each pair: nothing varies between pairs, and yet ten answers tell no more than
    Clopper and Pearson (1934) have of 5 of 10: 18.7% to 81.3%, wider still for five groups."""
    ratings = np.tile([1.0, 5.0], 5)
    result = prediction_powered_mean(ratings, np.zeros(10), np.repeat(np.arange(5), 2), scale=(1, 5)).bad_share
    assert result.value == 0.5
    assert result.low <= 0.187 and result.high >= 0.813


def test_without_a_bad_answer_the_share_is_that_of_clopper_and_pearson():
    """None of 30: the upper end solves (1 - p)^30 = 0.025, so p = 0.1157; scores say nothing more."""
    ratings = np.where(np.arange(100) < 30, 5.0, np.nan)
    share = prediction_powered_mean(ratings, np.linspace(0, 1, 100), np.arange(100), scale=(1, 5)).bad_share
    assert (share.value, share.low) == (0.0, 0.0)
    assert share.high == pytest.approx(0.1157, abs=5e-5)


def test_five_of_a_kind_let_the_scores_help():
    """4 bad of 40: Clopper and Pearson's 2.8% to 23.7%. With 10 of 40 the score narrows it, to at most fourfold."""
    shares = {}
    for bad in (4, 10):
        good = np.tile(np.arange(40) >= bad, 25).astype(float)
        ratings = np.where(np.arange(1000) < 40, 1 + 4 * good, np.nan)
        shares[bad] = prediction_powered_mean(ratings, good, np.arange(1000), scale=(1, 5)).bad_share
    alone = estimate_share(np.arange(40) < 4, np.arange(40))
    assert (shares[4].value, shares[4].low, shares[4].high) == pytest.approx((0.1, alone.low, alone.high))
    # 10 of 40 as 40 of 160: 18.5% to 32.5%; of 40 alone 12.7% to 41.2%
    assert (shares[10].low, shares[10].high) == pytest.approx((0.185, 0.325), abs=3e-3)


def test_ratings_of_few_groups_have_no_interval():
    ratings = np.append(np.tile([1.0, 2, 3, 4], 5), np.full(30, np.nan))
    groups = np.append(np.repeat(np.arange(4), 5), np.arange(9, 39))
    estimate = prediction_powered_mean(ratings, np.zeros(50), groups, scale=(1, 5))
    for part in (estimate.mean, estimate.classical, estimate.bad_share):
        assert (part.low, part.groups, part.problem) == (None, 4, "an interval needs 5 groups that differ")


def test_too_few_ratings_are_named():
    with pytest.raises(UsageError, match="9 rated answers do not suffice: rate at least 10"):
        mean_of_table(score_table(40, 1, signal=1.0, unrated=31), ("m0",))


def test_how_many_ratings_a_width_takes_by_hand():
    """Half the width takes a quarter of the variance, and so four times the ratings; the present width as many as now.

    With as much variance by the scores: (r + v) / 4 - v is below 0, and at W / W0 = .8 20 / (2 * .64 - 1) = 71.4: 72.
    """
    present = Estimate(3.0, 2.0, 4.0, n=20)
    assert [ratings_for_width(width, present, 0.1, 0.0, most=80) for width in (2.0, 1.0)] == [20, 80]
    assert ratings_for_width(1.0, present, 0.1, 0.0, most=79) is None
    assert ratings_for_width(1.0, present, 0.1, 0.1, most=1000) is None  # the scores alone leave more than that
    assert ratings_for_width(1.6, present, 0.1, 0.1, most=1000) == 72
    assert ratings_for_width(1.0, Estimate(3.0, n=20), 0.1, 0.0, most=80) is None


def balanced_ratings(rated: int) -> MeanRating:
    """100 answers of the scores -1 and 1, half of each; the rated ones are 3 + score + 1 as often as 3 + score - 1."""
    scores, extra = np.tile([-1.0, -1, 1, 1], 25), np.tile([-1.0, 1], 50)
    ratings = np.where(np.arange(100) < rated, 3 + scores + extra, np.nan)
    return prediction_powered_mean(ratings, scores, np.arange(100), scale=(0, 6))


def test_what_the_scores_leave_stays_as_more_is_rated():
    """cov = 1 and var = 100/99, so the slope is .99 and lambda .99 (1 - 40/100). Y - .99 f is 3 +- .01 +- 1: its mean
    varies by r = 1.0001 / 39, and .99 times the mean of all scores by v = .99^2 / 99 = .0099, however many are rated.
    With so many the width is .6 less up to 3%: t with 83 degrees is 1.7% below that with 39, and 40/39 is 1 by then.
    """
    now = balanced_ratings(40)
    assert now.power == pytest.approx(0.99 * 0.6)
    rating_variance, share = 1.0001 / 39, (0.6 / (now.mean.high - now.mean.low)) ** 2
    needed = math.ceil(40 * rating_variance / ((rating_variance + 0.0099) * share - 0.0099))
    assert dict(now.ratings_for_width)[0.6] == needed
    reached = balanced_ratings(4 * round(needed / 4)).mean
    assert 0.58 < reached.high - reached.low <= 0.6


def test_of_two_strata_each_counts_by_its_items():
    """40 items of which 10 are rated 2, and 10 of which all are rated 4: .8 x 2 + .2 x 4, where all at once say 3."""
    ratings = np.concatenate([np.full(10, 2.0), np.full(30, np.nan), np.full(10, 4.0)])
    strata, nothing = np.repeat([0, 1], [40, 10]), np.zeros(50)
    one = powered_mean(ratings, nothing, np.arange(50), strata)
    assert (one.value, powered_mean(ratings, nothing, np.arange(50)).value) == pytest.approx((2.4, 3.0))
    assert one.replicates[-1] == pytest.approx((40 * 2 + 9 * 4) / 49)


def test_ratings_alone_are_counted_alone():
    """Scores that lead beyond the scale take no part, and so not in how many more ratings a width takes either.

    18 fives of score 0, two ones of -3, 200 unrated about .3: cov 1.08, var .11, and 4.6 + 9 (.25 + .3) is above 5.
    """
    scores = np.concatenate([np.zeros(18), np.full(2, -3.0), np.tile([0.2, 0.4], 100)])
    ratings = np.concatenate([np.full(18, 5.0), np.ones(2), np.full(200, np.nan)])
    with_scores, alone = (
        prediction_powered_mean(ratings, of, np.arange(220), scale=(1, 5)) for of in (scores, np.zeros(220))
    )
    assert powered_mean(ratings, scores, np.arange(220)).power > 0
    assert with_scores.power == 0 and with_scores.mean == alone.mean
    assert with_scores.ratings_for_width == alone.ratings_for_width


@pytest.mark.parametrize("rating", [1.0, 3.0, 5.0])
def test_where_all_ratings_are_equal_no_number_is_told(rating):
    """72 fives have an interval .2 wide, 60 one of .24; r and v are 0, of which follows neither 72 nor `none do`."""
    ratings = np.where(np.arange(300) < 60, rating, np.nan)
    assert prediction_powered_mean(ratings, np.arange(300.0), np.arange(300), scale=(1, 5)).ratings_for_width == ()


def test_the_scores_of_unrated_answers_narrow_the_interval():
    estimate = mean_of_table(score_table(300, 1, signal=1.0, unrated=240), ("m0",))
    assert (estimate.rated, estimate.unrated) == (60, 240)
    assert estimate.mean.high and estimate.mean.low and estimate.classical.high and estimate.classical.low
    assert estimate.mean.high - estimate.mean.low < 0.9 * (estimate.classical.high - estimate.classical.low)
