"""Resolved: which of a customer's requests were met at the end, and by which turn."""

import asyncio
import json
import threading
from typing import Any

import pytest
from openai_server import Answer, yes

from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.metrics import Resolved, find_meeting_turns

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello! I want to cancel order 311."},
    {"role": "assistant", "content": "Do you want to cancel order 311?"},
    {"role": "user", "content": "Yes. And when will the red lamp be in stock?"},
    {
        "role": "assistant",
        "tool_calls": [{"id": "a", "function": {"name": "cancel_order", "arguments": '{"order": 311}'}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": '{"order": 311, "status": "cancelled", "note": "refund Ann"}'},
    {"role": "assistant", "content": "It is done. I do not know when the lamp comes back."},
    {"role": "user", "content": "Thanks!"},
    {"role": "assistant", "content": "You are welcome."},
]
CANCEL, LAMP = "Cancel order 311.", "When will the red lamp be in stock?"


def talk(messages=MESSAGES, language="en", **metadata):
    return Sample(id="c1", messages=messages, language=language, metadata=metadata)


def says(server, requests, met):
    """The judge lists these requests; it knows which were met: a word, or the probability of yes."""

    def script(request):
        if request.schema == "Requests":
            return Answer(text=json.dumps({"requests": requests}))
        asked = request.user.partition("<statement>\n")[2]
        share = next((share for text, share in met.items() if text in asked), "No")
        return Answer(text=share) if isinstance(share, str) else yes(share)

    server.script = script


def score_of(judge, sample, **options):
    return asyncio.run(Resolved(judge, **options).assess(sample))


def test_the_share_of_requests_that_were_met(judge, openai_server):
    says(openai_server, [CANCEL, LAMP], {CANCEL: "Yes"})
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.evidence["ratio"]) == (0.5, 0.5)
    assert score.evidence["requests"] == [
        {"text": CANCEL, "met": True, "probability": None, "turn": 5},
        {"text": LAMP, "met": False, "probability": None, "turn": None},
    ]
    assert score.reason == f'1 of 2 requests met; not met: "{LAMP}"'
    assert [prompt.partition(".")[0] for prompt in score.evidence["prompts"]] == ["requests", "resolved"]


def test_with_probabilities_it_is_their_mean_and_without_a_usable_answer_it_fails(judge, openai_server):
    says(openai_server, [CANCEL, LAMP], {CANCEL: 0.9, LAMP: 0.4})
    score = score_of(judge(decide="single", logprobs=True), talk())
    assert score.value == pytest.approx((0.9 + 0.4) / 2, abs=1e-4)
    assert score.evidence["ratio"] == 0.5
    says(openai_server, [CANCEL, LAMP], {CANCEL: "Perhaps", LAMP: "Yes"})
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.status) == (None, "failed")


def test_requests_are_listed_from_what_was_said_without_tools(judge, openai_server):
    says(openai_server, [CANCEL], {CANCEL: "Yes"})
    score_of(judge(decide="single"), talk())
    listing, verdict = openai_server.requests
    assert "cancel_order" not in listing.user
    assert "refund Ann" not in listing.user
    assert "Be brief." not in listing.user + verdict.user
    assert "refund Ann" in verdict.user
    assert verdict.user.startswith("<conversation>\n[1] Customer: Hello! I want to cancel order 311.\n")


def test_thanks_are_no_request_and_one_that_comes_twice_is_one(judge, openai_server):
    same = ["Cancel the order 311", " cancel  ORDER 311. "]
    says(openai_server, [CANCEL, *same, "Thank you for your help."], {CANCEL: "Yes"})
    score = score_of(judge(decide="single"), talk())
    assert [request["text"] for request in score.evidence["requests"]] == [CANCEL]
    assert score.value == 1.0
    says(openai_server, ["Thanks!"], {})
    assert score_of(judge(decide="single"), talk()).status == "skipped"


def test_there_and_back_are_two_requests(judge, openai_server):
    ways = ["Fly from Rome to Oslo.", "Fly from Oslo to Rome."]
    says(openai_server, ways, {})
    messages = [{"role": "user", "content": "Rome to Oslo, and back to Rome, by air: I fly."}, MESSAGES[6]]
    score = score_of(judge(decide="single"), talk(messages))
    assert [request["text"] for request in score.evidence["requests"]] == ways


