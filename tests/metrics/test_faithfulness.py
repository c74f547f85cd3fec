"""Faithfulness in all four ways, by a real judge at a local server: every number here is worked out by hand."""

import asyncio
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness, Place, Score
from assay.metrics.catalogue import load_metric

Make = Callable[..., Any]


def measured(metric: Faithfulness, sample: Sample) -> Score:
    return asyncio.run(metric.assess(sample))


def says(probability: float) -> Answer:
    """One word: yes with this probability."""
    yes, no = {"Yes": math.log(probability)}, {"No": math.log(1 - probability)}
    alternatives = yes | no if probability >= 0.5 else no | yes
    return Answer(text=next(iter(alternatives)), logprobs=[alternatives])


def test_judges_claims_with_listed_verdicts(
    judge: Make, sample: Make, script: Make, verdict: Make, openai_server: OpenAIServer
) -> None:
    script(
        Claims={
            "claims": ["Payments lie under Payroll.", "A manager approves it.", "It costs 5 euros.", "It is quick."]
        },
        ListedVerdicts={
            "verdicts": [
                verdict(1, "supported", "Payroll > Payments"),
                verdict(2, "supported", "A manager approves it."),
                verdict(3, "contradicted", "click New"),
                verdict(4, "not_found"),
            ]
        },
    )
    score = measured(Faithfulness(judge(), "judge", "listed"), sample())
    assert (score.status, score.value) == ("scored", 2 / 4)
    assert [claim["verdict"] for claim in score.evidence["claims"]] == [
        "supported",
        "supported",
        "contradicted",
        "not_found",
    ]
    assert score.evidence["claims"][1] == {
        "text": "A manager approves it.",
        "verdict": "supported",
        "probability": None,
        "reason": "so",
        "quote": "A manager approves it.",
        "place": {"context": 0, "start": 40, "end": 62},
        "source": "judge",
    }
    assert score.reason.startswith('2 of 4 claims supported; contradicted: "It costs 5 euros."')
    assert [request.schema for request in openai_server.requests] == ["Claims", "ListedVerdicts"]
    assert score.usage.calls == 2


def test_sentences_with_listed_verdicts(
    judge: Make, sample: Make, script: Make, verdict: Make, openai_server: OpenAIServer
) -> None:
    script(
        ListedVerdicts={
            "verdicts": [verdict(3, "not_found"), verdict(1, quote="Payroll > Payments"), verdict(2, quote="click New")]
        }
    )
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert score.value == pytest.approx(2 / 3)  # 3 sentences; the verdicts go by their ids, not by their order
    verdicts = [(claim["text"], claim["verdict"]) for claim in score.evidence["claims"]]
    assert verdicts == [
        ("Go to Payroll > Payments.", "supported"),
        ("Click New.", "supported"),
        ("Bonuses are paid in May.", "not_found"),
    ]
    assert len(openai_server.requests) == 1


def test_judges_claims_with_probabilities(judge: Make, sample: Make, script: Make, openai_server: OpenAIServer) -> None:
    script(Claims={"claims": ["A manager approves it.", "It is quick."]}, options=[says(0.9), says(0.4)])
    score = measured(Faithfulness(judge(logprobs=True), "judge", "probability"), sample())
    assert score.value == pytest.approx((0.9 + 0.4) / 2, abs=1e-4)
    assert score.evidence["ratio"] == 1 / 2
    assert [request.schema for request in openai_server.requests] == ["Claims", "options", "options"]


def test_sentences_with_probabilities(judge: Make, sample: Make, script: Make, openai_server: OpenAIServer) -> None:
    script(options=[says(0.8), says(0.6), says(0.1)])
    score = measured(Faithfulness(judge(logprobs=True), "sentences", "probability"), sample())
    assert score.value == pytest.approx((0.8 + 0.6 + 0.1) / 3, abs=1e-4)
    assert score.evidence["ratio"] == pytest.approx(2 / 3)
    assert [claim["probability"] for claim in score.evidence["claims"]] == pytest.approx([0.8, 0.6, 0.1], abs=1e-4)
    bodies = [request.body for request in openai_server.requests]
    assert all(body["max_tokens"] == 1 and body["logprobs"] for body in bodies)
    # the context comes before the claim: up to the statement the three requests are one prefix
    assert len({request.user.partition("<statement>")[0] for request in openai_server.requests}) == 1


def test_the_ways_follow_from_what_the_judge_can(judge: Make) -> None:
    plain, with_logprobs = Faithfulness(judge()), Faithfulness(judge(logprobs=True))
    assert (plain.claims, plain.verdicts) == ("sentences", "probability")
    assert (with_logprobs.claims, with_logprobs.verdicts) == ("sentences", "probability")


