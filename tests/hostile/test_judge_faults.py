"""A judge or an embedder that breaks in every way: no score is wrong, none is lost, nothing wrong is recorded."""

import asyncio
import base64
import json
import random

import numpy as np
import pytest
from noted_sets import write_rows
from openai_server import Answer

from assay import evaluate
from assay.errors import InputError, JudgeError, JudgeUnavailable
from assay.eval_sets import Sample
from assay.judges import Cassette, JudgeSettings, LiteLLMEmbedder, LiteLLMJudge, PlainText, Question
from assay.prompts import Prompt, PromptMessage
from assay.runs import Plan, RunOptions, Store, run_plan

ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")

FAULTS = {
    "429": lambda: Answer(status=429, headers={"Retry-After": "0"}),
    "500": lambda: Answer(status=500),
    "503": lambda: Answer(status=503),
    "reset": lambda: Answer(fault="reset"),
    "cut": lambda: Answer(fault="cut"),
    "no JSON": lambda: Answer(raw="<html>"),
    "no choices": lambda: Answer(raw='{"id": "x", "object": "chat.completion", "choices": []}'),
    "choices that are none": lambda: Answer(raw='{"id": "x", "object": "chat.completion", "choices": {"a": 1}}'),
    "a number for a message": lambda: Answer(raw='{"id": "x", "choices": [{"index": 0, "message": 7}]}'),
    "wrong shape": lambda: Answer(text='{"answer": "yes"}'),
    "empty": lambda: Answer(text=""),
    "cut off": lambda: Answer(text='{"claims": ["a', finish_reason="length"),
    "half a character": lambda: Answer(text="\ud800"),
    "null": lambda: Answer(text="null"),
    "a body of null": lambda: Answer(raw="null"),
    "no answers": lambda: Answer(raw='{"answers": [], "model": "m", "usage": {}}'),
    "another shape": lambda: Answer(raw='{"answers": {"1": [["yes"]]}, "choices": {"a": 1}}'),
    "a deep body": lambda: Answer(raw='{"answers": ' * 5000),
    "a billion": lambda: Answer(text='{"truthfulness": 1e999, "relatedness": 1e999, "completeness": 1e999}'),
    "deep": lambda: Answer(text='{"truthfulness": ' * 5000),
    "usage of nonsense": lambda: Answer(text="?", usage=(-1, 10**18)),
}


TRANSPORT_FAULTS = (
    "429",
    "500",
    "reset",
    "cut",
    "no JSON",
    "no answers",
    "another shape",
    "a body of null",
    "a deep body",
)


def settings(server, **changes):
    options = {"structured": "schema", "wait": 0, "timeout": 60, "attempts": 4, "concurrency": 8}
    return JudgeSettings(**({"model": "openai/test", "api_base": server.api_base} | options | changes))


def samples(count):
    return [
        Sample(
            id=f"s{n}",
            language="en",
            user_input=f"How do I do step {n}?",
            response=f"Press button {n}.",
            retrieved_contexts=(f"Press button {n}.",),
        )
        for n in range(count)
    ]


def values(results):
    return {sample: scores["judge_truthfulness"] for sample, scores in results.scores.items()}


def check_faults(server, kind, rate, score_all):
    """The share `rate` of all calls breaks: every sample has its right score or a reason. Returns how many have one."""
    server.script = None
    right = {name: score.value for name, score in score_all().items()}
    draw = random.Random(f"{kind} {rate}")
    server.script = lambda _: FAULTS[kind]() if draw.random() < rate else None
    scores = score_all()
    assert set(scores) == set(right) and None not in right.values()
    for name, score in scores.items():
        if score.status == "scored":
            assert score.value == right[name]
        else:
            assert score.status == "failed" and score.reason and "Traceback" not in score.reason
    return sum(score.status == "scored" for score in scores.values())


def run(server, count):
    return evaluate(samples(count), ["judge_truthfulness"], judge=LiteLLMJudge(settings(server)))


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_in_three_of_ten_calls(kind, openai_server):
    assert check_faults(openai_server, kind, 0.3, lambda: values(run(openai_server, 8))) >= 4


@pytest.mark.parametrize("decide", ["single", "listed", "decisions", "systemone"])
@pytest.mark.parametrize("kind", TRANSPORT_FAULTS)
def test_faithfulness_through_each_transport(decide, kind, openai_server):
    """Three of ten calls break."""
    model = "hosted_vllm/test" if decide == "systemone" else "openai/test"
    options = settings(openai_server, model=model, decide=decide, timeout=5, concurrency=4)
    claims = "{} Bonuses are paid in May. It costs {} euros."
    tested = [row.model_copy(update={"response": claims.format(row.response, n)}) for n, row in enumerate(samples(6))]

    def score_all():
        results = evaluate(tested, ["faithfulness"], judge=LiteLLMJudge(options))
        return {sample: scores["faithfulness"] for sample, scores in results.scores.items()}

    check_faults(openai_server, kind, 0.3, score_all)


