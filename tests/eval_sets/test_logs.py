"""Traces of other tools become samples, and nothing of them is lost."""

import csv
import json
from typing import Any

import pytest
from case_files import cases_beside

from assay.errors import InputError
from assay.eval_sets import load_set

CASES = cases_beside(__file__)
SPANS = CASES["phoenix_spans"]
NESTED = [span | {"attributes": held} for span, held in zip(SPANS, CASES["nested_attributes"], strict=True)]
QUESTION, ANSWER = "How do I take back leave?", "Until your manager approves it."
PAGES = ["Leave can be taken back.", "Ask your manager."]


def written(folder, content, name="export.json"):
    path = folder / name
    lines = [json.dumps(row) for row in content] if name.endswith(".jsonl") else [json.dumps(content)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def leaves(value):
    """Every text and number in a JSON value."""
    if isinstance(value, dict):
        return set().union(*map(leaves, value.values()), set())
    if isinstance(value, list | tuple):
        return set().union(*map(leaves, value), set())
    return set() if value is None else {str(value)}


def nothing_lost(content, path):
    """Every value of the export stands somewhere in a sample."""
    held = leaves([sample.model_dump(mode="json") for sample in load_set(path)])
    missing = {leaf for leaf in leaves(content) if leaf not in held and not any(leaf in other for other in held)}
    assert missing == set()


def langfuse_trace(**fields):
    return CASES["langfuse_trace"] | fields


def messages(*pairs):
    return [{"role": role, "content": text} for role, text in pairs]


CHAT = messages(("system", "Be kind."), ("user", "An earlier question."), ("assistant", "Yes."), ("user", QUESTION))


@pytest.mark.parametrize(
    "trace",
    [
        langfuse_trace(),
        langfuse_trace(input=QUESTION, output=ANSWER),
        langfuse_trace(input={"messages": CHAT}, output={"role": "assistant", "content": ANSWER}),
        langfuse_trace(input=CHAT, output={"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}),
        langfuse_trace(input=json.dumps({"question": QUESTION}), output=[{"type": "ai", "content": ANSWER}]),
        langfuse_trace(
            input=[{"role": "user", "content": [{"type": "text", "text": QUESTION}]}], output={"answer": ANSWER}
        ),
    ],
    ids=["observations", "texts", "messages", "openai", "json in a text", "parts"],
)
def test_a_langfuse_trace(tmp_path, trace):
    path = written(tmp_path, trace)
    (sample,) = load_set(path)
    assert (sample.id, sample.user_input, sample.response, sample.group) == ("t1", QUESTION, ANSWER, "session-9")
    assert sample.retrieved_contexts == tuple(PAGES)
    assert sample.metadata["scores"][0]["comment"] == "nice"
    nothing_lost(trace, path)


@pytest.mark.parametrize("given", [{"question": QUESTION}, {"a": 1, "b": 2}])
def test_where_the_root_holds_no_text_the_last_call_of_a_model_does(tmp_path, given):
    """The first call wrote the question anew for the search."""
    calls = [("Search for: leave", "leave", "small"), (messages(("user", QUESTION)), ANSWER, "large")]
    root = {"id": "r", "type": "SPAN", "input": given, "output": {"x": 1, "y": 2} if "a" in given else None}
    generations = [
        {"id": f"g{n}", "type": "GENERATION", "parentObservationId": "r", "startTime": str(n)}
        | {"input": asked, "output": answered, "model": model}
        for n, (asked, answered, model) in enumerate(calls)
    ]
    trace = langfuse_trace(observations=[root, *generations])
    (sample,) = load_set(written(tmp_path, trace))
    assert (sample.user_input, sample.response, sample.metadata["model"]) == (QUESTION, ANSWER, "large")


def test_langfuse_in_the_shapes_that_it_exports(tmp_path):
    trace = langfuse_trace()
    bare = {key: value for key, value in trace.items() if key not in {"observations", "scores"}}
    download = {"trace": bare, "observations": trace["observations"], "scores": trace["scores"]}
    page = {"data": [trace, langfuse_trace(id="t2")], "meta": {"page": 1, "totalItems": 2}}
    session = {"id": "session-9", "projectId": "p", "traces": [trace, langfuse_trace(id="t2")]}
    for content, name, sample_id, turns in [
        (download, "a.json", "t1", 1),
        (page, "b.json", "session-9", 2),
        (session, "c.json", "session-9", 2),
        ([trace, langfuse_trace(id="t2")], "d.jsonl", "session-9", 2),
        (trace["observations"], "e.jsonl", "t1", 0),  # which name no session
    ]:
        (sample,) = load_set(written(tmp_path, content, name))
        assert (sample.id, sample.user_input, sample.retrieved_contexts) == (sample_id, QUESTION, tuple(PAGES)), name
        assert [message.text for message in sample.messages] == [QUESTION, ANSWER] * turns


def session_trace(number, asked, answered, **fields):
    times = {"sessionId": "s", "timestamp": f"2026-01-01T10:0{number}:00Z"}
    return {"id": f"t{number}", "input": asked, "output": answered, **times, **fields}


def test_a_langfuse_session_is_one_conversation_in_time_order(tmp_path):
    asked = messages(("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Is it free?"))
    observations = [
        {"id": "o1", "type": "TOOL", "name": "price", "input": {"item": "x"}, "output": {"eur": 0}},
        {"id": "o2", "type": "RETRIEVER", "output": [{"page_content": PAGES[0]}]},
    ]
    scores = [{"name": "user-feedback", "value": 1}]
    rows = [
        session_trace(2, {"messages": asked}, "Yes", scores=scores, observations=observations),
        session_trace(1, "Hi", "Hello", scores=[{"name": "user-feedback", "value": 0}]),
        {"id": "t9", "sessionId": None, "input": "Alone?", "output": "Yes.", "userId": "u"},
        session_trace(3, "Bye", "See you"),
    ]
    path = written(tmp_path, rows, "traces.jsonl")
    sample, alone = load_set(path)
    assert (alone.id, alone.messages) == ("t9", ())
    assert (sample.id, sample.user_input, sample.response, sample.policy) == ("s", "Bye", "See you", "Be kind.")
    assert [(message.role, message.text) for message in sample.messages] == [
        ("system", "Be kind."),
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Is it free?"),
        ("assistant", ""),
        ("tool", '{"eur": 0}'),
        ("assistant", "Yes"),
        ("user", "Bye"),
        ("assistant", "See you"),
    ]
    assert sample.messages[4].tool_calls[0].function.values == {"item": "x"}
    assert sample.messages[6].retrieved_contexts == (PAGES[0],)
    assert [message.rating for message in sample.messages if message.role == "assistant"] == [0, None, 1, None]
    assert (sample.rating, sample.rating_min, sample.rating_max) == (None, 0, 1)
    nothing_lost(rows, path)


def test_a_score_of_a_langfuse_session_is_that_of_the_conversation(tmp_path):
    def session(name, value):
        traces = [session_trace(n, f"Question {n}?", f"Answer {n}.", sessionId=name) for n in (1, 2)]
        return {"id": name, "traces": traces, "scores": [{"name": "csat", "value": value, "source": "ANNOTATION"}]}

    path = written(tmp_path, [session("a", 2), session("b", 5)], "sessions.jsonl")
    assert [(sample.id, sample.rating, len(sample.messages)) for sample in load_set(path)] == [("a", 2, 4), ("b", 5, 4)]


def test_langsmith_threads_are_conversations(tmp_path):
    def run(number, thread):
        texts = {"inputs": {"question": f"Question {number}?"}, "outputs": {"answer": f"Answer {number}."}}
        fields = {"session_id": "the project", "start_time": f"2026-01-01T10:0{number}:00"}
        return {"id": f"r{number}", **texts, **fields, "extra": {"metadata": {"thread_id": thread}}}

    path = written(tmp_path, [run(2, "a"), run(3, "b"), run(1, "a")], "runs.jsonl")
    joined, alone = load_set(path)
    assert (alone.id, alone.group) == ("r3", "b")
    assert [message.text for message in alone.messages] == ["Question 3?", "Answer 3."]  # a thread of one turn
    assert [message.text for message in joined.messages] == [*("Question 1?", "Answer 1.", "Question 2?", "Answer 2.")]


def test_a_phoenix_session_shows_what_the_model_was_told_and_called(tmp_path):
    def span(trace, number, parent, kind, attributes):
        return {
            "context": {"trace_id": trace, "span_id": str(number)},
            "parent_id": parent,
            "span_kind": kind,
            "start_time": f"2026-01-01T10:0{number}:00Z",
            "attributes": attributes,
        }

    spans = [
        span("b", 5, None, "CHAIN", {"input.value": "Thanks", "output.value": "Bye", "session.id": "s"}),
        span("a", 1, None, "CHAIN", {"input.value": "How many?", "output.value": "3 days.", "session.id": "s"}),
        span("a", 2, "1", "LLM", CASES["model_attributes"]),
    ]
    (sample,) = load_set(written(tmp_path, spans, "spans.jsonl"))
    roles = ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    assert (sample.id, [message.role for message in sample.messages]) == ("s", roles)
    assert (sample.policy, sample.messages[2].tool_calls[0].function.name) == ("Be kind.", "count")


@pytest.mark.parametrize("parent", [None, {"output.value": "Yes."}, {}])
def test_spans_of_models_that_log_their_messages_alone(tmp_path, parent):
    """As OpenAI's instrumentation does: no `input.value`; a span above it may have none either."""
    told = [("system", "Be kind."), ("user", "Hello"), ("assistant", "Hi!"), ("user", "Is it free?")]
    model = {"openinference.span.kind": "LLM", "session.id": "s"}
    for place, (role, text) in enumerate(told):
        model |= {
            f"llm.input_messages.{place}.message.{key}": held for key, held in (("role", role), ("content", text))
        }
    model |= {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "Yes."}
    context = {"trace_id": "t", "span_id": "1"}
    spans: list[dict[str, Any]] = [{"context": context, "parent_id": "0", "attributes": model}]
    if parent is not None:
        spans.append({"context": context | {"span_id": "0"}, "parent_id": None, "attributes": parent})
    (sample,) = load_set(written(tmp_path, spans, "spans.jsonl"))
    assert [(message.role, message.text) for message in sample.messages] == [*told, ("assistant", "Yes.")]
    assert (sample.user_input, sample.response, sample.policy) == ("Is it free?", "Yes.", "Be kind.")


def otlp():
    def attributes(held):
        return [{"key": key, "value": {"stringValue": value}} for key, value in held.items()]

    spans = [
        {"traceId": "t1", "spanId": each["context"]["span_id"]}
        | ({"parentSpanId": each["parent_id"]} if each["parent_id"] else {})
        | {"attributes": attributes(each["attributes"] | {"openinference.span.kind": each["span_kind"]})}
        for each in SPANS
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


@pytest.mark.parametrize(
    ("content", "name"),
    [(SPANS, "a.jsonl"), ({"data": SPANS, "next_cursor": None}, "a.json"), (NESTED, "a.json"), (otlp(), "a.json")],
    ids=["spans", "page", "nested", "otlp"],
)
def test_openinference_spans(tmp_path, content, name):
    path = written(tmp_path, content, name)
    (sample,) = load_set(path)
    assert (sample.id, sample.user_input, sample.response, sample.group) == ("t1", QUESTION, ANSWER, "session-9")
    assert sample.retrieved_contexts == tuple(PAGES)
    nothing_lost(content, path)


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ([{"context.trace_id": None, "context.span_id": "c", "name": "x"}], "line 3, trace_id: is missing"),
        ([{"resourceSpans": "x"}], "line 3: 1 entry that is no object"),
        ([{"resourceSpans": [{"scopeSpans": [{"spans": [7, 8]}]}]}], "line 3: 2 entries that are no objects"),
    ],
)
def test_spans_that_cannot_be_read_are_told_and_can_be_left_out(tmp_path, broken, problem):
    path = written(tmp_path, SPANS + broken, "a.jsonl")
    with pytest.raises(InputError, match=problem):
        load_set(path)
    left: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=left)] == ["t1"] and len(left) == 1


