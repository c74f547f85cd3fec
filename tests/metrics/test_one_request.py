"""Requests to a judge: as few as can be, and what Ragas and DeepEval were seen to do."""

import asyncio
import json
import re

import pytest
from openai_server import Answer, Request

from assay import evaluate
from assay.metrics import AnswerRelevance, Faithfulness, JudgeCompleteness, JudgeTruthfulness, load_metric

FILES = {
    "rubric": "criteria: [{name: A, question: Is it kind?, levels: {rude: r, kind: k}},"
    " {name: B, question: Is it clear?, levels: {none: n, partly: p, all: a}}]"
}


@pytest.mark.parametrize(
    ("metric", "requests"),
    [
        ("faithfulness", 1),
        ("faithfulness:claims=judge", 2),
        ("answer_relevance", 1),
        ("context_precision", 1),
        ("context_recall", 1),
        ("context_relevance:unit=sentences", 1),
        ("factual_correctness", 2),
        ("noise_sensitivity", 3),  # the reference, and each of two passages, as one claim is wrong
        ("predicate:The answer is kind", 1),
        ("rubric:FILE", 1),
    ],
)
def test_requests_per_sample(*, judge, sample, openai_server, tmp_path, metric, requests):
    (tmp_path / "own.yaml").write_text(FILES.get(metric.partition(":")[0], ""), encoding="utf-8")
    given = sample(
        retrieved_contexts=("Go to Payroll > Payments. Click New.", "Bonuses are paid yearly. Ask a manager."),
        reference="Go to Payroll > Payments. Click New.",
        response="Click New. Bonuses are paid yearly.",
    )
    asked = load_metric(metric.replace("FILE", str(tmp_path / "own.yaml")), judge(logprobs=True, decide="listed"))
    score = asyncio.run(asked.assess(given))
    assert score.status == "scored", score.reason
    assert len(openai_server.requests) == score.usage.calls == requests


def test_a_question_without_an_answer_fails_the_sample(judge, sample, openai_server, script):
    """Average precision over the other passages would be another number."""
    script(ListedAnswers={"1": "Yes"})
    given = sample(retrieved_contexts=("One.", "Two."), reference="Two.")
    score = asyncio.run(load_metric("context_precision", judge(decide="listed")).assess(given))
    assert (score.status, score.value) == ("failed", None)
    assert "question 2 of 2 has no answer: the judge left it out" in score.reason
    assert score.usage.calls == len(openai_server.requests) == 2, "asked once more"


def test_a_claim_without_an_answer_counts_against_the_text(judge, sample, script):
    script(ListedAnswers={"1": "Yes"})
    given = sample(reference="Click New. Bonuses are paid yearly.")
    score = asyncio.run(load_metric("context_recall", judge(decide="listed")).assess(given))
    assert score.value == 0.5
    assert [claim.verdict for claim in score.claims] == ["supported", "unverifiable"]


def test_failed_judgements_stand_beside_the_mean(judge, sample, openai_server):
    """Of four samples two fail: the mean is over two, and the table says so."""

    def half_fail(request: Request) -> Answer:
        number = int(re.findall(r"menu (\d)", request.user)[0])
        rating = str(4 + number // 3)
        return Answer(text="no" if number % 2 else json.dumps(dict.fromkeys(REQUIREMENTS, rating)))

    openai_server.script = half_fail
    samples = [sample(id=f"s{n}", response=f"Go to menu {n}.") for n in range(1, 5)]
    results = evaluate(samples, [JudgeTruthfulness(judge())])
    (summary, *baselines) = results.summary()
    assert (summary.n, summary.scored, summary.failed, summary.coverage) == (4, 2, 2, 0.5)
    assert summary.mean == pytest.approx((4 + 5) / 2)
    assert {score["judge_truthfulness"].status for score in results.scores.values()} == {"scored", "failed"}
    assert all(results.scores[name]["judge_truthfulness"].value is None for name in ("s1", "s3"))
    assert len(baselines) == 3


REQUIREMENTS = ("truthfulness", "relatedness", "completeness")


def test_no_question_is_asked_twice(judge, sample, openai_server):
    """Not by two metrics, not for the same text under two ids, and the N questions of relevance are one."""
    client = judge()
    metrics = [JudgeTruthfulness(client), JudgeCompleteness(client), AnswerRelevance(client)]
    evaluate([sample(id="s1"), sample(id="s2")], metrics)
    bodies = [json.dumps(request.body, sort_keys=True) for request in openai_server.requests]
    assert len(bodies) == len(set(bodies)) == 2


def test_every_number_can_be_worked_out_again_from_its_evidence(judge, sample):
    client = judge(logprobs=True)
    by_verdict = asyncio.run(Faithfulness(judge(), "judge").assess(sample()))
    verdicts = [claim["verdict"] for claim in by_verdict.evidence["claims"]]
    assert by_verdict.value == verdicts.count("supported") / len(verdicts)
    by_probability = asyncio.run(Faithfulness(client, "sentences").assess(sample()))
    assert by_probability.value == pytest.approx(sum(c["probability"] for c in by_probability.evidence["claims"]) / 3)
    relevance = asyncio.run(AnswerRelevance(client).assess(sample()))
    cosines = [question["cosine"] for question in relevance.evidence["questions"]]
    assert relevance.value == pytest.approx(max(0.0, sum(cosines) / len(cosines)))
    assert all(
        score.evidence["prompts"] and score.evidence["judge"] for score in (by_verdict, by_probability, relevance)
    )
    json.dumps([by_verdict.evidence, by_probability.evidence, relevance.evidence])
