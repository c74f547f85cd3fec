"""All questions of a metric go to the judge in one request, where its transport takes several."""

import asyncio

import pytest

from assay.metrics.catalogue import load_metric

FILES = {
    "rubric": "criteria: [{name: A, question: Is it kind?, levels: {rude: r, kind: k}},"
    " {name: B, question: Is it clear?, levels: {none: n, partly: p, all: a}}]",
    "choice": "{question: How is it?, options: {good: {value: 1, description: g}, bad: {value: 0, description: b}}}",
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
        ("pairwise", 2),  # one per order
        ("predicate:The answer is kind", 1),
        ("choice:FILE", 1),
        ("rubric:FILE", 1),
    ],
)
def test_requests_per_sample(*, judge, sample, openai_server, tmp_path, metric, requests):
    (tmp_path / "own.yaml").write_text(FILES.get(metric.partition(":")[0], ""), encoding="utf-8")
    given = sample(
        retrieved_contexts=("Go to Payroll > Payments. Click New.", "Bonuses are paid yearly. Ask a manager."),
        reference="Go to Payroll > Payments. Click New.",
        response="Click New. Bonuses are paid yearly.",
        other_response="Ask a manager.",
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
