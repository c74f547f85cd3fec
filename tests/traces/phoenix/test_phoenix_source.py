"""Pulling from a real Phoenix server."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from phoenix_server import rag_trace, span
from traces_of_tests import takes

from assay.errors import InputError
from assay.traces import TraceAddress, TraceOrigin, UnreadTrace

pytestmark = [pytest.mark.extras, pytest.mark.timeout(300)]
HOUR_AGO = datetime.now(UTC) - timedelta(hours=1)


def read(server, project, since=None, until=None):
    from assay.traces import PhoenixSource

    source = PhoenixSource(TraceAddress.parse(server.address(project)))
    return list(source.read(since, until))


def add(server, project, *traces):
    before = server.count_traces(project)
    ids = list(dict.fromkeys(one["context"]["trace_id"] for own in traces for one in own))
    server.add_spans(project, [one for own in traces for one in own])
    server.wait_for_traces(project, before + len(ids))
    server.wait_for_spans(project, sum(map(len, traces)))
    return ids


def new_id():
    return uuid.uuid4().hex


def test_a_trace_is_a_sample_with_its_question_answer_contexts_model_session_and_origin(phoenix_server):
    project = "one trace"
    (id_,) = add(phoenix_server, project, rag_trace(1, HOUR_AGO, session="s/ü 1", user="ada"))
    (sample,) = read(phoenix_server, project)
    assert sample.id == id_
    assert sample.user_input == "How do I do step 1?"
    assert sample.response == "Open menu 1. Press button 1."
    assert sample.retrieved_contexts == ("Open menu 1. Press button 1. It is stored as file 1.",)
    assert sample.group == "s/ü 1"
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert {name: sample.metadata[name] for name in ("model", "prompt_version", "user", "tenant", "name")} == {
        "model": "gpt-4.1-mini",
        "prompt_version": "v2",
        "user": "ada",
        "tenant": "north",
        "name": "chat",
    }
    origin = TraceOrigin.of_sample(sample)
    assert origin == TraceOrigin(phoenix_server.address(project), id_, origin.span, "s/ü 1", origin.time)
    assert datetime.fromisoformat(origin.time) == HOUR_AGO
    assert len(sample.metadata["spans"]) == 3
    assert origin.span in [one["context"]["span_id"] for one in sample.metadata["spans"]]


def test_traces_come_in_the_order_of_their_beginnings_from_since_up_to_until(phoenix_server):
    project = "in/order?#"
    ids = phoenix_server.fill(project, 12, begin=HOUR_AGO, apart=timedelta(minutes=1))
    late = rag_trace(99, HOUR_AGO - timedelta(minutes=5))
    ids = add(phoenix_server, project, late) + ids
    assert [sample.id for sample in read(phoenix_server, project)] == ids
    since, until = HOUR_AGO, HOUR_AGO + timedelta(minutes=3)
    assert [sample.id for sample in read(phoenix_server, project, since, until)] == ids[1:4]
    # a span that begins after `until` belongs to a trace that began before
    until = HOUR_AGO + timedelta(milliseconds=5)
    (sample,) = read(phoenix_server, project, since, until)
    assert sample.retrieved_contexts


def test_filters(phoenix_server):
    project = "filtered"
    own = rag_trace(1, HOUR_AGO, user="ada", session="x")
    other = rag_trace(2, HOUR_AGO, user="12", session="y")
    other[0]["attributes"]["tag.tags"] = ["beta", "b"]
    other[0]["attributes"]["metadata.shop"] = 7
    other[0]["name"] = "other"
    first, second = add(phoenix_server, project, own, other)
    samples = read(phoenix_server, project)
    for field, value, expected in [
        ("user", "ada", [first]),
        ("user", "12", [second]),
        ("shop", "7", [second]),
        ("metadata.tenant", "north", [first]),
        ("tags", "beta", [second]),
        ("tags", "bet", []),
        ("session", "x", [first]),
        ("model", "gpt-4.1-mini", [first, second]),
    ]:
        assert takes(samples, {field: value}) == expected, field
    assert takes(samples, {"user": "ada", "tags": "beta"}) == []


def test_people_rate_and_judges_do_not(phoenix_server):
    project = "rated"
    traces = [rag_trace(number, HOUR_AGO + timedelta(minutes=number), session=f"rated {number}") for number in range(4)]
    ids = add(phoenix_server, project, *traces)
    roots = [own[0]["context"]["span_id"] for own in traces]

    def note(name, kind, identifier="", **result):
        return {"name": name, "annotator_kind": kind, "identifier": identifier, "result": result}

    phoenix_server.annotate(
        "span",
        [
            {"span_id": roots[0], **note("rating", "HUMAN", "ada", score=4, explanation="misses a step")},
            {"span_id": roots[0], **note("rating", "HUMAN", "bob", score=2)},
            {"span_id": roots[0], **note("faithfulness", "LLM", score=0.1)},
            {"span_id": roots[0], **note("length", "CODE", score=20)},
            {"span_id": roots[1], **note("user_feedback", "HUMAN", label="👎🏽")},
            {"span_id": traces[2][1]["context"]["span_id"], **note("relevant", "HUMAN", score=0)},  # of the retriever
            {"span_id": roots[3], **note("quality", "HUMAN", score=1)},
        ],
    )
    phoenix_server.annotate("trace", [{"trace_id": ids[2], **note("user_feedback", "HUMAN", label="thumbs-up")}])
    phoenix_server.annotate("session", [{"session_id": "rated 1", **note("user_feedback", "HUMAN", "eve", label="up")}])
    first, second, third, fourth = read(phoenix_server, project)
    assert (first.ratings, first.rating_min, first.rating_max) == ({"ada": 4, "bob": 2}, 1, 5)
    assert {one["name"] for one in first.metadata["annotations"]} == {"rating", "faithfulness", "length"}
    assert (second.ratings, second.rating_min, second.rating_max) == ({"person": 0}, 0, 1)
    assert second.metadata["session_rating"] == {"ratings": {"eve": 1}, "rating_min": 0, "rating_max": 1}
    assert third.ratings == {"person": 1}
    # 1 is the best of one scale and the worst of another
    assert fourth.ratings == {}
    assert "annotation config" in fourth.metadata["unused_ratings"]["problem"]


def test_what_is_no_answer_is_named_and_the_others_are_read(phoenix_server):
    project = "hostile"

    def at(minute):
        return HOUR_AGO + timedelta(minutes=minute)

    asked = {"input.value": "How?"}
    no_output = [span("chat", "CHAIN", new_id(), at(0), asked)]
    failed = [span("chat", "CHAIN", new_id(), at(1), asked) | {"status_code": "ERROR", "status_message": "x\x1b[2Jy"}]
    null = [span("chat", "CHAIN", new_id(), at(2), asked | {"output.value": None})]
    large = [span("chat", "CHAIN", new_id(), at(3), {"input.value": "é" * 1_000_000, "output.value": "b" * 1_000_000})]
    control = [span("chat", "CHAIN", new_id(), at(4), {"input.value": "a\x1b[31m\u202e", "output.value": "<b>\x07"})]
    orphan = [span("chat", "LLM", new_id(), at(6), asked | {"output.value": "So."}, parent="f" * 16)]
    skewed = rag_trace(7, at(7))
    skewed[1]["start_time"] = (at(7) - timedelta(minutes=3)).isoformat()  # of a machine whose clock is behind
    framed_id = new_id()
    frame = span("POST /chat", "UNKNOWN", framed_id, at(8), {})
    framed = [
        frame,
        span("agent", "AGENT", framed_id, at(8), asked | {"output.value": "So."}, parent=frame["context"]["span_id"]),
    ]
    now = datetime.now(UTC)
    running = [
        span("answer", "LLM", new_id(), now - timedelta(minutes=1), asked | {"output.value": "a"}, parent="e" * 16)
    ]
    traces = [no_output, failed, null, large, control, orphan, skewed, framed, running]
    add(phoenix_server, project, *traces)
    read_traces = {one.id: one for one in read(phoenix_server, project)}
    outcomes = [read_traces[own[0]["context"]["trace_id"]] for own in traces]
    kinds = [type(one).__name__ for one in outcomes]
    assert kinds == ["Sample"] * 8 + ["UnreadTrace"]
    assert [one.response for one in outcomes[:3]] == ["", "", ""]  # a bot that said nothing, or failed
    assert len(outcomes[3].response) == 1_000_000
    assert outcomes[4].response == "<b>\x07"
    assert outcomes[5].response == "So."
    assert outcomes[7].response == "So."
    assert "root span has not arrived" in outcomes[8].reason
    assert [one.time for one in read_traces.values() if isinstance(one, UnreadTrace)][-1].startswith(str(now.year))


def test_a_late_root_completes_the_trace_at_the_next_pull(phoenix_server):
    project = "late"
    root, *others = rag_trace(1, datetime.now(UTC) - timedelta(minutes=2))
    add(phoenix_server, project, others)
    assert [type(one) for one in read(phoenix_server, project)] == [UnreadTrace]
    phoenix_server.add_spans(project, [root])
    phoenix_server.wait_for_spans(project, 3)
    (sample,) = read(phoenix_server, project)
    assert sample.response == "Open menu 1. Press button 1."


def test_a_project_that_is_not_there_names_those_that_are(phoenix_server):
    add(phoenix_server, "a project", rag_trace(1, HOUR_AGO))
    with pytest.raises(InputError, match=r"has no project `nope`; it has `a project`.* more: write one of them"):
        read(phoenix_server, "nope")


def test_spans_that_an_instrumented_chatbot_exports_are_read(phoenix_server):
    """As OpenInference's instrumentation sends them: OTLP, with lists in flat keys and metadata as JSON."""
    exporting = pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    resources = pytest.importorskip("opentelemetry.sdk.resources")
    tracing = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    project = "instrumented / é"
    assert phoenix_server.count_traces(project) == 0  # the project is there
    provider = tracing.TracerProvider(resource=resources.Resource({"openinference.project.name": project}))
    exporter = exporting.OTLPSpanExporter(endpoint=f"{phoenix_server.url}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("bot")

    def attributes(kind, **values):
        named = {name.replace("__", "."): value for name, value in values.items()}
        return {"openinference.span.kind": kind} | named

    with tracer.start_as_current_span("POST /chat"):
        shared = {"session__id": "s-1", "user__id": "ada", "metadata": '{"shop": "north", "tier": 2}'}
        asked = {"input__value": "Is it in stock?", "output__value": "Yes, 3 are.", "tag__tags": ["beta"]}
        with tracer.start_as_current_span("agent", attributes=attributes("AGENT", **shared, **asked)):
            documents = {"retrieval.documents.0.document.content": "Stock is counted at night."}
            with tracer.start_as_current_span("search", attributes=attributes("RETRIEVER") | documents):
                pass
            call = {
                "llm.model_name": "gpt-4.1-mini",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "Is it in stock?",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.tool_calls.0.tool_call.id": "call_1",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "stock",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"item": 7}',
            }
            with tracer.start_as_current_span("llm", attributes=attributes("LLM") | call):
                pass
            tool = attributes("TOOL", tool__name="stock", tool__parameters='{"item": 7}', output__value="3")
            with tracer.start_as_current_span("stock", attributes=tool):
                pass
    provider.shutdown()
    phoenix_server.wait_for_spans(project, 5)
    (sample,) = read(phoenix_server, project)
    assert (sample.user_input, sample.response) == ("Is it in stock?", "Yes, 3 are.")
    assert sample.retrieved_contexts == ("Stock is counted at night.",)
    assert sample.group == "s-1"
    assert [message.role for message in sample.messages] == ["user", "assistant", "tool", "assistant"]
    assert sample.messages[1].tool_calls[0].function.name == "stock"
    known = {name: sample.metadata[name] for name in ("model", "user", "tags", "shop", "tier")}
    assert known == {"model": "gpt-4.1-mini", "user": "ada", "tags": ["beta"], "shop": "north", "tier": 2}
    assert takes([sample], {"shop": "north", "tier": "2", "tags": "beta"}) == [sample.id]
    (agent,) = [one for one in sample.metadata["spans"] if one["name"] == "agent"]
    assert sample.metadata["trace"]["span"] == agent["context"]["span_id"]