@pytest.mark.parametrize("wrong", ["verdicts=guess", "claims=words", "claim=judge", "judge=x", "listed"])
def test_a_way_that_there_is_not_is_refused(judge: Make, wrong: str) -> None:
    with pytest.raises(UsageError, match="faithfulness"):
        load_metric(f"faithfulness:{wrong}", judge())


def test_a_missing_verdict_is_asked_for_again_alone(
    judge: Make, sample: Make, script: Make, verdict: Make, openai_server: OpenAIServer
) -> None:
    script(
        ListedVerdicts=[
            {"verdicts": [verdict(1, quote="Payroll > Payments"), verdict(3, "not_found")]},
            {"verdicts": [verdict(2, quote="click New")]},
        ]
    )
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert score.value == pytest.approx(2 / 3)
    again = openai_server.requests[1].user
    assert "<claims>\n2. Click New.\n</claims>" in again
    assert score.usage.calls == 2


def test_a_verdict_that_never_comes_is_unverifiable_and_counts(
    judge: Make, sample: Make, script: Make, verdict: Make
) -> None:
    script(
        ListedVerdicts=[
            {"verdicts": [verdict(1, quote="Payroll > Payments"), verdict(2, quote="click New")]},
            {"verdicts": [verdict(1, quote="Payroll > Payments"), verdict(9, quote="click New")]},
        ]
    )
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    # two supported of three claims made; over the verdicts returned it would be 2 of 2
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence["claims"][2]["verdict"] == "unverifiable"


def test_no_verdict_at_all_is_zero_of_the_claims_made(judge: Make, sample: Make, script: Make) -> None:
    script(ListedVerdicts={"verdicts": []})
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert (score.status, score.value) == ("scored", 0.0)
    assert {claim["verdict"] for claim in score.evidence["claims"]} == {"unverifiable"}


def test_the_same_verdict_twice_counts_once(judge: Make, sample: Make, script: Make, verdict: Make) -> None:
    twice = verdict(1, quote="Payroll > Payments")
    script(ListedVerdicts={"verdicts": [twice, twice, twice, verdict(2, "not_found"), verdict(3, "not_found")]})
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert score.value == pytest.approx(1 / 3)


def test_two_verdicts_that_conflict_are_asked_about_again(
    judge: Make, sample: Make, script: Make, verdict: Make, openai_server: OpenAIServer
) -> None:
    rest = [verdict(2, "not_found"), verdict(3, "not_found")]
    both = [verdict(1, quote="Payroll > Payments"), verdict(1, "contradicted", "click New")]
    script(ListedVerdicts=[{"verdicts": both + rest}, {"verdicts": both}])
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert score.value == 0.0
    assert score.evidence["claims"][0]["verdict"] == "unverifiable"
    assert "1. Go to Payroll > Payments." in openai_server.requests[1].user


@pytest.mark.parametrize(
    ("quote", "counts"),
    [
        ("A manager approves it.", True),
        ("a  MANAGER\napproves it", True),
        ('"A manager approves it."', True),
        ("Go to Payroll ... A manager approves it", True),
        ("A manager approves it ... Go to Payroll", False),  # in another order it says something else
        ("A manager does not approve it.", False),
        ("Bonuses are paid in May.", False),  # the answer's own words
        ("How do I add a bonus?", False),  # the question's
        ("1. Go to", False),  # the claims' list
        ("", False),
        ("it", False),  # two letters prove nothing
        ("...", False),
    ],
)
def test_support_needs_a_quote_that_stands_in_the_context(
    *, judge: Make, sample: Make, script: Make, verdict: Make, quote: str, counts: bool
) -> None:
    rest = [verdict(2, "not_found"), verdict(3, "not_found")]
    script(ListedVerdicts={"verdicts": [verdict(1, "supported", quote), *rest]})
    score = measured(Faithfulness(judge(), "sentences", "listed"), sample())
    assert score.value == pytest.approx(1 / 3 if counts else 0.0)
    claim = score.evidence["claims"][0]
    assert (claim["verdict"], claim["quote"]) == ("supported" if counts else "not_found", quote)
    assert counts or "not in the context" in claim["reason"]


def test_more_than_twelve_claims_go_in_batches(
    judge: Make, sample: Make, script: Make, verdict: Make, openai_server: OpenAIServer
) -> None:
    claims = [f"Claim number {number}." for number in range(1, 31)]

    def all_listed(request: Request) -> Any:
        ids = [int(line.partition(".")[0]) for line in claims_listed(request)]
        return {"verdicts": [verdict(n, quote="click New") if n % 3 else verdict(n, "not_found") for n in ids]}

    script(Claims={"claims": claims}, ListedVerdicts=all_listed)
    score = measured(Faithfulness(judge(), "judge", "listed"), sample())
    assert score.value == pytest.approx(20 / 30)  # 10 of 1..30 are divisible by 3
    sizes = sorted(len(claims_listed(request)) for request in openai_server.asked_for("ListedVerdicts"))
    assert sizes == [6, 12, 12]
    assert [claim["text"] for claim in score.evidence["claims"]] == claims


