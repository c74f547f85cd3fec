"""What the benchmark of planted faults counts, on conversations and scores made by hand."""

from typing import Any

import pytest
from conversation_faults import (
    CHECKS,
    FAULTS,
    Outcome,
    fault_rows,
    find_outcomes,
    has_expected_calls,
    list_errors,
    read_labels,
)

from assay.eval_sets import Sample, load_set
from assay.metrics import Score

POLICY = "Rules:\n- Ask for the order number.\n- Offer no discounts."
METRICS = {check.metric for check in CHECKS}


def conversation(name: str, fault: str | None = None, **labels: Any) -> Sample:
    """A conversation of a policy, a question and two answers; labels of nothing unless named."""
    nothing = {"handover": "none_needed", "asked_again": [], "repeated": [], "contradictions": [], "broken_rules": []}
    messages = [
        ("system", POLICY),
        ("user", "Where is it?"),
        ("assistant", "Order?"),
        ("user", "7"),
        ("assistant", "!"),
    ]
    return Sample(
        id=name,
        language="en",
        group=name,
        messages=[{"role": role, "content": content} for role, content in messages],
        metadata={
            "fault": fault,
            "expected_actions": [{"name": "get_order", "kwargs": {}}] if fault == "wrong_tool" else [],
            "labels": {"requests": [{"text": "Know where it is", "met": True, "turn": 4}], **nothing, **labels},
        },
    )


EVIDENCE: dict[str, dict[str, Any]] = {
    "resolved": {"requests": [{"text": "know where the order is", "met": True}]},
    "handover": {"verdict": "none_needed", "happened": False, "turn": None},
    "effort": {"asked_again": [], "repeated": [], "turns": 2},
    "consistent": {"contradictions": []},
    "policy_kept": {"rules": [{"text": "Offer no discounts.", "broken": False}]},
    "tool_calls": {},
}


def scores_of(value: float = 1.0, **evidence: dict[str, Any]) -> dict[str, Score]:
    """Scores that flag nothing, but for the evidence of the metrics that are named."""
    return {metric: Score(value, "scored", "", EVIDENCE[metric] | evidence.get(metric, {})) for metric in METRICS}


def outcome_of(sample: Sample, scores: dict[str, Score], kind: str) -> Outcome:
    """The outcome of the check for a kind."""
    return next(one for one in reversed(find_outcomes([sample], {sample.id: scores})) if kind in one.check.kinds)


RULE = {"rule": "Offer no discounts.", "turn": 4}
UNMET = [{"text": "Know where it is", "met": False, "turn": None}, {"text": "Get a lamp", "met": True, "turn": 4}]
PLACED = [
    ("unresolved", {"requests": UNMET}, {"resolved": {"requests": [{"text": "where it is", "met": False}]}}),
    ("handover_missing", {"handover": "missing"}, {"handover": {"verdict": "missing"}}),
    ("handover_needless", {"handover": "needless"}, {"handover": {"verdict": "needless"}}),
    ("asked_again", {"asked_again": [4]}, {"effort": {"asked_again": [{"turn": 4, "earlier_turn": 1}]}}),
    (
        "contradiction",
        {"contradictions": [[2, 4]]},
        {"consistent": {"contradictions": [{"earlier_turn": 2, "later_turn": 4}]}},
    ),
    ("policy_broken", {"broken_rules": [RULE]}, {"policy_kept": {"rules": [{"text": RULE["rule"], "broken": True}]}}),
]
ELSEWHERE = [
    ("unresolved", {"requests": UNMET}, {"resolved": {"requests": [{"text": "get a lamp", "met": False}]}}),
    ("asked_again", {"asked_again": [4]}, {"effort": {"asked_again": [2]}}),
    (
        "contradiction",
        {"contradictions": [[2, 4]]},
        {"consistent": {"contradictions": [{"earlier_turn": 1, "later_turn": 4}]}},
    ),
    ("policy_broken", {"broken_rules": [RULE]}, {"policy_kept": {"rules": [{"text": "Ask for it", "broken": True}]}}),
]


