"""Topic adherence: which topics a conversation has, which were answered, and which the chatbot is for."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.eval_sets import Sample
from assay.metrics import TopicAdherence
from assay.metrics.catalogue import load_metric

Make = Callable[..., Any]
HISTORY = [
    {"role": "user", "content": "How do I add a bonus?"},
    {"role": "assistant", "content": "Under Payments."},
    {"role": "system", "content": "Be brief."},
]
TOPICS = ["adding a bonus", "buying a phone", "requesting leave"]


def talk(sample: Make, **fields: Any) -> Sample:
    metadata = {"history": HISTORY, "reference_topics": ["payroll", "leave"]}
    made: Sample = sample(user_input="Which phone?\nAnd leave?", response="Phone X.", metadata=metadata, **fields)
    return made


def says(server: OpenAIServer, topics: list[str], answered: set[str], within: set[str]) -> None:
    """The judge finds these topics; it knows which were answered, and which belong to the chatbot."""

    def script(request: Request) -> Answer:
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
