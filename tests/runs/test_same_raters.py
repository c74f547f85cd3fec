"""Mean ratings of answers that are compared: by raters who saw answers of all versions."""

import math

from assay.runs import RatedText, average_ratings, comparable_ratings, find_common_raters


def text(question: str, *versions: int, **ratings: float) -> RatedText:
    return RatedText(question, frozenset(versions), ratings)


def known(means: list[float]) -> list[float | None]:
    return [None if math.isnan(mean) else mean for mean in means]


def test_raters_who_saw_one_version_do_not_count() -> None:
    answers = [text("q1", 0, ann=3, cy=1), text("q1", 1, ann=4), text("q2", 0, cy=1), text("q3", 1, ann=5)]
    assert find_common_raters(answers, (0, 1)) == {"ann"}
    assert known(average_ratings(answers, {"ann"})) == [3, 4, None, 5]


def test_the_same_answer_shows_a_rater_both_versions() -> None:
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1)) == {"ann"}
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1, 2)) == frozenset()


def test_of_a_pair_only_those_count_who_rated_both_sides() -> None:
    both = {"ann", "bob"}
    pair = [text("q", 0, ann=2, bob=5), text("q", 1, ann=4)]
    assert known(average_ratings(pair, both)) == [2, 4]
    other = [text("q", 0, ann=2), text("q", 1, bob=4)]
    assert known(average_ratings(other, both)) == [None, None]


def test_of_three_answers_those_count_who_rated_most_of_them() -> None:
    raters = {"ann", "bob", "cy"}
    three = [text("q", 0, ann=1, bob=2), text("q", 1, ann=3, bob=4), text("q", 2, ann=5, cy=2)]
    assert known(average_ratings(three, raters)) == [1, 3, 5]  # ann rated all three
    apart = [text("q", 0, ann=1), text("q", 1, ann=3, bob=4), text("q", 2, bob=5)]
    assert known(average_ratings(apart, raters)) == [1, 3, None]  # ann's pair comes first of two


def test_several_answers_of_one_version_are_one_side() -> None:
    trials = [text("task", 0, ann=1), text("task", 0, bob=3), text("task", 1, ann=5), text("task", 1, bob=4)]
    assert known(average_ratings(trials, {"ann", "bob"})) == [1, 3, 5, 4]


def test_the_ratings_that_count_are_those_of_the_means() -> None:
    """Cleo rated one of the two answers: her rating is left out, and can be counted."""
    pair = [RatedText("Q", frozenset({0}), {"ann": 2, "cleo": 5}), RatedText("Q", frozenset({1}), {"ann": 4})]
    assert comparable_ratings(pair, {"ann", "cleo"}) == [{"ann": 2}, {"ann": 4}]
