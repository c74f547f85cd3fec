"""Agreement of raters against published values and by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from tables_of_scores import table_of

from assay.meta_eval import (
    agreement_of_raters,
    estimate_ceiling,
    evaluate_table,
    kappas,
    means_of_others,
    ordinal_alpha,
)

NAN = float("nan")
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def test_alpha_is_the_published_one():
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".

    Section D: four observers, .815 ordinal.
    """
    assert ordinal_alpha(np.array(OBSERVERS).T)(np.ones((12, 1)))[0] == pytest.approx(0.815, abs=5e-4)


def test_weighted_alpha_is_that_of_the_items_written_out():
    generator = np.random.default_rng(0)
    ratings, times = generator.integers(1, 5, (9, 3)).astype(float), np.array([2, 0, 1, 3, 1, 1, 0, 2, 1])
    ratings[2, 0] = ratings[5, 1] = NAN
    out = np.repeat(ratings, times, axis=0)
    expected = ordinal_alpha(out)(np.ones((len(out), 1)))[0]
    assert ordinal_alpha(ratings)(times[:, None].astype(float))[0] == pytest.approx(expected)


def test_kappas_by_hand():
    """Seven of ten alike; marginals (4, 3, 3) and (5, 3, 2), so by chance (20 + 9 + 6) / 100 = .35: (.7 - .35) / .65.

    Squared distances 1, 1 and 4 in ten; by chance (4 (3 + 8) + 3 (5 + 2) + 3 (20 + 3)) / 100 = 1.34: 1 - .6 / 1.34.
    """
    x = np.array([1, 1, 1, 1, 2, 2, 2, 3, 3, 3.0])
    y = np.array([1, 1, 1, 2, 2, 2, 1, 3, 3, 1.0])
    plain, squared = kappas(x, y)
    assert plain == pytest.approx(0.35 / 0.65)
    assert squared == pytest.approx(1 - 0.6 / 1.34) == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"))
    assert kappas(np.full(9, 3.0), np.full(9, 3.0)) == (None, None)  # all say the same


def test_levels_that_nobody_used_keep_their_distance():
    """On a scale of 1 to 5, 1 against 5 is four steps, also where nobody rated 2 to 4."""
    x, y = np.array([1, 1, 5, 5, 4, 5.0]), np.array([1, 5, 5, 5, 5, 1.0])
    _, squared = kappas(x, y)
    counts = ({1: 2, 5: 3, 4: 1}, {1: 2, 5: 4})
    by_chance = sum(a * b * (i - j) ** 2 for i, a in counts[0].items() for j, b in counts[1].items()) / 36
    assert squared == pytest.approx(1 - ((x - y) ** 2).mean() / by_chance)


def test_half_points_are_half_as_far_apart():
    """Three of five alike, by chance .04 + .08 + .08: (.6 - .2) / .8.

    Squared distances 1.5^2 and .5^2 in five: .5. By chance the two variances and the squared difference of the means 3
    and 3.2: 1.9 + 1.66 + .04 = 3.6.
    """
    plain, squared = kappas(np.array([1, 2.5, 2.5, 4, 5]), np.array([1, 2.5, 4, 4, 4.5]))
    assert (plain, squared) == (pytest.approx(0.5), pytest.approx(1 - 0.5 / 3.6))


def test_decimals_are_whole_numbers_of_a_finer_scale():
    generator = np.random.default_rng(3)
    x = generator.integers(10, 51, 80)
    y = np.clip(x + generator.integers(-9, 10, 80), 10, 50)
    plain, squared = kappas(x / 10, y / 10)
    assert plain == pytest.approx(cohen_kappa_score(x, y))
    # scikit-learn weighs by the rank of the levels that occur unless all are named
    expected = cohen_kappa_score(x, y, weights="quadratic", labels=list(range(10, 51)))
    assert squared == pytest.approx(expected)


def test_the_mean_of_the_others_by_hand():
    means = means_of_others(np.array([[1.0, 2, 6], [4, NAN, 2], [5, NAN, NAN]]))
    np.testing.assert_array_equal(means, [[4, 3.5, 1.5], [2, 3, 4], [NAN, 5, 5]])


def test_one_rater_is_compared_with_the_mean_of_the_others():
    generator = np.random.default_rng(1)
    truth = generator.integers(1, 6, 60)
    ratings = np.clip(truth[:, None] + generator.integers(-1, 2, (60, 3)), 1, 5).astype(float)
    raters = agreement_of_raters(table_of({}, ratings))
    by_hand = [stats.spearmanr(ratings[:, j], np.delete(ratings, j, axis=1).mean(axis=1)).statistic for j in range(3)]
    assert raters.one_rater.value == pytest.approx(np.mean(by_hand))
    assert raters.one_rater.low is not None and raters.one_rater.low < np.mean(by_hand)
    assert raters.validates and (raters.verdict, raters.more_answers, raters.problem) == ("agree", None, "")


def test_the_ceiling_is_the_root_of_the_reliability_of_the_mean():
    """Ranks 1, 2, 3, 4, 5 against 2, 1, 3, 5, 4: 1 - 6 * 4 / 120 = 0.8. Of two raters 1.6 / 1.8; its root is 0.9428."""
    pair = np.array([[1.0, 2], [2, 1], [3, 3], [4, 5], [5, 4]])
    ceiling = estimate_ceiling(table_of({}, pair))
    assert ceiling.value == pytest.approx((1.6 / 1.8) ** 0.5)
    assert ceiling.low is not None and ceiling.high is not None and ceiling.low < 0.9428 < ceiling.high <= 1


