"""Conversations: messages of any form, rows per turn, times of messages; refused with their turn, written whole."""

import json
from datetime import date
from typing import Any

import pytest
from case_files import cases_beside
from hypothesis import HealthCheck, given, settings, strategies as st

from assay.errors import InputError
from assay.eval_sets import (
    FunctionCall,
    Message,
    Sample,
    ToolCall,
    is_before,
    load_set,
    read_samples,
    read_time,
    readings,
    write_set,
)
from assay.metrics import TokenOverlap

CASES = cases_beside(__file__)
ASKED, ANSWERED = CASES["asked"], CASES["answered"]
CALLED, RESULT = CASES["called"], CASES["result"]


def roles(sample):
    return [message.role for message in sample.messages]


@pytest.mark.parametrize("messages", CASES["forms"].values(), ids=CASES["forms"])
def test_tool_calls_in_the_forms_of_tools(messages):
    (sample,) = read_samples([{"id": "a", "messages": messages}])
    assert roles(sample) == ["user", "assistant", "tool", "assistant"]
    assert (sample.user_input, sample.response, sample.turn) == (ASKED["content"], "3 days.", 3)
    (call,) = sample.messages[1].tool_calls
    assert (call.function.name, call.function.values) == ("count", {"of": "days"})
    assert (sample.messages[2].tool_call_id, sample.messages[2].text) == (call.id, "3")


def test_what_a_message_says_beside_its_fields_stays_in_it():
    messages = [
        {"role": "Klant", "text": "Is it free?", "mood": {"angry": 0.5}, "timestamp": 1700000000},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, {"type": "image_url", "image_url": "x"}]},
    ]
    (sample,) = read_samples([{"messages": messages}])
    first, second = sample.messages
    assert (first.role, first.content, first.time) == ("user", "Is it free?", "1700000000")
    assert first.model_extra == {"speaker": "Klant", "mood": {"angry": 0.5}}
    assert (second.model_extra or {})["content_parts"] == messages[1]["content"]


@pytest.mark.parametrize(("content", "answers"), CASES["files"].values(), ids=CASES["files"])
def test_json_files_with_conversations(tmp_path, content, answers):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    samples = load_set(path)
    assert [sample.response for sample in samples] == answers
    assert all(sample.turn == len(sample.messages) - 1 for sample in samples)


def test_lists_of_messages_are_conversations():
    lists = [[ASKED, ANSWERED], {"id": "b", "messages": [ASKED, ANSWERED]}]
    first, second = read_samples(lists)
    assert (first.id, second.id) == ("sample-1", "b")
    assert first.messages == second.messages
    assert roles(first) == ["user", "assistant"]
    assert TokenOverlap().score(messages=[ASKED, ANSWERED | {"retrieved_contexts": ["3 days."]}]).value == 1
    with pytest.raises(InputError, match=r"the data is one conversation; put it in a list: \[messages\]"):
        list(read_samples([ASKED, ANSWERED]))


TURNS = CASES["turns"]
MAPPED = {"ticket": "conversation", "who": "role", "said": "content", "at": "time"}


def write_table(folder, name, rows):
    path, frame = folder / name, pytest.importorskip("pandas").DataFrame(rows)
    match path.suffix:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".xlsx":
            frame.to_excel(path, index=False)
        case ".parquet":
            frame.to_parquet(path)
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.parquet", "a.jsonl", "frame"])
def test_rows_per_turn_are_joined_wherever_they_stand(tmp_path, name):
    notes: list[str] = []
    if name == "frame":
        source: Any = pytest.importorskip("pandas").DataFrame(TURNS)
        first, second = read_samples(source, mapping=MAPPED, notes=notes)
    else:
        first, second = load_set(write_table(tmp_path, name, TURNS), mapping=MAPPED, notes=notes)
    assert [(sample.id, sample.rating, sample.metadata) for sample in (first, second)] == [
        ("7", 4, {"channel": "web"}),
        ("8", 2, {"channel": "app"}),
    ]
    assert [message.text for message in first.messages] == ["Hello", "Hi!", "Bye"]
    assert [message.time for message in second.messages] == ["2026-01-01 10:00", "2026-01-01 10:01"]
    assert (second.user_input, second.response) == ("Free?", "Yes")
    read, of_conversation, counts = (note.partition(": ")[2] for note in notes)
    assert read.startswith("read ticket as conversation, who as role, said as content, at as time (change with ")
    assert of_conversation.endswith("kept in the metadata: channel")
    assert counts == "2 single answers with messages"


