"""Which metric picks the better version: permutation p-values of versions, soft pairwise accuracy, false winners."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from assay.meta_eval import Estimate, ScoreTable, describe_versions, merge_groups, version_agreement

Column = Sequence[float]


def table_of(
    ratings: Mapping[str, Column],
    scores: Mapping[str, Mapping[str, Column]],
    *,
    of_a_group: int = 2,
    other_questions: bool = False,
    other_groups: bool = False,
) -> ScoreTable:
    """Answers of versions: version -> the rating of each question, metric -> version -> its score of each."""
    rows = [(version, place) for version, column in ratings.items() for place in range(len(column))]
    return ScoreTable(
        items=tuple(f"{version}{place}" for version, place in rows),
        metrics=tuple(scores),
        scores=np.array([[scores[metric][version][place] for metric in scores] for version, place in rows]),
        ratings=np.array([[ratings[version][place]] for version, place in rows]),
        rating_min=-9,
        rating_max=9,
        groups=tuple(f"g{version if other_groups else ''}{place // of_a_group}" for version, place in rows),
        versions=tuple(version for version, _ in rows),
        questions=tuple(f"{version if other_questions else ''}{place}" for version, place in rows),
    )


def pairs_of_questions(*groups: float) -> list[float]:
    """Two questions per group with one value."""
    return [value for value in groups for _ in range(2)]


NOTHING = pairs_of_questions(0, 0, 0, 0)


def test_two_versions_and_four_groups_by_hand():
    """Of 16 swaps of the raters' +1 +1 +1 -1, one comes above the total of 2 and four come to it: 1/16 + 4/32 = 6/32.

    The metric sees +1 in each group: one swap comes to its total, 1/32. So the accuracy is 1 - 5/32.
    """
    ratings = {"old": NOTHING, "new": pairs_of_questions(1, 1, 1, -1)}
    scores = {"metric": {"old": NOTHING, "new": pairs_of_questions(1, 1, 1, 1)}}
    agreement = version_agreement(table_of(ratings, scores))
    (pair,), (metric,) = agreement.pairs, agreement.metrics
    assert (pair.first, pair.second, pair.questions, pair.paired, pair.groups) == ("old", "new", 8, True, 4)
    assert (pair.difference, pair.p) == (0.5, 10 / 16)
    assert (agreement.exact, agreement.permutations) == (True, 16)
    assert metric.soft.value == pytest.approx(1 - 5 / 32)
    assert metric.soft.problem == "an interval needs 5 groups that differ"
    assert (metric.ordered, metric.pairs, metric.calls) == (1, 1, 0)
    assert metric.by_chance == pytest.approx(1 - ((26 / 32) ** 2 + (6 / 32) ** 2) / 2)


def test_groups_of_unequal_size_count_by_their_sums():
    """Groups of 1, 1 and 4 questions: the total is ruled by the large one, so that 4 of 8 swaps reach the observed."""
    ratings = {"old": [0.0] * 6, "new": [1.0] * 6}
    table = table_of(ratings, {"metric": {"old": [0.0] * 6, "new": [-1, -1, 1, 1, 1, 1]}})
    agreement = version_agreement(replace(table, groups=("a", "b", "c", "c", "c", "c") * 2))
    # totals of the raters: 6 is the largest of 6, 4, 4, 2 and their negatives; of the metric 2 is the fourth
    assert agreement.pairs[0].p == 2 / 8
    assert agreement.metrics[0].soft.value == pytest.approx(1 - abs(0.5 / 8 - (3 / 8 + 0.5 / 8)))


def test_a_metric_that_calls_the_wrong_version_is_a_false_winner_with_counts():
    """Six groups of +1: 2 of 64 swaps come as far, p = 0.031, while the raters' mean says the contrary, unsurely."""
    new = [-3, -3, 1, 1, 1, 1]
    ratings = {"old": [0.0] * 6, "new": new}
    scores = {
        "wrong": {"old": [0.0] * 6, "new": [1.0] * 6},
        "right": {"old": [1.0] * 6, "new": [0.0] * 6},
        "five": {"old": [0.0] * 6, "new": [1.0] * 5 + [0.0]},
    }
    wrong, right, five = version_agreement(table_of(ratings, scores, of_a_group=1)).metrics
    assert (wrong.calls, wrong.contrary, wrong.unseen, wrong.ordered) == (1, (("new", "old"),), (("new", "old"),), 0)
    assert (wrong.false_rate.value, wrong.false_rate.low, wrong.false_rate.high) == (1.0, pytest.approx(0.025), 1.0)
    assert (right.calls, right.contrary, right.unseen) == (1, (), (("old", "new"),))
    assert (right.false_rate.value, right.false_rate.high) == (0.0, pytest.approx(0.975))  # one pair says little
    assert (five.calls, five.false_rate.value) == (0, None)  # five groups that differ: 2 of 32 is more than 5%


