"""The bundled conversations keep the plan that eval_sets/README.md describes."""

from functools import cache

import pytest
from conversation_faults import FAULTS, Labels, read_labels

from assay.eval_sets import Sample, load_set
from assay.text.tokens import tokens

both = pytest.mark.parametrize("language", ["nl", "en"])


@cache
def conversations(language: str) -> list[tuple[Sample, Labels]]:
    """The samples of a language with their labels, which are validated."""
    return [(sample, read_labels(sample)) for sample in load_set(f"conversations_{language}")]


def calls(sample: Sample) -> list[tuple[str, dict[str, object] | None]]:
    return [(call.function.name, call.function.values) for message in sample.messages for call in message.tool_calls]


def expected(sample: Sample) -> list[tuple[str, dict[str, object] | None]]:
    return [(action["name"], action["kwargs"]) for action in sample.metadata["expected_actions"]]


@both
def test_the_first_message_is_the_policy_and_four_to_fourteen_follow(language):
    """Every call has its result, and arguments without free text."""
    for sample, _ in conversations(language):
        roles = [message.role for message in sample.messages]
        assert roles[:2] == ["system", "user"], sample.id
        assert "system" not in roles[1:], sample.id
        assert 4 <= len(roles) - 1 <= 14, sample.id
        assert roles[-1] in {"user", "assistant"}, sample.id
        # a local judge of a small context and a slow processor reads them
        assert sum(len(tokens(message.text)) for message in sample.messages[1:]) <= 300, sample.id
        made = [call.id for message in sample.messages for call in message.tool_calls]
        assert made == [message.tool_call_id for message in sample.messages if message.role == "tool"], sample.id
        for _, arguments in [*calls(sample), *expected(sample)]:
            assert arguments is not None, sample.id
            assert all(len(tokens(str(value))) <= 6 for value in arguments.values()), sample.id


@both
def test_labels_point_at_the_messages_that_they_are_about(language):
    for sample, labels in conversations(language):
        answers = {turn for turn, message in enumerate(sample.messages) if message.role == "assistant"}
        questions = {turn for turn, message in enumerate(sample.messages) if message.role == "user"}
        assert set(sample.metadata["fault_turns"]) | set(labels.asked_again) <= answers, sample.id
        assert {turn for pair in labels.contradictions for turn in pair} <= answers, sample.id
        assert all(earlier < later for earlier, later in labels.contradictions), sample.id
        assert set(labels.repeated) <= questions, sample.id
        assert {rule.turn for rule in labels.broken_rules} <= answers, sample.id
        assert all(rule.rule in sample.policy for rule in labels.broken_rules), sample.id
        assert labels.requests, sample.id
        for request in labels.requests:
            assert (request.turn in answers) is request.met, sample.id
            assert request.met or request.turn is None, sample.id


@both
def test_a_planted_fault_and_what_follows_from_it_is_in_the_labels_and_nothing_else(language):
    wrong_calls: set[str] = {"wrong_tool", "wrong_argument"}
    follows: dict[str, set[str]] = {
        "unresolved": wrong_calls,  # a call that was never made
        "handover_missing": {"unresolved", "policy_broken", *wrong_calls},
        "handover_needless": {"unresolved", "policy_broken", *wrong_calls},
        "asked_again": set(),
        "contradiction": {"unresolved"},
        "policy_broken": set(),
        "wrong_tool": {"unresolved", *wrong_calls},
        "wrong_argument": {"unresolved", *wrong_calls},
    }
    for sample, labels in conversations(language):
        kind = sample.metadata["fault"]
        found = {other for other, holds in FAULTS.items() if holds(sample, labels)}
        assert bool(sample.metadata["fault_turns"]) is (kind is not None), sample.id
        if kind is None:
            assert calls(sample) == expected(sample), sample.id
            assert not labels.repeated and not found, sample.id
        else:
            assert kind in found and found - {kind} <= follows[kind], sample.id
