"""The difference of two versions, and net shares of wins, by hand; right on average whatever the score is worth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assay.eval_sets import Preference
from assay.meta_eval import GroupCounts, VersionQuestions, estimate_difference
from assay.meta_eval.decision import (
    PreferenceTable,
    VersionTable,
    decide_versions,
    estimate_change,
    estimate_net_wins,
    make_preference_table,
)

NAN = np.nan


def answers(versions: int, questions: int, *, same: int = 0, ratings=None, scores=None) -> VersionTable:
    """One answer per version and question, each question its own group; the first `same` are alike in all versions."""
    numbers = np.tile(np.arange(questions), versions)
    version = np.repeat(np.arange(versions), questions)
    nothing = np.full(versions * questions, NAN)
    return VersionTable(
        tuple("ABC"[:versions]),
        version,
        numbers,
        numbers,
        nothing if scores is None else scores,
        nothing if ratings is None else ratings,
        text=np.where(numbers < same, 0, version),
    )


def compared(values, pair=(0, 1), *, first_question: int = 0, group=None, versions: str = "AB") -> PreferenceTable:
    """One choice per question, from this one on; 1 where the second of the pair is preferred."""
    question = first_question + np.arange(len(values))
    places = (np.full(len(values), place) for place in pair)
    return PreferenceTable(
        tuple(versions), *places, np.array(values, float), question, question if group is None else np.array(group)
    )


def joined(*tables: PreferenceTable) -> PreferenceTable:
    names = ("first", "second", "choice", "question", "group")
    return PreferenceTable(
        tables[0].versions, *(np.concatenate([getattr(one, name) for one in tables]) for name in names)
    )


WINS = [1.0] * 6 + [-1.0] * 2 + [0.0] * 2


def test_wins_less_losses_of_all_comparisons():
    """6 wins, 2 losses and 2 ties of 10: .4, and (8 - 1.6) / 9 / 10 is the variance of the mean; 9 degrees."""
    wins = estimate_net_wins(answers(2, 10), compared(WINS))
    assert (wins[0, 1].value, wins[0, 1].error, wins[0, 1].degrees) == pytest.approx((0.4, (6.4 / 9 / 10) ** 0.5, 9.0))
    turned = compared([-value for value in WINS], pair=(1, 0))
    assert estimate_net_wins(answers(2, 10), turned)[0, 1].value == 0.4
    assert not estimate_net_wins(answers(2, 10), compared([1.0] * 4))  # fewer than five groups
    assert estimate_net_wins(answers(2, 10), compared([1.0, 1, 1, 1, -1]))[0, 1].value == pytest.approx(0.6)


def test_questions_with_the_same_answer_are_ties_that_nobody_is_asked_for():
    """Of 20 questions ten have another answer, all compared: .4 of half of them."""
    wins = estimate_net_wins(answers(2, 20, same=10), compared(WINS, first_question=10))
    assert wins[0, 1].value == pytest.approx(0.2)
    asked_all_the_same = joined(compared(WINS, first_question=10), compared([1.0] * 10))
    assert estimate_net_wins(answers(2, 20, same=10), asked_all_the_same)[0, 1].value == pytest.approx(0.2)


def test_a_version_that_answers_as_the_one_in_use_does_is_a_tie_without_a_choice():
    """B answers as A does, and nobody is asked about it: a net share of 0 over its ten questions."""
    table = answers(3, 10)
    table = replace(table, text=np.where(table.version == 2, 1, 0))
    decision = decide_versions(table, compared(WINS, pair=(0, 2), versions="ABC"))
    assert [one.difference for one in decision.differences[:2]] == pytest.approx([0.0, 0.4])


def test_choices_of_several_raters_on_one_question_count_once():
    """Five questions are won, and three raters disagree on a sixth: (5 + 1/3) / 6."""
    raters, question = compared([1.0] * 5 + [1, 1, -1]), np.array([0, 1, 2, 3, 4, 5, 5, 5])
    wins = estimate_net_wins(answers(2, 6), replace(raters, question=question, group=question))
    assert wins[0, 1].value == pytest.approx((5 + 1 / 3) / 6)


def test_errors_are_over_groups():
    """Ten questions in five pairs that are won or lost together: .2 with the error of five values of 1 or -1."""
    table = answers(2, 10)
    pairs = compared([1.0] * 6 + [-1.0] * 4, group=np.arange(10) // 2)
    one = estimate_net_wins(replace(table, group=table.group // 2), pairs)[0, 1]
    assert (one.value, one.degrees) == pytest.approx((0.2, 4.0))
    assert one.error == pytest.approx(np.std([1, 1, 1, -1, -1], ddof=1) / 5**0.5)


def test_only_comparisons_with_the_version_in_use_count():
    """B against A wins 6 of 10 (2 lost), C against B always: of C nothing is known beside A."""
    of_c = compared([1.0] * 10, pair=(1, 2), versions="ABC")
    wins = estimate_net_wins(answers(3, 10), joined(compared(WINS, versions="ABC"), of_c))
    assert wins[0, 1].value == pytest.approx(0.4)
    assert (0, 2) not in wins


def test_ratings_of_all_versions_decide_and_the_choices_stand_beside_them():
    ratings = np.concatenate([np.full(40, 2.0), 3 + 0.5 * (-1.0) ** np.arange(40)])
    decision = decide_versions(answers(2, 40, ratings=ratings), compared([-1.0] * 20 + [1.0] * 20))
    assert (decision.verdict, decision.basis) == ("ship", "ratings")
    assert decision.notes[-1] == "The choices between two answers do not decide: 20 for B, 20 for A, 0 ties."


def test_where_a_version_is_not_rated_the_choices_decide_over_scores():
    """B scores lower and is preferred; A alone is rated."""
    ratings = np.concatenate([np.full(40, 2.0), np.full(40, NAN)])
    scores = np.concatenate([np.ones(40), 0.5 + np.arange(40) / 100])
    table = answers(2, 40, ratings=ratings, scores=scores)
    decision = decide_versions(table, compared([1.0] * 30 + [-1.0] * 2 + [0.0] * 8))
    assert (decision.verdict, decision.basis, decision.scale) == ("ship", "preferences", (-1.0, 1.0))
    assert [version.mean for version in decision.versions] == pytest.approx([0.0, 0.7])
    assert (decision.versions[0].low, decision.versions[0].high) == (None, None)
    assert decision.notes[-1] == "The choices between two answers decide: 30 for B, 2 for A, 8 ties."


def test_preferences_are_brought_to_the_numbers_of_a_table():
    """Questions that the table does not have get further numbers; those with one label are one group."""
    numbers = np.array([3, 3])
    empty = np.full(2, np.nan)
    answers = VersionTable(("old", "new"), np.array([0, 1]), numbers, np.array([7, 7]), empty, empty, numbers)
    preferences = [
        Preference("q3", "old", "new", "second", group="elsewhere"),
        Preference("x", "new", "old", "tie", group="g"),
        Preference("y", "new", "old", "second", group="g"),
        Preference("y", "old", "newest", "second"),
        Preference("z", "old", "new", "first"),
    ]
    table = make_preference_table(preferences, answers, {"q3": [3], "x": [99]})
    assert table.question.tolist() == [3, 4, 5, 6]
    assert table.group.tolist() == [7, 8, 8, 9]
    assert table.choice.tolist() == [1, 0, 1, -1]
    assert len(make_preference_table([], answers, {}).choice) == 0


def test_choices_that_all_say_the_same_decide_where_they_are_many():
    """13 of 60, all for B: 1 - (e / 2)^(1 / 13) of the others may differ, by 2, with e the error of the look."""
    decision = decide_versions(answers(2, 60), compared([1.0] * 13))
    most = 1 - (decision.look.error / 2) ** (1 / 13)
    assert (decision.verdict, decision.best) == ("ship", "B")
    assert decision.differences[0].low == pytest.approx(1 - 2 * most)
    assert decide_versions(answers(2, 60), compared([1.0] * 6)).verdict == "unsettled"
    ties = decide_versions(answers(2, 60), compared([0.0] * 13))
    assert (ties.verdict, ties.differences[0].low) == ("unsettled", pytest.approx(-most))


def test_choices_won_are_counted_for_each_version():
    """6 wins, 2 losses and 2 ties of 10: B won 6 of 10, A 2."""
    decision = decide_versions(answers(2, 10), compared(WINS))
    assert [(one.won, one.choices) for one in decision.versions] == [(2, 10), (6, 10)]
    of_three = joined(compared(WINS, versions="ABC"), compared(WINS, (0, 2), versions="ABC"))
    decision = decide_versions(answers(3, 10), of_three)
    assert [(one.won, one.choices) for one in decision.versions] == [(4, 20), (6, 10), (6, 10)]


def two_versions(a, b, *, scores_a=None, scores_b=None, same=(), group=None, **rest):
    """A table of versions A and B that answer the same questions; `same` are the questions with one answer."""
    count = len(a)
    numbers = np.arange(count)
    text_b = np.where(np.isin(numbers, list(same)), numbers, numbers + count)
    ratings = np.concatenate([a, b]).astype(float)
    scores = ratings if scores_a is None else np.concatenate([scores_a, scores_b]).astype(float)
    return VersionTable(
        ("A", "B"),
        np.repeat([0, 1], count),
        np.tile(numbers, 2),
        np.tile(numbers if group is None else np.asarray(group), 2),
        scores=scores,
        ratings=ratings,
        text=np.concatenate([numbers, text_b]),
        **rest,
    )


def difference(table):
    return estimate_difference(VersionQuestions.of_table(table), 0, 1, width=4.0)


def test_all_rated_is_the_paired_t_test():
    """Differences 1, 0, 1, 0, 1, 2: their mean is 5/6, their variance 17/30, and its error sqrt(17/30 / 6)."""
    a = np.array([1.0, 4, 2, 5, 3, 2])
    one = difference(two_versions(a, a + np.array([1, 0, 1, 0, 1, 2])))
    assert (one.value, one.error, one.degrees) == pytest.approx((5 / 6, np.sqrt(17 / 30 / 6), 5))
    assert (one.questions, one.changed, one.rated, one.share) == (6, 6, 6, 1.0)


def test_questions_answered_alike_differ_by_nothing():
    """Of 12 questions 6 changed, all rated, 1 better each on average: over all questions 0.5 better."""
    a = np.where(np.arange(12) < 6, 3.0, np.nan)
    b = a + 1 + np.array([0.0, 0.3, 0, -0.3, 0, 0] + [0.0] * 6)
    one = difference(two_versions(a, b, scores_a=np.zeros(12), scores_b=np.zeros(12), same=range(6, 12)))
    assert one.value == pytest.approx(0.5)
    assert (one.questions, one.changed, one.rated) == (12, 6, 6)


def test_a_score_that_is_the_rating_gives_the_difference_of_all():
    """Slope 1, nothing left over: the estimate from seven rated answers is the difference of all twenty."""
    truth_a, truth_b = np.arange(20.0) % 5 + 1, (np.arange(20.0) * 3) % 5 + 1
    is_rated = np.arange(20) < 7
    ratings_a, ratings_b = np.where(is_rated, truth_a, np.nan), np.where(is_rated, truth_b, np.nan)
    one = difference(two_versions(ratings_a, ratings_b, scores_a=truth_a, scores_b=truth_b))
    assert one.value == pytest.approx((truth_b - truth_a).mean())
    assert 7 / 20 < one.share <= (1 + 7 / 20) / 2  # the scores tell, and half of what is missing is left to ratings


def test_a_score_against_the_ratings_is_not_used():
    """The slope would be negative: it is 0, and the ratings alone count."""
    rated = np.arange(10) < 6
    a = np.where(rated, [1.0, 2, 3, 4, 4, 4, 0, 0, 0, 0], np.nan)
    b = a + 1 + 0.1 * (-1.0) ** np.arange(10)
    one = difference(two_versions(a, b, scores_a=np.nan_to_num(b), scores_b=np.nan_to_num(a), scale=(0.0, 6.0)))
    assert one.value == pytest.approx(1.0)


def test_one_rating_serves_the_same_answer_of_both_versions():
    questions = VersionQuestions.of_table(two_versions([3.0, np.nan, 4], [np.nan, np.nan, 5], same=[0]))
    assert questions.ratings[0].tolist() == [3.0, 3.0]
    assert np.isnan(questions.ratings[1]).all()


def test_a_strict_half_of_the_questions_does_not_count_against_a_version():
    """B is rated on hard questions only, A on all: pairs keep the difficulty of the question out of it."""
    random = np.random.default_rng(3)
    hard = np.arange(200) < 100
    a = np.where(hard, 2.0, 4.0) + random.normal(0, 0.1, 200)
    b = np.where(hard, a + 0.5, np.nan)
    assert difference(two_versions(a, b, scores_a=np.zeros(200), scores_b=np.zeros(200))).value == pytest.approx(0.5)


def test_a_question_that_one_version_lacks_costs_that_pair_only():
    """C answered half: the pair of A and B rests on all ten questions, those with C on five, and five are left out."""
    numbers = np.arange(10)
    a, b = numbers % 4 + 1.0, numbers % 3 + 2.0
    c = a[:5] + np.array([1, 2, 0, 1, 1])
    table = VersionTable(
        ("A", "B", "C"),
        np.repeat([0, 1, 2], [10, 10, 5]),
        np.concatenate([numbers, numbers, numbers[:5]]),
        np.concatenate([numbers, numbers, numbers[:5]]),
        scores=np.full(25, np.nan),
        ratings=np.concatenate([a, b, c]),
        text=np.arange(25),
    )
    questions = VersionQuestions.of_table(table)
    first, second = (estimate_difference(questions, 0, place, width=4.0) for place in (1, 2))
    assert (first.value, first.questions, first.left_out) == (pytest.approx((b - a).mean()), 10, 0)
    assert (second.value, second.questions, second.left_out) == (pytest.approx(1.0), 5, 5)


def test_ratings_of_other_questions_count_as_two_samples():
    """A is rated on twelve questions, B on ten others: Welch's t test, whose error and degrees SciPy has."""
    random = np.random.default_rng(0)
    a, b = np.full(22, np.nan), np.full(22, np.nan)
    a[:12], b[12:] = random.normal(3, 0.5, 12), random.normal(3.4, 1.0, 10)
    one = difference(two_versions(a, b, scores_a=np.zeros(22), scores_b=np.zeros(22)))
    expected = stats.ttest_ind(b[12:], a[:12], equal_var=False)
    assert one.value == pytest.approx(np.nanmean(b) - np.nanmean(a))
    assert one.value / one.error == pytest.approx(expected.statistic, rel=0.05)
    assert one.degrees == pytest.approx(expected.df, rel=0.1)


