"""The turns of a conversation as samples of their own."""

from typing import Any

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample, Table
from assay.eval_sets.turns import is_single_answer, is_turn, measured_levels, turn_samples, with_turns


def message(role: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


CHAT = [
    message("system", "Be kind."),
    message("assistant", "Good morning."),
    message("user", "Hi."),
    message("user", "Is it free?"),
    message("assistant", "It is.", rating=4, retrieved_contexts=["Free."]),
    message("user", "Until when?"),
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look_up", "arguments": "{}"}}]},
    message("tool", "May", tool_call_id="a", retrieved_contexts=["Until May."]),
    message("assistant", "Until May.", rating=2),
    message("user", "Thanks."),
]


def conversation(name: str = "c", **fields: Any) -> Sample:
    return Sample.model_validate({"id": name, "language": "en", "messages": CHAT, **fields})


def test_a_turn_has_its_question_answer_contexts_rating_and_the_messages_until_then():
    whole = conversation(rating=5, ratings={"ann": 5}, metadata={"page": "x"})
    first, last = turn_samples(whole)
    assert (first.id, last.id) == ("c#4", "c#8")
    assert (first.user_input, first.response, first.retrieved_contexts) == ("Hi.\nIs it free?", "It is.", ("Free.",))
    assert (last.user_input, last.response, last.retrieved_contexts) == ("Until when?", "Until May.", ("Until May.",))
    assert [first.rating, last.rating, first.ratings] == [4, 2, {}]
    assert [len(first.messages), first.turn, len(last.messages), last.turn] == [5, 4, 9, 8]
    assert first.metadata == {"page": "x", "conversation": "c", "turn": 4}
    assert {first.source, last.source, whole.source} == {"c"}
    assert {turn.source for turn in turn_samples(conversation(metadata={"group": "task-3"}))} == {"task-3"}
    assert {turn.source for turn in turn_samples(conversation(group="task-4"))} == {"task-4"}


def test_what_is_said_of_the_turn_under_test_stays_with_it():
    table = Table(name="t", columns={"a": [1]})
    whole = conversation(
        reference="Until May 1.", tables=(table,), message_type="binary", retrieved_contexts=["The price list."]
    )
    first, last = turn_samples(whole)
    assert (last.reference, last.tables, last.message_type) == ("Until May 1.", (table,), "binary")
    assert last.retrieved_contexts == ("The price list.",)
    assert (first.reference, first.tables, first.message_type, first.retrieved_contexts) == (None, (), None, ("Free.",))


def test_a_turn_is_a_whole_sample_that_is_read_back_the_same():
    for turn in turn_samples(conversation()):
        assert Sample.model_validate_json(turn.model_dump_json()) == turn
        assert is_turn(turn)
    assert not is_turn(conversation())
    assert not is_turn(Sample(id="a#2", user_input="q", response="r", metadata={"conversation": "a", "turn": 2}))


def test_each_puts_the_turns_after_their_conversation():
    plain = Sample(id="p", user_input="q", response="r")
    samples = [conversation("a"), plain, conversation("b")]
    ids = [sample.id for sample in with_turns(samples, "each")]
    assert ids == ["a", "a#4", "a#8", "p", "b", "b#4", "b#8"]
    assert list(with_turns(samples, "last")) == list(with_turns(samples, "none")) == samples
    turns = turn_samples(conversation())
    assert list(with_turns(turns, "each")) == turns  # a turn that is in the set already is not taken apart


@pytest.mark.parametrize("names", [("c", "c#4"), ("c#4", "c")], ids=["after", "before"])
def test_two_samples_with_one_id_are_an_error_with_a_cure(names):
    samples = [conversation(name) if name == "c" else Sample(id=name, user_input="q", response="r") for name in names]
    with pytest.raises(InputError, match=r"'c#4'.*'c'.*give the sample another id"):
        list(with_turns(samples, "each"))
    assert len(list(with_turns(samples, "last"))) == 2


def test_a_conversation_without_a_question_before_its_answer_is_scored_by_all_metrics():
    greeting = Sample(id="g", user_input="", response="Good morning.", messages=[message("assistant", "Good morning.")])
    assert turn_samples(greeting) == []
    assert measured_levels(greeting, "each") == {"answer", "conversation"}
    assert measured_levels(greeting, "none") == {"conversation"}


SINGLE = [message("system", "Be kind."), message("user", "Free?"), message("assistant", "Yes.")]


def single(of_message: float | None = None, **fields: Any) -> Sample:
    messages = [*SINGLE[:-1], {**SINGLE[-1], "rating": of_message}]
    return Sample.model_validate({"id": "s", "messages": messages, **fields})


def test_what_is_said_of_a_single_answer_is_said_of_its_turn():
    reasons = {"rating_reasons": {"ann": "Too short."}}
    (turn,) = turn_samples(single(ratings={"ann": 1, "bob": 2}, metadata=reasons))
    assert (turn.rating, turn.ratings, turn.human_rating) == (None, {"ann": 1, "bob": 2}, 1.5)
    assert turn.metadata["rating_reasons"] == {"ann": "Too short."}
    (same,) = turn_samples(single(1.5, ratings={"ann": 1, "bob": 2}))  # as pull writes it, at the message too
    assert same.ratings == {"ann": 1, "bob": 2}
    (own,) = turn_samples(single(4, rating=2, ratings={"ann": 1}))
    assert (own.rating, own.ratings) == (4, {})
    assert is_single_answer(single()) and not is_single_answer(turn) and not is_single_answer(conversation())


def test_the_reasons_at_a_message_are_those_of_its_turn():
    messages = [{**one, "rating_reasons": {"ann": ["Late."]}} if one.get("rating") == 2 else one for one in CHAT]
    whole = Sample.model_validate({"id": "c", "messages": messages, "metadata": {"rating_reasons": {"bob": ["All."]}}})
    first, last = turn_samples(whole)
    assert "rating_reasons" not in first.metadata
    assert last.metadata["rating_reasons"] == {"ann": ["Late."]}
