"""Which samples of two runs are pairs, and which raters of two versions count."""

from assay.eval_sets import Sample
from assay.runs import RatedText, comparable_ratings, find_common_raters, pair_samples


def samples(stem, *rows):
    return [
        Sample(id=f"{stem}-{number}", user_input=question, response=answer)
        for number, (question, answer) in enumerate(rows, 1)
    ]


def test_a_question_that_occurs_twice_pairs_no_rows_without_ids():
    a = samples("may", ("How?", "one"), ("How?", "two"), ("Why?", "x"))
    b = samples("june", ("How?", "two"), ("Why?", "y"), ("How?", "one"), ("Who?", "z"))
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]) == {"june-2": "may-3"}


def test_rows_of_one_file_in_another_order_are_paired_by_question_too():
    a, b = samples("set", ("How?", "1"), ("Why?", "2")), samples("set", ("Why?", "3"), ("How?", "4"))
    assert pair_samples(a, b, ["may/set.csv"], ["june/set.csv"]) == {"set-1": "set-2", "set-2": "set-1"}


def test_ids_of_their_own_stay_apart():
    """Two samples that somebody gave different ids are different, whatever they ask."""
    a, b = samples("x", ("How?", "1")), samples("y", ("How?", "1"))
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]) == {}
    same_id = [a[0].model_copy(update={"user_input": "Why?"})]
    assert pair_samples(a, same_id, ["may.csv"], ["june.csv"]) == {}


def text(question, *versions, **ratings):
    return RatedText(question, frozenset(versions), ratings)


def means_that_count(answers, raters):
    return [sum(row.values()) / len(row) if row else None for row in comparable_ratings(answers, raters)]


def test_raters_who_saw_one_version_do_not_count():
    answers = [text("q1", 0, ann=3, cy=1), text("q1", 1, ann=4), text("q2", 0, cy=1), text("q3", 1, ann=5)]
    assert find_common_raters(answers, (0, 1)) == {"ann"}
    assert means_that_count(answers, {"ann"}) == [3, 4, None, 5]


def test_the_same_answer_shows_a_rater_both_versions():
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1)) == {"ann"}
    assert find_common_raters([text("q", 0, 1, ann=3)], (0, 1, 2)) == frozenset()


def test_of_a_pair_only_those_count_who_rated_both_sides():
    both = {"ann", "bob"}
    pair = [text("q", 0, ann=2, bob=5), text("q", 1, ann=4)]
    assert means_that_count(pair, both) == [2, 4]
    other = [text("q", 0, ann=2), text("q", 1, bob=4)]
    assert means_that_count(other, both) == [None, None]


def test_of_three_answers_those_count_who_rated_most_of_them():
    raters = {"ann", "bob", "cy"}
    three = [text("q", 0, ann=1, bob=2), text("q", 1, ann=3, bob=4), text("q", 2, ann=5, cy=2)]
    assert means_that_count(three, raters) == [1, 3, 5]  # ann rated all three
    apart = [text("q", 0, ann=1), text("q", 1, ann=3, bob=4), text("q", 2, bob=5)]
    assert means_that_count(apart, raters) == [1, 3, None]  # ann's pair comes first of two


def test_several_answers_of_one_version_are_one_side():
    trials = [text("task", 0, ann=1), text("task", 0, bob=3), text("task", 1, ann=5), text("task", 1, bob=4)]
    assert means_that_count(trials, {"ann", "bob"}) == [1, 3, 5, 4]


def test_the_ratings_that_count_are_those_of_the_means():
    """Cleo rated one of the two answers: her rating is left out, and can be counted."""
    pair = [RatedText("Q", frozenset({0}), {"ann": 2, "cleo": 5}), RatedText("Q", frozenset({1}), {"ann": 4})]
    assert comparable_ratings(pair, {"ann", "cleo"}) == [{"ann": 2}, {"ann": 4}]
