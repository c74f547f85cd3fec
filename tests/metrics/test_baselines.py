"""The baselines of an answer and of a conversation, worked out by hand, and what every metric promises."""

import asyncio
from typing import Any

import pytest

from assay.errors import UsageError
from assay.metrics import (
    AnswerLength,
    ConversationLength,
    ConversationTurns,
    Metric,
    RougeLPrecision,
    Score,
    ThanksAtEnd,
    TokenOverlap,
)


def score(metric: Metric, sample: Any) -> Score:
    return asyncio.run(metric.assess(sample))


@pytest.mark.parametrize(
    ("answer", "contexts", "overlap", "rouge", "length"),
    [
        ("the red cat", ("The red, red cat!",), 3 / 3, 3 / 3, 3),
        ("cat red the", ("The red, red cat!",), 3 / 3, 1 / 3, 3),  # the order is ROUGE's alone
        ("red red red dog", ("red cat", "red dog"), 4 / 4, 3 / 4, 4),  # red ... red ... dog over both contexts
        ("a b c d", ("x y",), 0.0, 0.0, 4),
        ("fünf Löffel Öl", ("FÜNF LÖFFEL",), 2 / 3, 2 / 3, 3),
    ],
)
def test_baselines(*, sample, answer, contexts, overlap, rouge, length):
    tested = sample(response=answer, retrieved_contexts=contexts)
    assert score(TokenOverlap(), tested).value == pytest.approx(overlap)
    assert score(RougeLPrecision(), tested).value == pytest.approx(rouge)
    assert score(AnswerLength(), tested).value == length


def test_words_that_the_context_lacks_are_in_the_evidence(sample):
    scored = score(TokenOverlap(), sample(response="Click Save and Undo.", retrieved_contexts=("Click Save.",)))
    assert scored.evidence == {"not_in_context": ["and", "undo"]}
    assert score(AnswerLength(), sample(response="")).value == 0.0


@pytest.mark.parametrize("metric", [TokenOverlap(), RougeLPrecision()])
@pytest.mark.parametrize("fields", [{"response": "?!"}, {"response": ""}, {"retrieved_contexts": ()}])
def test_nothing_to_compare_is_skipped(sample, metric, fields):
    scored = score(metric, sample(**fields))
    assert (scored.status, scored.value) == ("skipped", None)
    assert scored.reason


@pytest.mark.parametrize("value", [float("nan"), None])
def test_a_score_is_never_nan_and_never_without_a_value(value):
    with pytest.raises(ValueError, match="score"):
        Score(value, "scored", "because")
    with pytest.raises(ValueError, match="cannot have the value"):
        Score(1.0, "failed", "because")


def test_score_takes_fields_also_inside_a_running_loop():
    # As in a notebook's cell.

    async def cell() -> float | None:
        return TokenOverlap().score(response="x", retrieved_contexts=["x"]).value

    assert asyncio.run(cell()) == 1.0
    with pytest.raises(UsageError, match="respnse"):
        TokenOverlap().score(respnse="x")


Said = list[tuple[str, str]]


def messages(*texts: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for role, text in texts]


CHAT: Said = [
    ("system", "Ten words of policy, which are of no assistant at all."),
    ("assistant", "Hello, how may I help?"),  # 5 words, before the first question: no turn
    ("user", "Is it free?"),
    ("assistant", "Yes."),  # 1
    ("user", "Until when?"),
    ("assistant", "Until May 1."),  # 3
]


def test_turns_are_answers_to_a_customer_and_the_length_is_of_all_that_the_assistant_says():
    assert ConversationTurns().score(messages=messages(*CHAT)).value == 2
    assert ConversationLength().score(messages=messages(*CHAT)).value == 9


@pytest.mark.parametrize("metric", [ConversationTurns(), ConversationLength(), ThanksAtEnd()])
def test_a_sample_without_messages_is_skipped(metric):
    score = metric.score(user_input="Thanks?", response="Yes.")
    assert (score.status, score.reason) == ("skipped", "the sample has no messages")


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "That is all, THANKS!", 1),
        ("en", "Thank you so much for your help! ###STOP###", 1),
        ("en", "Thanksgiving is closed?", 0),
        ("nl", "Top, dank je wel.", 1),
        ("nl", "Ik heb alle gegevens gestuurd.", 0),
        ("de", "Vielen Dank für die Hilfe", 1),
        ("de", "Das ist nur ein Gedanke.", 0),
        ("fr", "Thanks.", 1),  # no pack: the English words
    ],
)
def test_thanks_are_those_of_the_language(language, text, value):
    score = ThanksAtEnd().score(messages=messages(*CHAT, ("user", text)), language=language)
    assert score.value == value
    assert score.evidence["turn"] == 6
    assert bool(score.evidence["words"]) == bool(value)


def test_only_the_last_message_of_the_customer_counts():
    said = messages(("user", "Thanks in advance! Free?"), ("assistant", "Thank you. Yes."), ("user", "Until when?"))
    assert ThanksAtEnd().score(messages=[*said, *messages(("assistant", "May. Thanks!"))], language="en").value == 0
    assert ThanksAtEnd().score(messages=said[:2], language="en").value == 1
