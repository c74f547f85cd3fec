"""OpenTelemetry: traces of OTLP JSON files, scores as events."""

import base64
import copy
import gzip
import json
import random
from datetime import timedelta
from pathlib import Path

import pytest
from api_server import ApiServer, Reply
from special_files import make_special_file
from traces_of_tests import (
    BEGIN,
    attributes,
    chat_spans,
    document,
    messages,
    span,
    takes,
    text,
    trace_score,
    write_documents,
)

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample, load_set, with_turns
from assay.runs import AnswerTable, select_bad_answers
from assay.traces import (
    OtelSink,
    TraceAddress,
    TraceOrigin,
    UnreadTrace,
    event_attributes,
    join_sessions,
    open_sink,
    open_source,
)


def read(path):
    return list(open_source(f"otel:{path}").read(None, None))


def read_one(folder, *spans):
    (sample,) = read(write_documents(folder / "traces.json", document(*spans)))
    assert isinstance(sample, Sample), sample
    return sample


def origin_of(sample):
    assert isinstance(sample, Sample)
    origin = TraceOrigin.of_sample(sample)
    assert origin is not None
    return origin


def test_spans_of_the_conventions_for_generative_ai_are_a_sample(tmp_path):
    sample = read_one(tmp_path, *chat_spans(10, "Free?", "Yes.", "chat-7"))
    assert (sample.user_input, sample.response) == ("Free?", "Yes.")
    assert sample.retrieved_contexts == ("Document of Free?",)
    assert sample.metadata["model"] == "m-1" and len(sample.metadata["spans"]) == 3
    assert sample.metadata["spans"][0]["resource"] == {"service.name": "helpdesk"}
    origin = origin_of(sample)
    assert origin.id == f"{0xABC1:032x}" and origin.span == f"{12 + 0xA0:016x}" and origin.session == "chat-7"
    assert origin.time == (BEGIN + timedelta(minutes=1, milliseconds=10)).isoformat()


def test_a_span_that_was_sent_again_is_there_once(tmp_path):
    """An exporter that got no reply sends all spans again, here in another file; the last of a span counts."""
    first, again = chat_spans(10, "Free?", "Ye", "chat-7"), chat_spans(10, "Free?", "Yes.", "chat-7")
    feedback = {"gen_ai.evaluation.name": "user_feedback", "gen_ai.evaluation.score.value": 1}
    record = {"traceId": first[0]["traceId"], "spanId": first[2]["spanId"], "eventName": "gen_ai.evaluation.result"}
    record |= {"attributes": attributes(feedback), "observedTimeUnixNano": "1"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    write_documents(tmp_path / "a.jsonl", document(*first), logs, document(*first))
    write_documents(tmp_path / "b.jsonl", logs, document(*again))
    (sample,) = read(tmp_path)
    assert isinstance(sample, Sample)
    assert (sample.retrieved_contexts, sample.response) == (("Document of Free?",), "Yes.")
    assert len(sample.metadata["spans"]) == 4 and len(sample.ratings) <= 1  # 3 spans and the record


def test_tools_and_instructions_are_messages(tmp_path):
    call = {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {"order": 7}}
    result = {"type": "tool_call_response", "id": "c1", "response": {"state": "sent"}}
    asked = [messages("user", text("Where is 7?")), messages("assistant", call), messages("tool", result)]
    sample = read_one(
        tmp_path,
        span(
            1,
            "chat",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.system_instructions": json.dumps([text("Be polite.")]),
                "gen_ai.input.messages": json.dumps(asked),
                "gen_ai.output.messages": json.dumps([messages("assistant", text("It is sent."))]),
            },
        ),
    )
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert sample.policy == "Be polite." and sample.user_input == "Where is 7?"
    assert sample.messages[2].tool_calls[0].function.values == {"order": 7}
    assert sample.messages[3].content == '{"state": "sent"}'


def test_structured_messages_and_those_of_an_event_are_read(tmp_path):
    sides = {
        "gen_ai.input.messages": [messages("user", text("Free?"))],
        "gen_ai.output.messages": [messages("assistant", text("Yes."))],
    }
    structured = read_one(tmp_path, span(1, "chat", {"gen_ai.operation.name": "chat"} | sides))
    assert structured.response == "Yes."
    details = {"name": "gen_ai.client.inference.operation.details", "attributes": attributes(sides)}
    of_event = read_one(tmp_path, span(1, "chat", {"gen_ai.operation.name": "chat"}, events=[details]))
    assert of_event.response == "Yes."


