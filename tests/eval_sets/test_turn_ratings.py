"""Ratings of conversations: by row, by message, mapped, by raters; the turns of a conversation as samples."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import (
    Sample,
    Table,
    is_single_answer,
    is_turn,
    load_set,
    measured_levels,
    read_samples,
    turn_samples,
    with_turns,
)

MAPPED = {"dossier": "conversation", "wie": "role", "wat": "content"}


def read(folder: Path, text: str, name: str = "a.csv", **options: Any) -> tuple[list[Any], list[str]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    samples = load_set(path, notes=notes, **options)
    return samples, [note.removeprefix(f"{path}: ") for note in notes]


def turns(header: str, *cells: tuple[str, str]) -> str:
    """Two rows per conversation: the customer's with one cell, the chatbot's with the other."""
    lines = [f"c{n},klant,v{n},{asked}\nc{n},bot,a{n},{answered}\n" for n, (asked, answered) in enumerate(cells)]
    return f"dossier,wie,wat,{header}\n{''.join(lines)}"


@pytest.mark.parametrize(
    ("values", "scale"), [("1 5 3", (1, 5)), ("2 9 4", (1, 10)), ("4 4 4", (1, 5)), ("0 1 1", (0, 1))]
)
def test_a_mapped_rating_of_messages(tmp_path, values, scale):
    cells = [(value, value) for value in values.split()]
    samples, notes = read(tmp_path, turns("punten", *cells), mapping=MAPPED | {"punten": "rating"})
    assert [sample.rating for sample in samples] == [float(value) for value in values.split()]
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {scale}
    assert "punten as rating" in notes[1]


def test_a_map_wins_over_a_guessed_rater_and_a_column_of_the_name(tmp_path):
    text = turns("cijfer_gesprek,rating", ("5,7", "5,7"), ("1,8", "1,8"))
    samples, notes = read(tmp_path, text, mapping=MAPPED | {"cijfer_gesprek": "rating"})
    assert [(sample.rating, dict(sample.ratings), sample.metadata) for sample in samples] == [
        (5, {}, {"rating": "7"}),
        (1, {}, {"rating": "8"}),
    ]
    assert notes[0].endswith("kept in the metadata: rating")


@pytest.mark.parametrize("none", ["", "n.v.t."])
def test_a_rating_on_the_customers_row_is_the_conversations(tmp_path, none):
    text = turns("rating", ("4", none), ("2", none), (none, none)).replace("dossier,wie,wat", "ticket,sender,text")
    samples, notes = read(tmp_path, text)
    assert [sample.rating for sample in samples] == [4, 2, None]
    assert not any(message.rating for sample in samples for message in sample.messages)
    assert notes[1].startswith("read rating from 1 to 5 (change with --map)")
    answers = turns("rating", ("", "4"), ("", "2")).replace("dossier,wie,wat", "ticket,sender,text")
    samples, _ = read(tmp_path, answers)  # those of answers stay with them
    assert [[message.rating for message in sample.messages] for sample in samples] == [[None, 4], [None, 2]]


@pytest.mark.parametrize("none", ["", "n/a"])
def test_a_conversation_without_a_rating_takes_none_from_the_others(tmp_path, none):
    """Every row of a conversation has one value, or none: the column is the conversation's."""
    text = turns("rating", ("4", "4"), (none, none), ("2", "2")).replace("dossier,wie,wat", "ticket,sender,text")
    samples, notes = read(tmp_path, text)
    assert [sample.rating for sample in samples] == [4, None, 2]
    assert not any(message.rating for sample in samples for message in sample.messages)
    assert "used by nothing" not in " ".join(notes)
    partly = turns("rating", ("4", "4"), (none, "3")).replace("dossier,wie,wat", "ticket,sender,text")
    samples, _ = read(tmp_path, partly)  # the answer of the second is rated, and its question is not
    assert [[message.rating for message in sample.messages] for sample in samples] == [[4, 4], [None, 3]]


def test_a_greeting_before_the_question_is_no_answer(tmp_path):
    text = "ticket,sender,text,rating\n1,bot,Hi!,4\n1,user,Q,\n1,bot,A,\n2,bot,Hi!,1\n2,user,Q,\n2,bot,A,\n"
    samples, _ = read(tmp_path, text)
    assert [sample.rating for sample in samples] == [4, 1]