def test_tools_in_rows_per_turn(tmp_path):
    rows = [
        {"conversation_id": "a", **{key: value for key, value in message.items() if value}}
        for message in (ASKED, CALLED, RESULT, ANSWERED)
    ]
    rows[1]["tool_calls"] = json.dumps(rows[1]["tool_calls"])
    for name in ("a.csv", "a.jsonl"):
        (sample,) = load_set(write_table(tmp_path, name, rows))
        assert sample.messages[1].tool_calls[0].function.values == {"of": "days"}
        assert (sample.messages[2].tool_call_id, sample.messages[2].text) == ("c1", "3")


@pytest.mark.parametrize(("messages", "says"), CASES["no_conversations"])
def test_messages_that_make_no_conversation(jsonl, messages, says):
    good = {"id": "good", "messages": [ASKED, ANSWERED]}
    path = jsonl(good, {"id": "bad", "messages": messages})
    with pytest.raises(InputError, match=rf"set\.jsonl, line 2, field messages: {says}"):
        load_set(path)
    left: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=left)] == ["good"]
    assert len(left) == 1


def test_an_error_in_rows_per_turn_names_the_row_of_the_turn(tmp_path):
    rows = [*TURNS, {"ticket": 7, "who": "wizard", "said": "Ho", "at": "2026-01-01 11:00"}]
    path = write_table(tmp_path, "a.csv", rows)
    with pytest.raises(InputError, match=r'a\.csv, line 7, conversation 7: turn 3 has the unknown role "wizard"; the'):
        load_set(path, mapping=MAPPED)
    left: list[InputError] = []
    assert [sample.id for sample in load_set(path, mapping=MAPPED, skip_bad=left)] == ["8"]
    assert len(left) == 1


def test_a_mapping_of_turns_that_lacks_a_column(tmp_path):
    path = write_table(tmp_path, "a.csv", TURNS)
    with pytest.raises(InputError, match=r"no rows of messages: they need columns for conversation, role and content"):
        load_set(path, mapping={"ticket": "conversation"})
    with pytest.raises(InputError, match=r"map nobody=name: there is no column `nobody`"):
        load_set(path, mapping={**MAPPED, "nobody": "name"})


def test_history_becomes_messages_and_holds_the_turn_once():
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes."}]
    sample = Sample(id="a", user_input="Free?", response="Yes.", metadata={"history": history, "page": 1})
    assert [message.text for message in sample.messages] == ["Hi", "Yes.", "Free?", "Yes."]
    assert (sample.turn, sample.metadata) == (3, {"page": 1})
    asked = [*history, {"role": "user", "content": "Free?"}]
    again = Sample(id="a", user_input="Free?", response="Yes.", metadata={"history": asked})
    assert again.messages == sample.messages


text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | text, lambda held: st.lists(held, max_size=2), max_leaves=3
)
extras = st.dictionaries(text.map(lambda name: f"x_{name}"), json_value, max_size=2)


@st.composite
def threads(draw):
    messages: list[Message] = []
    if draw(st.booleans()):
        messages.append(Message(role="system", content=draw(text)))
    for turn in range(draw(st.integers(1, 3))):
        rating = draw(st.none() | st.integers(1, 5))
        messages.append(Message(role="user", content=f"q{turn} {draw(text)}", time=draw(st.none() | text)))
        if draw(st.booleans()):
            arguments = json.dumps(draw(st.dictionaries(text, json_value, max_size=2)))
            call = ToolCall(id=f"id-{turn}", function=FunctionCall(name=draw(text), arguments=arguments))
            messages.append(Message(role="assistant", content=draw(st.none() | text), tool_calls=(call,)))
            messages.append(Message(role="tool", content=draw(text), tool_call_id=call.id, name=draw(st.none() | text)))
        messages.append(
            Message.model_validate(
                {
                    "role": "assistant",
                    "content": f"a{turn} {draw(text)}",
                    "rating": rating,
                    "retrieved_contexts": draw(st.lists(text, max_size=2)),
                    **draw(extras),
                }
            )
        )
    return messages


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(listed=st.lists(threads(), min_size=1, max_size=3), suffix=st.sampled_from([".jsonl", ".csv"]))
def test_conversations_are_written_whole(tmp_path_factory, listed, suffix):
    samples = [
        Sample(id=f"c{number}", messages=tuple(messages), language="en") for number, messages in enumerate(listed)
    ]
    path = tmp_path_factory.mktemp("threads") / f"set{suffix}"
    write_set(samples, path)
    assert load_set(path) == samples


