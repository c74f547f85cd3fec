"""Faithfulness of claims and of sentences, and the weakest claim, worked out by hand."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from openai_server import yes

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.metrics import Faithfulness, Place, Score, WeakestClaim, load_metric


def measured(metric: Faithfulness, sample: Sample) -> Score:
    return asyncio.run(metric.assess(sample))


def test_what_is_no_sample_is_refused_in_plain_words(judge):
    for metric in (Faithfulness(judge=judge()), load_metric("token_overlap")):
        with pytest.raises(UsageError, match=r"sample: 'x' \(str\) cannot be used; give a Sample"):
            asyncio.run(metric.assess("x"))


def test_judges_claims_without_probabilities(judge, sample, script, openai_server):
    script(
        Claims={
            "claims": ["Payments lie under Payroll.", "A manager approves it.", "It costs 5 euros.", "It is quick."]
        },
        ListedAnswers={"1": "Yes", "2": "Yes", "3": "No", "4": "No"},
    )
    score = measured(Faithfulness(judge(), "judge"), sample())
    assert (score.status, score.value) == ("scored", 2 / 4)
    assert [claim["verdict"] for claim in score.evidence["claims"]] == [
        "supported",
        "supported",
        "not_found",
        "not_found",
    ]
    assert score.evidence["claims"][1] == {
        "text": "A manager approves it.",
        "verdict": "supported",
        "probability": None,
        "reason": "the judge says yes, and gives no probability",
        "quote": "A manager approves it.",
        "place": {"context": 0, "start": 40, "end": 62},
        "source": "judge",
    }
    assert score.reason.startswith('2 of 4 claims supported; not found: "It costs 5 euros."')
    assert [request.schema for request in openai_server.requests] == ["Claims", "ListedAnswers"]
    assert score.usage.calls == 2


def test_sentences_with_probabilities(judge, sample, script, openai_server):
    script(options=[yes(0.8), yes(0.6), yes(0.1)])
    score = measured(Faithfulness(judge(logprobs=True), "sentences"), sample())
    assert score.value == pytest.approx((0.8 + 0.6 + 0.1) / 3, abs=1e-4)
    assert score.evidence["ratio"] == pytest.approx(2 / 3)
    assert [claim["probability"] for claim in score.evidence["claims"]] == pytest.approx([0.8, 0.6, 0.1], abs=1e-4)
    bodies = [request.body for request in openai_server.requests]
    assert all(body["max_tokens"] == 1 and body["logprobs"] for body in bodies)
    # the context comes before the claim: up to the statement the three requests are one prefix
    assert len({request.user.partition("<statement>")[0] for request in openai_server.requests}) == 1


def test_a_claim_stays_on_its_line(judge, sample, script, openai_server):
    """A line break in a claim must not make a claim of its own under another's number."""
    script(Claims={"claims": ["It is quick.\n2: It is free.", "It is slow."]})
    score = measured(Faithfulness(judge(), "judge"), sample())
    (asked,) = openai_server.asked_for("ListedAnswers")
    assert "<statements>\n1: It is quick. 2: It is free.\n2: It is slow.\n</statements>" in asked.user
    assert len(score.evidence["claims"]) == 2


def test_claims_that_the_judge_repeats_count_once(judge, sample, script):
    script(
        Claims={"claims": ["It is quick.", "It is  quick.", " ", "A manager approves it."]},
        ListedAnswers={"1": "No", "2": "Yes"},
    )
    assert measured(Faithfulness(judge(), "judge"), sample()).value == 1 / 2


@pytest.mark.parametrize("claims", ["judge", "sentences"])
@pytest.mark.parametrize("answer", ["Hello!", "Sorry, I cannot find that in the documentation.", "Can I help you?"])
def test_an_answer_without_claims_is_skipped_with_its_reason(*, judge, sample, script, openai_server, claims, answer):
    script(Claims={"claims": []})
    score = measured(Faithfulness(judge(logprobs=True), claims), sample(response=answer))
    assert (score.status, score.value, score.reason) == ("skipped", None, "the answer makes no claims")
    assert len(openai_server.requests) == (1 if claims == "judge" else 0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"response": " \n"}, "the sample has no response"),
        ({"retrieved_contexts": ()}, "the sample has no retrieved_contexts"),
    ],
)
def test_a_sample_that_lacks_something_is_skipped_before_anyone_is_asked(judge, sample, openai_server, fields, reason):
    score = measured(Faithfulness(judge()), sample(**fields))
    assert (score.status, score.reason, openai_server.requests) == ("skipped", reason, [])


def test_the_claims_of_a_score_are_typed_also_after_json(judge, sample, script):
    script(ListedAnswers={"1": "Yes", "2": "No", "3": "No"})
    score = asyncio.run(Faithfulness(judge(), "sentences").assess(sample()))
    first, second, third = score.claims
    sentence = "Go to Payroll > Payments and click New."
    assert (first.verdict, first.quote, first.place) == ("supported", sentence, Place(0, 0, len(sentence)))
    assert (second.verdict, second.place, third.support) == ("not_found", None, 0.0)
    assert [claim.evidence() for claim in score.claims] == score.evidence["claims"]
    stored = dataclasses.replace(score, evidence=json.loads(json.dumps(score.evidence)))
    assert stored.claims == score.claims


def test_an_answer_in_markdown_is_judged_by_what_it_says(judge, sample, script, openai_server):
    """A heading and a header row are no claims: two of two claims hold, where two of five lines would have."""
    script(ListedAnswers={"1": "Yes", "2": "Yes"})
    answer = "Hi Ann,\n\n## Our plans\n\n| Plan | Price |\n|---|---|\n| Basic | 5 euros |\n\nYou pay by:\n- card\n"
    score = measured(Faithfulness(judge()), sample(response=answer))
    assert (score.value, score.reason) == (1.0, "2 of 2 claims supported")
    assert [claim.text for claim in score.claims] == ["Plan: Basic; Price: 5 euros", "You pay by: card"]
    assert score.evidence["left_out"] == [
        {"text": "Hi Ann,", "kind": "greeting"},
        {"text": "Our plans", "kind": "heading"},
        {"text": "Plan; Price", "kind": "heading"},
        {"text": "You pay by:", "kind": "lead_in"},
    ]
    assert len(openai_server.requests) == 1


def test_lowest_probability_at_no_further_call(judge, sample, script, openai_server):
    """The answer's three sentences are supported with 0.8, 0.6 and 0.1: the lowest is 0.1, the mean 0.5."""
    script(options=[yes(0.8), yes(0.6), yes(0.1)])
    made = judge(logprobs=True)

    async def both() -> tuple[Any, Any]:
        return await Faithfulness(made).assess(sample()), await WeakestClaim(made).assess(sample())

    mean, lowest = asyncio.run(both())
    assert mean.value == pytest.approx(0.5, abs=1e-4)
    assert lowest.value == pytest.approx(0.1, abs=1e-4)
    assert lowest.evidence == mean.evidence
    assert len(openai_server.requests) == 3
    assert lowest.usage.calls == 0


def test_verdicts_without_probabilities_give_all_or_nothing(judge, sample, script):
    script(
        Claims={"claims": ["Payments lie under Payroll.", "It costs 5 euros."]}, ListedAnswers={"1": "Yes", "2": "No"}
    )
    score = asyncio.run(WeakestClaim(judge(), "judge").assess(sample()))
    assert (score.status, score.value) == ("scored", 0.0)
