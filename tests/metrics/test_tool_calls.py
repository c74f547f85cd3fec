"""Tool calls against the expected ones: matching, arguments, look-ups, failed calls, order, and bad lists."""

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from assay.eval_sets import Sample
from assay.metrics import ToolCalls, match_most


def call(name, arguments=None, call_id="a"):
    function = {"name": name, "arguments": {} if arguments is None else arguments}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}]}


def result(text, call_id="a"):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def talk(*messages, **metadata):
    edges = ({"role": "user", "content": "Help."}, {"role": "assistant", "content": "Done."})
    return Sample(id="1", messages=[edges[0], *messages, edges[1]], metadata=metadata)


def assess(sample, **options):
    return asyncio.run(ToolCalls(**options).assess(sample))


PAY = {"name": "pay", "kwargs": {"sum": 5}}
SEND = {"name": "send", "kwargs": {"to": "Ann"}}
MADE = (call("pay", {"sum": 5}), call("send", {"to": "Bo"}), call("close"))


def test_precision_recall_f1_and_what_is_skipped():
    # matched: pay; made: pay, send, close; expected: pay, send
    values = {mode: assess(talk(*MADE, expected_actions=[PAY, SEND]), mode=mode).value for mode in ("f1", "precision")}
    assert values == {"f1": pytest.approx(2 / 5), "precision": pytest.approx(1 / 3)}
    assert assess(talk(*MADE, expected_actions=[PAY, SEND]), mode="recall").value == 1 / 2
    assert assess(talk(*MADE, expected_actions=[PAY, SEND]), mode="exact").value == 0
    assert assess(talk(call("pay"))).status == "skipped"
    assert assess(Sample(id="1", user_input="?", response="!")).status == "skipped"
    assert assess(talk(call("pay"), expected_actions=[]), mode="recall").status == "skipped"
    assert assess(talk(expected_actions=[PAY]), mode="precision").status == "skipped"
    assert assess(talk(expected_actions=[PAY])).value == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "f2"}, "mode is f1, precision, recall or exact, not 'f2'"),
        ({"mode": ["f1"]}, "mode is f1, precision, recall or exact, not ['f1']"),
        ({"extra_arguments": "no"}, "extra_arguments is refused or allowed, not 'no'"),
    ],
)
def test_another_value_of_an_option_is_refused_as_by_every_metric(options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ToolCalls(**options)


def test_the_evidence_names_what_is_wrong():
    refund = {"name": "refund", "kwargs": {}}
    score = assess(talk(*MADE, expected_actions=[PAY, SEND, refund]))
    assert {key: score.evidence[key] for key in ("expected", "made", "matched", "precision", "recall", "in_order")} == {
        "expected": 3,
        "made": 3,
        "matched": 1,
        "precision": pytest.approx(1 / 3),
        "recall": pytest.approx(1 / 3),
        "in_order": None,
    }
    assert score.evidence["missing"] == [{"name": "refund", "arguments": {}}]
    assert score.evidence["unexpected"] == [{"turn": 3, "name": "close", "arguments": {}}]
    assert score.evidence["wrong_arguments"] == [
        {
            "turn": 2,
            "name": "send",
            "arguments": {"to": "Bo"},
            "wrong": [{"argument": "to", "expected": "Ann", "made": "Bo"}],
        }
    ]
    assert score.reason == "1 of 3 expected calls made, 2 not expected; send in message 2 has another to"


@pytest.mark.parametrize("mode", ["f1", "precision", "recall", "exact"])
def test_nothing_expected_and_nothing_made_is_right(mode):
    assert assess(talk(expected_actions=[]), mode=mode).value == 1
    assert assess(talk(call("get_order"), expected_actions=[]), mode=mode).value == 1  # looks up


@pytest.mark.parametrize(
    ("expected", "made", "is_same"),
    [
        (1, 1.0, True),
        (5, "5", False),
        (True, 1, False),
        ("Zoë", "Zoe\u0308", True),
        (" x ", "x", True),
        ("x", "X", False),
        ({"a": 1, "b": [1, 2]}, {"b": [1.0, 2], "a": 1}, True),
        ([1, [2]], "[1, [2.0]]", True),
        ('{"a": 1}', {"a": 1}, True),
        ("[sic]", "[sic]", True),
    ],
)
def test_arguments_are_compared_by_value(expected, made, is_same):
    actions = [{"name": "pay", "kwargs": {"x": expected}}]
    assert assess(talk(call("pay", json.dumps({"x": made})), expected_actions=actions)).value == float(is_same)


def test_extra_arguments_any_value_and_no_arguments():
    made = call("pay", {"sum": 5, "note": "Thanks"})
    assert assess(talk(made, expected_actions=[PAY])).value == 0
    assert assess(talk(made, expected_actions=[PAY])).evidence["wrong_arguments"][0]["wrong"] == [
        {"argument": "note", "made": "Thanks"}
    ]
    assert assess(talk(made, expected_actions=[PAY]), extra_arguments="allowed").value == 1
    free = {"name": "pay", "kwargs": {"sum": 5, "note": "Hi"}, "any_value": ["note"]}
    assert assess(talk(made, expected_actions=[free])).value == 1
    without = talk(call("pay", {"sum": 5}), expected_actions=[free])
    assert assess(without).value == 0
    assert assess(without).evidence["wrong_arguments"][0]["wrong"] == [{"argument": "note", "expected": "Hi"}]
    for action in ({"name": "pay", "any_value": ["note"]}, {"name": "pay", "kwargs": {}, "any_value": ["note"]}):
        assert assess(talk(call("pay", {"sum": 5}), expected_actions=[action])).value == 0
        assert assess(talk(call("pay", "none"), expected_actions=[action])).value == 0
    assert assess(talk(made, expected_actions=[{"name": "pay", "any_value": ["note"]}])).value == 1
    assert assess(talk(made, expected_actions=[{"name": "pay"}])).value == 1
    assert assess(talk(made, expected_actions=[{"name": "pay", "kwargs": {}}])).value == 0


@pytest.mark.parametrize("key", ["kwargs", "arguments", "args"])
def test_expected_calls_in_every_form(key):
    sample = talk(call("pay", {"sum": 5}), expected_actions=[{"name": "pay", key: '{"sum": 5}'}])
    assert assess(sample).value == 1
    openai = {"type": "function", "function": {"name": "pay", key: {"sum": 5}}}
    assert assess(talk(call("pay", {"sum": 5}), expected_actions=[openai])).value == 1
    assert assess(talk(call("pay", {"sum": 5}), expected_actions=json.dumps([PAY]))).value == 1


def test_look_ups():
    look, more = {"name": "getOrder", "kwargs": {"id": 1}}, call("search-items")
    sample = talk(call("getOrder", {"id": 1}), more, MADE[0], expected_actions=[look, PAY])
    assert assess(sample).value == 1
    assert assess(sample, ignore=None).value == pytest.approx(4 / 5)
    assert assess(talk(MADE[0], expected_actions=[look, PAY])).value == pytest.approx(2 / 3)
    assert assess(talk(*MADE, expected_actions=[PAY]), ignore="send + cl*").value == 1


def test_a_failed_call_that_is_made_again_costs_nothing():
    again = (call("pay", {"sum": 6}), result("Error: too much"), call("pay", {"sum": 5}, "b"), result("paid", "b"))
    score = assess(talk(*again, expected_actions=[PAY]))
    assert score.value == 1
    assert score.evidence["failed"] == [{"turn": 1, "name": "pay", "arguments": {"sum": 6}}]
    # the same call twice: the one with an effect is matched, the other costs nothing
    twice = (call("pay", {"sum": 5}), result("Error: busy"), call("pay", {"sum": 5}, "b"), result("paid", "b"))
    assert assess(talk(*twice, expected_actions=[PAY])).value == 1
    # what was expected and tried counts, though the tool refused it
    assert assess(talk(call("pay", {"sum": 5}), result("Error: busy"), expected_actions=[PAY])).value == 1
    assert assess(talk(call("pay", {"sum": 5}), call("pay", {"sum": 5}, "b"), expected_actions=[PAY])).value == (
        pytest.approx(2 / 3)  # paid twice
    )


@pytest.mark.parametrize(("actions", "in_order"), [([PAY, SEND], False), ([SEND, PAY], True), ([SEND], None)])
def test_the_order(actions, in_order):
    made = (call("send", {"to": "Ann"}), call("pay", {"sum": 5}))
    score = assess(talk(*made, expected_actions=actions))
    assert score.evidence["in_order"] is in_order
    assert assess(talk(*made, expected_actions=[PAY, SEND]), mode="exact").value == 0
    assert assess(talk(*made, expected_actions=[SEND, PAY]), mode="exact").value == 1


def test_the_order_of_equal_calls_cannot_be_told():
    pay, again = call("pay", {"sum": 5}), call("pay", {"sum": 5}, "b")
    send = call("send", {"to": "Ann"}, "c")
    failed_first = (pay, result("Error: busy"), again, result("paid", "b"))
    assert assess(talk(*failed_first, expected_actions=[PAY, PAY])).evidence["in_order"] is True
    assert assess(talk(*failed_first, expected_actions=[PAY, PAY]), mode="exact").value == 1
    # the second of two equal expected calls is the one that was made: send, pay
    assert assess(talk(send, pay, expected_actions=[PAY, SEND, PAY])).evidence["in_order"] is True
    # the second of two equal calls made is the one that was expected: pay, send
    assert assess(talk(send, pay, send, expected_actions=[PAY, SEND])).evidence["in_order"] is True
    assert assess(talk(send, pay, pay, expected_actions=[PAY, SEND, PAY])).evidence["in_order"] is False
    # what had an effect came last, whatever failed before
    late = (pay, result("Error: busy"), send, again, result("paid", "b"))
    assert assess(talk(*late, expected_actions=[PAY, SEND])).evidence["in_order"] is False


@given(st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), max_size=6))
def test_the_matching_is_the_largest(candidates):
    def largest(left, used):
        if left == len(candidates):
            return 0
        taken = (1 + largest(left + 1, used | {one}) for one in candidates[left] if one not in used)
        return max([largest(left + 1, used), *taken])

    matches = match_most(candidates)
    assert len(matches) == largest(0, frozenset())
    assert len(set(matches.values())) == len(matches)
    assert all(place in candidates[left] for left, place in matches.items())


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ({"name": "pay"}, r"metadata\.expected_actions is .*, not a list; write \["),
        ("pay", r"metadata\.expected_actions is a text that is no JSON"),
        ([PAY, {"kwargs": {}}], r"metadata\.expected_actions\[1\] has no name"),
        ([{"name": "pay", "arguments": "{"}], r"metadata\.expected_actions\[0\]\.arguments is no object"),
        ([{"name": "pay", "any_value": [1]}], r"metadata\.expected_actions\[0\]\.any_value is a list"),
    ],
)
def test_a_list_that_is_none_makes_a_failed_score(actions, problem):
    score = assess(talk(*MADE, expected_actions=actions))
    assert score.status == "failed"
    assert re.match(problem, score.reason), score.reason