def test_an_executed_tool_is_a_call(tmp_path):
    tool = span(
        4,
        "execute_tool find_order",
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find_order",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": '{"order": 7}',
            "gen_ai.tool.call.result": "sent",
        },
        1,
    )
    sample = read_one(tmp_path, *chat_spans(1, "Where is 7?", "It is sent."), tool)
    calls = [call.function.name for message in sample.messages for call in message.tool_calls]
    assert calls == ["find_order"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"gen_ai.evaluation.evaluator.type": "human", "gen_ai.evaluation.evaluator.name": "ann"}, {"ann": 4.0}),
        ({"gen_ai.evaluation.evaluator.type": "llm_judge"}, {}),
        ({"gen_ai.evaluation.name": "user_feedback"}, {"person-1": 4.0}),
        ({}, {}),
    ],
)
def test_only_evaluations_by_people_are_ratings(tmp_path, values, expected):
    own = {"gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 4.0} | values
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes(own)}
    spans = chat_spans(1, "Free?", "Yes.")
    spans[2]["events"] = [event]
    assert read_one(tmp_path, *spans).ratings == expected


def test_an_evaluation_may_be_a_log_record_with_its_range(tmp_path):
    (spans,) = [chat_spans(1, "Free?", "Yes.")]
    values = {
        "gen_ai.evaluation.name": "user_feedback",
        "gen_ai.evaluation.score.value": 1,
        "gen_ai.evaluation.score.range": [0.0, 1.0],
        "user.id": "u-7",
    }
    record = {"traceId": spans[0]["traceId"], "spanId": spans[2]["spanId"], "eventName": "gen_ai.evaluation.result"}
    record |= {"attributes": attributes(values), "observedTimeUnixNano": "1"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    (sample,) = read(write_documents(tmp_path / "a.jsonl", logs, document(*spans)))
    assert (sample.ratings, sample.rating_min, sample.rating_max) == ({"u-7": 1.0}, 0, 1)


def test_the_scale_of_feedback_is_that_of_the_whole_file(tmp_path):
    def rated(number, value):
        spans = chat_spans(number, "Free?", f"Yes {number}.")
        own = {"gen_ai.evaluation.name": "stars", "gen_ai.evaluation.score.value": value}
        spans[2]["events"] = [{"name": "gen_ai.evaluation.result", "attributes": attributes(own)}]
        return document(*spans)

    samples = read(write_documents(tmp_path / "a.jsonl", rated(10, 1.0), rated(20, 5.0)))
    assert [(sample.human_rating, sample.rating_max) for sample in samples if isinstance(sample, Sample)] == [
        (1.0, 5),
        (5.0, 5),
    ]


def test_what_people_wrote_stands_at_its_answer_and_says_why_it_is_bad(tmp_path):
    """A session of two answers, of which one is bad, and a bad answer with a system message: 2 of 3, with reasons."""

    def rated(number, value, why, session, **more):
        own = {
            "gen_ai.evaluation.name": "stars",
            "gen_ai.evaluation.score.value": value,
            "gen_ai.evaluation.score.range": "[1, 5]",
            "gen_ai.evaluation.explanation": why,
            "user.id": "ann",
        }
        spans = chat_spans(number, f"Free {number}?", f"Yes {number}.", session, **more)
        spans[2]["events"] = [{"name": "gen_ai.evaluation.result", "attributes": attributes(own)}]
        return document(*spans)

    policy = json.dumps([text("Be polite.")])
    documents = [
        rated(10, 5.0, "Good.", "s"),
        rated(20, 1.0, "No.", "s"),
        rated(30, 2.0, "Rude.", "t", **{"gen_ai.system_instructions": policy}),
    ]
    samples = [one for one in read(write_documents(tmp_path / "a.jsonl", *documents)) if isinstance(one, Sample)]
    listed = {sample.id: sample for sample in with_turns(join_sessions(samples), "each")}
    selected = select_bad_answers(AnswerTable({}, listed, {}, run="r"))
    texts = {name: [(one.text, one.source) for one in bad] for name, bad in selected.bad.items()}
    assert sorted(texts.values()) == [[("No.", "ann")], [("Rude.", "ann")]]
    assert len(selected.answers) == 3
    assert "rating_reasons" not in listed["s"].metadata


def rated_spans(value, **fields):
    held = {"key": "gen_ai.evaluation.score.value", "value": value}
    own = {"gen_ai.evaluation.name": "stars", "gen_ai.evaluation.evaluator.name": "ann"} | fields
    spans = chat_spans(10, "Free?", "Yes.")
    spans[2]["events"] = [{"name": "gen_ai.evaluation.result", "attributes": [held, *attributes(own)]}]
    return spans


@pytest.mark.parametrize(
    "value",
    [
        {"doubleValue": "NaN"},
        {"doubleValue": float("inf")},
        {"doubleValue": 1e308},
        {"intValue": "9" * 5000},
        {"stringValue": "4"},
        {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "4"}}]}},
        {"arrayValue": {"values": [{"intValue": "4"}]}},
    ],
)
def test_a_rating_that_cannot_be_used_is_kept_and_said(assay, tmp_path, value):
    write_documents(tmp_path / "a.jsonl", document(*rated_spans(value)))
    pulled = assay("traces", "pull", "otel:a.jsonl", "-o", "t.jsonl")
    assert "Ratings by people that are not used: of 1 trace" in pulled.out
    assert "`stars` is neither a number nor a thumb" in pulled.out
    (sample,) = load_set("t.jsonl")
    assert not sample.ratings and sample.metadata["unused_ratings"]["ratings"][0]["rater"] == "ann"


