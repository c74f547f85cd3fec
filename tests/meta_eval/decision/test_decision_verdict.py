"""What a decision says first, derived by hand from its values."""

import itertools
from dataclasses import replace

import pytest

from assay.meta_eval import Look
from assay.meta_eval.decision import Decision, Needs, VersionDifference, VersionEstimate, give_decision_verdict

OLD, NEW = (VersionEstimate(name, 80, 30, 3.0, None, None, None, (1, 2)) for name in ("old", "new"))
NOTHING = Needs()


def decision(verdict, difference, low, high, *, basis="ratings", scale=(1.0, 5.0), measure="", needs=NOTHING):
    row = VersionDifference("old", "new", difference, low, high, None)
    return Decision(verdict, "new", (OLD, NEW), (row,), needs, 0.1, basis, scale, measure)


def lines(one):
    return give_decision_verdict(one).as_json()


def test_ship_says_which_by_how_much_and_on_what_it_rests():
    assert lines(decision("ship", 0.5, 0.2, 0.8, basis="ratings and scores", measure="faithfulness")) == {
        "Decision": "Ship new: your raters like it better than old",
        "Difference": "new is rated 0.50 higher than old, on 1 to 5 (likely 0.20 to 0.80)",
        "Rests on": "your raters' ratings of 60 of 160 answers, and the scores of faithfulness",
    }


def test_keep_turns_the_difference_round():
    kept = lines(decision("keep", -0.5, -0.8, -0.2))
    assert kept["Decision"] == "Keep old: your raters like it better than new"
    assert kept["Difference"] == "old is rated 0.50 higher than new, on 1 to 5 (likely 0.20 to 0.80)"
    assert kept["Rests on"] == "your raters' ratings of 60 of 160 answers"
    warned = lines(replace(decision("keep", -0.5, -0.8, -0.2), warning="Those of new are no random part."))
    assert warned["Rests on"] == "your raters' ratings of 60 of 160 answers, which are no random part"


@pytest.mark.parametrize("verdict", ["ship", "keep", "equivalent"])
def test_a_settled_decision_says_its_doubt_first_and_passes_no_gate(verdict):
    sure = decision(verdict, *((-0.5, -0.8, -0.2) if verdict == "keep" else (0.5, 0.2, 0.8)))
    sure = replace(sure, differences=(replace(sure.differences[0], changed=60),))
    doubtful = replace(sure, warning="Those of new are no random part.")
    assert lines(doubtful)["Decision"] == f"{lines(sure)['Decision']}; but what is rated may be no random part"
    assert (sure.passes, doubtful.passes) == (verdict != "keep", False)
    same = replace(doubtful, differences=(replace(sure.differences[0], changed=0),))
    assert same.passes == sure.passes  # where nothing was changed, nothing needs a rating


def test_what_is_not_settled_says_what_would_settle_it():
    needs = Needs(ratings=43, low=20, high=440)
    unsettled = lines(decision("unsettled", 0.2, -0.1, 0.5, needs=needs))
    assert unsettled["Decision"] == "Not settled: new may be better than old, or worse"
    assert unsettled["Difference"] == (
        "new is rated 0.20 higher than old, on 1 to 5 (likely 0.10 lower to 0.50 higher)"
    )
    assert unsettled["To settle it"] == "about 43 more ratings of each would, in 8 of 10 cases (20 to 440)"
    beyond = decision("unsettled", 0.0, -0.1, 0.1, needs=Needs(is_beyond=True))
    assert lines(beyond)["Difference"] == (
        "new and old are rated the same on average (likely 0.10 lower to 0.10 higher)"
    )
    assert lines(beyond)["To settle it"] == "more ratings than you can give"
    equal = decision("unsettled", 0.0, -0.1, 0.1, needs=Needs(answers=350, is_equal=True))
    assert lines(equal)["To settle it"] == (
        "if they are alike, 350 more rated answers of each would show it: a difference below 0.1"
    )


def test_a_look_without_error_left_rests_on_the_one_before():
    one = decision("ship", 0.5, 0.2, 0.8)
    assert lines(replace(one, look=Look(number=2, error=0.0)))["Rests on"] == (
        "an earlier look: other ratings of the same answers add nothing"
    )
    assert "your raters' ratings" in lines(replace(one, look=Look()))["Rests on"]


