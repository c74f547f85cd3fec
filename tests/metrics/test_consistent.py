"""Whether a bot contradicts itself: which pairs of its claims a judge is asked about, and what the answers come to."""

import asyncio

import pytest
from case_files import cases_beside
from openai_server import Answer

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.metrics import MOST_CLAIMS, Consistent, Score, alike_pairs, describe_metric, load_metric, read_claims

CASES = cases_beside(__file__)

NORWAY = (
    "Is Norway included?",
    "Norway is not included in your plan.",
    "Hm.",
    "Your plan works in Norway as well. You keep your number there.",
)
REFUND = ("How long?", "A refund takes 5 days.", "Are you sure?", "A refund takes 10 days.")


def thread(language: str, *texts: str) -> Sample:
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    return Sample.model_validate({"id": "s1", "language": language, "messages": messages})


def assess(sample: Sample, metric: Consistent) -> Score:
    return asyncio.run(metric.assess(sample))


@pytest.mark.parametrize(("language", "asked", "earlier", "later"), CASES["pairs"])
def test_claims_about_the_same_thing_are_a_pair(language, asked, earlier, later):
    (pair,) = alike_pairs(read_claims(thread(language, asked, earlier, asked, later)))
    assert (pair.earlier.text, pair.later.text) == (earlier, later)
    assert (pair.earlier.turn, pair.later.turn) == (1, 3)


@pytest.mark.parametrize("texts", CASES["no_pairs"])
def test_other_claims_are_no_pair(texts):
    assert alike_pairs(read_claims(thread(*texts))) == []


def test_the_most_alike_pairs_come_first():
    """Of "refund, takes, 5, days" the second claim shares three of four, and the third two."""
    claims = read_claims(thread("en", *REFUND, "And?", "The refund takes 1 week."))
    assert [(pair.earlier.turn, pair.later.turn) for pair in alike_pairs(claims)] == [(1, 3), (1, 5), (3, 5)]
    assert [round(pair.likeness, 2) for pair in alike_pairs(claims)] == [0.75, 0.5, 0.5]


def test_the_judge_decides(judge, decide, openai_server):
    """It is asked once, about both claims and with the conversation; three claims, one contradicts: 2/3."""
    decide(lambda statement: 0.8)
    score = assess(thread("en", *NORWAY), Consistent(judge(logprobs=True)))
    assert score.value == pytest.approx(2 / 3)
    (entry,) = score.evidence["contradictions"]
    assert entry.pop("probability") == pytest.approx(0.8, abs=1e-4)
    assert entry == {
        "earlier": "Norway is not included in your plan.",
        "later": "Your plan works in Norway as well.",
        "earlier_turn": 1,
        "later_turn": 3,
    }
    assert (score.evidence["claims_compared"], score.evidence["pairs_judged"]) == (3, 1)
    assert score.reason == (
        '1 of 3 claims contradicts an earlier one: "Your plan works in Norway as well." (turn 3) '
        'against "Norway is not included in your plan." (turn 1)'
    )
    (request,) = openai_server.requests
    asked = request.body["messages"][-1]["content"]
    assert "[0] Customer: Is Norway included?" in asked
    assert 'It says in turn 1: "Norway is not included in your plan."' in asked


def test_what_the_judge_denies_is_no_contradiction(judge, decide):
    decide(lambda statement: 0.1)
    score = assess(thread("en", *REFUND), Consistent(judge(logprobs=True)))
    assert (score.value, score.evidence["contradictions"], score.evidence["pairs_judged"]) == (1.0, [], 1)


def test_without_a_pair_nobody_is_asked(judge, openai_server):
    score = assess(thread("en", "?", "A refund takes 5 days.", "?", "The shop is closed."), Consistent(judge()))
    assert score.value == 1.0
    assert not openai_server.requests


def test_it_needs_a_judge(judge):
    assert describe_metric("consistent").needs_judge
    with pytest.raises(UsageError, match="consistent"):
        load_metric("consistent:pairs=5")
    assert load_metric("consistent:pairs=5", judge()).name == "consistent:pairs=5"
    assert Consistent.measures == "conversation"


@pytest.mark.parametrize("texts", [("Hi", "Hello!"), ("Is it free?", "It is free.")])
def test_fewer_than_two_claims_are_skipped(judge, texts):
    score = assess(thread("en", *texts), Consistent(judge()))
    assert (score.status, score.value) == ("skipped", None)


def test_no_answer_of_the_judge_is_no_score(judge, openai_server):
    openai_server.script = lambda _: Answer(text="Perhaps")
    score = assess(thread("en", *NORWAY), Consistent(judge(decide="single")))
    assert (score.status, score.value) == ("failed", None)


def test_a_thousand_claims_are_bounded(judge, decide):
    decide(lambda statement: 0.1)
    texts = [text for number in range(1, 1001) for text in ("And?", f"The refund takes {number * 2} days.")]
    score = assess(thread("en", *texts), Consistent(judge(logprobs=True)))
    assert score.evidence["claims_compared"] == MOST_CLAIMS
    assert score.evidence["pairs_judged"] + score.evidence["pairs_left_open"] == MOST_CLAIMS * (MOST_CLAIMS - 1) / 2
    assert score.evidence["bounds"] == ["only the first 400 of 1,000 claims are compared"]