def test_ids_in_upper_case_are_of_one_trace(tmp_path):
    spans = chat_spans(10, "Free?", "Yes.")
    for name in ("traceId", "spanId"):
        spans[1][name] = spans[1][name].upper()
    sample = read_one(tmp_path, *spans)
    assert sample.response == "Yes." and len(sample.metadata["spans"]) == 3


def test_files_may_be_folders_gzipped_or_one_document_on_many_lines(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    first, second = document(*chat_spans(10, "One?", "One.")), document(*chat_spans(20, "Two?", "Two."))
    (folder / "a.json").write_text(json.dumps(first, indent=2))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(json.dumps(second).encode() + b"\n"))
    (folder / "note.txt").write_text("not a trace")
    assert [sample.response for sample in read(folder) if isinstance(sample, Sample)] == ["One.", "Two."]


def test_spans_of_a_trace_may_stand_apart_and_a_line_may_be_unfinished(tmp_path):
    one, two = chat_spans(10, "One?", "One."), chat_spans(20, "Two?", "Two.")
    file = write_documents(tmp_path / "a.jsonl", document(one[0]), document(*two), document(*one[1:]))
    with file.open("a") as more:
        more.write('{"resourceSpans": [{"scopeSp')
    assert [sample.response for sample in read(file) if isinstance(sample, Sample)] == ["One.", "Two."]


def test_times_and_filters_choose(tmp_path):
    file = write_documents(
        tmp_path / "a.jsonl",
        document(*chat_spans(10, "One?", "One.", **{"user.id": "ann"})),
        document(*chat_spans(60, "Two?", "Two.", **{"user.id": "bob"})),
    )
    source = open_source(f"otel:{file}")
    late = list(source.read(BEGIN + timedelta(minutes=5), None))
    early = list(source.read(None, BEGIN + timedelta(minutes=5)))
    assert [origin_of(one).id for one in (*early, *late)] == [f"{0xABC1:032x}", f"{0xABC6:032x}"]
    samples = read(file)
    assert [len(takes(samples, fields)) for fields in ({"user.id": "bob"}, {"service.name": "helpdesk"})] == [1, 2]


def unread_reasons(path):
    return {one.id: one.reason for one in read(path) if isinstance(one, UnreadTrace)}