# --- a judge that is gone ---

GONE = {
    "401": lambda: Answer(status=401),
    "403": lambda: Answer(status=403),
    "404": lambda: Answer(status=404),
    "no credit": lambda: Answer(status=429, error_code="insufficient_quota"),
    "500 for good": lambda: Answer(status=500),
    "reset for good": lambda: Answer(fault="reset"),
}


@pytest.mark.parametrize("kind", GONE)
def test_a_judge_that_is_gone_is_not_asked_for_every_sample(kind, openai_server):
    """60 samples, 4 calls at once, 2 attempts each: the fifth failure ends it, and what was under way with it."""
    openai_server.script = lambda _: GONE[kind]()
    judge = LiteLLMJudge(settings(openai_server, concurrency=4, attempts=2))
    with pytest.raises(JudgeUnavailable, match="5 questions in a row got no reply"):
        evaluate(samples(60), ["judge_truthfulness"], judge=judge)
    assert len(openai_server.requests) <= (5 + 4) * 2


def test_a_judge_that_came_back_answers_outside_a_run(openai_server):
    judge = LiteLLMJudge(settings(openai_server, attempts=1))

    async def ask(count):
        questions = [Question(ASK, f"Question {n} of {count}", PlainText) for n in range(count)]
        return [await asyncio.gather(judge.ask(question), return_exceptions=True) for question in questions]

    openai_server.script = lambda _: Answer(status=401)
    errors = [type(each).__name__ for (each,) in asyncio.run(ask(6))]
    assert errors == ["JudgeError"] * 4 + ["JudgeUnavailable"] * 2
    openai_server.script = None
    assert [reply.value.text for (reply,) in asyncio.run(ask(1))] == ["I see."]


def test_failures_about_single_requests_do_not_stop_a_run(openai_server):
    """A request that is too long or refused says nothing about the next one."""
    openai_server.script = lambda request: Answer(status=400) if request.number % 10 else None
    scores = values(run(openai_server, 20))
    assert sum(score.status == "scored" for score in scores.values()) == 2
    assert sum(score.status == "failed" for score in scores.values()) == 18


# --- a kept reply that cannot be used is not final ---


@pytest.mark.parametrize("mode", ["auto", "record"])
def test_resume_asks_again_what_could_not_be_used(mode, openai_server, set_file, tmp_path):
    """Two of six samples get two replies without use; resumed, only they are asked again, and they score."""
    wrong = ("step 1?", "step 4?")
    openai_server.script = lambda request: Answer(text="no JSON") if any(w in request.user for w in wrong) else None
    store = Store(tmp_path / "runs")
    plan = Plan(sets=(str(set_file(6)),), metrics=("judge_truthfulness",), judge=settings(openai_server))

    def run_with(resume):
        options = RunOptions(cassette=tmp_path / "replies.jsonl", mode=mode)
        return run_plan(plan, store, options, resume=resume)

    first = run_with(None)
    assert len(store.failures(first.run)) == 2
    assert len(openai_server.requests) == 4 + 2 * 2
    openai_server.script = None
    again = run_with(first.run)
    assert store.failures(first.run) == {}
    assert len(openai_server.requests) == 4 + 2 * 2 + 2
    assert again.usage.calls - again.usage.from_cassette == 2
    openai_server.forget()
    run_with(None) if mode == "auto" else None
    assert not openai_server.requests, "the usable replies took the place of the others"


TEXTS = ["one", "two", "three"]
VECTORS = {"one": [1.0, 0.0], "two": [0.0, 2.0], "three": [3.0, 4.0], "four": [1.0, 1.0]}

# What becomes of the right items: in the texts' order, with their indexes.
WRONG = {
    "one vector too few": lambda items: items[1:],
    "one vector too many": lambda items: [*items, items[0]],
    "no vector": lambda _: [],
    "an index twice": lambda items: [item | {"index": 0} for item in items],
    "indexes from 1": lambda items: [item | {"index": item["index"] + 1} for item in items],
    "an index that is no number": lambda items: [item | {"index": "first"} for item in items],
    "not a number": lambda items: [*items[:2], items[2] | {"embedding": [float("nan"), 1.0]}],
    "infinite": lambda items: [*items[:2], items[2] | {"embedding": [float("inf"), 1.0]}],
    "too large for 32 bits": lambda items: [*items[:2], items[2] | {"embedding": [1e39, 1.0]}],
    "zero": lambda items: [*items[:2], items[2] | {"embedding": [0.0, 0.0]}],
    "empty": lambda items: [item | {"embedding": []} for item in items],
    "of another length": lambda items: [*items[:2], items[2] | {"embedding": [1.0, 1.0, 1.0]}],
    "nested": lambda items: [item | {"embedding": [item["embedding"]]} for item in items],
    "a word among numbers": lambda items: [*items[:2], items[2] | {"embedding": [3.0, "four"]}],
    "null among numbers": lambda items: [*items[:2], items[2] | {"embedding": [3.0, None]}],
    "larger than any float": lambda items: [*items[:2], items[2] | {"embedding": [10**400, 1]}],
    "deeply nested": lambda items: [*items[:2], items[2] | {"embedding": [[[[[[1.0]]]]], 1.0]}],
    "no embedding": lambda items: [{"object": "embedding", "index": item["index"]} for item in items],
}
RIGHT = {
    "in order": lambda items: items,
    "in another order": lambda items: [items[2], items[0], items[1]],
    "without indexes": lambda items: [
        {name: value for name, value in item.items() if name != "index"} for item in items
    ],
}