def test_lists_of_spans_that_are_null_hold_none(tmp_path):
    empty = [{"resourceSpans": None}, {"resourceSpans": [{"scopeSpans": None}]}]
    assert [sample.id for sample in load_set(written(tmp_path, SPANS + empty, "a.jsonl"))] == ["t1"]


def test_langsmith_examples(tmp_path):
    example = CASES["langsmith_example"]
    path = written(tmp_path, [example], "examples.jsonl")
    (sample,) = load_set(path)
    assert (sample.id, sample.user_input, sample.response) == ("e1", QUESTION, ANSWER)
    assert (sample.reference, sample.retrieved_contexts) == ("Until approval.", tuple(PAGES))
    assert sample.metadata["metadata"] == {"split": ["test"]}
    nothing_lost([example], path)
    notes: list[str] = []
    rated = [example | {"id": f"e{n}", "rating": n, "group": "g"} for n in (1, 5)]
    samples = load_set(written(tmp_path, rated, "examples.jsonl"), notes=notes)
    assert [(sample.rating, sample.group) for sample in samples] == [(1, "g"), (5, "g")]
    assert notes[0].endswith(
        "runs or examples, as LangSmith has them: read as questions, answers, documents and calls of tools; kept in "
        "the metadata: dataset_id, source_run_id, created_at, metadata, input, output"
    )