@pytest.mark.parametrize("arguments", ["", "null", "[]", "{", "5", '{"sum": 5', "{'sum': 5}"])
def test_arguments_that_are_no_object(arguments):
    score = assess(talk(call("pay", arguments), expected_actions=[PAY]))
    assert score.value == 0
    assert score.evidence["wrong_arguments"][0]["wrong"][0]["argument"] == "sum"


def test_odd_names_and_deep_values():
    name = "∆\u202epay\n*[x]"
    assert assess(talk(call(name), expected_actions=[{"name": name, "kwargs": {}}])).value == 1
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    sample = talk(call("pay")).model_copy(
        update={"metadata": {"expected_actions": [{"name": "x", "kwargs": {"a": deep}}]}}
    )
    score = assess(sample)
    assert (score.status, "nested too deeply" in score.reason) == ("failed", True)


def test_hundreds_of_calls_are_matched():
    """Trying the ways to pair them one by one would never end."""
    made = [call("pay", {"sum": number % 7}, str(number)) for number in range(140)]
    expected = [{"name": "pay", "kwargs": {"sum": number % 7}} for number in range(140)]
    assert assess(talk(*made, expected_actions=expected)).value == 1
    assert assess(talk(*made, expected_actions=expected[:70])).value == pytest.approx(2 / 3)
    other = [{"name": "pay", "kwargs": {"sum": -1}}] * 140
    assert assess(talk(*made, expected_actions=other)).value == 0