def test_two_ratings_of_customers_in_one_conversation_are_said_to_be_unused(tmp_path):
    text = "ticket,sender,text,rating\n1,user,Q,4\n1,bot,A,\n1,user,R,2\n1,bot,B,\n"
    (sample,), notes = read(tmp_path, text)
    assert [message.rating for message in sample.messages] == [4, None, 2, None]
    assert notes[1] == (
        "2 ratings of messages that are no answers, used by nothing; rate the answer, or the conversation (`rating` "
        "beside its messages)"
    )
    said: list[str] = []
    asked, answered = {"role": "user", "content": "Q", "rating": 4}, {"role": "assistant", "content": "A"}
    list(read_samples([{"messages": [asked, answered]}], notes=said))
    assert said[0].startswith("the list: 1 rating of a message that is no answer, used by nothing; rate the answer")


@pytest.mark.parametrize("cells", [[("", "1"), ("", "5")], [("1", ""), ("5", "")], [("1", "1"), ("5", "")]])
def test_what_a_rater_gave_once_is_the_conversations(tmp_path, cells):
    samples, notes = read(tmp_path, turns("rating_ada", *cells), mapping=MAPPED)
    assert [dict(sample.ratings) for sample in samples] == [{"ada": 1}, {"ada": 5}]
    assert notes[1] == "read rating_ada as ratings.ada from 1 to 5 (change with --map)"


def test_a_rater_of_messages_is_said_to_be_unused(tmp_path):
    samples, notes = read(tmp_path, turns("rating_ada", ("1", "4"), ("5", "2")), mapping=MAPPED)
    assert [dict(sample.ratings) for sample in samples] == [{}, {}]
    assert notes[1] == (
        "rating_ada differs among the rows of a conversation, and messages have no raters, so that it is used by "
        "nothing; --map rating_ada=rating makes it the rating of each message"
    )
    samples, _ = read(tmp_path, turns("rating_ada", ("", "4"), ("5", "2")), mapping=MAPPED | {"rating_ada": "rating"})
    assert samples[1].messages[1].rating == 2


def test_a_conversation_that_is_named_on_its_first_row_only(tmp_path):
    text = "conversation_id,role,content\nc1,user,Q\n,assistant,A\n"
    with pytest.raises(InputError, match=r"line 3: names no conversation in conversation_id; write .* in every row"):
        read(tmp_path, text)
    left: list[InputError] = []
    samples, _ = read(tmp_path, text, skip_bad=left)
    assert len(left) == 1
    assert [(sample.id, sample.response) for sample in samples] == [("c1", "")]
    with pytest.raises(InputError, match="the list, index 0, field messages: is empty; write"):
        list(read_samples([[]]))


def test_what_is_no_list_of_errors(tmp_path):
    skip: Any = True
    with pytest.raises(UsageError, match=r"skip_bad: True .*give a list, to which the errors are appended"):
        read(tmp_path, "question,answer\na,b\n", skip_bad=skip)


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
    ((whole,), _) = read(tmp_path, json.dumps({"id": "c", "messages": messages}), "a.jsonl")
    assert (whole.rating_min, whole.rating_max, whole.human_rating) == (1, 10, None)
    assert [turn.ratings for turn in turn_samples(whole)] == [{"ann": 9, "bob": 4}, {"ann": 2}]
    assert [turn.human_rating for turn in turn_samples(whole)] == [6.5, 2]
    assert Sample.model_validate_json(whole.model_dump_json()) == whole
    messages[1] |= {"rating": 4}  # beside the raters' 9 it tells no scale to 5
    ((whole,), _) = read(tmp_path, json.dumps({"id": "c", "messages": messages}), "mean.jsonl")
    assert (whole.rating_min, whole.rating_max) == (1, 10)
    messages[1] = SINGLE[2]
    for own, problem in (({"ann": 7}, r"messages.3.ratings.ann: 7 is outside"), ([7], "turn 3 .*ratings: is a list")):
        broken = [*messages[:3], SINGLE[2] | {"ratings": own}]
        with pytest.raises(InputError, match=problem):
            read(tmp_path, json.dumps({"id": "c", "messages": broken, "rating_max": 5, "rating_min": 0}), "b.jsonl")