def test_broken_files_are_named_with_their_line_and_stop_no_other(tmp_path):
    for name, content, problem in (
        ("a.jsonl", "{]\n{}\n", "a.jsonl, line 1: is not JSON"),
        ("c.json", '{"resourceSpans": [\n{"a" 1}]}\n', r"c.json: is not JSON"),
        ("d.json", '{"other": 1}\n', "holds no spans"),
        ("e.json", "", "holds no spans"),
        ("f.json.gz", gzip.compress(b'{"resourceSpans": []}' * 9)[:30], "is it whole"),
    ):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError, match=problem):
            read(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.json")
    with pytest.raises(UsageError, match="read from files"):
        open_source("otel://localhost:4318/x")
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "c.json").rename(folder / "c.json")
    write_documents(folder / "d.json", document(*chat_spans(10, "Free?", "Yes."), *chat_spans(20, "Free?", "Yes.")[:2]))
    broken, answered, empty = read(folder)
    assert isinstance(broken, UnreadTrace) and broken.id == f"{folder / 'c.json'}"
    assert isinstance(answered, Sample) and isinstance(empty, UnreadTrace)
    assert empty.id == f"{0xABC2:032x}" and "is empty" in empty.reason and "--skip-bad" not in empty.reason


def test_a_folder_is_read_without_its_pipes_and_bad_files_are_named_and_stop_no_other(assay, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    make_special_file("pipe", folder / "a.json")
    write_documents(folder / "b.json", document(*chat_spans(10, "Free?", "Yes.")))
    assert assay("traces", "pull", f"otel:{folder}", "-o", "one.jsonl").code == 0
    (folder / "c.json.gz").write_bytes(gzip.compress(b'{"resourceSpans": []}' * 9)[:30])
    (folder / "d.json").write_bytes(b"\x28\xb5\x2f\xfd")
    done = assay("traces", "pull", f"otel:{folder}", "--since", "2020-01-01", "-o", "two.jsonl")
    assert done.code == 1 and "2 files could not be read" in done.err
    assert "c.json.gz : cannot be read" in done.out and "d.json : line 1 is no text in UTF-8" in done.out
    assert len(Path("two.jsonl").read_text("utf-8").splitlines()) == 1


def test_a_file_without_a_line_that_can_be_read_is_named_and_a_bad_line_is_one_trace(assay, tmp_path):
    """Three of six files are no text or no JSON; one has a bad line of three, one two, one a last line cut short."""
    lines = [json.dumps(document(*chat_spans(10 * number, "Free?", "Yes."))) + "\n" for number in range(1, 5)]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.jsonl").write_text(lines[0] + "\x00{]\n" + lines[1])
    (folder / "b.jsonl").write_text(lines[2] + lines[3][:90])
    (folder / "c.jsonl").write_bytes(b"\xff\xfe" + (lines[3] * 2).encode("utf-16-le"))
    (folder / "d.jsonl").write_bytes(b"4\xfb\x92\n\x81\x00" * 9)
    (folder / "e.jsonl").write_text("one\ntwo\n")
    (folder / "f.json").write_text(json.dumps(document(*chat_spans(50, "Free?", "Yes.")), indent=1)[:90])
    done = assay("traces", "pull", f"otel:{folder}", "-o", "t.jsonl")
    assert done.code == 1 and "3 files could not be read" in done.err
    assert "3 traces pulled" in done.out and "Not read: 7 traces or files. The first 5:" in done.out
    named = [line.strip().removeprefix(f"{folder}/") for line in done.out.splitlines() if str(folder) in line]
    assert [line.split(" near")[0].split(": Exp")[0].split(": Unt")[0] for line in named[:5]] == [
        "a.jsonl, line 2 : is not JSON",
        "b.jsonl, line 2 : the last line is not complete yet; it is read at the next pull",
        "c.jsonl : line 1 is no text in UTF-8; save it so, with `format: json` and without `compression`",
        "d.jsonl : line 1 is no text in UTF-8; save it so, with `format: json` and without `compression`",
        "f.json : is not JSON",
    ]


def test_a_last_line_cut_short_is_said_and_read_when_it_is_whole(assay, tmp_path):
    lines = [json.dumps(document(*chat_spans(10 * number, "Free?", "Yes."))) + "\n" for number in (1, 2)]
    file = tmp_path / "o.jsonl"
    file.write_text(lines[0] + lines[1][:-9])
    first = assay("traces", "pull", "otel:o.jsonl", "-o", "one.jsonl", code=0)
    assert "1 trace pulled" in first.out and "o.jsonl, line 2 : the last line is not complete yet" in first.out
    file.write_text("".join(lines))
    second = assay("traces", "pull", "otel:o.jsonl", "-o", "two.jsonl", code=0)
    assert "1 trace pulled" in second.out and "not complete" not in second.out


def test_what_is_broken_in_a_file_that_is_read_loses_no_file(assay, tmp_path):
    """One document on many lines with an item that is no object; and a file whose first two lines are none."""
    one = document(*chat_spans(10, "Free?", "Yes."))
    one["resourceSpans"].append(7)
    (tmp_path / "one.json").write_text(json.dumps(one, indent=2))
    done = assay("traces", "pull", "otel:one.json", "-o", "one.jsonl", code=0)
    assert "1 trace pulled" in done.out and "one.json" in done.out and "could not be read" not in done.err
    written = json.dumps(document(*chat_spans(10, "Free?", "Yes.")))
    (tmp_path / "lines.jsonl").write_text(f"1\n2\n{written}\n")
    assert "1 trace pulled" in assay("traces", "pull", "otel:lines.jsonl", "-o", "two.jsonl", code=0).out


def test_a_file_that_is_mended_later_is_pulled_then(assay, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    write_documents(folder / "new.json", document(*chat_spans(5000, "Free?", "Yes.")))
    (folder / "old.json").write_text("{]")
    done = assay("traces", "pull", f"otel:{folder}", "-o", "one.jsonl")
    assert done.code == 1
    write_documents(folder / "old.json", document(*chat_spans(10, "Really?", "No.")))  # long before the newest
    assert assay("traces", "pull", f"otel:{folder}", "-o", "two.jsonl").code == 0
    (line,) = (tmp_path / "two.jsonl").read_text().splitlines()
    assert json.loads(line)["user_input"] == "Really?"


def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path):
    file = tmp_path / "a.json"
    for content in (json.dumps, lambda value: json.dumps(value, indent=1)):
        file.write_text(content(document(*chat_spans(10, "Free?", "Yes."))), encoding="utf-8-sig")
        (sample,) = read(file)
        assert sample.response == "Yes."


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{]", "is not JSON"),
        ('{"resourceSpans": [{"scopeSp', "is not JSON"),  # a copy that was cut, and gone on with
        ("[1]", "is no object"),
        ("null", "is no object"),
        ('{"resourceSpans": "x"}', "1 entry that is no object"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]}', "1 entry that is no object"),
        ("[" * 9000 + "]" * 9000, "nested too deeply"),
        ('{"resourceSpans": [], "count": %s}' % ("1" * 5000), "more than 4,300 digits"),
        (json.dumps(document({"name": "a", "spanId": "1"}, {"traceId": "0" * 32})), "2 entries that"),
    ],
)
def test_a_broken_line_is_named_and_stops_no_other(tmp_path, line, reason, place):
    lines = [json.dumps(document(*chat_spans(10 * number, "Free?", "Yes."))) for number in (1, 2)]
    lines.insert(place, line)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(lines) + "\n")
    assert [type(one) for one in read(file)].count(Sample) == 2
    (problem,) = unread_reasons(file).items()
    assert problem[0] == f"{file}, line {place + 1}" and reason in problem[1]


