"""A judge that answers badly, in part, or not at all: every fault by itself, then 30% of them, then for good."""

import asyncio
import json

import pytest
from modules import module_of
from openai_replies import sensible_reply
from openai_server import Answer

from assay.judges import complete
from assay.metrics import Faithfulness

# What a model says instead of its right reply. When it says so once, a sample (claims, verdicts) takes 2 requests where
# the text is repaired without a model, and 3 where the model is asked again.
REPAIRED = {
    "fences": lambda right: Answer(text=f"```json\n{right}\n```"),
    "trailing commas": lambda right: Answer(text=right.replace("]", ",]").replace("}", ",}")),
    "thoughts": lambda right: Answer(text=f'<think>Maybe {{"claims": []}}?</think>{right}'),
    "unknown fields": lambda right: Answer(text=right.replace("{", '{"note": "hm", ', 1)),
}
ASKED_AGAIN = {
    "prose before": lambda right: Answer(text=f'Here you are, as "asked": {right}'),
    "prose after": lambda right: Answer(text=f"{right} But it is not supported."),
    "truncated": lambda right: Answer(text=right[: len(right) // 2]),
    "cut off at max_tokens": lambda right: Answer(text=right[: len(right) // 2], finish_reason="length"),
    "wrong shape": lambda _: Answer(text='{"answer": "yes"}'),
    "null for a field": lambda _: Answer(text='{"claims": null, "1": null}'),
    "two different answers": lambda right: Answer(text=f'{{"claims": [], "1": "No"}} or {right}'),
    "empty": lambda _: Answer(text=""),
    "refusal": lambda _: Answer(refusal="I cannot help with that."),
    "half a character": lambda _: Answer(text="\ud800"),
    "deep nesting": lambda _: Answer(text='{"claims": ' * 3000),
}
CALLED_AGAIN = {
    "429": lambda _: Answer(status=429),
    "500": lambda _: Answer(status=500),
    "502 of a proxy": lambda _: Answer(status=502, raw="<html>Bad Gateway</html>"),
    "reset": lambda _: Answer(fault="reset"),
    "reset in the middle": lambda _: Answer(fault="cut"),
    "hang": lambda _: Answer(fault="hang"),
    "200 that is no JSON": lambda _: Answer(raw="<html>"),
    "200 without choices": lambda _: Answer(raw='{"id": "x", "object": "chat.completion", "choices": []}'),
}
ONCE = (
    {name: (fault, 2) for name, fault in REPAIRED.items()}
    | {name: (fault, 3) for name, fault in ASKED_AGAIN.items()}
    | {name: (fault, 3) for name, fault in CALLED_AGAIN.items()}
)


def patience(name):
    """Seconds until a call is given up: few only where the server never replies."""
    return 3 if name == "hang" else 60


def right_reply(request):
    return sensible_reply(request.body)[0]


def is_follow_up(request):
    return bool(request.body["messages"][-1]["content"] != request.user)


def claims_of_judge(judge):
    return Faithfulness(judge, claims="judge")


@pytest.mark.parametrize("schema", ["Claims", "ListedAnswers"])
@pytest.mark.parametrize("name", ONCE)
def test_a_fault_once_costs_at_most_one_request_more(name, schema, openai_server, judge, known):
    fault, requests = ONCE[name]

    def script(request):
        first = request.schema == schema and request.attempt == 1 and not is_follow_up(request)
        return fault(right_reply(request)) if first else None

    openai_server.script = script
    sample, right = known(1)
    score = asyncio.run(claims_of_judge(judge(timeout=patience(name))).assess(sample))
    assert (score.status, score.value) == ("scored", pytest.approx(right)), score.reason
    is_beside_answers = (name, schema) == ("unknown fields", "ListedAnswers")  # it may take one of them back
    assert len(openai_server.requests) == requests + is_beside_answers


def test_what_was_cut_off_is_asked_again_with_twice_the_room(openai_server, judge, known):
    openai_server.script = lambda request: (
        Answer(text='{"claims": ["Pre', finish_reason="length") if request.number == 1 else None
    )
    asyncio.run(claims_of_judge(judge(max_tokens=300)).assess(known(0).sample))
    first, second = openai_server.asked_for("Claims")
    assert (first.body["max_tokens"], second.body["max_tokens"]) == (300, 600)
    assert second.body["messages"][-2] == {"role": "assistant", "content": '{"claims": ["Pre'}


CAUSES = (
    dict.fromkeys(ASKED_AGAIN, "cannot be used")
    | dict.fromkeys(CALLED_AGAIN, "failed 3 times")
    | {
        "cut off at max_tokens": "cut off",
        "empty": "it was empty",
        "refusal": "I cannot help with that.",
        "two different answers": "it says more than its JSON",
        "429": "RateLimitError",
        "hang": "Timeout",
        "reset": "Connection error",
        "200 without choices": "no choices",
    }
)


@pytest.mark.parametrize("name", ASKED_AGAIN | CALLED_AGAIN)
def test_a_fault_for_good_fails_the_sample_with_its_cause(name, openai_server, judge, known):
    fault = (ASKED_AGAIN | CALLED_AGAIN)[name]
    openai_server.script = lambda request: fault(right_reply(request))
    seconds = 0.3 if name == "hang" else 60
    score = asyncio.run(claims_of_judge(judge(timeout=seconds)).assess(known(1).sample))
    assert (score.status, score.value) == ("failed", None)
    assert CAUSES[name] in score.reason
    assert "prompt claims.en@" in score.reason and "sample s1" not in score.reason
    assert len(openai_server.requests) == (3 if name in CALLED_AGAIN else 2)


NEVER_AGAIN = {
    "bad key": Answer(status=401),
    "bad request": Answer(status=400),
    "no such model": Answer(status=404),
    "no credit": Answer(status=429, error_code="insufficient_quota"),
    "context too long": Answer(
        status=400, error_code="context_length_exceeded", error_message="This model's maximum context length is 4096"
    ),
    "filtered before": Answer(
        status=400, error_code="content_filter", error_message="filtered: content management policy"
    ),
    "filtered after": Answer(text="", finish_reason="content_filter"),
}
TOLD = {
    "bad key": "check the key",
    "no such model": "api_base",
    "no credit": "no credit left",
    "context too long": "shorten the contexts",
    "filtered after": "content filter",
}


@pytest.mark.parametrize("name", NEVER_AGAIN)
def test_what_cannot_pass_is_asked_exactly_once(name, openai_server, judge, known):
    openai_server.script = lambda _: NEVER_AGAIN[name]
    asking = judge()
    score = asyncio.run(claims_of_judge(asking).assess(known(1).sample))
    assert score.status == "failed"
    assert TOLD.get(name, "") in score.reason
    assert len(openai_server.requests) == 1
    assert asking.retries == 0


def test_a_refused_key_is_named(openai_server, judge, known, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    openai_server.script = lambda _: Answer(status=401)
    score = asyncio.run(claims_of_judge(judge()).assess(known(1).sample))
    assert "; check the key in OPENAI_API_KEY, and what it may use" in score.reason


def test_a_server_that_is_not_there_is_told(judge, known):
    score = asyncio.run(claims_of_judge(judge(api_base="http://127.0.0.1:9/v1", attempts=2)).assess(known(1).sample))
    assert score.status == "failed" and "failed 2 times" in score.reason


def test_a_server_that_dribbles_is_given_up(openai_server, judge, known, monkeypatch):
    monkeypatch.setattr(module_of(complete), "_GRACE", 0.3)
    openai_server.script = lambda _: Answer(fault="dribble")
    score = asyncio.run(claims_of_judge(judge(timeout=0.3, attempts=1)).assess(known(1).sample))
    assert score.status == "failed" and "no reply within 0.3 s" in score.reason


def answers_said(change):
    """The right answers, changed; written by hand, since JSON may name an id twice and a dictionary cannot."""

    def script(request):
        if request.schema != "ListedAnswers":
            return None
        right = [*json.loads(sensible_reply(request.body)[0]).items()]
        return Answer(text="{" + ", ".join(f'"{question}": "{word}"' for question, word in change(right)) + "}")

    return script


def without(question):
    return lambda right: [answer for answer in right if answer[0] != question]


def test_an_answer_lost_for_good_lowers_the_score_and_never_raises_it(openai_server, judge, known):
    """Sample 1 has the answers yes, yes, no; without the third the share must stay 2/3, not be 2/2."""
    openai_server.script = answers_said(without("3"))
    score = asyncio.run(claims_of_judge(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(2 / 3)
    openai_server.script = answers_said(without("1"))
    score = asyncio.run(claims_of_judge(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(1 / 3)
    assert [claim["verdict"] for claim in score.evidence["claims"]] == ["unverifiable", "supported", "not_found"]


def test_a_failed_score_tells_what_it_took(openai_server, judge, known):
    """One call for the claims; for the verdicts an unusable reply and another one."""
    openai_server.script = lambda request: Answer(text="no idea") if request.schema == "ListedAnswers" else None
    score = asyncio.run(claims_of_judge(judge()).assess(known(1).sample))
    assert (score.status, score.usage.calls, score.usage.from_cassette) == ("failed", 3, 0)
    assert score.usage.tokens_in > 100


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _: [], "it answers none of the questions 1, 2, 3"),
        (lambda _: [("4", "Yes")], "it answers none of the questions 1, 2, 3"),
        (lambda right: [("0", "Yes"), *right], "it answers 0, which was not asked"),
        (lambda right: [*right, ("4", "Yes")], "it answers 4, which was not asked"),
    ],
    ids=["nothing", "another", "0 beside", "4 beside"],
)
def test_a_reply_that_answers_what_was_not_asked_is_no_reply(change, problem, openai_server, judge, known):
    """The judge is told so once, as of any unusable reply."""
    openai_server.script = answers_said(change)
    score = asyncio.run(claims_of_judge(judge()).assess(known(0).sample))
    assert (score.status, score.value) == ("failed", None)
    assert problem in score.reason
    assert len(openai_server.asked_for("ListedAnswers")) == 2
