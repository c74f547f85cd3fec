"""Verdicts that the judge leaves out, adds, doubles or misspells: none of them may raise a score."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness

MakeJudge = Callable[..., LiteLLMJudge]


def listed(judge: LiteLLMJudge) -> Faithfulness:
    return Faithfulness(judge, claims="judge", verdicts="listed")


def verdicts_said(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[[Request], Answer | None]:
    def script(request: Request) -> Answer | None:
        if request.schema != "ListedVerdicts":
            return None
        return Answer(text=json.dumps({"verdicts": change(json.loads(sensible_reply(request.body)[0])["verdicts"])}))

    return script


def test_lost_verdicts_are_asked_for_by_their_ids(openai_server: OpenAIServer, judge: MakeJudge, known: Any) -> None:
    openai_server.script = verdicts_said(lambda right: right[:1])
    score = asyncio.run(listed(judge()).assess(known(2).sample))  # two claims: one verdict at a time
    first, second = openai_server.asked_for("ListedVerdicts")
    assert "1. Press" in first.user and "2. Button" in first.user
    assert "1. Press" not in second.user and "2. Button" in second.user
    assert score.value == pytest.approx(1 / 2)


def test_a_verdict_lost_for_good_lowers_the_score_and_never_raises_it(
    openai_server: OpenAIServer, judge: MakeJudge, known: Any
) -> None:
    """Sample 1 has verdicts supported, supported, not_found; without the third the share must stay 2/3, not be 2/2."""
    openai_server.script = verdicts_said(lambda right: [verdict for verdict in right if verdict["id"] != 3])
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(2 / 3)
    openai_server.script = verdicts_said(lambda right: [verdict for verdict in right if verdict["id"] != 1])
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(1 / 3)
    assert [claim["verdict"] for claim in score.evidence["claims"]] == ["unverifiable", "supported", "not_found"]


def test_a_failed_score_tells_what_it_took(openai_server: OpenAIServer, judge: MakeJudge, known: Any) -> None:
    """One call for the claims; for the verdicts an unusable reply and another one."""
    openai_server.script = lambda request: Answer(text="no idea") if request.schema == "ListedVerdicts" else None
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert (score.status, score.usage.calls, score.usage.from_cassette) == ("failed", 3, 0)
    assert score.usage.tokens_in > 100


def test_no_verdict_at_all_is_no_support(openai_server: OpenAIServer, judge: MakeJudge, known: Any) -> None:
    openai_server.script = verdicts_said(lambda _: [])
    score = asyncio.run(listed(judge()).assess(known(0).sample))
    assert (score.value, len(score.evidence["claims"])) == (0.0, 3)


def test_when_all_verdicts_are_lost_the_judge_is_really_asked_again(
    openai_server: OpenAIServer, judge: MakeJudge, known: Any
) -> None:
    """Under new numbers, since a question that was asked before is recalled; sample 1 has 2 of 3 supported."""
    openai_server.script = verdicts_said(lambda right: [verdict for verdict in right if verdict["id"] > 3])
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(2 / 3)
    assert [claim["verdict"] for claim in score.evidence["claims"]] == ["supported", "supported", "not_found"]
    _, second = openai_server.asked_for("ListedVerdicts")
    claims_part = second.user.partition("<claims>")[2]
    assert "4. " in claims_part and "1. " not in claims_part


@pytest.mark.parametrize("stray", [0, 4, 99, -1])
def test_verdicts_on_claims_that_were_not_asked_about_count_for_nothing(
    stray: int, openai_server: OpenAIServer, judge: MakeJudge, known: Any
) -> None:
    openai_server.script = verdicts_said(lambda right: [*right, right[0] | {"id": stray}])
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert score.value == pytest.approx(2 / 3)
    assert len(openai_server.requests) == 2


def test_the_same_verdict_twice_is_one_verdict(openai_server: OpenAIServer, judge: MakeJudge, known: Any) -> None:
    openai_server.script = verdicts_said(lambda right: right + right)
    score = asyncio.run(listed(judge()).assess(known(1).sample))
    assert (score.value, len(openai_server.requests)) == (pytest.approx(2 / 3), 2)


def test_two_verdicts_at_odds_are_asked_again_and_then_no_support(
    openai_server: OpenAIServer, judge: MakeJudge, known: Any
) -> None:
    openai_server.script = verdicts_said(lambda right: [*right, right[0] | {"verdict": "contradicted"}])
    score = asyncio.run(listed(judge()).assess(known(0).sample))
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence["claims"][0]["verdict"] == "unverifiable"
    assert len(openai_server.asked_for("ListedVerdicts")) == 2


@pytest.mark.parametrize("word", ["yes", "partially", "SUPPORTED", "1", "", "unverifiable"])
def test_a_verdict_of_another_word_is_not_support(
    word: str, openai_server: OpenAIServer, judge: MakeJudge, known: Any
) -> None:
    """Ragas counted any verdict that is not 0."""
    openai_server.script = verdicts_said(lambda right: [verdict | {"verdict": word} for verdict in right])
    score = asyncio.run(listed(judge()).assess(known(0).sample))
    assert (score.status, score.value) == ("failed", None)