@pytest.mark.parametrize("half", ["text", "session", "id", "nul"])
def test_a_character_that_cannot_be_written_leaves_out_its_trace(assay, tmp_path, half):
    asked = {"text": "\ud800?", "nul": "Free\0?"}.get(half, "Free?")
    broken = chat_spans(20, asked, "Yes.", "\ud800" if half == "session" else "")
    broken = [one | ({"traceId": "\ud800"} if half == "id" else {}) for one in broken]
    write_documents(tmp_path / "a.jsonl", document(*broken), document(*chat_spans(10, "Free?", "Yes.")))
    pulled = assay("traces", "pull", "otel:a.jsonl", "-o", "traces.jsonl")
    assert pulled.code == 0 and "1 trace pulled" in pulled.out
    assert ("a NUL byte" if half == "nul" else "half a character (\\ud800)") in pulled.out


def test_what_is_nested_deeply_leaves_out_its_trace(tmp_path):
    value = {"stringValue": "x"}
    for _ in range(120):
        value = {"arrayValue": {"values": [value]}}
    deep = chat_spans(20, "Free?", "Yes.")
    deep[0]["attributes"].append({"key": "deep", "value": value})
    file = write_documents(tmp_path / "a.jsonl", document(*chat_spans(10, "Free?", "Yes.")), document(*deep))
    assert [type(one) for one in read(file)] == [Sample, UnreadTrace]
    assert unread_reasons(file) == {deep[0]["traceId"]: "field metadata: is nested more than 100 deep; flatten it"}


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-01-15T10:00:00+05:30", "2026-01-15T04:30:00+00:00"),
        (1768478400 * 10**9, "2026-01-15T12:00:00+00:00"),
        (1.7684784e18, "2026-01-15T12:00:00+00:00"),
        *((none, "") for none in ("", "0", "\u00b2", "-5", [1], None, 10**400, float("nan"), True)),
    ],
)
def test_times_of_any_form_stop_nothing(tmp_path, time, expected):
    spans = [one | {"startTimeUnixNano": time} for one in chat_spans(10, "Free?", "Yes.")]
    file = write_documents(tmp_path / "a.jsonl", document(*spans), document(*chat_spans(20, "Free?", "Yes.")))
    for since in (None, BEGIN - timedelta(days=1)):
        samples = list(open_source(f"otel:{file}").read(since, None))
        assert len(samples) == 2 and (origin_of(samples[0]).time == expected)


