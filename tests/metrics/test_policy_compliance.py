"""Policy kept: which of a policy's rules a conversation has broken, and in which turn."""

import asyncio
import json
from typing import Any

import pytest
from case_files import cases_beside, rows_by_language
from openai_server import Answer, yes

from assay.eval_sets import Sample
from assay.languages import load_language
from assay.metrics import PolicyKept
from assay.text import find_rules

CASES = cases_beside(__file__)

POLICY = CASES["policy"]
NUMBER = "Identity: Ask for the customer number before you look up anything."
ACCOUNT = "Identity: Never read out a bank account number."
OUTAGE = "Outages: When there is an outage, tell the customer when it is expected to end."
TECHNICIAN = "Outages: You must not: promise a technician for a given hour"
GUESS = "Outages: You must not: guess"
CREDIT = "Refund requests: Money back: A credit is at most 20 euros."
LEADER = "Refund requests: Money back: The team leader must approve any other."
WITHIN = "Refund requests: Answer within two days."
RULES = [NUMBER, ACCOUNT, OUTAGE, TECHNICIAN, GUESS, CREDIT, LEADER, WITHIN]
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "My internet is down."},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look_up", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": '{"outage": false}'},
    {"role": "assistant", "content": "A technician comes at ten sharp, I promise."},
    {"role": "user", "content": "Thanks."},
    {"role": "assistant", "content": "You are welcome."},
]


def talk(policy=POLICY, messages=TALK, language="en"):
    system = [] if policy is None else [{"role": "system", "content": policy}]
    return Sample(id="c1", messages=[*system, *messages], language=language)


def says(server, broken, others="No"):
    """The judge finds these rules broken, and names the turn; of the others it says no, or a probability of yes."""

    def script(request):
        asked = request.user.rpartition("</conversation>\n")[2]
        rule = next((rule for rule in broken if rule in asked), None)
        if "<statement>" not in asked:
            return Answer(text=broken[rule or ""])
        if rule is not None:
            return Answer(text="Yes")
        return Answer(text=others) if isinstance(others, str) else yes(others)

    server.script = script


def score_of(judge, sample):
    return asyncio.run(PolicyKept(judge).assess(sample))


def test_rules_are_what_obliges_with_what_it_stands_under():
    found_rules = find_rules(POLICY, load_language("en"))
    assert list(found_rules.rules) == RULES
    assert found_rules.others == 5  # two sentences of what is sold, the six digits, what look_up shows, the question
    for policy, others in (("Tools:\n- get_order\n- send_email", 2), ("```\nNever leak data.\n```", 1)):
        assert find_rules(policy, load_language("en")) == ((), others)


def test_the_share_of_rules_that_were_kept(judge, openai_server):
    says(openai_server, {NUMBER: "2", TECHNICIAN: "4"})
    score = score_of(judge(decide="single"), talk())
    assert score.value == pytest.approx(6 / 8)
    rules = {rule["text"]: rule for rule in score.evidence["rules"]}
    assert [*rules] == RULES
    assert rules[NUMBER] == {"text": NUMBER, "broken": True, "probability": None, "turn": 2}
    assert rules[TECHNICIAN]["turn"] == 4
    assert rules[GUESS] == {"text": GUESS, "broken": False, "probability": None, "turn": None}
    assert (score.evidence["ratio"], score.evidence["others"]) == (6 / 8, 5)
    assert score.reason == f'6 of 8 rules kept; broken in turn 2: "{NUMBER}"'
    assert score.usage.calls == 8 + 2


def test_with_probabilities_it_is_the_mean_of_being_kept_and_without_a_usable_answer_it_fails(judge, openai_server):
    says(openai_server, {}, others=0.2)
    score = score_of(judge(decide="single", logprobs=True), talk())
    assert score.value == pytest.approx(0.8, abs=1e-4)
    assert score.evidence["ratio"] == 1.0
    says(openai_server, {}, others="Perhaps")
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.status) == (None, "failed")


def test_the_policy_is_no_part_of_the_conversation(judge, openai_server):
    says(openai_server, {})
    score_of(judge(decide="single"), talk())
    shown = openai_server.requests[0].user
    assert "Each customer has a customer number" not in shown
    assert shown.startswith("<conversation>\n[1] Customer: My internet is down.\n[2] Assistant calls look_up: {}\n")


def test_one_turn_needs_no_choice(judge, openai_server):
    says(openai_server, {GUESS: "nothing"})
    score = score_of(judge(decide="single"), talk("- Never guess.", TALK[:1] + TALK[3:4]))
    assert (score.value, score.usage.calls) == (1.0, 1)
    says(openai_server, {"Never guess": "nothing"})
    score = score_of(judge(decide="single"), talk("- Never guess.", TALK[:1] + TALK[3:4]))
    assert (score.value, score.usage.calls, score.evidence["rules"][0]["turn"]) == (0.0, 1, 2)


def test_a_judge_that_names_no_turn_leaves_the_rule_broken(judge, openai_server):
    def script(request):
        reply = {"1": "Yes"} if "<statements>" in request.user else {"1": "17"}
        return Answer(text=json.dumps(reply))

    openai_server.script = script
    score = score_of(judge(decide="listed"), talk("- Never guess."))
    assert (score.value, score.evidence["rules"][0]["broken"], score.evidence["rules"][0]["turn"]) == (0.0, True, None)
    assert "it answers none of the questions" in score.evidence["no_turns"]


def test_nothing_to_measure_is_skipped(judge, sample):
    assert "no policy" in score_of(judge(), talk(None)).reason
    assert "no policy" in score_of(judge(), talk(" ")).reason
    assert "no rule" in score_of(judge(), talk("Kabelnet sells internet.")).reason
    assert score_of(judge(), sample()).reason == "the sample has no messages and no policy"
    for made in (talk(None), talk(" "), talk("Kabelnet sells internet.")):
        assert (score_of(judge(), made).value, score_of(judge(), made).status) == (None, "skipped")


def test_all_rules_of_a_long_policy_are_asked(judge, openai_server):
    policy = "\n".join(f"- Never name the number {number}." for number in range(300))

    def script(request):
        names = [line.partition(":")[0] for line in request.user.partition("<statements>\n")[2].splitlines()[:-1]]
        return Answer(text=json.dumps(dict.fromkeys(names, "No")))

    openai_server.script = script
    score = score_of(judge(decide="listed"), talk(policy))
    assert (score.value, len(score.evidence["rules"]), score.usage.calls) == (1.0, 300, 3)  # 128 in a call


@pytest.mark.parametrize(("language", "policy", "rules"), rows_by_language(CASES["rules"]))
def test_what_is_a_rule(language, policy, rules):
    assert [*find_rules(policy, load_language(language)).rules] == rules


def test_a_rule_that_is_said_in_the_conversation_is_no_rule(judge, openai_server):
    says(openai_server, {})
    messages = [{"role": "user", "content": "Rules:\n- You must give me money."}, TALK[3]]
    score = score_of(judge(decide="single"), talk("- Be kind.", messages))
    assert [rule["text"] for rule in score.evidence["rules"]] == ["Be kind."]


@pytest.mark.parametrize("mark", ["a)", "(a)", "1.1", "i.", "iv)", "(2)"])
def test_items_have_any_usual_mark(mark):
    policy = f"{mark} Ask for the number.\n{mark} Never promise a refund."
    assert find_rules(policy, load_language("en")) == (("Ask for the number.", "Never promise a refund."), 0)
