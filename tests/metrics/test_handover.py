"""Handover: the verdicts by a judge and by the rule, and what says that a customer is handed over."""

import asyncio
from typing import Any

import pytest

from assay.eval_sets import Sample, read_thread
from assay.languages import load_language
from assay.metrics import Handover, customer_wish, find_handover, find_needs, hands_over

POLICY = {"role": "system", "content": "Hand over if and only if a flight was already used."}
QUESTION = {"role": "user", "content": "Cancel my trip."}
REFUSAL = {"role": "assistant", "content": "The first flight was already used."}
PHRASE = {"role": "assistant", "content": "I'm transferring you to a colleague."}
OFFER = {"role": "assistant", "content": "Would you like me to transfer you to a human agent?"}
PERSON = "person"


def call(name: str, call_id: str = "a", arguments: str = "{}") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def talk(*messages: dict[str, Any]) -> Sample:
    return Sample(id="1", messages=[QUESTION, REFUSAL, *messages], language="en")


def with_policy(*messages: dict[str, Any]) -> Sample:
    return Sample(id="1", messages=[POLICY, QUESTION, REFUSAL, *messages], language="en")


def assess(sample: Sample, metric: Handover | None = None) -> Any:
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


@pytest.mark.parametrize(
    "name",
    ["transfer_to_human_agents", "escalate", "Escalate-To-Supervisor", "handOff", "live_agent", "klant_doorverbinden"],
)
def test_tools_that_hand_over(name):
    assert hands_over(name)


@pytest.mark.parametrize(
    "name",
    [
        *["", "_", "create_ticket", "transfer_money", "get_live_agent_hours", "list_human_agents", "∆", "a" * 5000],
        *["do_not_transfer_to_human", "neverEscalate", "avoid-handoff", "no_human_transfer", "handoff_cancelled"],
        *["klant_niet_doorverbinden", "nicht_an_human_agent_transfer"],
    ],
)
def test_tools_that_do_not(name):
    assert not hands_over(name)


HAPPENS = {
    "en": [
        "I'm transferring you to a colleague.",
        "I've forwarded your case to our finance department.",
        "Your request has been escalated to a supervisor.",
        "Let me put you through to our technical support team.",
        "I’ll get a supervisor to help you with this.",
        "**I am transferring you now.**",
    ],
    "nl": [
        "Ik verbind u door met een collega.",
        "Dat kan ik zelf niet wijzigen, daarom verbind ik u nu door met een medewerker.",
        "U wordt nu doorverbonden met een medewerker van de klantenservice.",
        "Ik ga je doorverbinden met een specialist.",
        "Uw klacht is doorgezet naar een leidinggevende.",
    ],
    "de": [
        "Ich verbinde Sie mit einem Kollegen.",
        "Ich habe Ihr Anliegen an einen Kollegen weitergeleitet.",
        "Ein Kollege meldet sich heute bei Ihnen.",
        "Ihre Beschwerde wurde an einen Vorgesetzten weitergegeben.",
        "Einen Moment bitte, ich stelle Sie durch.",
    ],
}
HAPPENS_NOT = {
    "en": [
        "> One moment. I'm transferring you to a colleague.\n\nThat is what Bob wrote.",
        "Bob wrote:\r\n>> I'm transferring you to a colleague.",
        "<!-- I'm transferring you to a colleague. --> Hello!",
        "I can transfer you to a colleague if you like.",
        "Would you like me to transfer you to a human agent?",
        "I cannot transfer you to a human agent.",
        "I recommend contacting a human agent who can assist you further.",
        "I'll transfer you to a colleague if you want.",
        'Our policy says: "I am transferring you to a colleague" is only said for fraud.',
        "I will transfer the amount to your bank account.",
        "You will not be transferred to a colleague.",
        "I will connect you to the internet in three steps.",
    ],
    "nl": [
        "> Een moment. Ik verbind u door met een collega.\n\nDat schreef Bob.",
        "<!-- Ik verbind u door met een collega. -->",
        "Ik kan u doorverbinden met een collega als u dat wilt.",
        "Zal ik u doorverbinden met een medewerker?",
        "Als dat niet helpt, verbind ik u door met een collega.",
        "Ik heb uw factuur doorgestuurd naar uw e-mailadres.",
        "Het beleid zegt: ik verbind u door met een collega bij fraude.",
    ],
    "de": [
        "Ich kann Sie mit einem Kollegen verbinden, wenn Sie möchten.",
        "Soll ich Sie mit einem Mitarbeiter verbinden?",
        "Wenn das nicht hilft, verbinde ich Sie mit einem Kollegen.",
        "Sie sind jetzt mit dem WLAN verbunden.",
        "Die Richtlinie besagt, ich verbinde Sie mit einem Mitarbeiter nur bei Betrug.",
        "> Einen Moment. Ich verbinde Sie mit einem Kollegen.\n\nDas schrieb Bob.",
        "<!-- Ich verbinde Sie mit einem Kollegen. -->",
    ],
}
WISHES: dict[str, list[tuple[str, bool | None]]] = {
    "en": [
        ("I want to speak to a human.", True),
        ("Just transfer me to an agent", True),
        ("Get me your manager!", True),
        ("I can't get help here, I want to speak to a supervisor.", True),
        ("I don't want to speak to a human.", False),
        ("I'd prefer not to be transferred.", False),
        ("The delay has really put me in a tough spot.", None),
        ("Can you send me the invoice?", None),
    ],
    "nl": [
        ("Ik wil een medewerker spreken.", True),
        ("Kan ik met een echt mens praten?", True),
        ("medewerker graag", True),
        ("Ik wil niet met een medewerker praten.", False),
        ("Ik hoef niet doorverbonden te worden.", False),
        ("Kunt u me de factuur sturen?", None),
    ],
    "de": [
        ("Ich möchte mit einem Mitarbeiter sprechen.", True),
        ("Verbinden Sie mich mit einem Kollegen.", True),
        ("Ich will einen Vorgesetzten sprechen!", True),
        ("Ich möchte nicht mit einem Mitarbeiter sprechen.", False),
        ("Ihr Kollege sagte gestern, dass es kostenlos ist.", None),
    ],
}
CANNOT: dict[str, list[tuple[str, bool]]] = {
    "en": [
        ("Unfortunately, I cannot assist with this request.", True),
        ("There is nothing more I can do.", True),
        ("If the bag is lost, I won't be able to help.", False),
        ("You cannot cancel this order.", False),
    ],
    "nl": [
        ("Daar kan ik u helaas niet mee helpen.", True),
        ("Dat valt buiten mijn mogelijkheden.", True),
        ("U kunt dit niet annuleren.", False),
    ],
    "de": [("Dabei kann ich Ihnen leider nicht helfen.", True), ("Sie können das nicht stornieren.", False)],
}