ODD_VALUES = [
    *(None, True, 0, -1, 1e308, float("nan"), 10**30, "", "\0", "\ud800", "\u00b2", "9" * 400, "[[[[", "{'a':1}"),
    *([], {}, [[]], {"a": {"b": [1]}}, [1, "x", None], {"values": None}, {"arrayValue": None}, {"key": [1]}),
    *({"stringValue": {"a": 1}}, {"intValue": "\u00b2"}, json.dumps([{"role": 1, "parts": None}])),
]


def places_in(value, place=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in inner:
        yield (*place, key)
        yield from places_in(held, (*place, key))


def test_an_odd_value_anywhere_stops_no_other_trace(tmp_path):
    draw = random.Random(32)
    whole = document(*rated_spans({"doubleValue": 3}, **{"gen_ai.evaluation.score.range": [1.0, 5.0]}))
    places = list(places_in(whole))
    for _ in range(200):
        odd = copy.deepcopy(whole)
        held = odd
        *outer, last = draw.choice(places)
        for key in outer:
            held = held[key]
        held[last] = copy.deepcopy(draw.choice(ODD_VALUES))
        file = write_documents(tmp_path / "a.jsonl", odd, document(*chat_spans(50, "Free?", "Good.")))
        assert "Good." in {sample.response for sample in read(file) if isinstance(sample, Sample)}


def test_pulled_by_the_command_and_run(assay, tmp_path):
    write_documents(
        tmp_path / "otel.jsonl",
        document(*chat_spans(10, "Free?", "Yes, it is.", "chat")),
        document(*chat_spans(20, "Until when?", "Until May.", "chat")),
        document(*chat_spans(30, "Hello?", "Hi.")),
        document(*chat_spans(40, "No answer?", "")[:2]),
    )
    pulled = assay("traces", "pull", "otel:otel.jsonl", "-o", "traces.jsonl", "--json")
    assert pulled.code == 0, pulled.err
    assert [pulled.json[name] for name in ("pulled", "conversations", "unread")] == [3, 1, 1]
    assert pulled.json["cursor"].startswith("2026-01-15T10:03")
    again = assay("traces", "pull", "otel:otel.jsonl", "-o", "more.jsonl")
    assert again.code == 0 and "0 traces pulled" in again.out
    run = assay("run", "traces.jsonl", "--metrics", "token_overlap,conversation_turns", "--turns", "each")
    assert run.code == 0, run.err
    assert {sample.id for sample in load_set("traces.jsonl")} == {"chat", f"{0xABC3:032x}"}
    pushed = assay("traces", "push")
    assert pushed.code == 2 and "OTEL_EXPORTER_OTLP_ENDPOINT" in pushed.err


def score(name="faithfulness", **changes):
    origin = TraceOrigin("otel:a.json", f"{0xABC1:032x}", f"{0xA1:016x}", "chat", "2026-01-15T10:00:00+00:00")
    return trace_score(**({"key": "0" * 31 + "7", "origin": origin, "name": name} | changes))


@pytest.mark.extras("opentelemetry.sdk")
def test_a_score_is_an_event_of_its_span():
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter

    exporter = InMemoryLogRecordExporter()
    sink = OtelSink(TraceAddress.parse("otel://localhost:4318"), exporter)
    unlinked = score(origin=TraceOrigin("langfuse://h/p", "not-hexadecimal"), label="yes", low=None)
    results = list(sink.write([score(), unlinked]))
    assert [(one.key, one.state) for one in results] == [(score().key, "written")] * 2
    first, second = (one.log_record for one in exporter.get_finished_logs())
    assert first.event_name == "gen_ai.evaluation.result"
    assert (first.trace_id, first.span_id) == (0xABC1, 0xA1)
    assert first.timestamp == 1768478400 * 10**9
    values = dict(first.attributes or {})
    assert values["gen_ai.evaluation.name"] == "faithfulness" and values["gen_ai.evaluation.score.value"] == 0.5
    assert tuple(values["gen_ai.evaluation.score.range"]) == (0.0, 1.0)
    assert values["gen_ai.evaluation.explanation"] == "1 of 2 claims supported"
    assert values["gen_ai.evaluation.evaluator.name"] == "qwen1.5b"
    assert values["gen_ai.evaluation.evaluator.type"] == "llm_judge"
    assert values["assay.score.key"] == score().key and values["assay.prompts"] == "abc"
    assert not second.trace_id and (second.attributes or {})["gen_ai.evaluation.score.label"] == "yes"
    assert "gen_ai.evaluation.score.range" not in (second.attributes or {})


def test_a_score_comes_back_from_a_file_as_no_rating_of_a_person(tmp_path):
    spans = chat_spans(10, "Free?", "Yes.")
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes(event_attributes(score("feedback")))}
    spans[2]["events"] = [event]
    assert read_one(tmp_path, *spans).ratings == {}


