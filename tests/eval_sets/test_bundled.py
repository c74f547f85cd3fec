"""The bundled sets keep the plan that eval_sets/README.md describes."""

from collections import Counter
from functools import cache

import pytest
from conversation_faults import FAULTS, Labels, read_labels

from assay.eval_sets import Sample, load_set

# eval_sets/README.md, "The rubric"
RUBRIC = {
    "correct_not_in_context": 4,
    "missing_step": 3,
    "too_general": 3,
    "changed_step": 2,
    "off_context": 2,
    "refusal": 2,
    "unspecified_component": 1,
    "error_mixup": 1,
    "contradiction": 1,
    "false_statement": 1,
}
MESSAGE_TYPES = {"instruction", "binary", "reasoning", "general", "error", "unspecified", "action"}

both = pytest.mark.parametrize("language", ["nl", "en"])


@cache
def samples(language):
    return load_set(f"helpdesk_{language}")


def rating_of(defects):
    """One defect gives its rating; of two the lower counts, minus 1 if both are above 1."""
    if not defects:
        return 5
    ratings = [RUBRIC[defect] for defect in defects]
    return min(ratings) - (len(ratings) == 2 and min(ratings) > 1)


@both
def test_every_rating_follows_from_the_planted_defects(language):
    for sample in samples(language):
        defects = sample.metadata["defects"]
        assert len(defects) <= 2, sample.id
        assert sample.rating == rating_of(defects), sample.id
        assert sample.metadata["note"].strip(), sample.id


@both
def test_sixty_pairs_of_all_message_types_and_enough_pages(language):
    assert [sample.id for sample in samples(language)] == [f"{language}-{number:03}" for number in range(1, 61)]
    assert {sample.language for sample in samples(language)} == {language}
    assert {sample.message_type for sample in samples(language)} == MESSAGE_TYPES
    assert len({sample.group for sample in samples(language)}) >= 12
    assert 20 <= sum(sample.rating == 5 for sample in samples(language)) <= 28
    for kind in MESSAGE_TYPES - {"unspecified", "action"}:  # small talk and actions are flawless or defective alone
        flawless = {sample.rating == 5 for sample in samples(language) if sample.message_type == kind}
        assert flawless == {True, False}, kind


@cache
def conversations(language: str) -> list[tuple[Sample, Labels]]:
    """The samples of a language with their labels, which are validated."""
    return [(sample, read_labels(sample)) for sample in load_set(f"conversations_{language}")]


def calls(sample: Sample) -> list[tuple[str, dict[str, object] | None]]:
    return [(call.function.name, call.function.values) for message in sample.messages for call in message.tool_calls]


def expected(sample: Sample) -> list[tuple[str, dict[str, object] | None]]:
    return [(action["name"], action["kwargs"]) for action in sample.metadata["expected_actions"]]


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


@pytest.mark.parametrize("language", ["nl", "en"])
def test_ratings_by_the_rubric(language):
    """One false claim is a 2, more are a 1; without one, all supported is a 5, some a 4, none a 3."""
    for sample in load_set(f"kpi_{language}"):
        gold = Counter(claim["gold"] for claim in sample.metadata["claims"])
        without_false = 5 if not gold["unverifiable"] else 4 if gold["supported"] else 3
        assert sample.rating == (without_false, 2, 1)[min(gold["contradicted"], 2)], sample.id
