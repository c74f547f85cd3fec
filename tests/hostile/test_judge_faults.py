"""A judge that breaks in every way, at every rate: no score is wrong, none is lost, and no run goes on for nothing."""

import asyncio
import random

import pytest
from openai_server import Answer

from assay import evaluate
from assay.errors import JudgeUnavailable
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge, PlainText, Question
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


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_many_rates(kind, rate, openai_server):
    assert check_faults(openai_server, kind, rate, lambda: values(run(openai_server, 60))) >= 30


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


def test_a_run_that_a_judge_left_can_be_resumed(openai_server, set_file, tmp_path):
    """12 samples one after another; the judge goes after 4 replies and comes back for the resumed run."""
    openai_server.script = lambda request: Answer(status=401) if request.number > 4 else None
    store = Store(tmp_path / "runs")
    judge = settings(openai_server, concurrency=1)
    plan = Plan(sets=(str(set_file(12)),), metrics=("judge_truthfulness",), judge=judge)

    def run_again(resume):
        return run_plan(plan, store, resume=resume)

    with pytest.raises(JudgeUnavailable, match="AuthenticationError"):
        run_again(None)
    stopped = store.run("last")
    assert stopped.status == "error"
    assert len(openai_server.requests) == 4 + 5
    openai_server.script = None
    outcome = run_again(stopped.id)
    assert outcome.ending == "done"
    assert len(openai_server.requests) == 4 + 5 + 8
    assert {score.status for _, metric, score in store.scores(stopped.id) if metric == "judge_truthfulness"} == {
        "scored"
    }


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


def test_replay_gives_the_same_failure_again(openai_server, tmp_path):
    openai_server.script = lambda _: Answer(text="no JSON")

    def score(mode):
        judge = LiteLLMJudge(settings(openai_server), cassette=tmp_path / "replies.jsonl", mode=mode)
        results = evaluate(samples(1), ["judge_truthfulness"], judge=judge)
        judge.close()
        return values(results)["s0"]

    live = score("record")
    openai_server.forget()
    assert score("replay").reason == live.reason
    assert not openai_server.requests
