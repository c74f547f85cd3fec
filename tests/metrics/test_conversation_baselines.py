"""The baselines of a conversation, by hand."""

from typing import Any

import pytest

from assay.metrics import ConversationLength, ConversationTurns, ThanksAtEnd

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
