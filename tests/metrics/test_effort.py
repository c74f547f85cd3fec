"""Effort: turns, questions that the customer repeats, and facts that the chatbot asks for again."""

import asyncio
from typing import Any

import numpy as np
import pytest
from call_counts import growth
from openai_server import Answer

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import Embedder
from assay.metrics import Effort


class Alike(Embedder):
    """Every text has the same vector, so that only stems and numbers tell two questions apart."""

    name = "alike"

    async def embed(self, texts: Any) -> Any:
        return np.ones((len(texts), 2))


def talk(*texts: str, **fields: Any) -> Sample:
    """Customer and assistant in turn."""
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    return Sample(**({"id": "1", "messages": messages, "language": "en"} | fields))


TWICE = talk(
    "Where is my order 4711?",
    "What is your order number?",
    "It is 4711. Where is my order 4711?",
    "It comes on Monday.",
)


def assess(sample: Sample, **options: Any) -> Any:
    return asyncio.run(Effort(embedder=options.pop("embedder", Alike()), **options).assess(sample))


def test_the_formula():
    score = assess(TWICE)
    # 2 messages + 1 question asked twice + 1 fact asked for again
    assert score.value == 4.0
    assert score.evidence["turns"] == 2
    assert score.evidence["repeated"] == [
        {"text": "Where is my order 4711?", "turn": 2, "earlier_turn": 0, "cosine": 1.0}
    ]
    assert score.evidence["asked_again"] == [
        {"text": "What is your order number?", "turn": 1, "said_turn": 0, "fact": "order_number", "value": "4711"}
    ]
    assert score.reason == "2 messages of the customer, 1 repeated question, 1 fact asked for again"


@pytest.mark.parametrize(("count", "value"), [("turns", 2), ("repeated", 1), ("asked_again + turns", 3)])
def test_what_is_counted_is_an_option(count, value):
    assert assess(TWICE, count=count).value == value


@pytest.mark.parametrize("count", ["", "+", "turns+words"])
def test_an_unknown_part_is_an_error(count):
    with pytest.raises(UsageError, match=r"effort:count takes turns, repeated, asked_again, joined by \+, not"):
        Effort(count=count)


@pytest.mark.parametrize(("share", "value"), [(0.9, 4), (0.4, 3)])
def test_a_judge_decides_of_each_pair(judge, decide, openai_server, share, value):
    asked: list[str] = []

    def probability(statement: str) -> float:
        asked.append(statement)
        return share

    decide(probability)
    score = assess(TWICE, judge=judge(decide="single", logprobs=True))
    assert score.value == value
    assert asked == [
        "In message 1 the assistant asks the customer to give the order number, which message 0 had already given: 4711"
    ]
    assert "[1] Assistant: What is your order number?" in str(openai_server.requests[-1].body)
    assert len(score.evidence["asked_again"]) + len(score.evidence["not_again"]) == 1


def test_a_judge_that_fails_makes_no_score(judge, openai_server):
    openai_server.script = lambda _: Answer(text="perhaps")
    score = assess(TWICE, judge=judge(decide="single"))
    assert (score.status, score.value) == ("failed", None)
    assert assess(talk("How do I pay?", "By card."), judge=judge(decide="single")).value == 1.0, "nobody is asked"
    turns = assess(TWICE, count="turns")  # what is not looked for is not stated
    assert (turns.evidence["turns"], turns.evidence["repeated"], turns.evidence["asked_again"]) == (2, None, None)


def test_a_question_repeated_in_other_words_and_one_with_other_numbers():
    score = assess(talk("Where is order 4711?", "In Delft.", "Where is order 4712?", "In Gouda."))
    assert score.evidence["repeated"] == []
    sample = talk("When will my parcel arrive?", "Soon.", "When will my package be delivered?", "Soon.")
    score = assess(sample, embedder="use")
    assert [(one["turn"], one["earlier_turn"]) for one in score.evidence["repeated"]] == [(2, 0)]


def test_a_message_that_is_repeated_takes_time_in_proportion():
    def make_work(size: int) -> Any:
        said = ("Where is my order 4711?", "What is your order number? Do you want a refund or a voucher?")
        sample = talk(*(said * size))
        return lambda: assess(sample)

    assert growth(make_work, 25) < 5  # times as much for four times the messages; 16 if each is compared with each
