"""Pulls: each trace once, sessions as conversations, files whole or not at all."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from modules import module_of
from traces_of_tests import BEGIN, MemoryTool, chat_spans, document, trace, write_documents

from assay.errors import InputError, UsageError
from assay.eval_sets import load_set, turn_samples
from assay.runs import Store
from assay.traces import (
    OVERLAP,
    PullCursor,
    PullRequest,
    TraceAddress,
    TraceOrigin,
    is_known_address,
    join_sessions,
    pull_traces,
)

ADDRESS = TraceAddress.parse("tool://localhost/support")


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "store")
    yield opened
    opened.close()


def ids(file):
    return [json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_session_is_one_conversation_that_load_set_reads_with_nothing_lost(store, tmp_path):
    first = trace("t1", 0, "s", ratings={"ann": 4.0}, retrieved_contexts=("A document.",), metadata={"model": "m-1"})
    second = trace("t2", 1, "s", reference="The answer.", metadata={"model": "m-2", "odd": {"kept": [1]}})
    tool = MemoryTool(second, trace("alone", 2), first)  # in no order
    result = pull_traces(PullRequest(ADDRESS), store, tmp_path / "traces.jsonl", source=tool)
    assert (result.pulled, result.conversations, result.written) == (3, 1, 2)
    conversation, alone = load_set(tmp_path / "traces.jsonl")
    assert conversation.id == "s" and alone.id == "alone"
    assert [message.text for message in conversation.messages] == [
        "Question t1?",
        "Answer t1.",
        "Question t2?",
        "Answer t2.",
    ]
    origin = TraceOrigin.of_sample(conversation)
    assert (origin.unit, origin.id, origin.session, origin.time) == ("session", "t2", "s", BEGIN.isoformat())
    answers = [message for message in conversation.messages if message.role == "assistant"]
    assert [(answer.model_extra or {})["trace_id"] for answer in answers] == ["t1", "t2"]
    assert (answers[0].rating, (answers[0].model_extra or {})["ratings"]) == (4.0, {"ann": 4.0})
    assert answers[0].retrieved_contexts == ("A document.",)
    assert (answers[1].model_extra or {})["reference"] == "The answer."
    assert conversation.metadata["model"] == "m-2" and conversation.metadata["traces"][1]["odd"] == {"kept": [1]}
    assert turn_samples(conversation)[0].rating == 4.0
    assert alone == tool.traces[1]
    tool.traces += [trace("t3", 3, "s"), trace("t4", 4, "s")]
    pull_traces(PullRequest(ADDRESS), store, tmp_path / "more.jsonl", source=tool)
    assert [sample.id for sample in load_set(tmp_path / "more.jsonl")] == ["s@2026-01-15T10:03:00+00:00"]
    rating = {"ratings": {"ann": 1}, "rating_min": 0, "rating_max": 1}  # of a session: that of the conversation
    (rated,) = join_sessions([trace("t1", 0, "s"), trace("t2", 1, "s", metadata={"session_rating": rating})])
    assert rated.ratings == {"ann": 5.0}


def test_an_empty_answer_of_a_session_keeps_its_rating_its_ids_and_its_time(store, tmp_path):
    """The second answer is empty and rated 1; the third trace repeats all messages before its own."""
    said = [("user", "Question t1?"), ("assistant", "Answer t1."), ("user", "Question t2?"), ("assistant", "")]
    said += [("user", "Question t3?"), ("assistant", "Answer t3.")]
    messages = [{"role": role, "content": text} for role, text in said]
    silent = trace("t2", 1, "s", response="", ratings={"ann": 1.0})
    tool = MemoryTool(trace("t1", 0, "s", ratings={"ann": 5.0}), silent)
    pull_traces(PullRequest(ADDRESS, is_new=False), store, tmp_path / "two.jsonl", source=tool)
    (two,) = load_set(tmp_path / "two.jsonl")
    assert (two.user_input, two.response, two.turn) == ("Question t2?", "", 3)
    tool.traces.append(trace("t3", 2, "s", messages=messages))
    pull_traces(PullRequest(ADDRESS, is_new=False), store, tmp_path / "three.jsonl", source=tool)
    (three,) = load_set(tmp_path / "three.jsonl")
    assert [(message.role, message.text) for message in three.messages] == said
    for conversation in (two, three):
        asked, answer = conversation.messages[2:4]
        assert asked.time == (BEGIN + timedelta(minutes=1)).isoformat()
        assert (answer.ratings, answer.model_extra["trace_id"]) == ({"ann": 1.0}, "t2")
        read = [(turn.user_input, turn.response, turn.rating) for turn in turn_samples(conversation)]
        assert read[:2] == [("Question t1?", "Answer t1.", 5.0), ("Question t2?", "", 1.0)]


@pytest.mark.parametrize(
    ("earlier", "last", "expected"),
    [
        pytest.param(["A", ""], ["A", "b"], ["A", "", "A", "b"], id="asked again"),
        pytest.param(["A", ""], ["A", "", "A", "b"], ["A", "", "A", "b"], id="asked again after what was said"),
        pytest.param(
            ["A", "a", "B", ""], ["A", "a", "B", "b"], ["A", "a", "B", "", "B", "b"], id="without what had failed"
        ),
        pytest.param(
            ["A", "", "B", "b"], ["A", "", "B", "b", "C", "c"], ["A", "", "B", "b", "C", "c"], id="what was said"
        ),
        pytest.param(
            ["A", "", "B", "b"], ["A", None, "B", "b", "C", "c"], ["A", "", "B", "b", "C", "c"], id="only texts"
        ),
        pytest.param(["A", "a", "B", ""], ["B", "", "C", "c"], ["A", "a", "B", "", "C", "c"], id="the last of it"),
    ],
)
def test_a_question_that_is_asked_again_after_an_empty_answer_stays(earlier, last, expected):
    """Texts of the customer and the assistant in turn; None where a trace does not repeat what the assistant said."""

    def trace_of(name, minute, texts):
        messages = [
            {"role": "assistant" if place % 2 else "user", "content": text}
            for place, text in enumerate(texts)
            if text is not None
        ]
        return trace(name, minute, "s", user_input=texts[-2], response=texts[-1], messages=messages)

    (joined,) = join_sessions([trace_of("t1", 0, earlier), trace_of("t2", 1, last)])
    assert [message.text for message in joined.messages] == expected


def test_ratings_of_several_scales_in_a_session_come_to_one(store, tmp_path):
    thumbs = {"rating_min": 0, "rating_max": 1}
    tool = MemoryTool(
        trace("t1", 0, "s", ratings={"user": 1.0}, **thumbs),
        trace("t2", 1, "s", ratings={"user": 0.0}, **thumbs),
        trace("t3", 2, "s", ratings={"ann": 3.0}),
    )
    pull_traces(PullRequest(ADDRESS), store, tmp_path / "traces.jsonl", source=tool)
    (conversation,) = load_set(tmp_path / "traces.jsonl")
    assert (conversation.rating_min, conversation.rating_max) == (0, 1)
    assert [message.rating for message in conversation.messages[1::2]] == [1.0, 0.0, 0.5]
    assert conversation.metadata["traces"][2]["rating_max"] == 5


def test_each_conversation_that_is_pulled_keeps_the_scale_of_its_ratings(store, tmp_path):
    """Turns rated 2 and 3 of 1-5, and a thumb down of 0-1, are 1/4, 2/4 and 0 of their scales."""
    tool = MemoryTool(
        trace("t1", 0, "a", ratings={"ann": 2.0}),
        trace("t2", 1, "a", ratings={"ann": 3.0}),
        trace("t3", 2, "b", ratings={"user": 0.0}, rating_min=0, rating_max=1),
        trace("t4", 3, "b"),
    )
    pull_traces(PullRequest(ADDRESS), store, tmp_path / "traces.jsonl", source=tool)
    lines = map(json.loads, (tmp_path / "traces.jsonl").read_text().splitlines())
    assert [(line["rating_min"], line["rating_max"]) for line in lines] == [(1, 5), (0, 1)]
    notes = []
    turns = [turn for one in load_set(tmp_path / "traces.jsonl", notes=notes) for turn in turn_samples(one)]
    assert [turn.rating_share for turn in turns] == [0.25, 0.5, 0.0, None]
    assert not any("--scale" in note for note in notes)


def test_a_quiet_time_ends_a_conversation_and_the_later_part_says_so():
    samples = [trace("t1", 0, "s"), trace("t2", 5, "s"), trace("t3", 60, "s"), trace("t4", 61, "s")]
    joined = list(join_sessions(samples))
    assert [sample.id for sample in joined] == ["s", "s@2026-01-15T11:00:00+00:00"]
    assert [len(sample.messages) for sample in joined] == [4, 4]


def test_a_session_without_end_is_parted_and_one_that_makes_no_thread_stays_single(monkeypatch):
    monkeypatch.setattr(module_of(join_sessions), "MOST_TRACES", 3)
    samples = [trace(f"t{number}", number, "s") for number in range(7)]
    assert [len(sample.messages) for sample in join_sessions(samples)] == [6, 6, 2]
    unjoined = []
    broken = [trace("a", 0, "s", ratings={"ann": 3.0}), trace("b", 1, "s", metadata={"session_rating": {"ratings": 7}})]
    joined = list(join_sessions(broken, on_unjoined=unjoined.append))
    assert [sample.id for sample in joined] == ["a", "b"] and unjoined == ["s"]


def test_a_session_of_one_trace_is_a_conversation_with_the_rating_of_the_session_and_no_session_is_none():
    rating = {"session_rating": {"ratings": {"ann": 2.0}}}
    alone, own, none = join_sessions(
        [
            trace("t1", 0, "a", metadata=rating),
            trace("t2", 1, "b", metadata=rating, ratings={"bob": 4.0}),
            trace("t3", 2),
        ]
    )
    assert [[message.role for message in sample.messages] for sample in (alone, own)] == [["user", "assistant"]] * 2
    assert (alone.id, alone.ratings, own.ratings) == ("t1", {"ann": 2.0}, {"ann": 2.0, "bob": 4.0})
    assert none.messages == ()


def test_who_rates_the_session_of_a_rated_trace_that_is_alone_in_it_is_a_further_rater():
    """On the scale of the trace, 1 to 5: 0.25 of 0 to 1 is 2; where nobody is named, by what was rated."""
    of_session = {"human_rating": 0.25, "rating_min": 0, "rating_max": 1, "rating_reasons": {"els": ["Slow."]}}
    metadata = {"session_rating": of_session, "rating_reasons": {"bob": ["Good."]}}
    (both,) = join_sessions([trace("t", 0, "s", metadata=metadata, rating=4.0)])
    assert (both.rating, both.ratings, both.human_rating) == (None, {"trace": 4.0, "session": 2.0}, 3.0)
    assert both.metadata["rating_reasons"] == {"els": ["Slow."], "bob": ["Good."]}
    metadata["session_rating"] = {"rating_reasons": {"bob": ["Late."]}}  # a text alone is no rating
    (rated,) = join_sessions([trace("t", 0, "s", metadata=metadata, rating=4.0)])
    assert (rated.rating, rated.ratings, rated.metadata["rating_reasons"]) == (4.0, {}, {"bob": ["Late.", "Good."]})


def test_a_trace_is_pulled_once_and_a_late_one_is_seen(store, tmp_path):
    tool = MemoryTool(trace("t1", 0), trace("t2", 20), trace("t3", 21))
    request = PullRequest(ADDRESS)
    assert pull_traces(request, store, tmp_path / "1.jsonl", source=tool).pulled == 3
    tool.traces += [trace("late", 15), trace("too late", 5), trace("t4", 30)]
    second = pull_traces(request, store, tmp_path / "2.jsonl", source=tool)
    assert tool.read_since == [None, BEGIN + timedelta(minutes=21) - OVERLAP]
    assert (second.pulled, second.again) == (2, 2)
    assert ids(tmp_path / "2.jsonl") == ["late", "t4"]
    third = pull_traces(request, store, tmp_path / "3.jsonl", source=tool)
    assert third.pulled == 0 and ids(tmp_path / "3.jsonl") == []


def test_what_a_filter_leaves_out_of_a_server_is_read_once_too(store, tmp_path):
    """Only the oldest trace passes: the next pull begins at the newest that was read, not at the oldest again."""
    tool = MemoryTool(trace("t1", 0, metadata={"user": "ann"}), trace("t2", 20), trace("t3", 50))
    request = PullRequest(ADDRESS, filter={"user": "ann"})
    assert pull_traces(request, store, tmp_path / "1.jsonl", source=tool).pulled == 1
    assert pull_traces(request, store, tmp_path / "2.jsonl", source=tool).pulled == 0
    assert tool.read_since == [None, BEGIN + timedelta(minutes=50) - OVERLAP]


def test_of_a_file_only_what_is_known_is_left_out(store, tmp_path):
    tool = MemoryTool(trace("t2", 5), trace("t3", 21))
    request = PullRequest(TraceAddress.parse("otel:traces.jsonl"))
    assert pull_traces(request, store, tmp_path / "1.jsonl", source=tool).pulled == 2
    tool.traces += [trace("late", 6), trace("old", 4), trace("t4", 30)]
    second = pull_traces(request, store, tmp_path / "2.jsonl", source=tool)
    assert (second.pulled, second.again) == (3, 2)
    assert ids(tmp_path / "2.jsonl") == ["old", "late", "t4"]
    third = pull_traces(request, store, tmp_path / "3.jsonl", source=tool)
    assert (third.pulled, third.again) == (0, 5)


def test_the_cursors_of_filters_addresses_and_units_are_their_own(store, tmp_path):
    tool = MemoryTool(trace("t1", 0, metadata={"user": "ann"}))
    for number, request in enumerate(
        (
            PullRequest(ADDRESS),
            PullRequest(ADDRESS, filter={"user": "ann"}),
            PullRequest(ADDRESS, unit="trace"),
            PullRequest(TraceAddress.parse("tool://localhost/other")),
        )
    ):
        assert pull_traces(request, store, tmp_path / f"{number}.jsonl", source=tool).pulled == 1
    same = PullRequest(TraceAddress.parse("TOOL://LOCALHOST/support/"))
    assert pull_traces(same, store, tmp_path / "same.jsonl", source=tool).pulled == 0


def test_since_asks_no_cursor_and_moves_none(store, tmp_path):
    tool = MemoryTool(trace("t1", 0))
    request = PullRequest(ADDRESS, since=BEGIN, is_new=False)
    for _ in range(2):
        result = pull_traces(request, store, tmp_path / "a.jsonl", may_replace=True, source=tool)
        assert (result.pulled, result.cursor) == (1, None)
    assert pull_traces(PullRequest(ADDRESS), store, tmp_path / "b.jsonl", source=tool).pulled == 1


def test_a_limit_takes_the_rest_the_next_time_whatever_the_order(store, tmp_path):
    ordered = [trace(f"t{number}", 20 * number) for number in range(5)]
    for name, traces in (("up", ordered), ("down", ordered[::-1])):
        request = PullRequest(TraceAddress.parse(f"tool://localhost/{name}"), limit=2)
        pulled = [
            one
            for number in range(4)
            for one in pull_ids(request, store, tmp_path / f"{name}-{number}.jsonl", MemoryTool(*traces))
        ]
        assert sorted(pulled) == ["t0", "t1", "t2", "t3", "t4"]


def test_a_limit_that_ends_a_pull_is_said(assay, tmp_path):
    write_documents(tmp_path / "o.jsonl", *(document(*chat_spans(10 * n, "Free?", "Yes.", "s")) for n in (1, 2, 3)))
    cut = assay("traces", "pull", "otel:o.jsonl", "-o", "t.jsonl", "--limit", "2")
    assert "Stopped at --limit 2: there may be more traces, also of the sessions" in cut.out
    assert "Stopped" not in assay("traces", "pull", "otel:o.jsonl", "-o", "t.jsonl", "--replace").out


def pull_ids(request, store, out, tool):
    pull_traces(request, store, out, source=tool)
    return ids(out)


class Killed(BaseException):
    """As a kill: nothing catches it."""


@pytest.mark.parametrize("place", ["note", "add_trace"])
def test_a_kill_before_or_after_the_file_is_there_loses_and_doubles_nothing(store, tmp_path, monkeypatch, place):
    outs = [tmp_path / f"{number}.jsonl" for number in range(3)]
    tool = MemoryTool(trace("t0", 0))
    pull_traces(PullRequest(ADDRESS), store, outs[0], source=tool)
    tool.traces += [trace("t1", 1, "s"), trace("t2", 2, "s"), trace("t3", 3)]

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patch:
        if place == "note":
            patch.setattr(module_of(pull_traces), "note_address", killed)
        else:
            patch.setattr(PullCursor, place, killed)
        with pytest.raises(Killed):
            pull_traces(PullRequest(ADDRESS), store, outs[1], source=tool)
    tool.traces.append(trace("t4", 4, "s"))
    pull_traces(PullRequest(ADDRESS), store, outs[2], source=tool)
    samples = [sample for out in outs if out.exists() for sample in load_set(out)]
    texts = [message.text for sample in samples for message in sample.messages if message.role == "assistant"]
    texts += [sample.response for sample in samples if not sample.messages]
    assert sorted(texts) == [f"Answer t{number}." for number in range(5)]
    assert not list(tmp_path.glob(".[0-9]*")) and not list(tmp_path.glob(".assay-*"))


def test_a_source_that_fails_on_the_way_changes_nothing(store, tmp_path):
    class Failing(MemoryTool):
        def read(self, *words):
            yield from super().read(*words)
            raise InputError("the server is gone")

    with pytest.raises(InputError, match="gone"):
        pull_traces(PullRequest(ADDRESS), store, tmp_path / "a.jsonl", source=Failing(trace("t1", 0)))
    assert [file.name for file in tmp_path.iterdir()] == ["store"]
    assert pull_traces(PullRequest(ADDRESS), store, tmp_path / "a.jsonl", source=MemoryTool(trace("t1", 0))).pulled == 1


def test_two_pulls_of_one_cursor_exclude_each_other(tmp_path):
    first, second = Store(tmp_path / "store"), Store(tmp_path / "store")
    with PullCursor(first, ADDRESS, {}, "session").hold():
        with pytest.raises(UsageError, match="another process pulls"):
            pull_traces(PullRequest(ADDRESS), second, tmp_path / "a.jsonl", source=MemoryTool())
        other = PullRequest(ADDRESS, unit="trace")
        pull_traces(other, second, tmp_path / "b.jsonl", source=MemoryTool(trace("t", 0)))
    for store in (first, second):
        store.close()


def test_a_time_in_the_future_does_not_hide_what_comes_before_it(store, tmp_path):
    wrong = trace("wrong clock", 0)
    origin = wrong.metadata["trace"] | {"time": "2126-01-01T00:00:00+00:00"}
    tool = MemoryTool(wrong.model_copy(update={"metadata": {"trace": origin}}))
    result = pull_traces(PullRequest(ADDRESS), store, tmp_path / "1.jsonl", source=tool)
    assert result.cursor is not None and result.cursor <= datetime.now(UTC)
    assert pull_traces(PullRequest(ADDRESS), store, tmp_path / "2.jsonl", source=tool).pulled == 0


def test_ids_that_look_alike_stay_apart(store, tmp_path):
    session_as_trace = [trace("x", 0), trace("t1", 1, "x"), trace("t2", 2, "x")]
    pull_traces(PullRequest(ADDRESS), store, tmp_path / "a.jsonl", source=MemoryTool(*session_as_trace))
    assert len({*ids(tmp_path / "a.jsonl")}) == 2
    assert len(load_set(tmp_path / "a.jsonl")) == 2


def test_odd_values_of_metadata_reach_the_file(store, tmp_path):
    odd = {"half": "\ud800", "number": float("nan"), "deep": {"a": [None]}}
    tool = MemoryTool(trace("t1", 0, "s", metadata=odd), trace("t2", 1, "s"), trace("t3", 2, metadata=odd))
    assert pull_traces(PullRequest(ADDRESS), store, tmp_path / "a.jsonl", source=tool).written == 2
    _, alone = load_set(tmp_path / "a.jsonl")
    assert alone.metadata["half"] == "\ud800" and alone.metadata["deep"] == {"a": [None]}


def test_what_cannot_be_written_is_said_before_anything_is_asked(store, tmp_path):
    tool = MemoryTool(trace("t", 0))
    there = tmp_path / "there.jsonl"
    there.write_text("{}\n")
    for out, problem in (
        (there, "--replace"),
        (tmp_path / "a.csv", "written as .jsonl"),
        (tmp_path / "no" / "a.jsonl", "there is no folder"),
    ):
        with pytest.raises(UsageError, match=problem):
            pull_traces(PullRequest(ADDRESS), store, out, source=tool)
    assert there.read_text() == "{}\n"
    assert not is_known_address(store, str(ADDRESS))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_traces(store, tmp_path):
    import tracemalloc

    class Stream(MemoryTool):
        def read(self, *_):
            for number in range(self.count):
                yield trace(f"t{number}", number / 1000, f"s{number % 1000}", metadata={"text": "x" * 5000})

        count = 0

    peaks = []
    for count in (2000, 10_000):
        tool = Stream()
        tool.count = count
        tracemalloc.start()
        pull_traces(PullRequest(ADDRESS, since=BEGIN, is_new=False), store, tmp_path / f"{count}.jsonl", source=tool)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 8000 * 1000  # less than 1 kB per further trace, of 5 kB
