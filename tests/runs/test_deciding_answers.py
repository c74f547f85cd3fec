"""Which answers decide between versions, and how they stand side by side."""

import random

from assay.eval_sets import Sample
from assay.runs import (
    NamedAnswer,
    PairedAnswer,
    VersionOptions,
    contrast_answers,
    find_deciding_questions,
    preferred_shares,
    read_versions,
)

PLACES = {"old": 0, "new": 1, "a": 0, "b": 1, "c": 2}


def answer(version, question, text, rating=None, score=None):
    sample = Sample(id=question, user_input="How?", response=text)
    return PairedAnswer(PLACES[version], sample, hash(question), 0, rating=rating, score=score)


def order(*answers, preferred=None):
    return [(one.id, one.by, round(one.gap, 6)) for one in find_deciding_questions(answers, preferred)]


def test_rated_questions_come_first_then_the_larger_difference():
    """Ratings differ by 1 (q2) and 3 (q3), scores by 0.9 (q1) and 0.2 (q4): ratings first, each by size."""
    answers = [
        answer("old", "q1", "No.", score=0.0),
        answer("new", "q1", "Yes.", score=0.9),
        answer("old", "q2", "No.", 4, 0.1),
        answer("new", "q2", "Yes.", 3, 1.0),
        answer("old", "q3", "No.", 1, 0.5),
        answer("new", "q3", "Yes.", 4, 0.5),
        answer("old", "q4", "No.", score=0.4),
        answer("new", "q4", "Yes.", score=0.2),
    ]
    expected = [("q3", "rating", 3.0), ("q2", "rating", 1.0), ("q1", "score", 0.9), ("q4", "score", 0.2)]
    assert order(*answers) == expected
    random.Random(1).shuffle(answers)
    assert order(*answers) == expected


def test_what_decides_nothing_is_left_out():
    """The same text, equal ratings whatever the scores, one answer alone, and answers of which nothing is known."""
    assert (
        order(
            *(answer(version, "same", "Yes.", rating) for version, rating in (("old", 1), ("new", 5))),
            *(answer(version, "tied", version, 3, score) for version, score in (("old", 0.1), ("new", 0.9))),
            answer("old", "alone", "Yes.", 5, 1.0),
            *(answer(version, "unknown", version) for version in ("old", "new")),
            *(answer(version, "noise", version, None, 0.1 + add) for version, add in (("old", 0.2), ("new", 0.2))),
            answer("old", "rounding", "No.", score=0.1 + 0.2),
            answer("new", "rounding", "Yes.", score=0.3),
        )
        == []
    )


def test_a_rating_of_one_version_only_leaves_the_scores_to_decide():
    assert order(answer("old", "q", "No.", 5, 0.2), answer("new", "q", "Yes.", None, 0.6)) == [("q", "score", 0.4)]


def test_of_three_versions_the_best_and_the_worst_count():
    """Ratings 2, 5 and 3 differ by 3; two answers of one version, rated 1 and 3, count as their mean, 2."""
    three = [answer("a", "q", "A.", 2), answer("b", "q", "B.", 5), answer("c", "q", "C.", 3)]
    assert order(*three) == [("q", "rating", 3.0)]
    assert order(answer("a", "q", "A.", 1), answer("a", "q", "A2.", 3), answer("b", "q", "B.", 4)) == [
        ("q", "rating", 2.0)
    ]


def columns(*texts):
    answers = [
        NamedAnswer(f"v{place}", Sample(id="q", user_input="How?", response=text)) for place, text in enumerate(texts)
    ]
    return [str(text.html) for text in contrast_answers(answers).texts]


def test_two_answers_mark_both_sides_and_of_more_each_is_beside_the_first():
    assert columns("Press OK.", "Press Save.") == [
        '<p class="text">Press <del>OK</del>.</p>',
        '<p class="text">Press <ins>Save</ins>.</p>',
    ]
    assert columns("Press OK.", "Press Save.", "Press OK!") == [
        '<p class="text">Press OK.</p>',
        '<p class="text">Press <ins>Save</ins>.</p>',
        '<p class="text">Press OK<ins>!</ins></p>',
    ]


def test_one_text_stands_once():
    contrast = contrast_answers([NamedAnswer(name, Sample(user_input="How?", response="So.")) for name in "ab"])
    assert contrast.is_same and len(contrast.texts) == 1


def conversation(*texts):
    roles = ["user", "assistant"] * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return Sample(id="chat", messages=messages)


def test_of_conversations_all_that_the_chatbot_said_stands_side_by_side():
    first = NamedAnswer("a", conversation("Free?", "Yes.", "Until?", "May."))
    second = NamedAnswer("b", conversation("Free?", "No.", "Until?", "May.", "Ok", "Bye."))
    contrast = contrast_answers([first, second])
    assert contrast.is_of_conversations and not contrast.is_same
    assert "<del>Yes</del>" in contrast.texts[0].html and "<del>May</del>" not in contrast.texts[0].html
    assert "<ins>No</ins>" in contrast.texts[1].html and "Bye" in contrast.texts[1].html


def test_preferences_decide_where_ratings_are_the_same_or_missing():
    """Ratings first (q1), then choices (q3: all for one; q2: 3 of 4), then scores; a tie of both decides nothing."""
    figures = {
        "q1": ({"rating": 2}, {"rating": 3}),
        "q2": ({"rating": 3, "preferred": 0.25}, {"rating": 3, "preferred": 0.75}),
        "q3": ({"preferred": 1.0, "score": 0.1}, {"preferred": 0.0, "score": 0.1}),
        "q4": ({"score": 0.9}, {"score": 0.1}),
        "tie": ({"preferred": 0.5, "score": 0.9}, {"preferred": 0.5, "score": 0.1}),
    }
    shares = {
        (hash(question), place): values.pop("preferred")
        for question, both in figures.items()
        for place, values in enumerate(both)
        if "preferred" in values
    }
    answers = [
        answer(version, question, version, **values)
        for question, both in figures.items()
        for version, values in zip(("old", "new"), both, strict=True)
    ]
    assert order(*answers, preferred=shares) == [
        ("q1", "rating", 1.0), ("q3", "preference", 1.0), ("q2", "preference", 0.5), ("q4", "score", 0.8)
    ]  # fmt: skip


def test_shares_of_choices_are_read_from_the_preferences(tmp_path):
    """One question of two versions: new is preferred once, and one tie: 3 halves of 2 choices."""
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text(f"id,user_input,response\nq,How?,{name}\n")
    choices = tmp_path / "choices.csv"
    choices.write_text("question,first,second,choice,rater\nq,old,new,second,ada\nq,new,old,tie,bo\n")
    names = [f"{name}={tmp_path / name}.csv" for name in ("old", "new")]
    reading = read_versions(None, names, VersionOptions(ratings=(choices,)))
    (question,) = find_deciding_questions(reading.answers, preferred_shares(reading.preferences))
    assert (question.id, question.by, question.gap, question.preferred) == ("q", "preference", 0.5, {0: 0.25, 1: 0.75})
