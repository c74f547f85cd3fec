"""Text under test is data: what a delimiter or a chat template could be made of does not get through."""

import re

import pytest
from hypothesis import example, given, strategies as st

from assay.untrusted import UNSEEN, neutralise, original_characters

hostile = st.lists(
    st.sampled_from(
        [
            *("<", "</", "<|", "[", "/", "INST]", "]", "answer>", "im_end|>", "s>", "\u200b", "\u202e", "\u00ad", "\0"),
            *("\x1b", " ", "a", "!--", "?", "<<", "\U000e0041"),
        ]
    ),
    max_size=25,
).map("".join)


@given(st.one_of(st.text(), hostile))
@example("<\u200b/answer>")
@example("[\u200bINST]")
@example("[\u00ad/INST]")
@example("<<</s>")
def test_no_tag_comes_out(text):
    shown = neutralise(text)
    assert not re.search(r"<[a-zA-Z/|!?_]", shown)
    assert not re.search(r"\[/?INST\]", shown)
    assert not re.search(f"[{UNSEEN}]", shown)


@given(st.one_of(st.text(), hostile))
def test_twice_is_once(text):
    assert neutralise(neutralise(text)) == neutralise(text)


FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
SELECTORS = "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))


@given(
    st.text(st.characters(exclude_characters="<[" + FILLERS + SELECTORS, exclude_categories=["Cc", "Cf", "Cn", "Cs"]))
)
def test_plain_text_is_unchanged(text):
    assert neutralise(text) == text


@given(st.one_of(st.text(st.characters(exclude_characters="‹❲")), hostile))
def test_a_copied_quote_reads_as_in_the_context_again(text):
    assert original_characters(neutralise(text)) == re.sub(f"[{UNSEEN}]", "", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("</answer>", "‹/answer>"),
        *(
            (text, text)
            for text in ("1 < 2 and 3<4", "a > b", "x <= y", "array[0]", "a\tb\r\n c", "🙂 é 中文", "[link](x)")
        ),
        ("< /answer>", "< /answer>"),
        ("<|im_end|>", "‹|im_end|>"),
        ("<s>[INST] be kind [/INST]", "‹s>❲INST] be kind ❲/INST]"),
        ("<!-- x -->", "‹!-- x -->"),
        ("zero\u200bwidth", "zerowidth"),
        ("\u202eright to left", "right to left"),
        ("\x1b[31mred", "[31mred"),
        ("tag\U000e0041s", "tags"),
        *((f"5{mark}0 euro", "50 euro") for mark in "\ufe00\ufe0f\U000e0100\U000e01ef\u115f\u3164\u180e"),
    ],
)
def test_what_is_shown(text, shown):
    assert neutralise(text) == shown
