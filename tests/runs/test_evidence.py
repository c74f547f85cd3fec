"""The evidence of nightly runs: its level, what it adds up, and what it forgets."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t

from assay.runs import weigh_bound, weigh_falls

GROUPS = [str(n) for n in range(50)]
SDS = np.array([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1, 1.5])  # of nights, in log odds


def draw(runs, seed, noise=0.2):
    generator = np.random.default_rng(seed)
    return generator.normal(0.7, 0.2, (50, 1)) + generator.normal(0, noise, (50, runs))


def test_what_later_runs_bring_changes_nothing_of_earlier_ones():
    values = draw(13, seed=1)
    whole = weigh_falls(values, GROUPS, accepted=2, allowed=0, level=0.05)
    part = weigh_falls(values[:, :8], GROUPS, accepted=2, allowed=0, level=0.05)
    assert [night.p for night in whole[:6]] == pytest.approx([night.p for night in part])
    bounds = [weigh_bound(v, GROUPS, skipped=2, bound=0.7, level=0.05, is_share=False) for v in (values, values[:, :8])]
    assert [night.p for night in bounds[0][:6]] == pytest.approx([night.p for night in bounds[1]])


def test_a_fall_is_dated():
    """Twelve quiet runs and three that are 0.25 lower; the noise of a mean is 0.2 / sqrt(50) = 0.028."""
    values = draw(15, seed=2)
    values[:, 12:] -= 0.25
    weighed = weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)
    assert [night.failed for night in weighed] == [False] * 11 + [True] * 3
    assert (weighed[-1].nights, weighed[-1].before) == (1, 12)  # what failed is no part of the runs that are compared
    assert weighed[-1].change == pytest.approx(values[:, 14].mean() - values[:, :12].mean())


def test_a_fall_after_a_rise_is_a_fall():
    """The baseline is every run until the fall: 0.2 better for twelve runs, then as it was accepted."""
    values = draw(20, seed=3)
    values[:, 1:17] += 0.2
    assert [night.failed for night in weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)][-2:] == [True] * 2


def test_the_luck_of_the_accepted_run_is_forgotten():
    """An accepted run 0.06 too high (two standard errors), then 30 runs without a change."""
    values = draw(31, seed=4)
    values[:, 0] += 0.06
    assert not any(night.failed for night in weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05))


def test_a_missing_value_is_no_change():
    values = np.full((50, 6), 0.8)
    values[0, 5] = 0.1
    values[1:9, 3] = np.nan
    (*_, newest) = weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)
    assert newest.tonight == pytest.approx(-0.7 / 50)
    assert (newest.failed, newest.p > 0.5) == (False, True)


def test_noise_that_only_few_groups_have_counts_for_few():
    """One sample of fifty varies: by Satterthwaite the error has as many degrees of freedom as that one gives."""
    values = np.full((50, 3), 1.0)
    values[0] = [1, 0, 1]
    bound = weigh_bound(values, GROUPS, skipped=0, bound=0.999, level=0.05, is_share=False)
    assert [night.failed for night in bound] == [False] * 3
    assert bound[1].tonight == pytest.approx(0.98 - 0.999)


def test_a_run_that_reaches_the_bound_never_fails():
    values = np.full((50, 6), 0.5) + draw(6, seed=5, noise=0.01) * 0.01
    values[:, 5] += 0.3
    weighed = weigh_bound(values, GROUPS, skipped=0, bound=0.7, level=0.05, is_share=False)
    assert [night.failed for night in weighed] == [True] * 5 + [False]
    assert weighed[-1].nights == 1  # what was before the failure is forgotten


@pytest.mark.parametrize(("night", "fails"), [(0.0, True), (0.2, False)])
def test_nights_that_move_all_answers_alike_are_noise(night, fails):
    """Twelve runs, every other one moved by `night`, then one that is 0.15 lower: 5 errors by the answers alone."""
    values = draw(13, seed=6)
    values[:, 1:12:2] += night
    values[:, 12] -= 0.15
    weighed = weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)
    assert [one.failed for one in weighed] == [False] * 11 + [fails]
    bounds = weigh_bound(values, GROUPS, skipped=0, bound=values[:, :12].mean(), level=0.05, is_share=False)
    assert [one.failed for one in bounds] == [False] * 12 + [fails]


def test_the_first_run_after_one_fails_where_nine_of_42_answers_fall_and_one_rises():
    """Signs alone: of 2^10 flips of ten changes of one size, 11 have nine or more falls: p is .011."""
    values = np.ones((42, 2))
    values[:9, 1], values[9, 0] = 0, 0
    groups = [str(number) for number in range(42)]
    assert weigh_falls(values, groups, accepted=1, allowed=0, level=0.05)[0].p == pytest.approx(5 * 11 / 1024, rel=0.2)


def test_a_second_run_far_below_its_bound_fails():
    """The step into the fall is no noise: 40 answers of 4.7, of which 28 fall to 0.7, have a mean of 1.9."""
    values = np.full((40, 2), 4.7)
    values[:28, 1] = 0.7
    groups = [str(number) for number in range(40)]
    weighed = weigh_bound(values, groups, skipped=0, bound=3.5, level=0.05, is_share=False)
    assert [one.failed for one in weighed] == [False, True]


def test_nights_that_move_graded_answers_alike_break_no_bound_that_they_reach():
    """60 answers of 0 to 1, which vary little by themselves; by the answers' noise alone half of the months fail."""
    random, groups = np.random.default_rng(7), [str(number) for number in range(60)]
    failed, found = [], []
    for _ in range(20):
        quality = logit(random.beta(5, 2, 60))[:, None]
        values = expit(quality + random.normal(0, 0.4, (60, 30)) + random.normal(0, 0.15, 30))
        bound = float(expit(quality + random.normal(0, 0.43, (60, 400))).mean())
        weighed = weigh_bound(values, groups, skipped=0, bound=bound, level=0.05, is_share=False)
        failed.append(any(one.failed for one in weighed))
        values[:, 1] = np.maximum(values[:, 1] - 0.3, 0)
        weighed = weigh_bound(values[:, :2], groups, skipped=0, bound=bound, level=0.05, is_share=False)
        found.append(weighed[-1].failed)
    assert (sum(failed) <= 3, all(found)) == (True, True)


