"""Answers that the judge leaves out, adds, doubles or misspells: none of them may raise a score."""

import asyncio
import json
from collections.abc import Callable

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, Request

from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness

Answers = list[tuple[str, str]]  # each question's id and the word, as they stand in the reply


def claims_of_judge(judge: LiteLLMJudge) -> Faithfulness:
    return Faithfulness(judge, claims="judge")


def answers_said(change: Callable[[Answers], Answers]) -> Callable[[Request], Answer | None]:
    """The right answers, changed; written by hand, since JSON may name an id twice and a dictionary cannot."""

    def script(request: Request) -> Answer | None:
        if request.schema != "ListedAnswers":
            return None
        right = [*json.loads(sensible_reply(request.body)[0]).items()]
        return Answer(text="{" + ", ".join(f'"{question}": "{word}"' for question, word in change(right)) + "}")

    return script


def without(question: str) -> Callable[[Answers], Answers]:
    return lambda right: [answer for answer in right if answer[0] != question]


def test_lost_answers_are_asked_for_by_their_ids(openai_server, judge, known):
    openai_server.script = answers_said(lambda right: right[:1])
    score = asyncio.run(claims_of_judge(judge()).assess(known(2).sample))  # two claims: one answer at a time
    first, second = openai_server.asked_for("ListedAnswers")
    assert "1: Press" in first.user and "2: Button" in first.user
    assert "1: Press" not in second.user and "2: Button" in second.user
    assert score.value == pytest.approx(1 / 2)


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


@pytest.mark.parametrize("answers", [[], [("4", "Yes")]])
def test_a_reply_that_answers_nothing_asked_is_no_reply(answers, openai_server, judge, known):
    """The judge is told so once, as of any unusable reply."""
    openai_server.script = answers_said(lambda _: answers)
    score = asyncio.run(claims_of_judge(judge()).assess(known(0).sample))
    assert (score.status, score.value) == ("failed", None)
    assert "it answers none of the questions 1, 2, 3" in score.reason
    assert len(openai_server.asked_for("ListedAnswers")) == 2


@pytest.mark.parametrize("stray", ["0", "4"])
def test_answers_to_what_was_not_asked_count_for_nothing(stray, openai_server, judge, known):
    for change in (lambda right: [*right, (stray, "Yes")], lambda right: right + right):  # the same twice is one
        openai_server.forget()
        openai_server.script = answers_said(change)
        score = asyncio.run(claims_of_judge(judge()).assess(known(1).sample))
        assert score.value == pytest.approx(2 / 3)
        assert len(openai_server.requests) == 2


def test_two_answers_at_odds_are_asked_again_and_then_no_support(openai_server, judge, known):
    openai_server.script = answers_said(lambda right: [*right, ("1", "No")])
    score = asyncio.run(claims_of_judge(judge()).assess(known(0).sample))
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence["claims"][0]["verdict"] == "unverifiable"
    assert len(openai_server.asked_for("ListedAnswers")) == 2


@pytest.mark.parametrize("word", ["true", "SUPPORTED", "", "unverifiable"])
def test_another_word_is_not_support(word, openai_server, judge, known):
    """Ragas counted any verdict that is not 0."""
    openai_server.script = answers_said(lambda right: [(question, word) for question, _ in right])
    score = asyncio.run(claims_of_judge(judge()).assess(known(0).sample))
    assert (score.status, score.value) == ("failed", None)