class Collector(ApiServer):
    """A collector on this machine that keeps the events that it gets."""

    def __init__(self):
        super().__init__()
        self.events, self.status = [], 200

    def read_body(self, content, headers):
        from google.protobuf.json_format import MessageToDict
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        own = gzip.decompress(content) if headers.get("Content-Encoding") == "gzip" else content
        return MessageToDict(ExportLogsServiceRequest.FromString(own))

    def answer(self, call):
        if self.status == 200 and call.path == "/v1/logs":
            scopes = [scope for resource in call.body["resourceLogs"] for scope in resource["scopeLogs"]]
            self.events += [event for scope in scopes for event in scope["logRecords"]]
        return Reply(self.status)


@pytest.fixture
def collector(monkeypatch):
    for name in ("ENDPOINT", "LOGS_ENDPOINT", "PROTOCOL", "LOGS_PROTOCOL", "HEADERS"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Collector() as opened:
        yield opened


@pytest.mark.extras("opentelemetry.exporter.otlp.proto.http")
def test_scores_reach_a_collector_once(assay, tmp_path, collector, monkeypatch):
    write_documents(
        tmp_path / "otel.jsonl",
        document(*chat_spans(10, "Free?", "Yes, it is.", "chat")),
        document(*chat_spans(20, "Until when?", "Until May.", "chat")),
    )
    assay("traces", "pull", "otel:otel.jsonl", "-o", "traces.jsonl")
    assay("run", "traces.jsonl", "--metrics", "token_overlap,conversation_turns", "--turns", "each")
    pushed = assay("traces", "push", "last", "--to", f"otel://{collector.host}", "--json")
    assert pushed.code == 0, pushed.err
    assert (json.loads(pushed.out)["written"], json.loads(pushed.out)["failed"]) == (3, 0)
    ids = [base64.b64decode(event["traceId"]).hex() for event in collector.events]
    assert sorted(ids) == [f"{0xABC1:032x}", f"{0xABC2:032x}", f"{0xABC2:032x}"]
    again = assay("traces", "push", "last", "--to", f"otel://{collector.host}")
    assert "0 written" in again.out and "3 there already" in again.out and len(collector.events) == 3
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{collector.host}")
    assert assay("traces", "push", "last").code == 0 and len(collector.events) == 6


@pytest.mark.extras("opentelemetry.exporter.otlp.proto.http")
def test_a_collector_that_refuses_is_an_error_that_says_why(collector):
    collector.status = 401
    with pytest.raises(InputError, match="401"):
        list(open_sink(f"otel://{collector.host}").write([score()]))


def test_without_a_collector_nothing_is_sent(monkeypatch):
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="names no collector"):
        open_sink("otel:traces.json")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
    with pytest.raises(UsageError, match="sent by http/protobuf"):
        open_sink("otel://127.0.0.1:4318")