def test_what_nights_may_have_in_common_explains_a_part_of_a_first_fall():
    """Of 400 verdicts 300 were right; 60 fall and 20 rise, -0.1 with a variance of (0.2 - 0.1^2) / 399 of the change.

    A shift of all answers by sd in log odds moves the mean by 0.1 sd (half of the 80 that changed, of 400), and by
    0.1 / (logit .75 - logit .65) / (.75 * .25) = 1.112 times that on the way down, in each of the two runs.
    """
    values = np.zeros((400, 2))
    values[:300, 0], values[60:320, 1] = 1, 1
    variance = 0.19 / 399
    likely = np.gradient(SDS) / (1 + (SDS / 0.4) ** 8)
    tails = t.sf(0.1 / np.sqrt(variance + 2 * (0.1112 * SDS) ** 2), 399)
    expected = 1.5 * (likely * tails).sum() / likely.sum()
    assert (tails[0] < 1e-5, 0.02 < expected < 0.04) == (True, True)
    groups = [str(number) for number in range(400)]
    assert weigh_falls(values, groups, accepted=1, allowed=0, level=0.05)[0].p == pytest.approx(expected, rel=0.01)


def test_quiet_nights_rule_out_what_nights_may_have_in_common():
    """A fall of 0.125, of errors of sqrt(1 + 1 / n) x 0.2 / sqrt(50): 3.6 after n = 2 runs, 4.3 after 20.

    By the answers alone 3.32 are enough. Two runs say too little of what nights have in common.
    """
    weighed = []
    for quiet in (2, 20):
        values = draw(quiet + 1, seed=12)
        values += 0.7 - values.mean(axis=0)  # no run differs by more than its answers do
        values[:, quiet] -= 0.125
        weighed.append(weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)[-1])
    assert [night.failed for night in weighed] == [False, True]