def embedding_body(request, change):
    items = [
        {"object": "embedding", "index": place, "embedding": VECTORS[text]}
        for place, text in enumerate(request.body["input"])
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return json.dumps({"object": "list", "model": "embed", "data": change(items), "usage": usage})


@pytest.fixture
def embed(openai_server, tmp_path):
    """Embeds the texts with a cassette, the server's replies changed; unit vectors, or the error."""

    def run(change, texts=TEXTS, mode="auto"):
        openai_server.script = lambda request: Answer(raw=embedding_body(request, change))
        with Cassette(tmp_path / "vectors.jsonl", mode) as cassette:
            embedder = LiteLLMEmbedder("openai/embed", cassette, api_base=openai_server.api_base, attempts=1)
            try:
                return asyncio.run(embedder.unit_vectors(texts))
            except JudgeError as error:
                return error

    return run


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reply_fails_and_leaves_no_recording(name, embed, openai_server, tmp_path):
    error = embed(WRONG[name])
    assert isinstance(error, JudgeError), error
    assert "the vectors cannot be used" in str(error) or "the call" in str(error)
    path = tmp_path / "vectors.jsonl"
    assert not path.exists() or not list(Cassette(path).recordings())
    right = embed(RIGHT["in order"])
    assert np.allclose(right, [[1, 0], [0, 1], [0.6, 0.8]]), "the next run is not wrong"
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize("name", RIGHT)
def test_each_text_gets_its_own_vector(name, embed):
    assert np.allclose(embed(RIGHT[name]), [[1, 0], [0, 1], [0.6, 0.8]])
    assert np.allclose(embed(WRONG["no vector"], mode="replay"), [[1, 0], [0, 1], [0.6, 0.8]])


def longer(items):
    """A reply that is consistent in itself, of another dimension."""
    return [item | {"embedding": [*item["embedding"], 0.5]} for item in items]


def recorded_lengths(path):
    """How many numbers each recorded vector has, read from the file without the embedder."""
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [len(base64.b64decode(entry["text"])) // 4 for entry in entries if entry["schema"] == "float32"]


def test_a_reply_of_another_dimension_than_the_recorded_ones_is_not_recorded(embed, tmp_path):
    embed(RIGHT["in order"], texts=["one"])
    error = embed(longer, texts=["one", "two", "three"])
    assert isinstance(error, JudgeError)
    assert "vectors of [2] and [3] dimensions" in str(error) and "--mode record" in str(error)
    assert recorded_lengths(tmp_path / "vectors.jsonl") == [2]


def test_all_vectors_can_be_recorded_anew_by_a_model_of_another_dimension(embed, tmp_path):
    """The cure that the message names."""
    embed(RIGHT["in order"])
    assert embed(longer, mode="record").shape == (3, 3)
    assert recorded_lengths(tmp_path / "vectors.jsonl") == [3, 3, 3]
    assert embed(longer).shape == (3, 3)


@pytest.mark.parametrize("text", ["!!!", "AAAA", "AAAAAAAAAA=="], ids=["no base64", "three bytes", "seven bytes"])
def test_a_recording_that_is_no_vector_names_its_line(text, embed, tmp_path):
    path = tmp_path / "vectors.jsonl"
    embed(RIGHT["in order"], texts=["one"])
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    as_older = {"text": text, "text_crc32": None}  # without a checksum
    changed = [entry | (as_older if entry["schema"] == "float32" else {}) for entry in entries]
    write_rows(path, changed)
    with pytest.raises(InputError, match=r"vectors\.jsonl: the recording \w{32} is no vector .*record it again"):
        embed(RIGHT["in order"], texts=["one"], mode="replay")


@pytest.mark.parametrize("usage", [{"prompt_tokens": -5}, {"prompt_tokens": 10**12}, None])
def test_an_impossible_usage_counts_as_the_most_that_the_texts_may_be(usage, openai_server):
    items = [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}]
    body = {"object": "list", "model": "embed", "data": items}
    openai_server.script = lambda _: Answer(raw=json.dumps(body | ({"usage": usage} if usage else {})))
    embedder = LiteLLMEmbedder("openai/embed", api_base=openai_server.api_base, attempts=1)
    asyncio.run(embedder.unit_vectors(["one two three"]))
    assert embedder.usage.tokens_in == 13 + 8  # the most: one a byte, and what may stand around a text
