"""What the difference of two measures shows: three kinds of standing, and how many more ratings would tell."""

import pytest
from scipy import stats

from assay.meta_eval.difference import Standing, describe_more_ratings, find_standing
from assay.meta_eval.estimate import Estimate


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


@pytest.mark.parametrize(
    ("standing", "clause"),
    [
        (Standing("better", 0.1, 0.0), "it agrees better than m1"),
        (Standing("worse", 0.1, 0.3), "it agrees worse than m1"),
        (Standing("equivalent", 0.1, 0.05), "it does as well as m1, within 0.10"),
        (Standing("unsettled", 0.1, 0.0), "it could be up to 0.01 worse than m1; your ratings cannot tell"),
    ],
)
def test_the_clause_says_what_is_known(standing, clause):
    assert standing.describe("it", "m1") == clause


def test_numbers_of_ratings_are_as_rough_as_what_is_known():
    shown = {1: "about 10 more", 10: "about 10 more", 11: "about 20 more", 999: "about 1,000 more"}
    assert {more: describe_more_ratings(more) for more in shown} == shown
