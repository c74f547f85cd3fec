"""Context precision: average precision worked out by hand; context relevance: the expected level or a share."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer

from assay.errors import UsageError
from assay.metrics import ContextPrecision, ContextRelevance
from assay.metrics.catalogue import load_metric

PASSAGES = ("Bonuses are in the menu.", "Leave is requested in May.", "Click New under Payments.")
REFERENCE = "Click New."


def by_passage(*shares: float) -> Callable[[str], float]:
    """P(yes) of the statement about passage 1, 2, ..."""
    return lambda statement: next(share for n, share in enumerate(shares, 1) if f"Passage {n} " in statement)


@pytest.mark.parametrize(
    ("shares", "value", "by_verdicts"),
    [
        # useful at ranks 1 and 3: (1/1 + 2/3) / 2
        ((1.0, 0.0, 1.0), (1 + 2 / 3) / 2, (1 + 2 / 3) / 2),
        ((0.0, 0.0, 0.0), 0.0, 0.0),
        # P@k = 0.8, 0.5, 0.6; sum of P@k * v = 0.64 + 0.1 + 0.48 = 1.22, divided by 1.8
        ((0.8, 0.2, 0.8), 1.22 / 1.8, (1 + 2 / 3) / 2),
    ],
)
def test_average_precision(*, judge, sample, decide, shares, value, by_verdicts):
    decide(by_passage(*shares))
    given = sample(retrieved_contexts=PASSAGES, reference=REFERENCE)
    score = asyncio.run(ContextPrecision(judge(logprobs=True)).assess(given))
    assert score.value == pytest.approx(value, abs=1e-4)
    assert score.evidence["by_verdicts"] == pytest.approx(by_verdicts, abs=1e-4)
    assert [claim.probability for claim in score.claims] == pytest.approx(shares, abs=1e-4)


def test_without_probabilities_the_words_count(judge, sample, openai_server):
    openai_server.script = lambda request: Answer(text="No" if "Passage 1 " in request.user else "Yes")
    given = sample(retrieved_contexts=PASSAGES, reference=REFERENCE)
    score = asyncio.run(ContextPrecision(judge(decide="single")).assess(given))
    assert score.value == pytest.approx((1 / 2 + 2 / 3) / 2, abs=1e-4)
    assert score.reason == "2 of 3 passages help to answer: at rank 2, 3"


def test_the_answer_that_counts_is_the_reference_or_the_response(judge, sample, decide, openai_server):
    decide(lambda _: 0.9)
    given = sample(response="My answer.", reference="The reference.", retrieved_contexts=PASSAGES)
    for against, shown in (("reference", "The reference."), ("response", "My answer.")):
        openai_server.forget()
        metric: Any = load_metric(f"context_precision:against={against}", judge(logprobs=True))
        assert asyncio.run(metric.assess(given)).value == pytest.approx(0.9, abs=1e-4)
        assert all(
            f"<answer>\n{shown}\n</answer>" in str(each.body).replace("\\n", "\n") for each in openai_server.requests
        )
    without = given.model_copy(update={"reference": None})
    assert asyncio.run(load_metric("context_precision", judge()).assess(without)).status == "skipped"
    with pytest.raises(UsageError, match="the option against takes 'reference' or 'response', not 'both'"):
        load_metric("context_precision:against=both", judge())


@pytest.mark.parametrize(
    ("shares", "value"),
    [
        ({"3": 1.0}, 1.0),
        ({"1": 1.0}, 0.0),
        # expected level 0.1 * 1 + 0.3 * 2 + 0.6 * 3 = 2.5
        ({"1": 0.1, "2": 0.3, "3": 0.6}, (2.5 - 1) / 2),
    ],
)
def test_the_expected_level(judge, sample, decide, shares, value):
    decide(lambda _: shares)
    score = asyncio.run(ContextRelevance(judge(logprobs=True)).assess(sample()))
    assert score.value == pytest.approx(value, abs=1e-4)
    assert score.usage.calls == 1


def test_without_probabilities_the_level_counts(judge, sample, openai_server):
    openai_server.script = lambda _: Answer(text="2")
    score = asyncio.run(ContextRelevance(judge(decide="single")).assess(sample()))
    assert (score.value, score.evidence["level"], score.evidence["probabilities"]) == (0.5, "a part", None)


def test_the_share_of_sentences(judge, sample, decide):
    said = {"Go to Payroll > Payments and click New.": 0.9, "A manager approves it.": 0.3}
    decide(lambda statement: said[statement])
    score = asyncio.run(load_metric("context_relevance:unit=sentences", judge(logprobs=True)).assess(sample()))
    assert score.value == pytest.approx((0.9 + 0.3) / 2, abs=1e-4)
    assert (score.evidence["ratio"], [claim.text for claim in score.claims]) == (0.5, list(said))


def test_contexts_without_a_sentence_are_skipped(judge, sample, openai_server):
    metric = ContextRelevance(judge(decide="single"), unit="sentences")
    score = asyncio.run(metric.assess(sample(retrieved_contexts=("---", "…"))))
    assert (score.status, score.reason) == ("skipped", "the contexts have no sentence")
    assert not openai_server.requests