@pytest.mark.parametrize(("kind", "labels", "evidence"), PLACED)
def test_a_fault_is_found_in_its_place(kind: str, labels: dict[str, Any], evidence: dict[str, Any]) -> None:
    found = outcome_of(conversation("a", kind, **labels), scores_of(**evidence), kind)
    assert (found.planted, found.has_fault, found.flag) == (kind, True, (True, True))
    missed = outcome_of(conversation("a", kind, **labels), scores_of(), kind)
    assert (missed.planted, missed.flag) == (kind, (False, False))


@pytest.mark.parametrize(("kind", "labels", "evidence"), ELSEWHERE)
def test_a_flag_elsewhere_is_not_the_fault(kind: str, labels: dict[str, Any], evidence: dict[str, Any]) -> None:
    assert outcome_of(conversation("a", kind, **labels), scores_of(**evidence), kind).flag == (True, False)


@pytest.mark.parametrize(("kind", "labels", "evidence"), PLACED)
def test_a_flag_without_a_fault_is_a_false_alarm(kind: str, labels: dict[str, Any], evidence: dict[str, Any]) -> None:
    alarm = outcome_of(conversation("a"), scores_of(**evidence), kind)
    assert (alarm.planted, alarm.has_fault) == ("", False)
    assert alarm.flag is not None
    assert alarm.flag.raised
    assert [row[-1] for row in list_errors([alarm])] == ["false alarm"]


def test_a_consequence_is_neither_to_be_found_nor_a_false_alarm() -> None:
    sample = conversation("a", "handover_missing", handover="missing", broken_rules=[RULE])
    evidence = {"rules": [{"text": "Ask for the order number.", "broken": True}]}
    consequence = outcome_of(sample, scores_of(policy_kept=evidence), "policy_broken")
    assert (consequence.planted, consequence.has_fault) == ("", True)
    assert list_errors([consequence]) == []
    assert all(row[4:6] == ["", ""] for row in fault_rows([consequence]))


def test_calls_other_than_the_expected_ones() -> None:
    sample = conversation("a", "wrong_tool")
    outcomes = find_outcomes([sample], {"a": scores_of(value=0.5)})
    rows = {(row[0], row[3]): row[4] for row in fault_rows(outcomes)}
    assert str(rows["wrong_tool", "en"]).startswith("1 of 1")
    assert rows["wrong_argument", "en"] == ""
    assert rows["wrong_tool", "nl"] == ""


def test_no_score_finds_nothing_and_is_counted() -> None:
    sample, clean = conversation("a", "contradiction", contradictions=[[2, 4]]), conversation("b")
    failed = scores_of() | {"consistent": Score(None, "failed", "no reply")}
    outcomes = find_outcomes([sample, clean], {"a": failed, "b": failed})
    rows = [row for row in fault_rows(outcomes) if row[0] == "contradiction" and row[3] == "both"]
    assert [row[2] for row in rows] == ["judge"]
    assert all(str(row[4]).startswith("0 of 1") for row in rows)
    assert [row[5:] for row in rows] == [["", 2]]
    assert [row[2:] for row in list_errors(outcomes)] == [["judge", "contradiction", "no score"]]


def perfect_scores(sample: Sample) -> dict[str, Score]:
    """The scores that say what the labels say."""
    labels = read_labels(sample)
    return scores_of(
        float(has_expected_calls(sample, labels)),
        resolved={"requests": [{"text": request.text, "met": request.met} for request in labels.requests]},
        handover={"verdict": labels.handover, "happened": labels.handover in {"right", "needless"}},
        effort={"asked_again": labels.asked_again, "repeated": labels.repeated},
        consistent={
            "contradictions": [
                {"earlier_turn": earlier, "later_turn": later} for earlier, later in labels.contradictions
            ]
        },
        policy_kept={"rules": [{"text": rule.rule, "broken": True} for rule in labels.broken_rules]},
    )


@pytest.mark.parametrize("language", ["nl", "en"])
def test_scores_that_say_what_the_labels_say_find_all_without_a_false_alarm(language: str) -> None:
    samples = load_set(f"conversations_{language}")
    outcomes = find_outcomes(samples, {sample.id: perfect_scores(sample) for sample in samples})
    assert list_errors(outcomes) == []
    assert len({outcome.sample.id for outcome in outcomes if outcome.planted in FAULTS}) == 15