def test_answers_with_one_rating_lower_the_ceiling():
    """Five answers with two ratings and five with one: k = 10 / (5 / 2 + 5) = 4/3; 4/3 * .8 / (1 + .8 / 3) = .8421.

    The second rater rated the first five alone, the first rater all ten: the ranks of the first five within ten are
    1 to 5 still, so that their product moments with the other's ranks are those of 10 ranks for one rater.
    """
    pair = np.array([[1.0, 2], [2, 1], [3, 3], [4, 5], [5, 4]])
    single = np.column_stack([pair[:, 0], np.full(5, NAN)])
    ceiling = estimate_ceiling(table_of({}, np.concatenate([pair, single])))
    assert ceiling.value == pytest.approx((4 / 3 * 0.8 / (1 + 0.8 / 3)) ** 0.5)


def test_few_shared_answers_are_too_few_to_tell():
    """Six answers, all with a rating other than the most common: at least 15 (6 + 2) / (6 + 1) = 17.1, so 15 more."""
    ratings = np.array([[1.0, 3], [2, 5], [3, 2], [4, 4], [5, 3], [1, 2]])
    raters = agreement_of_raters(table_of({}, ratings))
    assert raters is not None and raters.verdict == "too few" and raters.validates
    assert raters.more_answers is not None and raters.more_answers >= 15
    assert raters.problem.startswith("too few answers with two ratings to tell whether the raters agree (alpha ")
    assert raters.problem.endswith(f"have about {raters.more_answers} more rated twice")


def test_where_nearly_all_ratings_are_alike_nobody_is_said_to_disagree():
    """Of 40 answers 36 are rated (5, 5), and four by one rater lower: alpha below 0; 15 * 42 / 5 - 40."""
    ratings = np.full((40, 2), 5.0)
    ratings[0, 0], ratings[1, 0], ratings[2, 1], ratings[3, 1] = 3, 4, 4, 2
    raters = agreement_of_raters(table_of({}, ratings))
    assert raters.alpha.value < 0
    assert (raters.verdict, raters.more_answers) == ("too few", 90)  # 86, in fives
    assert "4 of them with a rating other than 5" in raters.problem
    same = agreement_of_raters(table_of({}, np.full((40, 2), 5.0)))
    assert same is not None and same.verdict == "too few"
    assert same.ceiling.value is None


def test_raters_who_throw_dice_validate_nothing():
    ratings = np.random.default_rng(2).integers(1, 6, (80, 3)).astype(float)
    raters = agreement_of_raters(table_of({}, ratings))
    assert raters is not None and not raters.validates
    assert raters.problem.startswith("raters hardly agree (alpha ")
    assert raters.problem.endswith("no metric can be validated here")
    assert agreement_of_raters(table_of({}, np.full((20, 1), 3.0))) is None  # one rater has nobody to agree with


def severity_of(ratings):
    ratings = np.asarray(ratings, float)
    table = table_of({"m": np.arange(len(ratings)) % 7}, ratings)
    return evaluate_table(table, permutations=20, repeats=1).severity


def test_raters_who_differ_in_severity_alone_can_check_a_metric():
    """40 answers, eight each of 3, 3, 4, 5 and 4; b rates them 2 lower, and four of them 1 lower: 76 / 40 = 1.9."""
    a = np.tile([3.0, 3, 4, 5, 4], 8)
    b = a - 2
    b[::10] += 1
    ratings = np.column_stack([a, b])
    raters = agreement_of_raters(table_of({}, ratings))
    assert raters.alpha.high < 0  # every rating differs
    assert raters.one_rater.low > 0.7  # the order is nearly one
    assert (raters.verdict, raters.problem) == ("agree", "")
    assert severity_of(ratings).startswith("b rates 1.90 lower than a, on the same 40 answers: agree on a guideline (")
    third = np.column_stack([ratings, a])  # c rates as a does: b's others are a, and a's are halfway
    assert severity_of(third).startswith("b rates 1.90 lower than the other raters, on the same 40 answers")


def test_a_severity_that_is_small_or_chance_is_not_said():
    """Half a star of five, an eighth of the scale: .4 is less. A mean of 1 of eight between -3 and 3 is chance."""
    a = np.tile([3.0, 3, 4, 5, 4], 8)
    assert severity_of(np.column_stack([a, a - np.tile([1, 0, 0, 1, 0], 8)])) == ""
    assert severity_of([[3, 1], [1, 4], [5, 1], [2, 4], [5, 2], [4, 1], [2, 3], [5, 3]]) == ""


def test_raters_of_other_answers_may_differ_or_their_answers():
    """a rates 20 answers with 4 on average, b 20 others with 2."""
    a, b = (np.tile([low, low + 1, low + 2.0, low + 1], 5) for low in (3, 1))
    ratings = np.full((40, 2), NAN)
    ratings[:20, 0], ratings[20:, 1] = a, b
    said = severity_of(ratings)
    assert said.startswith(
        "b rates 2.00 lower than a, but on other answers: whether the raters or the answers differ cannot"
    )
    assert severity_of(np.where(np.isnan(ratings), NAN, 4.0)) == ""
