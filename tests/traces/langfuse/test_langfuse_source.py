"""Langfuse's traces as samples, from a local server that follows its published API."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from api_server import Reply
from langfuse_server import SECRET
from traces_of_tests import takes

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.traces import LangfuseSource, TraceAddress, TraceOrigin, join_conversation

pytestmark = pytest.mark.extras("langfuse")

BEGUN = datetime(2026, 11, 20, 10, tzinfo=UTC)
QUESTION, ANSWER, PAGE = "How do I export?", "Choose File, then Export.", "Export stands under File."


def stamp(minutes):
    return (BEGUN + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def read(server, project="", since=None, until=None):
    return list(LangfuseSource(TraceAddress.parse(f"langfuse://{server.host}/{project}")).read(since, until))


def add_plain(server, number, **fields):
    values = {"input": f"Question {number}?", "output": f"Answer {number}."}
    server.add_trace(f"t{number}", stamp(number), **(values | fields))


def test_a_trace_is_a_sample(server):
    server.add_trace(
        "t1",
        stamp(0),
        {"type": "RETRIEVER", "name": "search", "input": QUESTION, "output": [{"page_content": PAGE}]},
        {"type": "TOOL", "name": "find_order", "input": {"order": 7}, "output": "sent", "startTime": stamp(1)},
        {
            **{"type": "GENERATION", "name": "llm", "startTime": stamp(2), "output": ANSWER, "model": "gpt-x"},
            **{"input": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": QUESTION}]},
            **{"promptName": "support", "promptVersion": 3, "usageDetails": {"input": 12}},
        },
        **{"input": {"query": QUESTION}, "output": ANSWER, "sessionId": "s1", "userId": "ada", "tags": ["web"]},
        **{"environment": "production", "release": "1.2", "version": "7", "metadata": {"channel": "chat"}},
    )
    (sample,) = read(server, "support%20bot")
    assert (sample.id, sample.user_input, sample.response, sample.group) == ("t1", QUESTION, ANSWER, "s1")
    assert sample.retrieved_contexts == (PAGE,)
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert sample.messages[2].tool_calls[0].function.values == {"order": 7}
    metadata = sample.metadata
    assert {name: metadata[name] for name in ("model", "prompt_name", "prompt_version")} == {
        **{"model": "gpt-x", "prompt_name": "support", "prompt_version": "3"}
    }
    names = ("environment", "release", "version", "userId", "tags", "metadata")
    assert [metadata[name] for name in names] == ["production", "1.2", "7", "ada", ["web"], {"channel": "chat"}]
    assert len(metadata["observations"]) == 4
    assert TraceOrigin.of_sample(sample) == TraceOrigin(
        f"langfuse://{server.host}/support%20bot", "t1", "", "s1", "2026-11-20T10:00:00+00:00"
    )


def test_an_answer_that_only_a_call_of_a_model_holds_is_that_of_its_observation(server):
    generation = {"type": "GENERATION", "name": "llm", "input": QUESTION, "output": ANSWER}
    server.add_trace("t1", stamp(0), generation, input=None, output=None)
    (sample,) = read(server)
    assert (sample.user_input, sample.response) == (QUESTION, ANSWER)
    assert sample.metadata["trace"]["span"] == "t1-0"


def test_annotations_are_ratings_by_rater_on_the_scale_of_their_config(server):
    for number in range(1, 6):
        add_plain(server, number)
    scale = {"id": "c1", "minValue": 0, "maxValue": 10, "dataType": "NUMERIC"}
    words = [{"label": "bad", "value": 1}, {"label": "fair", "value": 2}, {"label": "good", "value": 3}]
    words_config = {"id": "c2", "dataType": "CATEGORICAL", "categories": words}
    shared = {"name": "x", "createdAt": stamp(0), "updatedAt": stamp(0), "projectId": "p", "isArchived": False}
    server.configs = {"c1": shared | scale, "c2": shared | words_config}
    person = {"source": "ANNOTATION"}
    server.add_score("a1", "quality", 7, trace="t1", configId="c1", authorUserId="ada", **person)
    server.add_score("a2", "quality", 9, trace="t1", configId="c1", authorUserId="bob", comment="Clear.", **person)
    server.add_score("a3", "helpful", "good", trace="t2", configId="c2", authorUserId="ada", **person)
    server.add_score("a4", "resolved", value=False, trace="t3", authorUserId="bob", **person)
    server.add_score("a5", "faithfulness", 0.3, trace="t4", source="EVAL")
    server.add_score("a6", "user-feedback", 1, trace="t5")  # the only value there is: it tells no scale
    samples = {sample.id: sample for sample in read(server) if isinstance(sample, Sample)}
    rated = {name: (sample.ratings, sample.rating_min, sample.rating_max) for name, sample in samples.items()}
    assert rated["t1"] == ({"ada": 7, "bob": 9}, 0, 10)
    assert samples["t1"].metadata["rating_reasons"] == {"bob": ["Clear."]}
    assert rated["t2"] == ({"ada": 3}, 1, 3)
    assert rated["t3"] == ({"bob": 0}, 0, 1)
    assert rated["t4"][0] == {}
    assert samples["t4"].rating is None
    assert samples["t4"].metadata["scores"][0]["name"] == "faithfulness"
    assert samples["t5"].human_rating is None
    assert "nothing tells the scale" in str(samples["t5"].metadata["unused_ratings"])


def test_feedback_by_api_is_a_rating_on_the_scale_of_its_last_values(server):
    """A source that is read again knows what came since."""
    source = LangfuseSource(TraceAddress.parse(f"langfuse://{server.host}/"))

    def rated():
        samples = [sample for sample in source.read(None, None) if isinstance(sample, Sample)]
        return [(sample.human_rating, sample.rating_min, sample.rating_max) for sample in samples]

    add_plain(server, 1)
    server.add_score("f1", "user-feedback", 1, trace="t1", comment="thanks")
    assert [rating for rating, _, _ in rated()] == [None]  # the only value there is tells no scale
    add_plain(server, 2)
    server.add_score("f2", "user-feedback", 0, trace="t2")
    asked = len(server.calls)
    assert rated() == [(0, 0, 1), (1, 0, 1)]
    scores = [call for call in server.calls[asked:] if call.path.endswith("/v3/scores")]
    assert len(scores) == 2  # the page's, and the scale's


def test_what_people_said_of_a_session_rates_the_conversation(server):
    add_plain(server, 1, sessionId="s1")
    add_plain(server, 2, sessionId="s1")
    server.add_score("a1", "resolved", value=True, session="s1", source="ANNOTATION", authorUserId="ada")
    server.add_score("a2", "tone", 0.1, subject={"kind": "observation", "id": "t1-root", "traceId": "t1"})
    samples = [sample for sample in reversed(read(server)) if isinstance(sample, Sample)]
    assert [sample.ratings for sample in samples] == [{}, {}]  # it is the rating of no single answer
    assert [score["name"] for score in samples[0].metadata["session_scores"]] == ["resolved"]
    assert [score["name"] for score in samples[0].metadata["scores"]] == ["tone"]  # of an observation
    conversation = join_conversation(samples)
    assert (conversation.id, len(conversation.messages)) == ("s1", 4)
    assert conversation.rating_share == 1
    assert conversation.ratings.keys() == {"ada"}


def test_pages_are_read_to_the_end_in_few_calls(server):
    for number in range(250):
        add_plain(server, number)
    samples = read(server)
    assert [sample.id for sample in samples] == [f"t{number}" for number in reversed(range(250))]
    # the project; a page of roots, their observations and their scores, three times
    assert len(server.calls) == 1 + 3 * 3


def test_a_trace_that_arrives_while_pages_are_read_is_left_to_the_next_pull(server):
    for number in range(150):
        add_plain(server, number)

    def arrive(call):
        if call.number == 3:
            add_plain(server, 500)
            server.add_trace("future", (datetime.now(UTC) + timedelta(minutes=5)).isoformat(), input="Q?", output="A.")

    server.script = arrive
    ids = [sample.id for sample in read(server, until=BEGUN + timedelta(minutes=400))]
    assert ids == [f"t{number}" for number in reversed(range(150))]


def test_time_and_filters_choose_traces(server):
    add_plain(server, 1, userId="ada", tags=["web", "new"], name="chat", release="1", environment="production")
    add_plain(server, 2, userId="bob", tags=["web"], name="search", release="2", version="3", sessionId="s")
    assert [sample.id for sample in read(server, since=BEGUN + timedelta(minutes=2))] == ["t2"]
    assert [sample.id for sample in read(server, until=BEGUN + timedelta(minutes=2))] == ["t1"]
    fields = ({"userId": "ada"}, {"tags": "new"}, {"name": "chat"}, {"environment": "production"}, {"release": "1"})
    assert [takes(read(server), one) for one in fields] == [["t1"]] * 5
    fields = ({"version": "3"}, {"session": "s"}, {"release": "2", "tags": "web"})
    assert [takes(read(server), one) for one in fields] == [["t2"]] * 3


def test_a_trace_with_several_roots_is_one_sample_that_begins_with_the_first(server):
    add_plain(server, 1)
    app_root = {"type": "AGENT", "isRootObservation": True, "parentObservationId": "elsewhere"}
    server.add("t1-app", "t1", stamp(5), input="later", output="later", **app_root)
    (sample,) = read(server)
    assert sample.user_input == "Question 1?"
    assert read(server, since=BEGUN + timedelta(minutes=3)) == []  # pulled with its first root


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"input": None}, "input: is empty"),
        ({"output": {"a": 1, "b": 2}}, "output: holds no answer"),
        ({"output": "half \ud83d of a character"}, "half a character"),
    ],
)
def test_a_trace_that_is_no_sample_says_why(server, fields, reason):
    add_plain(server, 1, **fields)
    add_plain(server, 2, output=None)
    good, bad = read(server)
    assert (good.id, good.response) == ("t2", "")  # an empty answer is one
    assert reason in bad.reason
    assert (bad.id, bad.time) == ("t1", "2026-11-20T10:01:00+00:00")
    assert "--skip-bad" not in bad.reason


def test_fields_of_another_type_are_read_as_they_came(server):
    server.checks = False
    add_plain(server, 1, tags="web", usageDetails={"input": "many"}, metadata=["no object"], latency="fast")
    add_plain(server, 2, startTime=None)
    server.observations["t2-root"]["startTime"] = stamp(2)
    server.add_score("odd", "rating", "many", trace="t1", dataType="NUMERIC")
    second, first = read(server)
    assert isinstance(second, Sample)
    assert first.metadata["tags"] == "web"
    assert first.human_rating is None


def test_values_that_are_no_numbers_and_nests_without_end_stop_nothing(server):
    server.checks = False
    add_plain(server, 1, usageDetails={"input": float("nan")}, input="[" * 5000 + "]" * 5000)
    add_plain(server, 2, metadata={"score": float("inf")})
    server.add_score("nan", "rating", float("nan"), trace="t2", dataType="NUMERIC")
    good, bad = read(server)
    assert good.human_rating is None
    json.dumps(good.model_dump(mode="json"))
    assert bad.id == "t1"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(401, {"message": f"bad key {SECRET} \x1b[2J"}), "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"),
        (Reply(403, {"message": "no"}), "refuses the key"),
        (Reply(404, {"message": "The observations v2 API is only available in v4"}), "Langfuse 4 is needed"),
        (Reply(200, "<html>Sign in</html>"), "no JSON"),
        (Reply(200, '{"data":' + "[" * 100_000), "no JSON"),
    ],
)
def test_what_keeps_all_from_being_read_is_a_clear_error(server, reply, message):
    server.script = lambda call: reply if call.number == 2 else None
    with pytest.raises(InputError, match=message) as caught:
        read(server)
    assert SECRET not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert f"http://{server.host}" in str(caught.value)


def test_wrong_and_missing_keys_are_an_error_that_does_not_show_them(server, monkeypatch):
    with pytest.raises(InputError, match="belong to the project `support bot`"):
        read(server, "another")
    assert read(server, "project-1") == []  # the id names it too
    calls = len(server.calls)
    for key in ("sk-lf-a\nb", "sk lf", "sk-é"):
        monkeypatch.setenv("LANGFUSE_SECRET_KEY", key)
        with pytest.raises(InputError, match="LANGFUSE_SECRET_KEY holds a blank") as caught:
            read(server)
        assert key not in str(caught.value)
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    with pytest.raises(InputError, match="LANGFUSE_SECRET_KEY not set"):
        read(server)
    assert len(server.calls) == calls


def test_without_a_host_the_environment_names_the_server(server, monkeypatch):
    add_plain(server, 1)
    monkeypatch.setenv("LANGFUSE_BASE_URL", f"http://{server.host}/")
    (sample,) = LangfuseSource(TraceAddress.parse("langfuse:///support%20bot")).read(None, None)
    assert sample.id == "t1"
