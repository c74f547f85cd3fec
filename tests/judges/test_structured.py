"""From text to value: strict, then repaired without a model, never guessed; and probabilities worked out by hand."""

import json
from math import log
from typing import Literal

import pytest
from case_files import cases_beside
from hypothesis import given, strategies as st
from modules import module_of
from pydantic import BaseModel

from assay.errors import ReplyError
from assay.judges import Choice, Question, RawReply, choose_option, option_probabilities, parse_reply, read_option
from assay.prompts import Prompt, PromptMessage

structured = module_of(parse_reply)
ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")


class Findings(BaseModel):
    """A reply's shape for these tests."""

    found: list[str]
    sure: float | None
    word: Literal["yes", "no"] = "yes"


QUESTION = Question(ASK, "What?", Findings)
CHOICE = Question(ASK, "Yes?", Choice, options=("Yes", "No"))


def parsed(text: str, finish_reason: str = "stop") -> Findings:
    return parse_reply(QUESTION, RawReply(model="m", text=text, finish_reason=finish_reason))


CASES = cases_beside(__file__)
RIGHT = Findings(found=["a"], sure=1)


@pytest.mark.parametrize("text", CASES["repaired"])
def test_repaired_without_a_model(text):
    assert parsed(text) == RIGHT


def test_not_a_number_is_unknown_and_the_models_own_words_stay():
    assert parsed('{"found": [], "sure": NaN}').sure is None
    assert parsed('{"found": [], "sure": -Infinity}').sure is None
    text = '{"found": ["a, ]", "NaN", "x, }", "\\",]"], "sure": 1,}'
    assert parsed(text).found == ["a, ]", "NaN", "x, }", '",]']


@pytest.mark.parametrize("quotes", [100, 200])
def test_what_is_not_closed_is_read_in_one_pass(quotes, monkeypatch):
    """One string begins in it, whatever follows its quotation mark; measured before: a string at each, to the end."""
    begun, text = list[int](), '{"found": ["a",], "sure": "' + '\\"' * quotes
    scan = structured.read_json
    monkeypatch.setattr(structured, "read_json", lambda text, place: begun.append(place) or scan(text, place))
    with pytest.raises(ReplyError, match="it is not valid JSON"):
        parsed(text)
    assert begun == [1, 11, 18, 26]


DEEP = ('{"found": ' * 5000, "it is not valid JSON")


@pytest.mark.parametrize(("text", "message"), [*CASES["never_guessed"], DEEP])
def test_never_guessed(text, message):
    with pytest.raises(ReplyError, match=message) as caught:
        parsed(text)
    assert caught.value.raw == text


def test_what_was_cut_off_or_filtered_is_not_taken():
    # It may have wanted to say more: a second object that takes the first back.
    with pytest.raises(ReplyError, match="cut off after 7 tokens"):
        parse_reply(
            QUESTION, RawReply(model="m", text='{"found": ["a"], "sure": 1}', finish_reason="length", tokens_out=7)
        )
    with pytest.raises(ReplyError, match="content filter"):
        parsed('{"found": ["a"], "sure": 1}', "content_filter")


texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=4)


@given(findings=texts, sure=st.none() | st.floats(allow_nan=False, allow_infinity=False))
def test_law_repairs_change_nothing(findings, sure):
    """Fences and trailing commas around any value give that value."""
    value = Findings(found=findings, sure=sure)
    plain = json.dumps(value.model_dump(), ensure_ascii=False)
    untidy = plain[:-1] + ",}"
    for text in (plain, f"```json\n{plain}\n```", f"```\n{untidy}```", untidy):
        assert parsed(text) == value


@given(findings=texts, data=st.data())
def test_law_a_broken_off_reply_is_never_a_value(findings, data):
    text = json.dumps({"found": findings, "sure": 0.5}, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ReplyError):
        parsed(text[:cut])


def test_a_word_is_one_of_the_options_or_no_answer():
    """`length` is no fault here: one token was asked for."""
    assert parse_reply(CHOICE, RawReply(model="m", text=" yes.", finish_reason="length")).word == "Yes"
    with pytest.raises(ReplyError, match="not one of the words Yes, No"):
        parse_reply(CHOICE, RawReply(model="m", text="Yesterday"))


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


def test_the_alternatives_decide_and_where_there_are_none_the_word():
    assert option_probabilities(reply("No", {"No": 0.4, "Yes": 0.6}), YES_NO) == pytest.approx({"Yes": 0.6, "No": 0.4})
    marked, other = reply("**Yes**", {"**": 0.9, "__": 0.1}), reply("Perhaps", {"Perhaps": 1.0})
    for said, option in ((reply(" no."), "No"), (marked, "Yes"), (other, None)):
        assert option_probabilities(said, YES_NO) is None
        assert choose_option(said, YES_NO)[0] == option


@given(st.dictionaries(st.sampled_from(["Yes", " yes", "No", "no", "N", "Maybe", ""]), st.floats(-50, 0), min_size=1))
def test_law_shares_sum_to_one_where_there_are_any(place):
    shares = option_probabilities(RawReply(model="m", text="", logprobs=(place,)), YES_NO)
    if shares is not None:
        assert sum(shares.values()) == pytest.approx(1)
        assert all(0 <= share <= 1 for share in shares.values())
