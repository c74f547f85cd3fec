"""Which metric picks the better version: the test of `decide` on every two versions, and false winners."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from modules import module_of

from assay.meta_eval import ScoreTable, estimate_difference, merge_groups, name_questions, version_agreement
from assay.meta_eval.decision import VersionTable, decide_versions

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


def test_the_raters_are_told_apart_as_decide_tells_them(three):
    """One figure in both commands: the difference of two versions whose answers are all rated, and its p."""
    for names in (("a", "b"), ("a", "c"), ("b", "c")):
        part = three.take([place for place, name in enumerate(three.versions) if name in names])
        (pair,) = version_agreement(part).pairs
        columns = (np.unique(labels, return_inverse=True)[1] for labels in (part.versions, part.questions, part.groups))
        ratings, nothing = part.mean_rating, np.full(len(part.items), np.nan)
        table = VersionTable(names, *columns, nothing, ratings, text=np.arange(len(nothing)), scale=(-9, 9))
        (difference,) = decide_versions(table).differences
        assert (pair.difference, pair.p) == (difference.difference, difference.p)
        assert (pair.questions, pair.groups) == (24, 8)


def test_a_metric_that_calls_the_wrong_version_is_a_false_winner_with_counts():
    """The raters' mean says the contrary, unsurely; of five groups that differ alike 2 / 2^5 is more than 5%."""
    new = [-3, -3, 1, 1, 1, 1]
    ratings = {"old": [0.0] * 6, "new": new}
    scores = {
        "wrong": {"old": [0.0] * 6, "new": [1.0, 1.1, 1.2, 1.1, 1.0, 0.9]},
        "right": {"old": [1.0, 1.1, 1.2, 1.1, 1.0, 0.9], "new": [0.0] * 6},
        "unsure": {"old": [0.0] * 6, "new": [1.0, -1, 1, -1, 1, 0]},
    }
    table = table_of(ratings, scores, of_a_group=1)
    wrong, right, unsure = version_agreement(table).metrics
    assert (wrong.calls, wrong.contrary, wrong.ordered) == (1, (("new", "old"),), 0)
    assert (right.calls, right.contrary) == (1, ())
    assert (unsure.calls, unsure.pairs) == (0, 1)
    few = version_agreement(replace(table, groups=("a", "b", "c", "c", "d", "d") * 2))
    assert few.pairs[0].p is None  # four groups do not say how sure a difference is
    assert [one.calls for one in few.metrics] == [0, 0, 0]


def test_versions_without_common_questions_are_compared_by_their_means():
    ratings = {"old": [1.0, 2.0] * 3, "new": [5.0, 4.0] * 3}
    table = table_of(ratings, {"same": ratings}, of_a_group=1, other_questions=True, other_groups=True)
    agreement = version_agreement(table)
    assert (agreement.pairs[0].questions, agreement.pairs[0].difference) == (12, 3.0)
    assert (agreement.metrics[0].ordered, agreement.metrics[0].calls) == (1, 1)
    assert "the versions answered different questions: their means are compared" in agreement.notes


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


def test_the_raters_are_compared_once_where_each_metric_scored_all(three, monkeypatch):
    """Three pairs, by the raters and by each of three metrics: 12. A metric that lacks an answer has its own raters."""
    module, calls = module_of(estimate_difference), []
    monkeypatch.setattr(module, "estimate_difference", lambda *a, **b: calls.append(a) or estimate_difference(*a, **b))
    version_agreement(three)
    assert len(calls) == 12
    scores = three.scores.copy()
    scores[0, 0] = np.nan
    version_agreement(replace(three, scores=scores))
    assert len(calls) == 12 + 15


def test_groups_that_share_a_question_are_one():
    assert merge_groups("abcd", ("1", "2", "2", "1")) == ("a", "b", "b", "a")
    assert merge_groups("aabc", ("1", "2", "2", "1")) == ("a", "a", "a", "a")
    assert len(set(merge_groups("abc", ("1", "1", "")))) == 2
    ratings = {"old": NOTHING, "new": pairs_of_questions(1, 1, 1, 1)}
    table = table_of(ratings, {"same": ratings}, other_groups=True)  # each version's own groups, the same questions
    assert version_agreement(table).pairs[0].groups == 4


def test_answers_whose_question_is_unknown_have_none_in_common():
    assert name_questions(["", "", "", ""], ["a", "a", "b", "b"]) == ("", "", "", "")
    asked, groups = ["Hello", "Hello", "", "Bye"], ["a", "b", "b", "b"]
    assert name_questions(asked, groups) == ("a: Hello", "b: Hello", "", "Bye")  # a greeting of two groups


def test_what_is_left_out_is_said():
    column = [float(place % 3) for place in range(10)]
    ratings = {f"v{number}": [value + number / 8 for value in column] for number in range(14)}
    ratings["small"] = [1.0] * 4
    table = table_of(ratings, {"same": ratings})
    agreement = version_agreement(replace(table, versions=("", *table.versions[1:])))
    assert len(agreement.versions) == 12
    assert agreement.notes[:3] == (
        "1 rated answer names no version",
        "1 version has fewer than 5 rated answers and is left out: small",
        "of 14 versions, the 12 with most ratings are compared",
    )
