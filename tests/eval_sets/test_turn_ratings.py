"""Ratings of conversations: by row, by message, mapped, by raters; the turns of a conversation as samples."""

import json
from typing import Any

import pytest
from noted_sets import read

from assay.errors import InputError, UsageError
from assay.eval_sets import (
    Sample,
    Table,
    is_single_answer,
    is_turn,
    measured_levels,
    read_samples,
    turn_samples,
    with_turns,
)


def test_an_empty_list_of_messages_is_named_by_its_place():
    with pytest.raises(InputError, match="the list, index 0, field messages: is empty; write"):
        list(read_samples([[]]))


def test_what_is_no_list_of_errors(tmp_path):
    skip: Any = True
    with pytest.raises(UsageError, match=r"skip_bad: True .*give a list, to which the errors are appended"):
        read(tmp_path / "a.csv", "question,answer\na,b\n", skip_bad=skip)


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


def test_an_empty_reply_is_the_answer_where_no_other_one_follows():
    """To A, an empty reply alone; to B, an empty one and a text; to C, a call of a tool and at last an empty one."""
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
    silent = {"role": "assistant", "content": ""}
    messages = [{"role": "user", "content": "A"}, silent | {"rating": 1}]
    messages += [{"role": "user", "content": "B"}, silent, {"role": "assistant", "content": "b"}]
    messages += [{"role": "user", "content": "C"}, call, {"role": "tool", "content": "x", "tool_call_id": "1"}, silent]
    notes: list[str] = []
    (sample,) = read_samples([{"id": "x", "messages": messages}], notes=notes)
    read = [(turn.id, turn.user_input, turn.response, turn.rating) for turn in turn_samples(sample)]
    assert read == [("x#1", "A", "", 1), ("x#4", "B", "b", None), ("x#8", "C", "", None)]
    assert (sample.user_input, sample.response, sample.turn) == ("C", "", 8)
    assert not any("used by nothing" in note for note in notes)
    assert turn_samples(sample)[2].fingerprint != sample.fingerprint
    assert [place for place, message in enumerate(sample.messages) if message.is_reply] == [1, 3, 4, 8]


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


def test_the_ratings_of_a_message_are_by_rater_as_those_of_a_sample(tmp_path):
    """`rating` beside them is their mean, as pull writes it, and alone they are on the scale that all of them tell."""
    rated = [{"ratings": {"ann": 9, "bob": 4, "eve": None}}, {"rating": 2, "ratings": {"ann": 2}}]
    messages = [SINGLE[1], SINGLE[2] | rated[0], SINGLE[1], SINGLE[2] | rated[1]]
    ((whole,), _) = read(tmp_path / "a.jsonl", json.dumps({"id": "c", "messages": messages}))
    assert (whole.rating_min, whole.rating_max, whole.human_rating) == (1, 10, None)
    assert [turn.ratings for turn in turn_samples(whole)] == [{"ann": 9, "bob": 4}, {"ann": 2}]
    assert [turn.human_rating for turn in turn_samples(whole)] == [6.5, 2]
    assert Sample.model_validate_json(whole.model_dump_json()) == whole
    messages[1] |= {"rating": 4}  # beside the raters' 9 it tells no scale to 5
    ((whole,), _) = read(tmp_path / "mean.jsonl", json.dumps({"id": "c", "messages": messages}))
    assert (whole.rating_min, whole.rating_max) == (1, 10)
    messages[1] = SINGLE[2]
    for own, problem in (({"ann": 7}, r"messages.3.ratings.ann: 7 is outside"), ([7], "turn 3 .*ratings: is a list")):
        broken = [*messages[:3], SINGLE[2] | {"ratings": own}]
        with pytest.raises(InputError, match=problem):
            row = {"id": "c", "messages": broken, "rating_max": 5, "rating_min": 0}
            read(tmp_path / "b.jsonl", json.dumps(row))


RATED_MESSAGES = """conversation_id,role,content,rater,rating,note
1,user,Is it free?,ann,{asked},a
1,bot,Yes.,ann,5,a
1,user,Is it free?,Bob,{asked_bob},b
1,bot,Yes.,Bob,2,b
2,user,Until when?,ann,,
2,user,ok,ann,,
2,user,ok,ann,,
2,bot,May.,ann,4,
"""


def test_messages_that_stand_again_for_each_rater_are_read_once(tmp_path):
    text = RATED_MESSAGES.format(asked="", asked_bob="")
    (first, second), notes = read(tmp_path / "a.csv", text)
    assert [[message.text for message in one.messages] for one in (first, second)] == [
        ["Is it free?", "Yes."],
        ["Until when?", "ok", "ok", "May."],
    ]
    assert [one.messages[-1].ratings for one in (first, second)] == [{"ann": 5, "Bob": 2}, {"ann": 4}]
    assert "messages stand again for each rater: rating as ratings by rater (ann, Bob)" in notes
    assert "rows of one message differ in note, and its first row's is kept" in notes


def test_what_stands_in_all_rows_of_a_rater_is_the_rating_of_the_conversation(tmp_path):
    text = "".join(RATED_MESSAGES.format(asked=5, asked_bob=2).splitlines(keepends=True)[:5])
    (only,), _ = read(tmp_path / "a.csv", text)
    assert (only.ratings, only.human_rating, len(only.messages)) == ({"ann": 5, "Bob": 2}, 3.5, 2)


def test_messages_that_different_people_rated_once_each_stay_as_many(tmp_path):
    text = (
        "conversation_id,role,content,rater,rating\n1,user,ok,ann,\n1,bot,ok.,ann,5\n1,user,ok,bob,\n1,bot,Bye.,bob,3\n"
    )
    (only,), _ = read(tmp_path / "a.csv", text)
    assert [message.text for message in only.messages] == ["ok", "ok.", "ok", "Bye."]


def test_answers_of_one_conversation_that_several_rated_stay_together(tmp_path):
    rows = "".join(f"{case},Q{turn}?,A{turn}.,{rater},4\n" for case in "ab" for turn in "12" for rater in ("x", "y"))
    samples, _ = read(tmp_path / "a.csv", f"conversation_id,question,answer,rater,rating\n{rows}")
    assert [(one.user_input, one.group, len(one.ratings)) for one in samples] == [
        ("Q1?", "a", 2),
        ("Q2?", "a", 2),
        ("Q1?", "b", 2),
        ("Q2?", "b", 2),
    ]


def test_json_that_leaves_out_an_answer_has_an_empty_one_as_where_it_is_null(tmp_path):
    lines = '{"question": "a?", "answer": "x"}\n{"question": "b?", "answer": null}\n{"question": "c?"}\n'
    samples, notes = read(tmp_path / "a.jsonl", lines)
    assert [(one.user_input, one.response) for one in samples] == [("a?", "x"), ("b?", ""), ("c?", "")]
    assert "2 rows have no answer and count as an empty one: line 2, line 3" in notes


def test_raters_whose_headers_tell_other_scales_are_no_raters_on_one(tmp_path):
    with pytest.raises(InputError, match=r"different scales: rating_ann \(1-5\) 1 to 5, rating_bob \(1-10\) 1 to 10;"):
        read(tmp_path / "a.csv", "question,answer,rating_ann (1-5),rating_bob (1-10)\na?,x,4,5\nb?,y,2,3\n")
