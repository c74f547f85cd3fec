"""Reasons beside the answers of a judge: where they stand, what cannot be asked for one, and what they cannot do."""

import asyncio
import json

import pytest
from openai_server import Answer as Reply

from assay.errors import UsageError
from assay.judges import JudgeSettings, Predicate, Request
from assay.metrics.claim_support import predicate_claim
from assay.runs.plan import judge_identity

TWO = [Predicate("1", "It is free."), Predicate("a.b", "It is blue.")]


def request(reason: str | None) -> Request:
    return Request("support", {"documentation": "It is free."}, TWO, "en", "s", reason=reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "keys"),
    [
        ("first", ["reason 1", "1", "reason a.b", "a.b"]),
        ("after", ["1", "reason 1", "a.b", "reason a.b"]),
        ("none", ["1", "a.b"]),
        (None, ["1", "a.b"]),
    ],
)
def test_the_schema_has_the_reason_on_its_side(openai_server, judge, reason, keys):
    reply = {"1": "Yes", "a.b": "No", "reason 1": "It says\nso.", "reason a.b": 'A "1": "No" within.'}
    openai_server.script = lambda _: Reply(text=json.dumps({key: reply[key] for key in keys}))
    answers = asyncio.run(judge(decide="listed", structured="schema").decide(request(reason)))
    body = openai_server.requests[-1].body
    assert list(body["response_format"]["json_schema"]["schema"]["properties"]) == keys
    assert [answer.option for answer in answers.values()] == ["yes", "no"]
    reasons = [answer.reason for answer in answers.values()]
    assert reasons == (["It says so.", 'A "1": "No" within.'] if reason not in {None, "none"} else ["", ""])


def test_the_judges_own_setting_holds_where_the_request_says_nothing(openai_server, judge):
    """Log probabilities alone would ask question by question (`single`), which has no room for a reason."""
    openai_server.script = lambda _: Reply(text='{"reason 1": "So.", "1": "Yes", "a.b": "No"}')
    answers = asyncio.run(judge(logprobs=True, reason="first").decide(request(None)))
    assert predicate_claim(answers["1"]).reason == "the judge says yes, and gives no probability: So."
    assert (answers["a.b"].option, answers["a.b"].reason) == ("no", "")
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("decide", ["single", "decisions", "systemone"])
def test_one_word_has_no_room_for_a_reason(judge, decide):
    with pytest.raises(UsageError, match="write `decide: listed` in its settings, or `reason: none`"):
        asyncio.run(judge(decide=decide).decide(request("after")))


def test_a_judge_with_reasons_is_another_judge():
    plain = JudgeSettings(model="openai/a")
    assert judge_identity(plain) != judge_identity(plain.with_changes(reason="after"))
    assert "reason" not in judge_identity(plain)