@pytest.mark.parametrize(
    "invention",
    ["The customer wants a refund for Ann.", "I do not know when the lamp comes back."],
    ids=["no word of the customer's", "the assistant's sentence"],
)
def test_an_invented_request_is_left_out(judge, openai_server, invention):
    says(openai_server, [CANCEL, invention], {CANCEL: "Yes", invention: "No"})
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.evidence["invented"]) == (1.0, [invention])
    assert "1 listed request left out: the customer never made it" in score.reason


@pytest.mark.parametrize(
    ("said", "listed", "language"),
    [
        ("I was thinking about cancelling.", "A cancellation.", "en"),
        ("Ich möchte kündigen.", "Die Kündigung bestätigen.", "de"),
        ("Waar is mijn loonstrook?", "De loonstroken vinden.", "nl"),
    ],
)
def test_another_form_of_a_word_is_the_customers(judge, openai_server, said, listed, language):
    says(openai_server, [listed], {})
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Ok."}]
    score = score_of(judge(decide="single"), talk(messages, language))
    assert "invented" not in score.evidence


def test_no_request_is_skipped_and_where_all_are_invented_it_fails(judge, openai_server):
    says(openai_server, [" "], {})
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.status, score.reason) == (None, "skipped", "the judge finds no request of the customer")
    silent = talk([{"role": "user", "content": " "}, *MESSAGES[1:3]])
    assert score_of(judge(decide="single"), silent).status == "skipped"
    says(openai_server, ["Book a flight to Rome."], {})
    score = score_of(judge(decide="single"), talk())
    assert (score.value, score.status) == (None, "failed")
    assert score.evidence["invented"] == ["Book a flight to Rome."]
    assert "the customer never made" in score.reason
    assert score.usage.calls == 1


def test_given_requests_are_not_listed_by_the_judge(judge, openai_server):
    says(openai_server, [], {"You want to cancel order 311.": "Yes"})
    goal = "You are Ann. You want to cancel order 311. If that fails, you want the red lamp. You need the lamp soon."
    score = score_of(judge(decide="single"), talk(customer_goal=goal), goal="given")
    texts = [request["text"] for request in score.evidence["requests"]]
    assert texts == ["You want to cancel order 311.", "You need the lamp soon."]
    assert (score.value, score.evidence["goal"], score.usage.calls) == (0.5, "given", 2)
    as_list = score_of(judge(decide="single"), talk(customer_goal=[CANCEL, " ", 3, CANCEL]), goal="given")
    assert [request["text"] for request in as_list.evidence["requests"]] == [CANCEL]


@pytest.mark.parametrize("goal", [None, "", " ", [], [3], {"text": "x"}])
def test_without_a_given_goal_it_is_skipped(judge, openai_server, goal):
    score = score_of(judge(decide="single"), talk(customer_goal=goal), goal="given")
    reason = "metadata.customer_goal names no request"
    if goal is None or isinstance(goal, str):
        reason = "the sample has no metadata.customer_goal"
    assert (score.status, score.reason) == ("skipped", reason)
    assert not openai_server.requests


def test_the_turn_is_after_the_request_and_no_question():
    """Turn 2 asks about the order, 4 and 5 cancel it."""
    assert find_meeting_turns(talk(), [CANCEL, "Send the invoice."]) == [5, None]


def test_a_long_conversation_is_written_beside_the_event_loop(judge, openai_server):
    """25 characters 1,000 times are more than 20,000: it is written and measured in a thread, and asked on the loop."""
    on_the_loop = []

    class Watched(Resolved):
        def question(self, *arguments):
            on_the_loop.append(threading.current_thread() is threading.main_thread())
            return super().question(*arguments)

    says(openai_server, [CANCEL], {CANCEL: "Yes"})
    long = [{"role": "user", "content": "Please cancel order 311. " * 1000}, MESSAGES[6]]
    assert asyncio.run(Watched(judge(decide="single")).assess(talk(long))).value == 1
    assert on_the_loop == [False, True]


def test_a_conversation_that_does_not_fit_fails_with_the_size(openai_server):
    says(openai_server, [CANCEL], {CANCEL: "Yes"})
    settings = JudgeSettings(model="openai/gpt-4", api_base=openai_server.api_base, wait=0)  # reads 8,192 tokens
    long = [{"role": "user", "content": "Please cancel order 311. " * 3000}, MESSAGES[6]]
    score = score_of(LiteLLMJudge(settings, decide="single"), talk(long))
    assert (score.value, score.status) == (None, "failed")
    assert "take a judge with a longer context" in score.reason
    assert "tool" not in score.reason, "there is no result of a tool that could be cut"
    assert not openai_server.requests