def test_bounds_by_counts_are_those_of_clopper_and_pearson():
    """Of 115 groups one shows less and two show more, each end at 2.5%."""
    low, high = GroupCounts(0.0, 1, 2, 0, 115, 1.0, 1.0).bounds(0.05)
    assert stats.binom.cdf(2, 115, high) == pytest.approx(0.025)
    assert stats.binom.cdf(1, 115, -low) == pytest.approx(0.025)
    assert GroupCounts(0.0, 0, 0, 0, 4, 1.0, 1.0).bounds(0.05) is None


def test_a_change_that_is_the_same_in_all_groups_has_an_interval():
    """Ten times .5: at most 1 - .025^(1/10) = 31% of groups change otherwise, down to -.5; p is 2 / 2^10."""
    change = estimate_change(np.full(10, 0.5), np.arange(10))
    assert (change.low, change.high) == pytest.approx((0.5 - (1 - 0.025**0.1), 0.5))
    assert change.p == pytest.approx(2 / 2**10)


def test_a_change_of_few_groups_is_known_less_well():
    """Three of 50 groups changed, two up and one down: the variance counts a fourth one, with five degrees of freedom.

    By their signs p is 1, that is not below .5, which is p of this t test or less.
    """
    values = np.zeros(50)
    values[:3] = 0.5, 0.5, -0.5
    change = estimate_change(values, np.arange(50))
    error = values.std(ddof=1) / np.sqrt(50) * np.sqrt(4 / 3)
    assert (change.low, change.high) == pytest.approx((0.01 - 2.571 * error, 0.01 + 2.571 * error), abs=1e-4)
    assert change.p > 0.5


@pytest.mark.parametrize(("count", "p"), [(2, 0.5), (4, 2 / 16), (5, 2 / 32), (6, 2 / 64)])
def test_few_groups_that_differ_say_no_more_than_their_signs(count, p):
    """All of one sign: two ways of 2^count. The interval of the same t test holds 0 where p is above .05."""
    values = np.where(np.arange(100) < count, 1.0, 0.0)
    change = estimate_change(values, np.arange(100))
    assert change.p == pytest.approx(p)
    assert (change.low > 0) == (count >= 6)
    if count == 4:  # t of 99 degrees of freedom: 1.984 at .05, 1.547 at .125
        assert change.low == pytest.approx(0.04 * (1 - 1.984 / 1.547), abs=1e-4)