def test_what_is_left_to_rate_and_new_answers_are_said_together():
    """Both numbers, and the range of their sum: in 90 characters, with a long name without what has no room."""
    needs = Needs(answers=39, ratings=60, low=17, high=357)
    one = decision("unsettled", 0.2, -0.1, 0.5, needs=needs)
    assert lines(one)["To settle it"] == ("rating the 60 unrated and about 39 new answers of each (17 to 360 in all)")
    assert dict(give_decision_verdict(one).lines("nl"))["Om te beslissen"] == (
        "beoordeel de 60 overige en ongeveer 39 nieuwe antwoorden van elk (17 tot 360 samen)"
    )
    of_one = decision("unsettled", 0.2, -0.1, 0.5, needs=replace(needs, version="n" * 60))
    for language, is_equal in itertools.product(("en", "nl"), (False, True)):
        long = replace(of_one, needs=replace(of_one.needs, ratings=9000, answers=9000, is_equal=is_equal))
        assert max(len(text) for _, text in give_decision_verdict(long).lines(language)) <= 90
    alike = decision("unsettled", 0.0, -0.1, 0.1, needs=replace(needs, is_equal=True))
    assert lines(alike)["To settle it"] == ("rate the 60 unrated; if they are alike it takes about 39 new ones too")
    choices = decision("unsettled", 0.2, -0.1, 0.5, needs=needs, basis="preferences", scale=(-1.0, 1.0))
    assert lines(choices)["To settle it"] == (
        "comparing 60 more questions and about 39 new would, in 8 of 10 cases (17 to 360 in all)"
    )
    beyond = decision("unsettled", 0.2, -0.1, 0.5, needs=replace(needs, high=None))
    assert lines(beyond)["To settle it"] == "rating the 60 unrated and about 39 new answers of each (17 or more in all)"


def test_preferences_are_shares_and_scores_decide_nothing():
    preferred = lines(decision("ship", 0.5, 0.2, 0.8, basis="preferences", scale=(-1.0, 1.0)))
    assert preferred["Difference"] == "new wins 50% more of the questions than old (likely 20% to 80%)"
    scored = lines(decision("unsettled", 0.25, None, None, basis="scores", scale=(0.0, 1.0), measure="chrf"))
    assert scored["Difference"] == "chrf is 0.25 higher for new than for old; nothing says how sure that is"
    assert scored["Rests on"] == "scores, which decide nothing: too little is rated"
    assert scored["To settle it"] == "nobody can tell how many ratings would"


def test_no_difference_is_said_of_two_and_of_more():
    one = decision("equivalent", 0.01, -0.05, 0.06)
    assert lines(one)["Decision"] == "No difference that matters between new and old"
    # the test of the margin is one-sided: the range of the difference, which holds on both sides, may reach beyond it
    assert lines(replace(one, differences=(replace(one.differences[0], high=0.11),)))["Difference"] == (
        "new is rated 0.01 higher than old, on 1 to 5 (likely less than 0.10)"
    )
    assert lines(one)["Rests on"] == "your raters' ratings of 60 of 160 answers; up to 0.1 does not matter"
    kept = replace(one, verdict="keep")
    assert lines(kept)["Decision"] == "Keep old: no other version is better by 0.1 or more"
    third = replace(NEW, name="newer")
    assert lines(replace(one, versions=(OLD, NEW, third)))["Decision"] == (
        "No difference that matters between old and the others"
    )


@pytest.mark.parametrize("verdict", ["ship", "keep", "equivalent", "unsettled"])
@pytest.mark.parametrize("basis", ["ratings", "ratings and scores", "preferences", "scores"])
@pytest.mark.parametrize("language", ["en", "nl"])
def test_long_names_leave_room_for_the_figures(verdict, basis, language):
    one = decision(verdict, 0.25, 0.125, 0.5, basis=basis, measure="m" * 60)
    row = replace(one.differences[0], first="o" * 60, second="n" * 60)
    long = replace(one, versions=(replace(OLD, name="o" * 60), replace(NEW, name="n" * 60)), differences=(row,))
    says = [text for _, text in give_decision_verdict(replace(long, best="n" * 60)).lines(language)]
    assert max(map(len, says)) <= 90
    assert says[1].endswith(")"), "the likely range has room"


def test_names_that_begin_alike_are_told_apart():
    names = ["prompt-of-the-first-of-november", "prompt-of-the-first-of-december"]
    row = replace(decision("ship", 0.5, 0.2, 0.8).differences[0], first=names[0], second=names[1])
    one = Decision("ship", names[1], (replace(OLD, name=names[0]), replace(NEW, name=names[1])), (row,), NOTHING, 0.1,
                   "ratings", (1.0, 5.0))  # fmt: skip
    said = lines(one)["Decision"]
    assert said == "Ship …-the-first-of-december: your raters like it better than …-the-first-of-november"


def test_versions_that_share_no_question_are_named_so():
    one = decision("ship", 0.5, 0.2, 0.8)
    apart = replace(one, differences=(replace(one.differences[0], questions=160),))
    assert lines(apart)["Rests on"] == "your raters' ratings of 60 of 160 answers, on other questions for each"
