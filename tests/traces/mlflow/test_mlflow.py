"""The traces of a real MLflow server become samples, and scores feedback on them."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import md5
from itertools import count
from urllib.parse import quote

import pytest
from api_server import Reply
from mlflow_server import SpanToLog, TraceWriter
from modules import module_of
from traces_of_tests import takes, trace_score

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.traces import KEY, MlflowServer, MlflowSink, MlflowSource, TraceAddress, TraceOrigin, UnreadTrace

START = 1_700_000_000_000  # of the traces, in milliseconds
_NUMBERS = count(1)
_EXPERIMENTS = count(1)
slow_with_server = [pytest.mark.slow, pytest.mark.extras("mlflow")]


@pytest.fixture
def writer(mlflow_host):
    return TraceWriter(mlflow_host, f"bot {next(_EXPERIMENTS)}")


@pytest.fixture
def address(mlflow_host, writer):
    return TraceAddress.parse(f"mlflow://{mlflow_host}/{writer.id}")


def full_trace(question="Is it free?", answer="Yes, it is free."):
    """A root with a retriever, a tool and a model."""
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": question}]
    reply = {"choices": [{"message": {"role": "assistant", "content": answer}}]}
    return [
        SpanToLog("AGENT", {"question": question, "locale": "en"}, answer),
        SpanToLog("RETRIEVER", {"q": question}, [{"page_content": "Returns are free.", "metadata": {}}], "retrieve"),
        SpanToLog("TOOL", {"order": 7}, {"status": "sent"}, "find_order"),
        SpanToLog("CHAT_MODEL", {"messages": messages}, reply, "chat", {"mlflow.llm.model": "gpt-x"}),
    ]


def read(address):
    return list(MlflowSource(address).read(None, None))


def read_one(address):
    (sample,) = read(address)
    assert isinstance(sample, Sample), sample
    return sample


def write_one(writer, spans=None, **more):
    return writer.write(next(_NUMBERS), full_trace() if spans is None else spans, **{"at": START, **more})


def score_of(address, trace_id, name="faithfulness", **changes):
    key, origin = md5(f"run-1 {trace_id} {name}".encode()).hexdigest(), TraceOrigin(str(address), trace_id)
    return trace_score(**({"key": key, "origin": origin, "name": name, "run": "run-1", "sample": trace_id} | changes))


def push(address, *scores):
    results = list(MlflowSink(address).write(scores))
    assert [result.key for result in results] == [score.key for score in scores]
    return [(result.state, result.problem) for result in results]


def own_feedback(writer, trace_id):
    return [one for one in writer.assessments(trace_id) if KEY in (one.metadata or {})]


@pytest.mark.extras("mlflow")
def test_a_trace_is_read_judged_and_its_score_written_once(mlflow_host, writer, address):
    metadata = {"mlflow.trace.session": "s-1", "mlflow.trace.user": "u-1", "release": "7"}
    prompts = json.dumps([{"name": "answer", "version": "3"}])
    trace_id = write_one(writer, metadata=metadata, tags={"env": "prod", "mlflow.linkedPrompts": prompts})
    writer.feedback(trace_id, "helpful", True, source=("HUMAN", "ada"), rationale="clear")
    writer.feedback(trace_id, "helpful", False, source=("HUMAN", "bob"))
    writer.feedback(trace_id, "grounded", 0.1, source=("LLM_JUDGE", "gpt-x"))
    writer.expectation(trace_id, "expected_response", "Within 30 days.")

    sample = read_one(address)

    assert (sample.id, sample.user_input, sample.response) == (trace_id, "Is it free?", "Yes, it is free.")
    assert sample.retrieved_contexts == ("Returns are free.",)
    assert sample.ratings == {"ada": 1, "bob": 0}
    assert (sample.rating_min, sample.rating_max) == (0, 1)
    assert sample.reference == "Within 30 days."
    assert sample.group == "s-1"
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert sample.messages[2].tool_calls[0].function.values == {"order": 7}
    values = sample.metadata
    assert (values["model"], values["prompt_version"], values["user"]) == ("gpt-x", "answer/3", "u-1")
    assert values["tags"] == {"env": "prod"}
    assert values["trace_metadata"]["release"] == "7"
    assert {one["assessment_name"] for one in values["assessments"]} == {"helpful", "grounded", "expected_response"}
    assert values["input"]["locale"] == "en"
    origin = TraceOrigin.of_sample(sample)
    assert (origin.id, origin.session, origin.time) == (trace_id, "s-1", "2023-11-14T22:13:20+00:00")
    assert origin.span == values["spans"][0]["span_id"]

    score = score_of(address, trace_id)
    assert push(address, score) == [("written", "")]
    assert push(address, replace(score, value=0.75, reason="3 of 4")) == [("updated", "")]
    (feedback,) = own_feedback(writer, trace_id)
    assert (feedback.name, feedback.value, feedback.rationale) == ("faithfulness", 0.75, "3 of 4")
    assert (feedback.source.source_type, feedback.source.source_id) == ("LLM_JUDGE", "qwen1.5b")
    assert feedback.metadata == {
        "assay.key": score.key,
        "assay.run": "run-1",
        "assay.sample": trace_id,
        "assay.at": score.at,
        "assay.low": "0",
        "assay.high": "1",
        "assay.higher_is_better": "true",
        "assay.label": "",
        "assay.judge": "qwen1.5b",
        "assay.prompts": "abc",
    }
    assert read_one(address).ratings == {"ada": 1, "bob": 0}

    by_name = TraceAddress.parse(f"mlflow://{mlflow_host}/{quote(writer.client.get_experiment(writer.id).name)}")
    assert read_one(by_name).id == trace_id
    with pytest.raises(InputError, match=r"no experiment `bott 1` at http://127.*; there are `bot 1`"):
        read(TraceAddress.parse(f"mlflow://{mlflow_host}/bott 1"))


class TestReading:
    pytestmark = slow_with_server

    def test_a_window_is_closed_below_and_open_above(self, writer, address):
        ids = [write_one(writer, at=START + number) for number in range(4)]
        begin = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
        window = begin + timedelta(milliseconds=1), begin + timedelta(milliseconds=3)
        assert [item.id for item in MlflowSource(address).read(*window)] == ids[1:3]
        # half a millisecond later, the trace of the millisecond before no longer counts
        later = begin + timedelta(microseconds=1500)
        assert [item.id for item in MlflowSource(address).read(later, None)] == ids[2:]

    @pytest.mark.parametrize("step", [0, 1, 3])
    def test_pages_lose_and_double_nothing(self, writer, address, monkeypatch, step):
        monkeypatch.setattr(module_of(MlflowSource), "_PAGE", 4)
        spans = [SpanToLog("CHAIN", {"question": "Free?"}, "Yes.")]
        ids = [write_one(writer, spans, at=START + number // 3 * step) for number in range(18)]
        pulled = []
        for item in MlflowSource(address).read(None, None):
            pulled.append(item.id)
            if len(pulled) == 6:  # one that comes late shifts a page: one trace is read twice, and none is lost
                write_one(writer, spans, at=START - 5)
        assert list(dict.fromkeys(pulled)) == ids

    def test_traces_without_an_answer_say_why(self, writer, address):
        root = {"question": "Free?"}
        reasons = {
            write_one(writer, [], state="IN_PROGRESS"): "still in progress",
            write_one(writer, [], state="ERROR"): "chatbot failed",
            write_one(writer, [SpanToLog("CHAIN", {"a": "x", "b": "y"}, "Yes.")], at=START + 3): "no question",
            write_one(writer, [], at=START + 4): "spans are in no database",
            write_one(writer, tags={"mlflow.trace.sourceScorer": "tone"}, at=START + 5): "scorer `tone`",
            write_one(writer, full_trace(answer="nul \0 byte"), at=START + 6): "NUL",
        }
        write_one(writer, [SpanToLog("CHAIN", root)], at=START + 2)  # an empty answer is one
        write_one(writer, at=START + 9)
        items = read(address)
        assert [item.response for item in items if isinstance(item, Sample)] == ["", "Yes, it is free."]
        for item in items:
            if isinstance(item, Sample):
                continue
            assert reasons.pop(item.id) in item.reason, item
            assert item.time.startswith("2023-11-14T22:13:20")
            assert str(address) not in item.reason
        assert not reasons

    @pytest.mark.parametrize(
        ("spans", "question", "answer"),
        [
            ([SpanToLog("CHAIN", {"q": "Free?"}, ["Y", "es."])], "Free?", "Yes."),  # a stream
            ([SpanToLog("CHAIN", "Free?", {"answer": "Yes."})], "Free?", "Yes."),
            ([SpanToLog("CHAIN", {"messages": [{"role": "user", "content": "Free?"}]}, "Yes.")], "Free?", "Yes."),
            ([SpanToLog("CHAIN", {"a": 1, "b": 2}, {"x": 1, "y": 2}), *full_trace()[3:]], "Is it free?", None),
            ([SpanToLog("CHAIN"), *full_trace()[3:]], "Is it free?", None),  # only the model was traced
        ],
    )
    def test_a_question_is_read_wherever_it_stands(self, writer, address, spans, question, answer):
        write_one(writer, spans)
        sample = read_one(address)
        assert (sample.user_input, sample.response) == (question, answer or "Yes, it is free.")

    def test_hostile_traces_are_read_as_they_are_or_said(self, writer, address):
        texts = [
            "<script>alert(1)</script>",
            "\x1b[31mred\x1b[0m",
            "\u202eevil",
            "x" * 300_000,
            "' OR 1=1 --",
            "[INST]",
        ]
        for place, text in enumerate(texts):
            tags = {"mlflow.traceName": text[:200], "k'`\"": text[:200]}
            write_one(writer, full_trace(text, text), at=START + place, tags=tags, metadata={"a": text[:200]})
        nested = "[" * 900 + "]" * 900  # the server takes it, and cannot return it
        write_one(writer, [SpanToLog("CHAIN", {"q": "Free?"}, nested)], at=START + 98)
        write_one(writer, full_trace()[:1], at=START + 99)
        items = read(address)
        assert [item.user_input for item in items if isinstance(item, Sample)] == [*texts, "Is it free?"]
        assert [item.time[-13:-6] for item in items if isinstance(item, UnreadTrace)] == [".098000"]

    def test_filters(self, writer, address):
        metadata = {"mlflow.trace.session": "it's", "mlflow.trace.user": 'a "b"', "x.y": "1"}
        wanted = write_one(writer, metadata=metadata, tags={"env. a": "prod"})
        write_one(writer, [SpanToLog("CHAIN", {"q": "Free?"}, "Yes.", "other")])
        fields = {"session": "it's", "user": 'a "b"', "trace_metadata.x.y": "1", "tags.env. a": "prod", "name": "bot"}
        samples = read(address)
        assert [takes(samples, {field: value}) for field, value in fields.items()] == [[wanted]] * 5
        assert takes(samples, fields) == [wanted] and takes(samples, {"session": "its"}) == []

    def test_ratings_come_from_people_alone_and_on_a_known_scale(self, writer, address):
        def rated(at, *feedback):
            trace_id = write_one(writer, at=START + at)
            for name, value, rater in feedback:
                writer.feedback(trace_id, name, value, source=("HUMAN", rater))

        rated(0, ("stars", 1, "ada"), ("stars", 4, "bob"))
        rated(1, ("stars", 5, "ada"), ("tone", 2, "ada"))
        rated(2, ("correct", True, "ada"), ("kind", False, "ada"))
        rated(3, ("note", "fine", "ada"))
        rated(4, ("stars", 2, "ada"), ("stars", 3, "ada"))
        items = read(address)
        samples = [item for item in items if isinstance(item, Sample)]
        assert [sample.ratings for sample in samples] == [{"ada": 1, "bob": 4}, {"ada": 5}, {}, {}, {"ada": 3}]
        assert [(sample.rating_min, sample.rating_max) for sample in samples] == [(1, 5)] * 5
        assert samples[1].metadata["unused_ratings"]["ratings"] == [{"name": "tone", "rater": "ada", "value": 2}]
        assert "several names" in samples[2].metadata["unused_ratings"]["problem"]
        assert "`note` is neither a number nor a thumb" in samples[3].metadata["unused_ratings"]["problem"]

    def test_a_number_has_the_scale_of_its_label_schema_and_its_reason_beside_it(self, writer, address):
        trace_id = write_one(writer)
        writer.feedback(trace_id, "grade", 1, source=("HUMAN", "ada"), rationale="Not in the source.")
        unused = read_one(address)
        assert unused.ratings == {}
        assert "scale of `grade`; add a label schema" in unused.metadata["unused_ratings"]["problem"]
        writer.add_numeric_schema("grade", 0, 7)
        sample = read_one(address)
        assert (sample.ratings, sample.rating_min, sample.rating_max) == ({"ada": 1}, 0, 7)
        assert sample.metadata["rating_reasons"] == {"ada": ["Not in the source."]}


class TestWriting:
    pytestmark = slow_with_server

    def test_each_score_has_one_feedback_however_often_it_is_written(self, writer, address):
        ids = [write_one(writer, at=START + number) for number in range(60)]
        scores = [score_of(address, trace_id, name) for trace_id in ids for name in ("a", "b")]
        assert push(address, *scores[:50]) == [("written", "")] * 50
        assert push(address, *scores) == [("updated", "")] * 50 + [("written", "")] * 70
        assert all(len(own_feedback(writer, trace_id)) == 2 for trace_id in ids)

    def test_a_score_of_a_session_goes_to_its_first_trace(self, writer, address):
        metadata = {"mlflow.trace.session": "s'1"}
        first, last = (write_one(writer, at=START + number, metadata=metadata) for number in (5, 6))
        origin = TraceOrigin(str(address), last, session="s'1", unit="session")
        score = score_of(address, last, "resolved", origin=origin)
        assert push(address, score) == [("written", "")]
        (feedback,) = own_feedback(writer, first)
        assert feedback.metadata["mlflow.trace.session"] == "s'1"
        assert own_feedback(writer, last) == []
        earlier = write_one(writer, at=START, metadata=metadata)  # arrives late
        assert push(address, score) == [("updated", "")]
        assert [len(own_feedback(writer, trace_id)) for trace_id in (earlier, first, last)] == [0, 1, 0]

    def test_traces_that_are_not_there_fail_and_the_others_are_written(self, mlflow_host, writer, address):
        trace_id = write_one(writer)
        other = write_one(TraceWriter(mlflow_host, "elsewhere"))
        ids = ["tr-none", other, "') OR (name = 'bot", "../../experiments/delete", trace_id]
        results = push(address, *(score_of(address, name) for name in ids))
        assert [state for state, _ in results] == ["failed"] * 4 + ["written"]
        assert results[0][1] == f"no trace tr-none in experiment `{writer.id}`: it may have been deleted"
        gone = TraceOrigin(str(address), trace_id, session="gone", unit="session")
        ((state, problem),) = push(address, score_of(address, trace_id, "resolved", origin=gone))
        assert (state, "no session `gone`" in problem) == ("failed", True)
        assert own_feedback(TraceWriter(mlflow_host, "elsewhere"), other) == []

    def test_hostile_reasons_are_written(self, writer, address):
        trace_id = write_one(writer)
        reason = "nul \0 \x1b[31m <b> \u202e" + "x" * 100_000
        assert push(address, score_of(address, trace_id, reason=reason)) == [("written", "")]
        (feedback,) = own_feedback(writer, trace_id)
        assert feedback.rationale.endswith("xxx ... (cut)")
        assert "\0" not in feedback.rationale


def first_writes(number, fault, passes_to=None):
    """The first writes go wrong; with a proxy to pass them to, after the server has got them."""
    left = count()

    def script(call):
        if call.method not in {"POST", "PATCH"} or "/assessments" not in call.path or next(left) >= number:
            return None
        if passes_to is not None:
            passes_to.forward(call)
        return fault

    return script


class TestFaults:
    pytestmark = slow_with_server

    @pytest.fixture
    def faulty(self, proxy, writer):
        return TraceAddress.parse(f"mlflow://{proxy.host}/{writer.id}")

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 408])
    @pytest.mark.parametrize("is_forwarded", [False, True])
    def test_a_write_that_fails_or_is_answered_too_late_is_not_doubled(
        self, proxy, writer, faulty, status, is_forwarded
    ):
        trace_id = write_one(writer)
        proxy.script = first_writes(2, Reply(status, {}), proxy if is_forwarded else None)
        assert push(faulty, score_of(faulty, trace_id)) == [("written", "")]
        assert len(own_feedback(writer, trace_id)) == 1
        proxy.script = first_writes(2, Reply(status, {}), proxy if is_forwarded else None)
        assert push(faulty, score_of(faulty, trace_id, value=0.25)) == [("updated", "")]
        assert [one.value for one in own_feedback(writer, trace_id)] == [0.25]

    def test_a_write_that_comes_through_after_the_next_one_is_refused_by_its_id(self, proxy, writer, faulty):
        trace_id = write_one(writer)
        held = []

        def script(call):
            if call.method == "POST" and call.path.endswith("/assessments") and not held:
                held.append(call)
                return Reply(504, {})
            return None

        proxy.script = script
        assert push(faulty, score_of(faulty, trace_id)) == [("written", "")]
        assert proxy.forward(held[0])[0] == 500  # the server gets the first one now
        assert len(own_feedback(writer, trace_id)) == 1

    def test_a_server_that_does_not_recover_fails_the_score_alone(self, proxy, writer, faulty):
        trace_id = write_one(writer)
        body = json.dumps({"error_code": "INTERNAL_ERROR", "message": "disk\x1b[31m full"}).encode()
        proxy.script = first_writes(99, Reply(500, body))
        assert push(faulty, score_of(faulty, trace_id)) == [
            ("failed", "the server fails (status 500: disk[31m full); push again")
        ]

    @pytest.mark.parametrize("method", [read, lambda address: push(address, score_of(address, "tr-1"))])
    def test_what_stops_everything_is_said_with_its_cure(self, proxy, faulty, monkeypatch, method):
        def problem():
            with pytest.raises(InputError) as error:
                method(faulty)
            return str(error.value)

        proxy.script = lambda call: Reply(401, b"no")
        keys = "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
        assert problem().endswith(f"refuses a call without a key (status 401: no): set {keys} to what it accepts")
        monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "token-of-the-test")
        text = problem()
        assert "refuses the key (status 401: no)" in text
        assert "token-of-the-test" not in text
        assert proxy.calls[-1].headers["authorization"] == "Bearer token-of-the-test"
        proxy.script = lambda call: Reply(403, b'{"message": "not yours"}') if "api" in call.path else None
        assert f"refuses the key (status 403: not yours): set {keys}" in problem()
        proxy.script = lambda call: Reply(403, b"Invalid Host header")
        assert problem().endswith("does not allow this host name (status 403): start it so that it does")
        proxy.script = lambda call: Reply(404, b"<html>")
        assert "status 404; it is an older MLflow or none: MLflow 3.5 is needed" in problem()
        proxy.script = lambda call: Reply(200, b"<html>", {"content-type": ""})
        assert "with no JSON (no type): correct the address" in problem()

    def test_a_deleted_experiment(self, writer, address):
        writer.client.delete_experiment(writer.id)
        with pytest.raises(InputError, match="the experiment is deleted; restore it"):
            read(address)


def test_the_server_is_that_of_the_address_or_of_mlflows_own_variable(monkeypatch):
    def find(text):
        return MlflowServer(TraceAddress.parse(text)).uri

    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://ann:pw@team.example:8443/ml/")
    assert find("mlflow:///bot") == find("mlflow://team.example:8443/bot") == "https://ann:pw@team.example:8443/ml"
    assert find("mlflow://localhost/bot") == "http://localhost:5000"


@pytest.mark.parametrize(
    ("text", "problem"), [("mlflow://localhost:5000", "name the experiment"), ("mlflow:bot", "name the server")]
)
def test_addresses_that_cannot_be_reached(text, problem):
    with pytest.raises(UsageError, match=problem):
        MlflowSource(TraceAddress.parse(text))
