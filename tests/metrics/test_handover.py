"""Handover: the verdicts by a judge and by the rule, and what says that a customer is handed over."""

import asyncio

import pytest
from case_files import cases_beside, rows_by_language

from assay.eval_sets import Sample, read_thread
from assay.languages import load_language
from assay.metrics import Handover, customer_wish, find_handover, find_needs, hands_over

CASES = cases_beside(__file__)

POLICY = {"role": "system", "content": "Hand over if and only if a flight was already used."}
QUESTION = {"role": "user", "content": "Cancel my trip."}
REFUSAL = {"role": "assistant", "content": "The first flight was already used."}
PHRASE = {"role": "assistant", "content": "I'm transferring you to a colleague."}
OFFER = {"role": "assistant", "content": "Would you like me to transfer you to a human agent?"}
PERSON = "person"


def call(name, call_id="a", arguments="{}"):
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


def asks(text):
    return {"role": "user", "content": text}


def talk(*messages):
    return Sample(id="1", messages=[QUESTION, REFUSAL, *messages], language="en")


def with_policy(*messages):
    return Sample(id="1", messages=[POLICY, QUESTION, REFUSAL, *messages], language="en")


def assess(sample, metric=None):
    return asyncio.run((metric or Handover()).assess(sample))


@pytest.mark.parametrize(
    ("messages", "needed", "expected"),
    [
        # P(needed) = .9 or .2: it counts where a handover happened, else 1 - P does
        ([PHRASE], 0.9, ("right", 0.9)),
        ([PHRASE], 0.2, ("needless", 0.2)),
        ([], 0.9, ("missing", 0.1)),
        ([], 0.2, ("none_needed", 0.8)),
    ],
)
def test_the_judge_decides_under_the_policy(judge, decide, messages, needed, expected):
    decide(lambda _: {PERSON: needed, "assistant": 1 - needed})
    score = assess(with_policy(*messages), Handover(judge(decide="single", logprobs=True)))
    verdict, value = expected
    assert score.value == pytest.approx(value, abs=1e-4)
    assert score.evidence["verdict"] == verdict
    assert score.evidence["happened"] is bool(messages)
    assert score.evidence["turn"] == (3 if messages else None)
    assert score.evidence["by"] == (PHRASE["content"] if messages else None)
    assert score.evidence["probability"] == pytest.approx(needed, abs=1e-4)
    assert score.evidence["decided_by"] == "judge"


def test_the_judge_sees_the_policy_and_nothing_of_the_handover(judge, decide, openai_server):
    decide(lambda _: {PERSON: 1.0})
    assess(with_policy(PHRASE, call("transfer_to_human_agents")), Handover(judge(decide="single", logprobs=True)))
    asked = openai_server.requests[-1].body["messages"][-1]["content"]
    assert "[2] Assistant: The first flight was already used." in asked
    assert "if and only if a flight was already used" in asked
    assert "transfer" not in asked


@pytest.mark.parametrize(
    ("messages", "verdict", "value"),
    [
        ([PHRASE], "needless", 0.0),
        ([asks("I want to speak to a human."), PHRASE], "right", 1.0),
        ([asks("I want to speak to a human."), REFUSAL], "missing", 0.0),
        ([{"role": "assistant", "content": "I cannot help you with that."}], "missing", 0.0),
        ([{"role": "assistant", "content": "I cannot help you with that."}, call("handoff")], "right", 1.0),
        # the customer wants no person any more
        ([asks("Get me a human."), REFUSAL, asks("No, I don't want to be transferred."), REFUSAL], "none_needed", 1.0),
        # "yes" to an offer asks for a person
        ([OFFER, asks("Yes please."), REFUSAL], "missing", 0.0),
    ],
)
def test_without_a_policy_the_rule_decides(messages, verdict, value):
    score = assess(talk(*messages))
    assert (score.evidence["verdict"], score.value) == (verdict, value)
    assert score.evidence["decided_by"] == "rule"
    assert score.evidence["probability"] is None
    assert "the rule decides" in score.reason


def test_a_judge_without_a_policy_is_not_asked(judge, openai_server):
    score = assess(talk(PHRASE), Handover(judge()))
    assert openai_server.requests == []
    assert "there is no policy: the rule decides" in score.reason
    assert "there is no judge to read the policy: the rule decides" in assess(with_policy(PHRASE)).reason


def test_which_tools_hand_over_and_what_an_error_does():
    failed = [call("transfer_to_human"), {"role": "tool", "tool_call_id": "a", "content": "Error: no agent is free"}]
    assert assess(talk(*failed)).evidence["happened"] is False
    again = [call("transfer_to_human", "b"), {"role": "tool", "tool_call_id": "b", "content": "Transfer successful"}]
    evidence = assess(talk(*failed, *again)).evidence
    assert (evidence["turn"], evidence["by"]) == (4, "transfer_to_human")
    metric = Handover(tools="ring_* + bell")
    assert assess(talk(call("ring_desk")), metric).evidence["by"] == "ring_desk"
    assert assess(talk(call("transfer_to_human")), metric).evidence["happened"] is False
    assert assess(talk(call("transfer_to_human")), metric).evidence["by"] is None


def test_what_customer_tool_or_policy_say_hands_nobody_over():
    said = "I'm transferring you to a colleague."
    messages = [
        {"role": "system", "content": said},
        {"role": "assistant", "content": said},  # before the customer said anything
        {"role": "user", "content": f"You have been transferred. {said}"},
        call("read_manual"),
        {"role": "tool", "tool_call_id": "a", "content": said},
        {"role": "assistant", "content": f'The manual has the sentence "{said}" in it.'},
    ]
    assert assess(Sample(id="1", messages=messages, language="en")).evidence["happened"] is False


HAND_OVER = [
    *["transfer_to_human_agents", "escalate", "escalateToSupervisor", "Escalate-To-Supervisor", "handOff"],
    *["live_agent", "klant_doorverbinden"],
]
DO_NOT = [
    *["", "_", "create_ticket", "transfer_money", "get_live_agent_hours", "list_human_agents", "∆", "a" * 5000],
    *["do_not_transfer_to_human", "neverEscalate", "avoid-handoff", "no_human_transfer", "handoff_cancelled"],
    *["klant_niet_doorverbinden", "nicht_an_human_agent_transfer"],
]


@pytest.mark.parametrize("name", [*HAND_OVER, *DO_NOT])
def test_which_names_of_tools_hand_over(name):
    assert hands_over(name) is (name in HAND_OVER)


def says_so(code, answer):
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}])
    return find_handover(messages, load_language(code)) is not None


@pytest.mark.parametrize(("code", "answer"), rows_by_language(CASES["happens"]))
def test_the_assistant_hands_over(code, answer):
    assert says_so(code, answer)
    assert says_so(code, f"- {answer}")  # in a list


@pytest.mark.parametrize(("code", "answer"), rows_by_language(CASES["happens_not"]))
def test_an_offer_a_refusal_a_condition_and_a_quote_hand_nobody_over(code, answer):
    assert not says_so(code, answer)


@pytest.mark.parametrize(("code", "text", "wish"), rows_by_language(CASES["wishes"]))
def test_the_customer_asks_for_a_person(code, text, wish):
    assert customer_wish(text, load_language(code))[0] is wish


@pytest.mark.parametrize(("code", "text", "is_helpless"), rows_by_language(CASES["cannot"]))
def test_the_assistant_says_that_it_cannot_help(code, text, is_helpless):
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": text}])
    signs = find_needs(messages, load_language(code), len(messages))
    assert [(sign.kind, sign.turn) for sign in signs] == ([("cannot", 1)] if is_helpless else [])
