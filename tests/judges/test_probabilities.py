"""Probabilities from the alternatives to a judge's words, each expectation worked out by hand."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ReplyError
from assay.judges import RawReply
from assay.judges.probabilities import chosen_option, option_probabilities, read_option

YES_NO = ("Yes", "No")


def reply(text: str, *places: dict[str, float]) -> RawReply:
    alternatives = tuple({token: log(p) for token, p in place.items()} for place in places)
    return RawReply(model="m", text=text, logprobs=alternatives or None)


def test_shares_of_the_options_alone_their_variants_added_up():
    # 0.6 and 0.2 of 0.8 that is about an option: 0.75 and 0.25.
    shares = option_probabilities(reply("Yes", {"Yes": 0.6, "No": 0.2, "Maybe": 0.2}), YES_NO)
    assert shares == pytest.approx({"Yes": 0.75, "No": 0.25})
    # Yes 0.3 + 0.2 + 0.1 = 0.6, no 0.2 + 0.2 = 0.4.
    place = {"Yes": 0.3, " yes": 0.2, "YES": 0.1, "no": 0.2, " No": 0.2}
    assert option_probabilities(reply("Yes", place), YES_NO) == pytest.approx({"Yes": 0.6, "No": 0.4})
    # "Ne" begins Nee alone.
    assert option_probabilities(reply("Ne", {"Ne": 0.5, "Ja": 0.5}), ("Ja", "Nee")) == {"Ja": 0.5, "Nee": 0.5}
    assert read_option("N", ("No", "Never")) is None
    assert read_option("", YES_NO) is None


@pytest.mark.parametrize(
    ("text", "option"), [("3", "3"), ("3.", "3"), ("**3**, as", "3"), ("3.5", None), ("3,5", None)]
)
def test_a_number_between_two_levels_is_neither(text, option):
    assert read_option(text, ("1", "2", "3", "4", "5")) == option


@pytest.mark.parametrize(
    ("text", "option"),
    [
        *(
            ("Yes is wrong", None),
            ("No is wrong", None),
            ('"Yes" would be incorrect.', None),
            ("**No** is false", None),
        ),
        *(("Yes wrong", None), ("Yes that's incorrect", None), ("Yes is the wrong answer", None)),
        *(("Yes, that is wrong", "Yes"), ("No, it is incorrect", "No"), ("No that is wrong", "No")),
        *(("Yes. The other claim is false", "Yes"), ("Yes is the right answer", "Yes"), ("Yes", "Yes")),
    ],
)
def test_an_option_that_is_called_wrong_is_no_answer(text, option):
    assert read_option(text, YES_NO) == option
    assert chosen_option(reply(text, {"Yes": 0.9, "No": 0.1}), YES_NO) == (option and "Yes")


@pytest.mark.parametrize("text", ["Ja is onjuist", "Ja is fout", "Ja ist falsch", "Nee is fout", "Ja onjuist"])
def test_an_option_that_is_called_wrong_in_dutch_or_german_is_no_answer(text):
    assert read_option(text, ("Ja", "Nee")) is None


def test_what_is_wrong_may_be_the_reason_of_a_level():
    levels = ("1", "2", "3")
    assert [read_option(text, levels) for text in ("2 incorrect claims", "2 is wrong")] == ["2", None]


def test_the_alternatives_decide_and_where_there_are_none_the_word():
    assert option_probabilities(reply("No", {"No": 0.4, "Yes": 0.6}), YES_NO) == pytest.approx({"Yes": 0.6, "No": 0.4})
    marked, other = reply("**Yes**", {"**": 0.9, "__": 0.1}), reply("Perhaps", {"Perhaps": 1.0})
    for said, option in ((reply(" no."), "No"), (marked, "Yes"), (other, None)):
        assert option_probabilities(said, YES_NO) is None
        assert chosen_option(said, YES_NO) == option


@pytest.mark.parametrize("wrong", [0.7, 1e300, float("nan"), float("inf"), float("-inf")])
def test_impossible_log_probabilities_are_refused(wrong):
    impossible = RawReply(model="m", text="Yes", logprobs=({"Yes": -0.1, "No": wrong},))
    with pytest.raises(ReplyError, match=r"the log probability of 'No' is .*, which is impossible"):
        option_probabilities(impossible, YES_NO)


def test_probabilities_that_sum_to_nothing_are_refused():
    """exp(-9999) is 0 in any floating-point number."""
    nothing = RawReply(model="m", text="Yes", logprobs=({"Yes": -9999.0, "Perhaps": -0.1},))
    with pytest.raises(ReplyError, match="the probabilities of Yes sum to nothing"):
        option_probabilities(nothing, YES_NO)


@given(st.dictionaries(st.sampled_from(["Yes", " yes", "No", "no", "N", "Maybe", ""]), st.floats(-50, 0), min_size=1))
def test_law_shares_sum_to_one_where_there_are_any(place):
    shares = option_probabilities(RawReply(model="m", text="", logprobs=(place,)), YES_NO)
    if shares is not None:
        assert sum(shares.values()) == pytest.approx(1)
        assert all(0 <= share <= 1 for share in shares.values())