def test_without_common_questions_labels_are_shuffled_over_groups_by_hand():
    """Three groups of each version: of 20 ways to deal the labels one comes to the observed, and one is its mirror."""
    ratings = {"old": [1.0] * 6, "new": [5.0] * 6}
    table = table_of(ratings, {"same": ratings}, other_questions=True, other_groups=True)
    agreement = version_agreement(table)
    assert (agreement.pairs[0].paired, agreement.pairs[0].questions, agreement.permutations) == (False, 12, 20)
    assert agreement.pairs[0].p == 2 / 20
    assert agreement.metrics[0].soft.value == 1.0
    assert "the versions answered different questions: their means are compared" in agreement.notes


def test_groups_with_answers_of_both_versions_to_other_questions_swap_their_labels():
    ratings = {"old": NOTHING, "new": pairs_of_questions(1, 1, 1, 1)}
    agreement = version_agreement(table_of(ratings, {"same": ratings}, other_questions=True))
    assert (agreement.pairs[0].paired, agreement.permutations, agreement.pairs[0].p) == (False, 16, 2 / 16)


def test_two_metrics_change_places_in_whole_groups_by_hand():
    """The second metric is the first, negated. With m of 4 groups kept, the difference of the two is that of the
    p-values of a total of 2 m - 4 and its negative: 30/32 at m = 0 or 4, at most 20/32 otherwise; 2 of 16 reach it.
    """
    ones = pairs_of_questions(1, 1, 1, 1)
    ratings = {"old": NOTHING, "new": ones}
    scores = {"good": ratings, "bad": {"old": NOTHING, "new": [-value for value in ones]}}
    good, bad = version_agreement(table_of(ratings, scores), measure="good").metrics
    assert (good.difference, good.p) == (None, None)
    assert bad.difference == pytest.approx(-30 / 32)
    assert bad.p == 2 / 16
    assert (good.soft.value, bad.soft.value) == (1.0, pytest.approx(2 / 32))


@pytest.fixture
def three() -> ScoreTable:
    """Three versions on 24 questions in 8 groups of unequal size; one metric follows the rating, one says nothing."""
    random = np.random.default_rng(5)
    ratings = {name: (mean + random.normal(size=24)).tolist() for name, mean in (("a", 0), ("b", 0.4), ("c", 1.2))}
    scores = {
        "follows": {name: (np.array(column) + random.normal(size=24)).tolist() for name, column in ratings.items()},
        "noise": {name: random.normal(size=24).tolist() for name in ratings},
        "bad": {name: (-np.array(column)).tolist() for name, column in ratings.items()},
    }
    table = table_of(ratings, scores)
    groups = [min(7, int(item[1:]) // 2) for item in table.items]
    return replace(table, groups=tuple(map(str, groups)))


def test_groups_that_share_a_question_are_one():
    assert merge_groups("abcd", ("1", "2", "2", "1")) == ("a", "b", "b", "a")
    assert merge_groups("aabc", ("1", "2", "2", "1")) == ("a", "a", "a", "a")
    assert len(set(merge_groups("abc", ("1", "1", "")))) == 2
    ratings = {"old": NOTHING, "new": pairs_of_questions(1, 1, 1, 1)}
    table = table_of(ratings, {"same": ratings}, other_groups=True)  # each version's own groups, the same questions
    assert version_agreement(table).pairs[0].groups == 4


def test_what_is_left_out_is_said():
    column = [float(place % 3) for place in range(10)]
    ratings = {f"v{number}": [value + number / 8 for value in column] for number in range(14)}
    ratings["small"] = [1.0] * 4
    table = table_of(ratings, {"same": ratings})
    agreement = version_agreement(replace(table, versions=("", *table.versions[1:])), permutations=100)
    assert len(agreement.versions) == 12
    assert agreement.notes[:3] == (
        "1 rated answer names no version",
        "1 version has fewer than 5 rated answers and is left out: small",
        "of 14 versions, the 12 with most ratings are compared",
    )


def test_the_sentence_says_good_and_poor_of_both_levels(three):
    agreement = version_agreement(three, measure="bad")
    text = describe_versions(agreement, Estimate(0.6, 0.5, 0.7))
    assert text.startswith("Between versions: bad orders 0 of 3 pairs as the raters do (soft pairwise accuracy ")
    assert "on answers its agreement is 0.60." in text
    assert "contrary to the raters' mean (" in text
    assert (
        "It is good at telling answers apart and poor at telling these versions apart; 3 pairs of versions tell little "
        "of others." in text
    )
    assert "It is good at neither" in describe_versions(agreement, Estimate(0.0, -0.1, 0.2))
    assert "how good at answers is not settled" in describe_versions(agreement, Estimate(0.3, 0.1, 0.5))
    assert "nothing can be told, as no measure was chosen" in describe_versions(
        version_agreement(three), Estimate(None)
    )