def test_values_that_json_does_not_know_are_written_as_text(tmp_path):
    message = Message.model_validate(ANSWERED | {"score": float("nan"), "day": date(2026, 3, 1), "parts": (1, 2)})
    sample = Sample(id="a", messages=(Message.model_validate(ASKED), message), language="en")
    write_set([sample], tmp_path / "set.jsonl")
    (read,) = load_set(tmp_path / "set.jsonl")
    assert read == sample
    assert read.messages[1].model_extra == {"score": None, "day": "2026-03-01", "parts": [1, 2]}


@pytest.mark.parametrize(("text", "iso"), CASES["times"])
def test_a_time_that_can_be_read_in_one_way(text, iso):
    time = read_time(text)
    assert time is not None and time.isoformat() == iso


@pytest.mark.parametrize("text", ["", "10:05", "yesterday-ish", "31/31/2026", "2/1/126", "13 pm", "1/2/2026 13:00 PM"])
def test_a_text_without_a_date_is_no_time(text):
    assert readings(text) == {}


@pytest.mark.parametrize(("earlier", "later", "says"), CASES["before"])
def test_before_whatever_the_order_of_day_and_month(earlier, later, says):
    assert is_before(readings(earlier), readings(later)) is says


def thread(*times):
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[n % 2], "content": f"m{n}", "time": time} for n, time in enumerate(times)]}


def test_times_that_go_backwards_are_an_error_in_each_form():
    for first, second in [
        ("2-1-2026 10:00", "1-1-2026 10:01"),
        ("02/01/2026", "01/01/2026"),
        ("Jan 2, 2026", "Jan 1, 2026"),
    ]:
        with pytest.raises(InputError, match=f"turn 1 is of {second}, before turn 0"):
            list(read_samples([thread(first, second)]))
        assert len(list(read_samples([thread(second, first)]))) == 1


SPOKEN = [
    ("user", "Free?", "10:00"),
    ("assistant", "Yes.", "10:01"),
    ("user", "When?", "10:01"),
    ("bot", "May.", "10:02"),
]


def test_an_answer_without_a_text_is_an_error():
    rows = [{"messages": [{"role": "user", "content": "Free?"}], "response": [{"type": "image", "url": "x"}, 7]}]
    with pytest.raises(InputError, match="field response: is a list, not a text"):
        list(read_samples(rows))


def test_times_that_give_two_orders_are_an_error(tmp_path):
    """Day first 1 February and 2 January, month first 2 January and 1 February."""
    times = ["01/02/2026 10:00", "01/02/2026 10:01", "02/01/2026 10:00", "02/01/2026 10:01"]
    roles = ["user", "assistant"] * 2
    messages = [{"role": roles[n], "content": f"T{n}", "time": time} for n, time in enumerate(times)]
    rows = "".join(f"c1,{one['role']},{one['content']},{one['time']}\n" for one in messages)
    path = tmp_path / "a.csv"
    path.write_text(f"conversation_id,role,content,time\n{rows}", encoding="utf-8")
    for source, place in (([{"messages": messages}], "index 0"), (path, "line 2")):
        with pytest.raises(InputError, match=f"{place}.*in one order read day first .* write the dates as 2026-04-30"):
            list(read_samples(source))


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ([0, 1, 2, 3], ""),
        ([3, 2, 1, 0], "1 conversation stands newest first, or in no order of time, and is read oldest first"),
        ([0, 3, 1], "1 conversation stands newest first, or in no order of time, and is read oldest first"),
        ([0, 3, 1, 2], None),  # two messages of one time: nothing says which is the first
    ],
)
@pytest.mark.parametrize("day", ["2026-03-01T", "13-03-2026 ", "01/02/2026 "])
def test_messages_in_three_orders_of_time(tmp_path, order, says, day):
    messages = [
        {"role": role, "content": text, "time": f"{day}{time}"}
        for role, text, time in (SPOKEN[place] for place in order)
    ]
    rows = "".join(f"c1,{one['role']},{one['content']},{one['time']}\n" for one in messages)
    path = tmp_path / "a.csv"
    path.write_text(f"conversation_id,role,content,time\n{rows}", encoding="utf-8")
    for read in (
        lambda notes: read_samples([{"messages": messages}], notes=notes),
        lambda notes: read_samples(path, notes=notes),
    ):
        notes: list[str] = []
        if says is None:
            with pytest.raises(InputError, match="sort the messages by their time"):
                list(read(notes))
            continue
        (sample,) = read(notes)
        assert [message.text for message in sample.messages] == [SPOKEN[place][1] for place in sorted(order)]
        assert any(says in note for note in notes) and (bool(says) or not any("newest" in note for note in notes))