def test_our_own_rows_and_mapped_ones_stay_as_they_are(tmp_path):
    row = {"id": "1", "user_input": "Q", "response": "A", "messages": CHAT, "sessionId": "s", "input": 1, "output": 2}
    (sample,) = load_set(written(tmp_path, [row], "own.jsonl"))
    assert (sample.user_input, sample.group) == ("Q", None)
    rows = [{"id": "1", "input": "Q", "output": "A", "sessionId": "s"}]
    path = written(tmp_path, rows, "mapped.jsonl")
    (mapped,) = load_set(path, mapping={"input": "user_input", "output": "response", "sessionId": "group"})
    assert (mapped.user_input, mapped.response, mapped.group) == ("Q", "A", "s")


def test_langfuse_as_csv(tmp_path):
    path = tmp_path / "traces.csv"
    question = json.dumps({"question": QUESTION})
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "sessionId", "userId", "input", "output", "scores"])
        for number in (1, 2):
            scores = json.dumps([{"name": "user-feedback", "value": number, "source": "API"}])
            writer.writerow([f"t{number}", f"s{number}", "", question, ANSWER, scores])
    first, second = load_set(path)
    assert (first.id, first.user_input, first.group, first.rating) == ("t1", QUESTION, "s1", 1)
    assert (second.id, second.user_input, second.group, second.rating) == ("t2", QUESTION, "s2", 2)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_phoenix_spans_as_a_table(tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    documents = [{"document.content": page} for page in PAGES]
    frame = pandas.DataFrame(
        {
            "context.trace_id": ["t1", "t1"],
            "context.span_id": ["b", "a"],
            "parent_id": ["a", None],
            "span_kind": ["RETRIEVER", "CHAIN"],
            "attributes.input.value": [None, QUESTION],
            "attributes.output.value": [None, ANSWER],
            "attributes.retrieval.documents": [documents, None],
        }
    )
    path = tmp_path / f"spans{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    (sample,) = load_set(path)
    assert (sample.id, sample.user_input, sample.response) == ("t1", QUESTION, ANSWER)
    assert sample.retrieved_contexts == tuple(PAGES)
