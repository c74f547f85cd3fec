"""Ratings of conversations, in rows per turn and in messages: mapped, on some rows only, by raters, used by nothing."""

from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import load_set, read_samples

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


# --- a mapped column ---


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


# --- on some rows only ---


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


# --- the account ---


# --- errors ---


def test_a_conversation_that_is_named_on_its_first_row_only(tmp_path):
    text = "conversation_id,role,content\nc1,user,Q\n,assistant,A\n"
    with pytest.raises(InputError, match=r"line 3: names no conversation in conversation_id; write .* in every row"):
        read(tmp_path, text)
    left: list[InputError] = []
    with pytest.raises(InputError, match="none of the 2 rows can be used"):
        read(tmp_path, text, skip_bad=left)
    assert len(left) == 2
    with pytest.raises(InputError, match="the list, index 0, field messages: is empty; write"):
        list(read_samples([[]]))


def test_a_chat_log_that_is_called_txt(tmp_path):
    with pytest.raises(InputError, match=r"if it is a chat log, name it g\.log"):
        read(tmp_path, "Customer: Hi, there\nBot: Hello\n", "g.txt")


def test_what_is_no_list_of_errors(tmp_path):
    skip: Any = True
    with pytest.raises(UsageError, match=r"skip_bad: True .*give a list, to which the errors are appended"):
        read(tmp_path, "question,answer\na,b\n", skip_bad=skip)
