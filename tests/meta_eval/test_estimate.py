"""Intervals, p-values and power: against SciPy, brute force and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special, stats

from assay.meta_eval import (
    OF_CORRELATIONS,
    AgreementPower,
    Estimate,
    Floats,
    Standing,
    auroc,
    estimate,
    estimate_mean,
    find_standing,
    jackknife_interval,
    monthly_p_value,
    needed_z,
    shuffle_by_group,
    sign_flip_max_t,
    t_quantile,
)


def by_hand(values: list[float], groups: list[int], low: float, high: float) -> tuple[float, float]:
    """The interval on log odds from the mean without each group, by SciPy's logistic functions and quantiles."""
    x, labels = np.array(values), np.array(groups)
    sizes = np.array([(labels == label).sum() for label in sorted(set(groups))])
    means = np.array([x.mean(), *(x[labels != label].mean() for label in sorted(set(groups)))])
    step = 1 / (8 * len(x))
    middle, *left_out = special.logit(np.clip((means - low) / (high - low), step, 1 - step))
    error = np.sqrt((len(sizes) - 1) * np.var(left_out))
    away = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1) * error
    return tuple(low + (high - low) * special.expit([middle - away, middle + away]))


def test_independent_values_have_students_interval_on_log_odds():
    values = np.random.default_rng(0).normal(size=12).tolist()
    mean = estimate_mean(values, [str(number) for number in range(12)])
    assert (mean.low, mean.high) == pytest.approx(by_hand(values, list(range(12)), min(values), max(values)), rel=1e-4)


def test_unequal_groups_by_hand():
    """Sizes 8 and nine times 2: 26^2 / (64 + 36) - 1 = 5.76 degrees of freedom."""
    groups = [0] * 8 + [group for group in range(1, 10) for _ in range(2)]
    values = [2.0, 3, 2, 4, 2, 1, 3, 2, 5.0, 4, 3, 5, 4, 4, 5, 5, 2, 4, 5, 3, 4, 5, 5, 5, 1, 4]
    mean = estimate_mean(values, [str(group) for group in groups], bounds=(1, 5))
    assert (mean.low, mean.high) == pytest.approx(by_hand(values, groups, 1, 5), rel=1e-4)
    assert (mean.n, mean.groups) == (26, 10)
    assert estimate_mean([], []).value is None


def test_a_mean_reaches_no_further_than_a_share_would():
    """Of 20 answers one is bad: without it nothing varies, so that leaving it out says too much.

    The interval of the share 0.95 of 20 (Clopper and Pearson) ends above: 0.95 is 19 of them.
    """
    values, groups = [5.0] * 19 + [1.0], list(range(20))
    mean = estimate_mean(values, [str(group) for group in groups], bounds=(1, 5))
    low = 1 + 4 * stats.beta.ppf(0.025, 19, 2)
    assert by_hand(values, groups, 1, 5)[0] < low
    assert mean.low == pytest.approx(low)


def test_one_answer_below_all_others_says_no_more_than_none():
    """One 4 among 79 fives: one group moves the mean, so that Student's t has 1 degree of freedom: 12.7 times log 2.

    The interval reaches as far as the share 1 - 0.25 / 80 of 80 does, and further down than that of 80 fives.
    """
    mean, fives = (estimate_mean([5.0] * 79 + [one], [str(n) for n in range(80)], bounds=(1, 5)) for one in (4.0, 5.0))
    assert mean.low == pytest.approx(1 + 4 * stats.beta.ppf(0.025, 79.75, 1.25))
    assert mean.low < fives.low


def test_what_does_not_vary_has_the_interval_of_what_was_not_seen():
    """None of 40 is below 5, so at most 1 - 0.025^(1/40) are; four groups more would not say more of unequal ones."""
    mean = estimate_mean([5.0] * 40, [str(number) for number in range(40)], bounds=(1, 5))
    assert (mean.low, mean.high) == (pytest.approx(5 - 4 * (1 - 0.025 ** (1 / 40))), 5.0)
    middle = estimate_mean([3.0] * 40, [str(number) for number in range(40)], bounds=(1, 5))
    assert (middle.low, middle.high) == pytest.approx(
        (1 + 4 * stats.beta.ppf(0.025, 20, 21), 1 + 4 * stats.beta.ppf(0.975, 21, 20))
    )


@pytest.mark.parametrize("values", [[1.0] * 40, [0.1 + 0.2] * 39 + [0.3]])
def test_what_does_not_vary_has_no_interval_of_width_zero(values):
    mean = estimate_mean(values, [str(number) for number in range(40)])
    assert (mean.low, mean.high, mean.problem) == (None, None, "an interval needs 5 groups that differ")


