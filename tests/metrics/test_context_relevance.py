"""Context relevance: the expected level of the contexts, or the share of their sentences."""

import asyncio

import pytest
from openai_server import Answer

from assay.metrics import ContextRelevance
from assay.metrics.catalogue import load_metric


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


@pytest.mark.parametrize(
    ("language", "top"), [("en", "everything"), ("nl", "alles"), ("de", "alles"), ("es", "everything")]
)
def test_levels_in_the_samples_language(judge, sample, decide, language, top):
    decide(lambda _: {"3": 0.9, "1": 0.1})
    score = asyncio.run(ContextRelevance(judge(logprobs=True)).assess(sample(language=language)))
    assert score.evidence["level"] == top
    assert ("other_prompt_language" in score.evidence) is (language == "es")
