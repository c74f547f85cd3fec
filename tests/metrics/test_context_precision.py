"""Relevance of answers and contexts, and topics, by hand."""

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from openai_server import Answer

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import Embedder, UniversalSentenceEncoder
from assay.metrics import AnswerRelevance, ContextPrecision, ContextRelevance, TopicAdherence, load_metric

PASSAGES = ("Bonuses are in the menu.", "Leave is requested in May.", "Click New under Payments.")
REFERENCE = "Click New."


def by_passage(*shares):
    """P(yes) of the statement about passage 1, 2, ..."""
    return lambda statement: next(share for n, share in enumerate(shares, 1) if f"Passage {n} " in statement)


@pytest.mark.parametrize(
    ("shares", "value"),
    [
        # useful at ranks 1 and 3: (1/1 + 2/3) / 2
        ((1.0, 0.0, 1.0), (1 + 2 / 3) / 2),
        ((0.0, 0.0, 0.0), 0.0),
        # P@k = 0.8, 0.5, 0.6; sum of P@k * v = 0.64 + 0.1 + 0.48 = 1.22, divided by 1.8
        ((0.8, 0.2, 0.8), 1.22 / 1.8),
    ],
)
def test_average_precision(*, judge, sample, decide, shares, value):
    decide(by_passage(*shares))
    given = sample(retrieved_contexts=PASSAGES, reference=REFERENCE)
    score = asyncio.run(ContextPrecision(judge(logprobs=True)).assess(given))
    assert score.value == pytest.approx(value, abs=1e-4)
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


ASKED = "How do I add a bonus?"


class Angles(Embedder):
    """An embedder whose cosine with the asked question stands in the text: "cos 0.6"; the asked one itself is 1."""

    name = "angles"

    def __init__(self):
        super().__init__()
        self.batches: list[list[str]] = []

    async def embed(self, texts):
        self.batches.append(list(texts))
        cosines = [float(text.split()[1]) if text.casefold().startswith("cos") else 1.0 for text in texts]
        return np.array([[7 * cosine, 7 * (1 - cosine**2) ** 0.5] for cosine in cosines], dtype=np.float32)


@pytest.mark.parametrize(
    ("cosines", "value", "raw"),
    [
        ((0.9, 0.6, 0.3), 0.6, 0.6),
        ((1.0, 1.0, 1.0), 1.0, 1.0),
        ((-0.8, 0.2, 0.0), 0.0, -0.2),  # below 0 is clipped, and kept as it was
    ],
)
def test_the_mean_of_the_cosines(*, judge, sample, script, openai_server, cosines, value, raw):
    script(
        ReverseQuestions={
            "noncommittal": False,
            "questions": [f"cos {cosine} of {n}" for n, cosine in enumerate(cosines)],
        }
    )
    embedder = Angles()
    score = asyncio.run(AnswerRelevance(judge(), embedder).assess(sample()))
    assert score.value == pytest.approx(value, abs=1e-6)
    assert score.evidence["raw"] == pytest.approx(raw, abs=1e-6)
    assert [question["cosine"] for question in score.evidence["questions"]] == pytest.approx(cosines, abs=1e-6)
    assert embedder.batches == [[ASKED, *(f"cos {cosine} of {n}" for n, cosine in enumerate(cosines))]]  # one batch
    assert len(openai_server.requests) == 1  # all questions in one call
    assert score.evidence["embedder"] == "angles"