def test_an_interval_is_cut_where_its_figure_ends():
    """2, 2, 2, 2 and -2 in five groups: 1.2 +- 2.776 * 1.789 / sqrt(5) = 2.221, and no difference is above 2."""
    values = np.array([2.0, 2, 2, 2, -2])

    def mean(weights: Floats) -> Floats:
        result: Floats = values @ weights / weights.sum(axis=0)
        return result

    whole, bounded = (estimate(mean, list("abcde"), bounds=bounds) for bounds in (None, OF_CORRELATIONS))
    assert (whole.low, whole.high) == pytest.approx((1.2 - 2.221, 1.2 + 2.221), abs=1e-3)
    assert (bounded.value, bounded.low, bounded.high) == (whole.value, whole.low, 2.0)
    assert bounded.half_width == pytest.approx(whole.half_width) == pytest.approx(2.221, abs=1e-3)
    assert find_standing(bounded) == find_standing(whole), "the error is that of the end that is not cut"


@pytest.mark.parametrize("degrees", [1, 2.5, 7.9, 8, 12.3, 40, 5000])
@pytest.mark.parametrize("share", [0.005, 0.9, 0.95, 0.975, 0.995])
def test_quantiles_are_scipys(degrees, share):
    assert t_quantile(share, degrees) == pytest.approx(stats.t.ppf(share, degrees), rel=1e-4)


def test_an_interval_on_log_odds_stays_between_0_and_1():
    """Five groups of one item, 1 1 1 1 0: the share 0.8 becomes 0.75 four times, and once 1, read as 1 - .2 / e."""
    is_one = np.array([1.0, 1, 1, 1, 0])
    found = jackknife_interval(
        lambda weights: is_one @ weights / weights.sum(axis=0), 0.8, list("abcde"), scale="logit"
    )
    low, high = found.low, found.high
    odds = np.log(np.array([0.75] * 4 + [1 - 0.2 / np.e]) / np.array([0.25] * 4 + [0.2 / np.e]))
    away = stats.t.ppf(0.975, 4) * np.sqrt(0.8 * ((odds - odds.mean()) ** 2).sum())
    assert low == pytest.approx(1 / (1 + np.exp(away - np.log(4))))
    assert high == pytest.approx(1 / (1 + np.exp(-away - np.log(4))))
    assert 0 < low < 0.8 < high < 1


def test_what_is_the_same_without_any_group_has_no_interval():
    """Two checks that call the same answers bad: their difference is 0 without any group, and nobody knows how sure."""
    assert jackknife_interval(lambda weights: 0 * weights.sum(axis=0), 0.0, list("abcdefgh")) is None


def test_a_perfect_area_rests_on_the_rarer_kind():
    """Six groups carry it: up to 1 - 0.025^(1/6) of such groups could be exceptions."""
    found = jackknife_interval(
        lambda weights: weights.sum(axis=0) ** 0, 1.0, list("abcdefghij"), scale="logit", carriers=6
    )
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 6)), 1.0)


SIZES = [1, 2, 4, 8, 16, 32, 20, 12, 6, 3]
GROUPS = np.repeat(np.arange(len(SIZES)), SIZES)


def clustered(seed: int) -> Floats:
    """Values of which half of the variance is common to a group."""
    draw = np.random.default_rng(seed)
    values: Floats = draw.normal(size=len(SIZES))[GROUPS] + draw.normal(size=len(GROUPS))
    return values


def test_shuffling_unequal_groups_keeps_the_values_and_their_likeness():
    """Shuffled, the values are the same, as much alike within groups, and unrelated to what they were."""
    values = clustered(0)
    is_pair = GROUPS[1:] == GROUPS[:-1]

    def likeness(column: Floats) -> float:
        """The correlation of items of one group that follow each other."""
        return float(np.corrcoef(column[1:][is_pair], column[:-1][is_pair])[0, 1])

    block = np.concatenate(list(shuffle_by_group(values, GROUPS, permutations=300, seed=0)), axis=1)
    assert block.shape == (len(values), 300)
    assert all((np.sort(column) == np.sort(values)).all() for column in block.T)
    assert np.mean([likeness(column) for column in block.T]) == pytest.approx(likeness(values), abs=0.12)
    assert np.mean([np.corrcoef(column, values)[0, 1] for column in block.T]) == pytest.approx(0, abs=0.06)


def test_studentised_sign_flips_by_hand():
    """Four groups of 1 with sums 1, 1, 1 and 3: only the two flips with all signs alike are as far as the sums.

    The squared deviations from a fourth of the total add up to 3 (of -.5, -.5, -.5, 1.5) for the total 6, and to 8 (of
    0, 0, -2, 2) for the total 4 where a 1 is flipped: 6 / sqrt 3 > 4 / sqrt 8.
    """
    [p] = sign_flip_max_t(np.array([[1.0], [1.0], [1.0], [3.0]]), np.ones((4, 1)), permutations=20_000)
    assert p == pytest.approx(1 / 16, abs=0.01)  # one-sided


def test_sums_of_nothing_are_no_evidence():
    assert sign_flip_max_t(np.zeros((6, 1)), np.ones((6, 1)), permutations=99).tolist() == [1.0]


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