def test_a_night_far_below_the_baseline_hides_no_second_one():
    """14 groups of 5 verdicts: two quiet nights, then two in which 40% of the good answers are bad.

    The mean of .83 falls by .36 and .35, which after two steps between nights may be what nights have in common. The
    first joins no baseline, which stays the accepted run and two nights: the second is held against these, and fails.
    """
    generator = np.random.default_rng(4)
    own = generator.beta(5, 1, 70)
    likely = np.column_stack([own, own, own, 0.6 * own, 0.6 * own])
    values = (generator.random((70, 5)) < likely).astype(float)
    *_, first, second = weigh_falls(values, [str(n // 5) for n in range(70)], accepted=1, allowed=0, level=0.05 / 3)
    assert (first.failed, first.is_suspect, second.failed) == (False, True, True)
    assert first.baseline == second.baseline == 3


def test_a_fall_that_graded_answers_share_may_be_the_night():
    """99 answers of .5 become .43, .45 or .47: 30 errors by the answers, whose change varies by .02 sqrt(2 / 3).

    A shift by sd log odds moves them by .25 sd; by .05 / (logit .5 - logit .4505) = .2492 times it on the way down, in
    each of the two runs. Their median moved by all of the fall, so that no part of it is theirs.
    """
    values = np.column_stack([np.full(99, 0.5), np.tile([0.43, 0.45, 0.47], 33) + np.arange(99) * 1e-9])  # no ties
    variance = 66 * 0.02**2 / 98 / 99
    likely = np.gradient(SDS) / (1 + (SDS / 0.4) ** 8)
    tails = t.sf(0.05 / np.sqrt(variance + 2 * (0.2492 * SDS) ** 2), 98)
    (night,) = weigh_falls(values, [str(n) for n in range(99)], accepted=1, allowed=0, level=0.05)
    assert not night.failed
    assert night.p == pytest.approx(1.5 * (likely * tails).sum() / likely.sum(), rel=0.01)


@pytest.mark.parametrize(("fallen", "all_by", "fails"), [(20, 0, True), (0, 0.1, False)])
def test_a_fall_of_some_graded_answers_is_not_the_night(fallen, all_by, fails):
    """100 answers of .45 to .55, which change by -.02 to .02: 20 of them fall to 0, or all fall by .1 more.

    Where 20 fall the median change is that of rank 30 of 80 others, -.005: 95% of the fall of .1 are beyond what
    all share. The sum of squares about it is near 20 (.4^2) + 80 (.1^2) = 4, an error of .02: .095 are 4.7 of them.
    """
    before = np.linspace(0.45, 0.55, 100)
    after = before + np.tile(np.linspace(-0.02, 0.02, 25), 4) - all_by
    after[50 : 50 + fallen] = 0
    groups = [str(n) for n in range(100)]
    (night,) = weigh_falls(np.column_stack([before, after]), groups, accepted=1, allowed=0, level=0.05)
    assert (night.failed, night.change) == (fails, pytest.approx(-0.1, abs=0.01))


def months_with_a_false_alarm(draw_night, months=10):
    """How many of so many months fail in which each night moves 60 graded answers alike by .15 log odds (sd)."""
    failed = 0
    for seed in range(months):
        generator = np.random.default_rng([17, seed])
        base = logit(generator.beta(5, 2, 60))[:, None]
        values = draw_night(expit(base + generator.normal(0, 0.15, 31) + generator.normal(0, 0.4, (60, 31))))
        weighed = weigh_falls(values, [str(n) for n in range(60)], accepted=1, allowed=0, level=0.05)
        failed += any(night.failed for night in weighed)
    return failed


def test_months_of_nights_that_move_graded_answers_alike():
    """At most 5% of months fail; of 10 that is more than 2 in 1.2%. Stars of 5 too: a small shift is rounded away."""
    assert months_with_a_false_alarm(lambda values: values) <= 2
    assert months_with_a_false_alarm(lambda values: np.round(4 * values) / 4) <= 2


def test_a_fall_of_all_answers_that_stays_is_found():
    """Two quiet nights, then two that are .08 lower, 30 errors by the answers. One may be so, not two that agree."""
    values = draw(5, seed=7, noise=0.02)
    values[:, 3:] -= 0.08
    weighed = weigh_falls(values, GROUPS, accepted=1, allowed=0, level=0.05)
    assert [night.failed for night in weighed] == [False] * 3 + [True]