def says_so(code: str, answer: str) -> bool:
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}])
    return find_handover(messages, load_language(code)) is not None


@pytest.mark.parametrize(("code", "answer"), [(code, text) for code, texts in HAPPENS.items() for text in texts])
def test_the_assistant_hands_over(code, answer):
    assert says_so(code, answer)
    assert says_so(code, f"- {answer}")  # in a list


@pytest.mark.parametrize(("code", "answer"), [(code, text) for code, texts in HAPPENS_NOT.items() for text in texts])
def test_an_offer_a_refusal_a_condition_and_a_quote_hand_nobody_over(code, answer):
    assert not says_so(code, answer)


@pytest.mark.parametrize(
    ("code", "text", "wish"), [(code, text, wish) for code, rows in WISHES.items() for text, wish in rows]
)
def test_the_customer_asks_for_a_person(code, text, wish):
    assert customer_wish(text, load_language(code))[0] is wish


@pytest.mark.parametrize(
    ("code", "text", "is_helpless"),
    [(code, text, helpless) for code, rows in CANNOT.items() for text, helpless in rows],
)
def test_the_assistant_says_that_it_cannot_help(code, text, is_helpless):
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": text}])
    signs = find_needs(messages, load_language(code), len(messages))
    assert [(sign.kind, sign.turn) for sign in signs] == ([("cannot", 1)] if is_helpless else [])


ASKS_FOR_A_CALL = {
    "en": ["Can a colleague of yours call me back?", "Could you let one of your agents phone us, please?"],
    "nl": ["Kan een collega van u mij terugbellen?", "Kunt u mij laten bellen door een collega?"],
    "de": ["Kann mich ein Kollege von Ihnen zurückrufen?", "Könnte sich jemand bei mir melden?"],
}
NO_CALL = {
    "en": ["Can you call me a taxi?", "Did a colleague of yours call me yesterday?", "I don't want anyone to call me."],
    "nl": ["Kan ik mijn moeder bellen?", "Heeft een collega mij gebeld?", "Ik wil niet dat iemand mij belt."],
    "de": ["Kann ich jemanden anrufen?", "Hat mich ein Kollege angerufen?", "Ich will nicht, dass mich jemand anruft."],
}


@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_who_wants_to_be_called_by_a_colleague_asks_for_a_person(language):
    pack = load_language(language)
    assert [text for text in ASKS_FOR_A_CALL[language] if customer_wish(text, pack)[0] is not True] == []
    assert [text for text in NO_CALL[language] if customer_wish(text, pack)[0]] == []
