"""The report of a decision, and the answers that decided it."""

import html
import random
import re
from dataclasses import replace

from hostile_texts import HOSTILE_TEXTS

from assay.eval_sets import Sample
from assay.meta_eval import Estimate, Look
from assay.meta_eval.decision import Decision, MetricDifference, Needs, VersionDifference, VersionEstimate
from assay.runs import (
    NamedAnswer,
    PairedAnswer,
    VersionOptions,
    contrast_answers,
    find_deciding_questions,
    preferred_shares,
    read_versions,
)
from assay.runs.decision import difference_chart, render_decision_report, version_chart, write_decision_report

OLD = VersionEstimate("old", 120, 40, 3.4, 3.2, 3.6, 0.03, (2, 2))
NEW = VersionEstimate("new", 118, 35, 3.8, 3.6, 4.0, 0.97, (1, 1))
CHANGE = VersionDifference("old", "new", 0.4, 0.1, 0.7, 0.02, 118, 96, 33)
SHIP = Decision(
    "ship", "new", (OLD, NEW), (CHANGE,), Needs(), 0.1, "ratings and scores", (1, 5), "scorer:team.yaml",
    notes=("2 left out.",),
)  # fmt: skip
VERSIONS = ["old", "new"]
FOREIGN_TAGS = {"script", "img", "iframe", "style", "link", "a", "form", "object", "embed", "base", "meta", "video"}


def texts(page):
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page.partition("<body>")[2].replace("<wbr>", ""))).split())


def table_cells(page, table):
    body = re.findall("<tbody>(.*?)</tbody>", page, re.DOTALL)[table]
    return [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", body, re.DOTALL)
    ]


def test_every_figure_of_the_decision_stands_in_the_page():
    page = render_decision_report(replace(SHIP, versions=(OLD, NEW, replace(OLD, name="older"))))  # of three
    old, new, _ = table_cells(page, 0)
    assert old[1:] == ["3.40 [3.20, 3.60]", "3%", "2", "120", "40"] and "in use today" in old[0]
    assert new == ["new", "3.80 [3.60, 4.00]", "97%", "1", "118", "35"]
    assert table_cells(page, 1) == [["new − old", "+0.400 [+0.100, +0.700]", "0.020", "118", "96", "33"]]
    shown = texts(page)
    for part in ("Ship new: your raters like it better than old", "2 left out.", "0.40 higher than old, on 1 to 5"):
        assert part in shown
    assert "your raters' ratings of 115 of 358 answers, and the scores of scorer:team.yaml" in shown
    assert "To settle" not in shown and "http:" not in page and "https:" not in page and "<script" not in page


def test_the_charts_stand_on_one_axis_each():
    """Means from 3.2 to 4.0: the axis is theirs. Differences from -0.1 (the margin) to 0.7: the axis is -0.2 to 0.8."""
    means = version_chart(SHIP)
    assert (means.axis.low, means.axis.high, means.zero) == (3.2, 4.0, None)
    assert [(mark.at, mark.low, mark.high, mark.kind) for mark in means.marks] == [
        (25, 0, 50, "metric"),
        (75, 50, 100, "chosen"),
    ]
    changes = difference_chart(SHIP)
    assert (changes.axis.low, changes.axis.high, changes.zero, changes.margin) == (-0.2, 0.8, 20, (10, 30))
    (mark,) = changes.marks
    assert (mark.at, mark.low, mark.high, mark.kind) == (60, 30, 90, "metric")


def test_nobody_stands_out_in_an_unsettled_decision_and_it_says_what_settles_it():
    unsettled = replace(SHIP, verdict="unsettled", needs=Needs(answers=140, low=90, high=1300))
    assert {mark.kind for mark in version_chart(unsettled).marks} == {"metric"}
    shown = texts(render_decision_report(unsettled))
    assert "about 140 more rated answers of each would, in 8 of 10 cases (90 to 1,300)" in shown
    rated = texts(render_decision_report(replace(unsettled, basis="ratings", look=Look())))
    assert "Everything is rated. With new answers it is a new decision, which errs in 5% of cases anew" in rated
    assert "Everything is rated" not in texts(render_decision_report(replace(SHIP, basis="ratings", look=Look())))
    equal = replace(unsettled, needs=Needs(ratings=140, low=140, high=140, is_equal=True))
    shows = "if they are alike, 140 more ratings of each would show it: a difference below 0.1"
    assert shows in texts(render_decision_report(equal))
    assert "nobody can tell how many" in texts(render_decision_report(replace(unsettled, needs=Needs())))