def test_the_ratings_that_measure_an_agreement():
    """.5 to within .15: atanh(.5) - atanh(.35) = .18387, so 3 + 1.06 (1.95996 / .18387)^2 = 123.4 independent answers.

    Where 200 are worth 100, twice as many.
    """
    assert AgreementPower(200, 200.0, 6, 0.01).ratings_to_measure(0.5, 0.15) == 124
    assert AgreementPower(200, 100.0, 6, 0.01).ratings_to_measure(0.5, 0.15) == 247


def test_the_effective_number_follows_from_the_width_of_the_intervals():
    """An interval of 30 groups whose half width on Fisher's scale is t(29) sqrt(1.06 / 47) is that of 50 answers."""
    away = float(stats.t.ppf(0.975, 29)) * math.sqrt(1.06 / 47)
    rho = Estimate(math.tanh(0.1), math.tanh(0.1 - away), math.tanh(0.1 + away), n=120, groups=30)
    unknown = Estimate(None, problem="all values are equal")
    power = AgreementPower.from_intervals(120, [rho, rho, unknown], measures=2, error=0.01)
    assert power.effective == pytest.approx(50)
    assert AgreementPower.from_intervals(40, [rho], measures=1, error=0.01).effective == 40
    assert AgreementPower.from_intervals(40, [unknown], measures=1, error=0.01).effective == 40


def difference(value: float, error: float, *, groups: int = 120, n: int = 120) -> Estimate:
    """A difference with its 95% interval of Student's t."""
    away = float(stats.t.ppf(0.975, groups - 1)) * error
    return Estimate(value, value - away, value + away, n=n, groups=groups)


def test_an_interval_without_0_is_better_or_worse():
    """Of several by a stricter test: t(0.975) is 1.980, of four t(1 - 0.025 / 4) 2.537, times 0.05: 0.099 and 0.127."""
    assert find_standing(difference(0.2, 0.05)).kind == "better"
    assert find_standing(difference(-0.02, 0.001)).kind == "worse"  # however little it is
    assert find_standing(difference(-0.12, 0.05)).kind == "worse"
    assert find_standing(difference(-0.12, 0.05), tries=4).kind == "unsettled"
    assert find_standing(difference(-0.13, 0.05), tries=4).kind == "worse"
    assert find_standing(difference(0.12, 0.05), tries=4).kind == "better"
    of_several = find_standing(difference(0.12, 0.05), chosen_of=4)
    assert of_several.kind == "unsettled"
    clause = "it could be worse than m1; your"  # by no figure: its own interval begins at 0.12 - 1.98 * 0.05 = 0.021
    assert of_several.describe("it", "m1").startswith(clause)
    assert find_standing(difference(0.13, 0.05), chosen_of=4).kind == "better"


def test_two_one_sided_tests_by_hand():
    """With 119 degrees of freedom t(0.95) is 1.658: 0.02 + 1.658 * 0.048 is 0.0996, with 0.049 it is 0.1012.

    Of four, t(1 - 0.05 / 4) is 2.271: 0.02 + 2.271 * 0.036 is 0.1018, with 0.035 it is 0.0995.
    """
    assert find_standing(difference(0.02, 0.048)).kind == "equivalent"
    assert find_standing(difference(-0.02, 0.048)).kind == "equivalent"
    assert find_standing(difference(0.02, 0.049)).kind == "unsettled"
    assert find_standing(difference(0.02, 0.049), margin=0.11).kind == "equivalent"
    assert find_standing(difference(0.02, 0.036), tries=4).kind == "unsettled"
    assert find_standing(difference(0.02, 0.035), tries=4).kind == "equivalent"


def test_the_ratings_that_would_tell_grow_with_the_square_of_the_error():
    """For a difference of 0 equivalence decides; the normal approximation needs (1.645 + 1.2816) s = 0.1 for 80%.

    Twice the error takes four times the answers, a little less where it is as large as differences are.
    """
    few, many = (find_standing(difference(0.0, error, groups=2000)).more_ratings for error in (0.09, 0.18))
    assert few == pytest.approx(120 * (0.09 * (1.645 + 1.2816) / 0.1) ** 2 - 120, rel=0.05)
    assert 3 < (many + 120) / (few + 120) < 4
    independent, grouped = find_standing(difference(0.05, 0.06)), find_standing(difference(0.05, 0.06, groups=8))
    assert grouped.more_ratings > independent.more_ratings  # groups weigh less
    unknown = find_standing(Estimate(0.1, n=40, groups=4, problem="too few groups"))
    assert unknown == Standing("unsettled")
    assert unknown.describe("it", "m1") == "it could be worse than m1; your ratings cannot tell"


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


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=15))
def test_auroc_is_the_share_of_pairs_in_the_right_order(items):
    values, good = [float(value) for value, _ in items], [is_good for _, is_good in items]
    estimate = auroc(values, good, [str(n) for n in range(len(items))])
    pairs = [(a, b) for a, is_good in items if is_good for b, other in items if not other]
    if not pairs:
        assert estimate.value is None
    else:
        assert estimate.value == pytest.approx(sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs))
    assert estimate.n == len(items)
