"""Net shares of wins by hand, and the table of preferences that they are counted in."""

from dataclasses import replace

import numpy as np
import pytest

from assay.eval_sets import Preference
from assay.meta_eval.decision import (
    PreferenceTable,
    VersionTable,
    decide_versions,
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