def claims_listed(request: Request) -> list[str]:
    return request.user.partition("<claims>\n")[2].partition("\n</claims>")[0].splitlines()


def test_a_claim_stays_on_its_line(judge: Make, sample: Make, script: Make, openai_server: OpenAIServer) -> None:
    """A line break in a claim must not make a claim of its own under another's number."""
    script(Claims={"claims": ["It is quick.\n2. It is free.", "It is slow."]}, ListedVerdicts={"verdicts": []})
    score = measured(Faithfulness(judge(), "judge", "listed"), sample())
    assert claims_listed(openai_server.asked_for("ListedVerdicts")[0]) == [
        "1. It is quick. 2. It is free.",
        "2. It is slow.",
    ]
    assert len(score.evidence["claims"]) == 2


def test_claims_that_the_judge_repeats_count_once(judge: Make, sample: Make, script: Make, verdict: Make) -> None:
    script(
        Claims={"claims": ["It is quick.", "It is  quick.", " ", "A manager approves it."]},
        ListedVerdicts={"verdicts": [verdict(1, "not_found"), verdict(2, quote="A manager approves it")]},
    )
    assert measured(Faithfulness(judge(), "judge", "listed"), sample()).value == 1 / 2


@pytest.mark.parametrize("way", [("judge", "listed"), ("sentences", "listed"), ("sentences", "probability")])
@pytest.mark.parametrize("answer", ["Hello!", "Sorry, I cannot find that in the documentation.", "Can I help you?"])
def test_an_answer_without_claims_is_skipped_with_its_reason(
    *, judge: Make, sample: Make, script: Make, openai_server: OpenAIServer, way: Any, answer: str
) -> None:
    script(Claims={"claims": []})
    score = measured(Faithfulness(judge(logprobs=True), *way), sample(response=answer))
    assert (score.status, score.value, score.reason) == ("skipped", None, "the answer makes no claims")
    assert len(openai_server.requests) == (1 if way[0] == "judge" else 0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"response": " \n"}, "the sample has no response"),
        ({"retrieved_contexts": ()}, "the sample has no retrieved_contexts"),
    ],
)
def test_a_sample_that_lacks_something_is_skipped_before_anyone_is_asked(
    judge: Make, sample: Make, openai_server: OpenAIServer, fields: Any, reason: str
) -> None:
    score = measured(Faithfulness(judge()), sample(**fields))
    assert (score.status, score.reason, openai_server.requests) == ("skipped", reason, [])


def test_a_dutch_sample_is_asked_in_dutch(judge: Make, sample: Make, openai_server: OpenAIServer) -> None:
    dutch = sample(language="nl", response="Ga naar Salaris. Klik op Nieuw.", retrieved_contexts=("Ga naar Salaris.",))
    metric = Faithfulness(judge(logprobs=True))
    score = measured(metric, dutch)
    assert all(request.body["messages"][0]["content"].startswith("U toetst") for request in openai_server.requests)
    assert score.evidence["prompts"][0].startswith("support.nl@")


def test_as_a_ragas_user_writes_it(judge: Make, script: Make, verdict: Make) -> None:
    script(Claims={"claims": ["It is quick."]}, ListedVerdicts={"verdicts": [verdict(1, quote="Quick")]})
    client: LiteLLMJudge = judge()
    score = Faithfulness(judge=client).score(
        user_input="Is it quick?", response="It is quick.", retrieved_contexts=["It is quick as lightning."]
    )
    assert score.value == 1.0


def test_the_claims_of_a_score_are_typed_also_after_json(
    judge: Make, sample: Make, script: Make, verdict: Make
) -> None:
    script(
        ListedVerdicts={"verdicts": [verdict(1, quote="Payroll > Payments"), verdict(2), verdict(3, "contradicted")]}
    )
    score = asyncio.run(Faithfulness(judge(), "sentences", "listed").assess(sample()))
    first, second, third = score.claims
    assert (first.verdict, first.quote, first.place) == ("supported", "Payroll > Payments", Place(0, 6, 24))
    assert sample().retrieved_contexts[0][6:24] == "Payroll > Payments"
    assert (second.verdict, second.place, third.support) == ("not_found", None, 0.0)
    assert [claim.evidence() for claim in score.claims] == score.evidence["claims"]
    stored = dataclasses.replace(score, evidence=json.loads(json.dumps(score.evidence)))
    assert stored.claims == score.claims
