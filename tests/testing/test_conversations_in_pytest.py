"""The pytest plugin and `assert_score` with conversations."""

import json

import pytest

from assay import Sample
from assay.eval_sets import turn_samples
from assay.testing import assert_score

CHAT = [
    {"role": "user", "content": "Is it free?"},
    {"role": "assistant", "content": "It is free.", "retrieved_contexts": ["The course is free."]},
    {"role": "user", "content": "Until when?"},
    {"role": "assistant", "content": "Until May.", "retrieved_contexts": ["Closed in June."]},
    {"role": "user", "content": "Thanks!"},
]


def test_metrics_of_both_levels_are_asserted_of_one_sample():
    sample = Sample(id="c", language="en", messages=CHAT)
    assert assert_score("conversation_turns", sample, at_most=3).value == 2
    assert assert_score("thanks_at_end", sample, at_least=1).value == 1
    with pytest.raises(AssertionError, match=r"token_overlap is 0, below 0.5"):
        assert_score("token_overlap", sample, at_least=0.5)
    assert assert_score("token_overlap", turn_samples(sample)[0], at_least=0.5).value == pytest.approx(2 / 3)


def test_a_set_of_conversations_is_one_test_per_conversation(pytester):
    row = {"id": "chat-1", "language": "en", "messages": CHAT, "user_input": "Until when?", "response": "Until May."}
    pytester.makefile(".jsonl", chats="".join(json.dumps(row | {"id": f"chat-{n}"}) + "\n" for n in (1, 2)))
    pytester.makepyfile(
        """
        import pytest
        from assay.testing import assert_score

        @pytest.mark.assay_set("chats.jsonl")
        def test_is_short(sample):
            assert_score("conversation_turns", sample, at_most=2)
        """
    )
    result = pytester.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_is_short?chat-1? PASSED*"])


def test_a_failure_shows_the_calls():
    function = {"name": "cancel_order", "arguments": '{"id": "A1"}'}
    messages = [
        {"role": "user", "content": "Cancel it."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "It is cancelled."},
    ]
    sample = {"messages": messages, "language": "en", "metadata": {"expected_actions": []}}
    with pytest.raises(AssertionError) as failure:
        assert_score("tool_calls", sample, at_least=1)
    lines = str(failure.value).splitlines()
    assert lines[1:5] == [
        "  [0] Customer: Cancel it.",
        '  [1] Assistant calls cancel_order: {"id": "A1"}',
        "  [2] Result of cancel_order: ok",
        "  [3] Assistant: It is cancelled.",
    ]