def test_the_same_question_twice_counts_once_and_none_at_all_fails(judge, sample, script):
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "COS  0.8 ", "", "cos 0.2"]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert score.value == pytest.approx((0.8 + 0.2) / 2, abs=1e-6)
    assert (len(score.evidence["questions"]), score.evidence["wanted"]) == (2, 3)
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "cos 0.6", "cos 0.1"]})
    assert asyncio.run(AnswerRelevance(judge(), Angles(), questions=2).assess(sample())).value == pytest.approx(0.7)
    script(ReverseQuestions={"noncommittal": False, "questions": [" "]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert (score.status, score.value) == ("failed", None)
    assert "the reply cannot be used: it is refused: it is not noncommittal, and holds no question" in score.reason
    assert score.usage.calls == 2, "it is asked once more with the error"


@pytest.mark.parametrize("questions", [["cos 0.9"], []])
def test_a_noncommittal_answer_scores_0_and_embeds_nothing(judge, sample, script, questions):
    script(ReverseQuestions={"noncommittal": True, "questions": questions})
    embedder = Angles()
    score = asyncio.run(AnswerRelevance(judge(), embedder).assess(sample(response="I don't know.")))
    assert (score.status, score.value, embedder.batches) == ("scored", 0.0, [])
    assert score.evidence["noncommittal"] is True


@pytest.mark.parametrize("wrong", ["questions=0", "questions=three", "embedder=use"])
def test_options_that_make_no_sense_are_refused(judge, wrong):
    with pytest.raises(UsageError, match="answer_relevance"):
        load_metric(f"answer_relevance:{wrong}", judge(), UniversalSentenceEncoder())


HISTORY = [
    {"role": "user", "content": "How do I add a bonus?"},
    {"role": "assistant", "content": "Under Payments."},
    {"role": "system", "content": "Be brief."},
]
TOPICS = ["adding a bonus", "buying a phone", "requesting leave"]


def talk(sample, **fields):
    metadata = {"history": HISTORY, "reference_topics": ["payroll", "leave"]}
    made: Sample = sample(user_input="Which phone?\nAnd leave?", response="Phone X.", metadata=metadata, **fields)
    return made


def says(server, topics, answered, within):
    """The judge finds these topics; it knows which were answered, and which belong to the chatbot."""

    def script(request):
        if request.schema == "Topics":
            return Answer(text=json.dumps({"topics": topics}))
        asked = request.body["messages"][-1]["content"].partition("<statement>\n")[2]
        chosen = within if "own topics" in asked else answered
        return Answer(text="Yes" if any(topic in asked for topic in chosen) else "No")

    server.script = script


@pytest.mark.parametrize(
    ("mode", "value"),
    [
        # bonus: answered and its own (TP); phone: answered, not its own (FP); leave: its own, refused (FN)
        ("precision", 1 / 2),
        ("recall", 1 / 2),
        ("f1", 2 / (2 + 1 + 1)),
    ],
)
def test_the_modes(judge, sample, openai_server, mode, value):
    says(openai_server, TOPICS, {TOPICS[0], TOPICS[1]}, {TOPICS[0], TOPICS[2]})
    score = asyncio.run(load_metric(f"topic_adherence:mode={mode}", judge(decide="single")).assess(talk(sample)))
    assert score.value == pytest.approx(value)
    assert score.evidence["topics"][1] == {"text": "buying a phone", "answered": True, "within": False}
    assert 'answered all the same: "buying a phone"; refused: "requesting leave"' in score.reason


def test_the_conversation_is_one_line_per_message(judge, sample, openai_server):
    says(openai_server, TOPICS, set(), set())
    asyncio.run(TopicAdherence(judge(decide="single")).assess(talk(sample)))
    shown = openai_server.requests[0].user.partition("<conversation>\n")[2].partition("\n</conversation>")[0]
    assert shown.splitlines() == [
        "Customer: How do I add a bonus?",
        "Assistant: Under Payments.",
        "Customer: Which phone? And leave?",
        "Assistant: Phone X.",
    ]


@pytest.mark.parametrize(("mode", "value"), [("f1", 1.0), ("precision", None), ("recall", None)])
def test_a_chatbot_that_refuses_what_is_not_its_own_makes_no_mistake(judge, sample, openai_server, mode, value):
    says(openai_server, ["buying a phone"], set(), set())
    score = asyncio.run(TopicAdherence(judge(decide="single"), mode).assess(talk(sample)))
    assert (score.value, score.status) == (value, "skipped" if value is None else "scored")


def test_topics_as_an_option_and_nothing_to_measure(judge, sample, openai_server):
    says(openai_server, TOPICS[:1], {TOPICS[0]}, {TOPICS[0]})
    score = asyncio.run(load_metric("topic_adherence:topics=payroll; leave", judge(decide="single")).assess(sample()))
    assert (score.value, score.evidence["reference_topics"]) == (1.0, ["payroll", "leave"])
    says(openai_server, [" "], set(), set())
    score = asyncio.run(TopicAdherence(judge(decide="single")).assess(talk(sample)))
    assert (score.status, score.reason) == ("skipped", "the judge finds no topic in the conversation")
    without = asyncio.run(TopicAdherence(judge(decide="single")).assess(sample()))
    assert without.status == "skipped"
    assert "neither metadata.reference_topics nor the option topics" in without.reason
