"""Opik's traces as samples, from a local server that follows its published API."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_server import Call, Reply
from opik_server import KEY, OpikServer, trace_uuid

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.traces import TraceAddress, TraceOrigin, UnreadTrace
from assay.traces.opik.source import OpikSource

pytestmark = pytest.mark.extras("opik")

BEGUN = datetime(2026, 11, 20, 10, tzinfo=UTC)
QUESTION, ANSWER, PAGE = "How do I export?", "Choose File, then Export.", "Export stands under File."


def stamp(minutes: float) -> str:
    return (BEGUN + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def read(server: OpikServer, project: str = "default/support%20bot", **fields: Any) -> list[Sample | UnreadTrace]:
    address = TraceAddress.parse(f"opik://{server.host}/{project}")
    since, until = fields.pop("since", None), fields.pop("until", None)
    return list(OpikSource(address).read(since, until, fields.pop("filter", fields)))


def add_plain(server: OpikServer, number: int, *spans: dict[str, Any], **fields: Any) -> str:
    values = {"input": {"question": f"Question {number}?"}, "output": {"answer": f"Answer {number}."}}
    return server.add_trace(number, stamp(number), *spans, **(values | fields))


def test_a_trace_is_a_sample(server: OpikServer) -> None:
    prompt = {"name": "support", "version": {"commit": "a1b2c3", "version_number": "v3"}}
    trace = server.add_trace(
        1,
        stamp(0),
        {"name": "chat", "input": {"question": QUESTION}},
        {"name": "retrieve_pages", "output": {"output": [{"page_content": PAGE}]}, "start_time": stamp(0.1)},
        {"name": "find_order", "type": "tool", "input": {"order": 7}, "output": {"output": "sent"}},
        {
            **{"name": "llm", "type": "llm", "model": "gpt-x", "provider": "openai", "start_time": stamp(0.3)},
            **{
                "input": {
                    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": QUESTION}]
                }
            },
            **{"output": {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}, "usage": {"total": 3}},
            **{"metadata": {"opik_prompts": [prompt]}},
        },
        **{"input": {"question": QUESTION}, "output": {"output": ANSWER}, "thread_id": "s1", "tags": ["web"]},
        **{"environment": "production", "metadata": {"channel": "chat"}},
    )
    (sample,) = read(server)
    assert isinstance(sample, Sample)
    assert (sample.id, sample.user_input, sample.response, sample.group) == (trace, QUESTION, ANSWER, "s1")
    assert sample.retrieved_contexts == (PAGE,)
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert sample.messages[2].tool_calls[0].function.values == {"order": 7}
    names = ("model", "prompt_name", "prompt_version", "environment", "tags", "metadata")
    assert [sample.metadata[name] for name in names] == [
        *("gpt-x", "support", "v3", "production", ["web"], {"channel": "chat"})
    ]
    assert len(sample.metadata["spans"]) == 4
    assert TraceOrigin.of_sample(sample) == TraceOrigin(
        f"opik://{server.host}/default/support%20bot", trace, "", "s1", "2026-11-20T10:00:00+00:00"
    )


def test_an_answer_that_only_a_call_of_a_model_holds_is_that_of_its_span(server: OpikServer) -> None:
    root = {"name": "chat"}
    call = {"name": "llm", "type": "llm", "input": QUESTION, "output": ANSWER, "parent_span_id": trace_uuid(1000)}
    server.add_trace(1, stamp(0), root, call, input={}, output=None)
    (sample,) = read(server)
    assert isinstance(sample, Sample)
    assert (sample.user_input, sample.response) == (QUESTION, ANSWER)
    assert sample.metadata["trace"]["span"] == trace_uuid(1001)


def test_what_people_rated_in_the_pages_are_ratings_by_rater(server: OpikServer) -> None:
    traces = [add_plain(server, number) for number in range(6)]
    server.definitions = [
        {"name": "quality", "type": "numerical", "details": {"min": 1, "max": 10}},
        {"name": "help", "type": "categorical", "details": {"categories": {"bad": 0, "fair": 1, "good": 2}}},
        {"name": "solved", "type": "boolean", "details": {"trueLabel": "yes", "falseLabel": "no"}},
    ]
    server.rate(traces[0], "quality", 7, "ada")
    server.rate(traces[0], "quality", 9, "bob", reason="clear")
    server.rate(traces[1], "help", 2, "ada", category_name="good")
    server.rate(traces[2], "solved", 0, "bob")
    server.rate(traces[3], "faithfulness", 0.3, "sdk-user", "sdk")
    server.rate(traces[3], "rating", 5, "sdk-user", "online_scoring")
    server.rate(traces[4], "stars", 1, "ada")  # a feedback definition that was deleted since
    server.rate(traces[5], "quality", 3, "ada")
    server.rate(traces[5], "quality", 0.5, "key-user", "sdk")
    samples = {sample.id: sample for sample in read(server) if isinstance(sample, Sample)}
    rated = [(sample.ratings, sample.rating_min, sample.rating_max) for sample in map(samples.get, traces) if sample]
    assert rated[0] == ({"ada": 7, "bob": 9}, 1, 10)
    assert samples[traces[0]].metadata["rating_reasons"] == {"bob": ["clear"]}
    assert rated[1] == ({"ada": 2}, 0, 2)
    assert rated[2] == ({"bob": 0}, 0, 1)
    assert samples[traces[3]].human_rating is None
    assert {score["name"] for score in samples[traces[3]].metadata["feedback_scores"]} == {"faithfulness", "rating"}
    assert samples[traces[4]].human_rating is None
    assert samples[traces[4]].metadata["unused_ratings"]["ratings"] == [{"name": "stars", "rater": "ada", "value": 1}]
    assert rated[5][0] == {"ada": 3}


def test_pages_are_read_to_the_end_in_few_calls(server: OpikServer) -> None:
    for number in range(250):
        add_plain(server, number, {"name": "llm", "type": "llm", "model": f"m{number}"})
    samples = [sample for sample in read(server) if isinstance(sample, Sample)]
    assert [sample.id for sample in samples] == [trace_uuid(number) for number in reversed(range(250))]
    assert [sample.metadata["model"] for sample in samples] == [f"m{number}" for number in reversed(range(250))]
    # the project, the definitions, and each page of traces with its spans
    assert len(server.calls) == 2 + 3 * 2


def test_spans_of_a_long_trace_and_spans_out_of_its_time_are_found(server: OpikServer) -> None:
    late = {"name": "llm", "type": "llm", "model": "late", "start_time": stamp(600)}
    add_plain(server, 1, late, end_time=stamp(601))
    add_plain(server, 2, {**late, "model": "skewed"})
    add_plain(server, 3, {"name": "llm", "type": "llm", "model": "usual"})
    models = [sample.metadata["model"] for sample in read(server) if isinstance(sample, Sample)]
    assert models == ["usual", "skewed", "late"]


def test_time_and_filters_choose_traces(server: OpikServer) -> None:
    first = add_plain(server, 1, tags=["web", "new"], name="chat", environment="production")
    second = add_plain(server, 2, tags=["web"], name="search", thread_id="s", metadata={"channel": "mail"})
    assert [sample.id for sample in read(server, since=BEGUN + timedelta(minutes=2))] == [second]
    assert [sample.id for sample in read(server, until=BEGUN + timedelta(minutes=2))] == [first]
    for fields in ({"tags": "web, new"}, {"name": "chat"}, {"environment": "production"}):
        assert [sample.id for sample in read(server, filter=fields)] == [first], fields
    for fields in ({"thread_id": "s"}, {"metadata.channel": "mail"}):
        assert [sample.id for sample in read(server, filter=fields)] == [second], fields
    with pytest.raises(UsageError, match="no field `user_id` to filter by"):
        read(server, filter={"user_id": "ada"})


def test_a_trace_that_arrives_while_pages_are_read_is_left_to_the_next_pull(server: OpikServer) -> None:
    for number in range(150):
        add_plain(server, number)

    def arrive(call: Call) -> Reply | None:
        if call.number == 4:
            add_plain(server, 500)
            server.add_trace(501, (datetime.now(UTC) + timedelta(minutes=5)).isoformat(), input="Q?", output="A.")
        return None

    server.script = arrive
    assert len(read(server, until=BEGUN + timedelta(minutes=400))) == 150


def test_traces_that_are_no_samples_and_lines_that_are_no_traces_say_why(server: OpikServer) -> None:
    server.checks = False
    bad = add_plain(server, 1, output=None, tags="web", span_count="many")
    good = add_plain(server, 2, {"name": 7, "type": 8, "input": 9, "metadata": [1], "model": {"a": 1}})
    server.traces[good]["feedback_scores"] = "none"
    plain = server.answer

    def odd(call: Call) -> Reply | None:
        if not call.path.endswith("traces/search"):
            return None
        reply = plain(call)
        return reply._replace(body=reply.body + '{"broken\n{"code": 500, "message": "no"}\n[]\n' + reply.body)

    server.script = odd
    outcomes = read(server)
    unread = [outcome for outcome in outcomes if isinstance(outcome, UnreadTrace)]
    assert [sample.id for sample in outcomes if isinstance(sample, Sample)] == [good]
    assert [(trace.id, trace.reason.partition(":")[0]) for trace in unread] == [
        *[("", "a line of Opik's reply without a trace's id")] * 3,
        (bad, "output"),
    ]


def test_a_page_that_comes_twice_is_said(server: OpikServer) -> None:
    for number in range(100):
        add_plain(server, number)

    def repeat(call: Call) -> Reply | None:
        if call.path.endswith("traces/search"):
            return server.answer(call._replace(body={**call.body, "last_retrieved_id": None}))
        return None

    server.script = repeat
    with pytest.raises(InputError, match="its list of traces repeats itself after 2 pages"):
        read(server)


def test_too_many_calls_wait_as_told_and_failures_are_tried_again(server: OpikServer, waits: list[float]) -> None:
    add_plain(server, 1)
    answers = {1: Reply(429, {"message": "slow"}, {"Retry-After": "7"}), 4: Reply(502, "<html>"), 5: Reply(503)}
    server.script = lambda call: answers.get(call.number)
    assert len(read(server)) == 1
    assert waits == [7, 0.5, 1]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(401, {"message": f"bad key {KEY} \x1b[2J"}), "OPIK_API_KEY and OPIK_WORKSPACE"),
        (Reply(403, {"message": "no"}), "refuses the key"),
        (Reply(404, "<html>"), "an older Opik or none"),
        (Reply(200, "<html>Sign in</html>"), "no JSON"),
        (Reply(302, None, {"location": "http://elsewhere.example.org/"}), "sends on to http://elsewhere.example.org/"),
    ],
)
@pytest.mark.parametrize("number", [1, 3])
def test_what_keeps_all_from_being_read_is_a_clear_error(
    server: OpikServer, monkeypatch: pytest.MonkeyPatch, reply: Reply, message: str, number: int
) -> None:
    monkeypatch.setenv("OPIK_API_KEY", KEY)
    add_plain(server, 1)
    server.script = lambda call: reply if call.number == number else None
    with pytest.raises(InputError, match=message) as caught:
        read(server)
    assert KEY not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_project_that_is_not_there_is_an_error(server: OpikServer) -> None:
    with pytest.raises(InputError, match="no project `another` in the workspace `default`"):
        read(server, "default/another")
    with pytest.raises(InputError, match="no access to the workspace"):
        read(server, "other/support%20bot")


def test_the_address_without_a_workspace_and_the_cloud(server: OpikServer, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = add_plain(server, 1)
    assert [sample.id for sample in read(server, "support%20bot")] == [trace]
    monkeypatch.setenv("OPIK_WORKSPACE", "team")
    server.workspace, server.key = "team", KEY
    monkeypatch.setenv("OPIK_API_KEY", KEY)
    assert [sample.id for sample in read(server, "support%20bot")] == [trace]
    monkeypatch.setenv("OPIK_URL_OVERRIDE", f"http://{server.host}/api/")
    (sample,) = OpikSource(TraceAddress.parse("opik:///team/support%20bot")).read(None, None, {})
    assert sample.id == trace
    monkeypatch.delenv("OPIK_API_KEY")
    monkeypatch.delenv("OPIK_URL_OVERRIDE")
    with pytest.raises(InputError, match="OPIK_API_KEY not set"):
        OpikSource(TraceAddress.parse("opik://www.comet.com/team/support"))


def test_a_server_that_is_not_there_is_an_error(waits: list[float]) -> None:
    with pytest.raises(InputError, match="cannot be reached"):
        list(OpikSource(TraceAddress.parse("opik://127.0.0.1:9/default/x")).read(None, None, {}))
