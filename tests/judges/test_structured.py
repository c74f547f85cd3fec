"""From text to value: strict, then repaired without a model, never guessed."""

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from assay.errors import ReplyError
from assay.judges import Choice, Question, RawReply
from assay.judges.structured import parse_reply
from assay.prompts import Prompt, PromptMessage

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


RIGHT = Findings(found=["a"], sure=1)


@pytest.mark.parametrize(
    "text",
    [
        '{"found": ["a"], "sure": 1}',
        ' \n{"sure": 1, "found": ["a"]}\n',
        '```json\n{"found": ["a"], "sure": 1}\n```',
        'Sure! {"found": ["a"], "sure": 1} Anything else?',
        '{"found": ["a",], "sure": 1,}',
        'It is 5" wide, so: {"found": ["a",], "sure": 1}',
        '{"other": 1} {"found": ["a"], "sure": 1}',
        '{"found": ["a"], "sure": 1} {"found": ["a"], "sure": 1.0}',
        '<think>{"found": [], "sure": 0}? No.</think>\n{"found": ["a"], "sure": 1}',
        '{"found": ["a"], "sure": 1, "why": "it is"}',
        '\ufeff{"found": ["a"], "sure": 1}',
    ],
)
def test_repaired_without_a_model(text):
    assert parsed(text) == RIGHT


def test_not_a_number_is_unknown_and_the_models_own_words_stay():
    assert parsed('{"found": [], "sure": NaN}').sure is None
    assert parsed('{"found": [], "sure": -Infinity}').sure is None
    text = '{"found": ["a, ]", "NaN", "x, }", "\\",]"], "sure": 1,}'
    assert parsed(text).found == ["a, ]", "NaN", "x, }", '",]']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("I cannot help with that.", "it is not valid JSON"),
        ('{"found": ["a"], "su', "it is not valid JSON"),
        ('["a"]', "it is not an object"),
        ('{"found": "a", "sure": 1}', "found is not a list"),
        ('{"found": ["a"]}', "sure is missing"),
        ('{"found": [NaN], "sure": 1}', "found.0 is not a text"),
        ('{"found": [], "sure": "very"}', r"sure is not valid \(float parsing\)"),
        ('{"found": [], "sure": 1, "word": "maybe"}', "word is none of 'yes', 'no'"),
        ('{"found": ["a"], "sure": 1} or {"found": ["b"], "sure": 1}', "2 answers that differ"),
        ('{"found": ' * 5000, "it is not valid JSON"),
    ],
)
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
    """Fences, prose and trailing commas around any value give that value."""
    value = Findings(found=findings, sure=sure)
    plain = json.dumps(value.model_dump(), ensure_ascii=False)
    untidy = plain[:-1] + ",}"
    for text in (plain, f"```json\n{plain}\n```", f"Well: {untidy}\nBye", untidy):
        assert parsed(text) == value


@given(findings=texts, data=st.data())
def test_law_a_broken_off_reply_is_never_a_value(findings, data):
    text = json.dumps({"found": findings, "sure": 0.5}, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ReplyError):
        parsed(text[:cut])


@pytest.mark.parametrize(
    ("reply", "word"),
    [("Yes", "Yes"), (" yes.", "Yes"), ("NO", "No"), ("N", "No"), ("**No**", "No"), ("Yes, because", "Yes")],
)
def test_a_word_of_the_options(reply, word):
    """`length` is no fault here: one token was asked for."""
    assert parse_reply(CHOICE, RawReply(model="m", text=reply, finish_reason="length")).word == word


@pytest.mark.parametrize("reply", ["Maybe", "Yesterday", "1", "{}", "Ja"])
def test_another_word_is_no_answer(reply):
    with pytest.raises(ReplyError, match="not one of the words Yes, No"):
        parse_reply(CHOICE, RawReply(model="m", text=reply))