def test_what_is_missing_is_not_shown_as_a_figure():
    """Without ratings and intervals: no column of them, and a mean that has no interval."""
    bare = VersionDifference("old", "new", 0.4, None, None, None, 118)
    versions = tuple(replace(one, low=None, high=None, p_best=None, rated=0) for one in (OLD, NEW))
    decision = replace(SHIP, verdict="unsettled", versions=versions, differences=(bare,), basis="scores", measure="f")
    page = render_decision_report(decision)
    assert table_cells(page, 0)[1] == ["new", "3.80 (no interval)", "118", "0"]
    shown = texts(page)
    assert "P(best)" not in page
    assert "scores, which decide nothing: nothing is rated" in shown and "mean score" in shown
    assert "No question is known on which answers of the versions differ" in shown


def answers_of(texts_of, question="q", **figures):
    for version, text in texts_of.items():
        sample = Sample(id=question, user_input="How do I save?", response=text)
        yield PairedAnswer(VERSIONS.index(version), sample, hash(question), 0, rating=figures.get(version))


def test_the_answers_that_decide_stand_side_by_side():
    questions = find_deciding_questions(answers_of({"new": "Press **Save**.", "old": "Press OK."}, old=2, new=4.5))
    page = render_decision_report(SHIP, questions)
    side = page[page.index('<div class="side-by-side">') :]
    assert side.index("Press <del>OK</del>.") < side.index("<strong>"), "the version in use stands first"
    shown = texts(page)
    assert "rated 2 of 5" in shown or "rated 2 of 1 to 5" in shown
    assert "rated 4.5 of 5" in shown and "q: ratings differ by 2.50" in shown
    assert "1 question with answers that differ, by ratings." in shown


def test_of_many_questions_the_first_20_are_shown_and_the_page_says_so():
    answers = [
        one for number in range(25) for one in answers_of({"old": "No.", "new": "Yes."}, f"q{number}", old=1, new=5)
    ]
    page = render_decision_report(SHIP, find_deciding_questions(answers))
    assert page.count('<article class="changed">') == 20
    assert "25 questions with answers that differ, by ratings; the 20 that say most are shown here" in texts(page)


def test_hostile_texts_stay_texts(tmp_path):
    """Answers, questions, ids, names of versions, notes and the measure hold what a browser would run or load."""
    for hostile in HOSTILE_TEXTS:
        names = f"old {hostile[:80]}", f"new {hostile[:80]}"
        versions = tuple(replace(one, name=name) for one, name in zip((OLD, NEW), names, strict=True))
        change = replace(CHANGE, first=names[0], second=names[1])
        decision = replace(
            SHIP, best=names[1], versions=versions, differences=(change,), measure=hostile, notes=(hostile,)
        )
        answers = [
            PairedAnswer(
                place, Sample(id=hostile[:60], user_input=hostile, response=hostile + end), 0, 0, rating=rating
            )
            for place, end, rating in ((0, "", 1), (1, " changed", 5))
        ]
        path = tmp_path / "decide.html"
        write_decision_report(path, decision, find_deciding_questions(answers))
        page = path.read_text(encoding="utf-8").partition("<body>")[2]
        tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!][^\s/>]*)", page))
        assert not tags & FOREIGN_TAGS
        assert not re.search(r"<[^>]*\s(?:on\w+|href|src|style)\s*=", page)


def test_other_metrics_stand_apart_and_say_that_they_do_not_decide():
    paired = Estimate(-0.05, -0.12, 0.02, n=30, p=0.2)
    other = MetricDifference("faithfulness", "old", "new", paired, 0.6, 0.55, 0, 0)
    page = render_decision_report(replace(SHIP, others=(other,)))
    assert table_cells(page, 2) == [
        ["faithfulness", "30", "0.60", "0.55", "−0.050 [−0.120, +0.020]", "0.200", "under 0.1 is missed"]
    ]
    assert "Other metrics, which do not decide" in texts(page)
    assert "Other metrics" not in texts(render_decision_report(SHIP))


def test_preferences_stand_beside_their_answers_and_no_rating_has_a_scale_of_shares():
    """Four choices: three for new, one tie, which counts half: 0.875 and 0.125."""
    answers = [
        PairedAnswer(place, Sample(id="q", user_input="How?", response=name), 0, place, rating=rating)
        for place, (name, rating) in enumerate((("old", None), ("new", 4)))
    ]
    shares = {(0, 0): 0.125, (0, 1): 0.875}
    decision = replace(SHIP, basis="preferences", scale=(-1, 1), measure="")
    page = texts(render_decision_report(decision, find_deciding_questions(answers, shares)))
    assert "preferred in 12% of the choices" in page and "rated 4 · preferred in 88% of the choices" in page
    assert "q: shares of the choices differ by 75%" in page and "mean share of wins" not in page
    assert "what people prefer side by side; up to 10% of the questions does not matter" in page


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
