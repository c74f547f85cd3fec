"""Execution: how many at once, what is kept when it stops, and in which order results come out."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay import Sample, aevaluate, evaluate
from assay.errors import BudgetReached, InputError, UsageError
from assay.judges import Budget, LiteLLMJudge
from assay.metrics import Faithfulness, Metric, Score, TokenOverlap
from assay.runs import execute


def samples(count: int) -> list[Sample]:
    return [
        Sample(
            id=f"s{n}",
            user_input="How?",
            response=f"Open menu {n}.",
            retrieved_contexts=(f"Open menu {n}.",),
            language="en",
        )
        for n in range(count)
    ]


@pytest.fixture
def judge(openai_server: OpenAIServer) -> Callable[..., LiteLLMJudge]:
    """Makes judges at the server."""
    return lambda **options: LiteLLMJudge(
        "openai/test", **{"api_base": openai_server.api_base, "structured": "schema", "wait": 0} | options
    )


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_concurrency_is_bounded_where_it_counts(judge: Any, openai_server: OpenAIServer, at_once: int) -> None:
    openai_server.latency = 0.05
    evaluate(samples(16), [Faithfulness(judge(concurrency=100), claims="judge")], concurrency=at_once)
    assert openai_server.most_at_once == at_once
    assert len(openai_server.requests) == 2 * 16


def test_results_are_in_the_samples_order_whatever_is_done_first(judge: Any, openai_server: OpenAIServer) -> None:
    def first_is_last(request: Request) -> Answer | None:
        return Answer(latency=0.5) if "menu 0" in request.user else None

    openai_server.script = first_is_last
    done: list[str] = []
    six_samples = samples(6)
    asyncio.run(execute(six_samples, [Faithfulness(judge())], lambda sample, _: done.append(sample.id), concurrency=6))
    assert done[-1] == "s0"
    results = evaluate(six_samples, [Faithfulness(judge())], concurrency=6)
    assert list(results.scores) == [row["id"] for row in results.to_records()] == ["s0", "s1", "s2", "s3", "s4", "s5"]


def test_samples_are_drawn_one_by_one(judge: Any, openai_server: OpenAIServer) -> None:
    """A set of any length takes the same memory: never more samples are drawn than are under way."""
    drawn, done, most = 0, 0, 0

    def source() -> Iterator[Sample]:
        nonlocal drawn, most
        for sample in samples(50):
            drawn += 1
            most = max(most, drawn - done)
            yield sample

    def keep(_: Sample, __: dict[str, Score]) -> None:
        nonlocal done
        done += 1

    openai_server.latency = 0.005
    asyncio.run(execute(source(), [Faithfulness(judge())], keep, concurrency=4))
    assert (done, most) == (50, 4)


def test_a_budget_stops_it_and_what_is_scored_is_kept(judge: Any, openai_server: OpenAIServer) -> None:
    recorded: dict[str, dict[str, Score]] = {}
    metrics: list[Metric] = [TokenOverlap(), Faithfulness(judge(budget=Budget(calls=7)), claims="judge")]
    with pytest.raises(BudgetReached, match="7 calls"):
        asyncio.run(execute(samples(20), metrics, lambda s, scores: recorded.update({s.id: scores}), concurrency=1))
    assert len(openai_server.requests) == 7
    # 2 calls per sample: three samples are whole, the fourth has what needed no judge
    assert {name: list(scores) for name, scores in recorded.items()} == {
        "s0": ["token_overlap", "faithfulness"],
        "s1": ["token_overlap", "faithfulness"],
        "s2": ["token_overlap", "faithfulness"],
        "s3": ["token_overlap"],
    }


def test_a_budget_under_concurrency_is_not_passed(judge: Any, openai_server: OpenAIServer) -> None:
    openai_server.latency = 0.02
    with pytest.raises(BudgetReached):
        evaluate(samples(40), [Faithfulness(judge(budget=Budget(calls=11)))], concurrency=8)
    assert len(openai_server.requests) == 11


def test_a_bad_row_in_the_middle_keeps_what_was_done() -> None:
    def source() -> Iterator[Sample]:
        yield from samples(3)
        raise InputError("row 4 is bad")

    recorded: list[str] = []
    with pytest.raises(InputError, match="row 4"):
        asyncio.run(execute(source(), [TokenOverlap()], lambda s, _: recorded.append(s.id), concurrency=2))
    assert recorded == ["s0", "s1", "s2"]


def test_a_metric_that_breaks_fails_its_samples_and_nobody_elses() -> None:
    class Broken(Metric):
        name = "broken"

        async def measure(self, sample: Sample) -> Score:
            if sample.id == "s1":
                raise ZeroDivisionError("a defect")
            return await TokenOverlap().measure(sample)

    results = evaluate(samples(3), [Broken()])
    statuses = [scores["broken"].status for scores in results.scores.values()]
    assert statuses == ["scored", "failed", "scored"]
    reason = results.scores["s1"]["broken"].reason
    assert reason.startswith("broken broke: ZeroDivisionError: a defect (test_execute.py, line ")
    assert "test_execute.py" in results.scores["s1"]["broken"].evidence["traceback"]


def test_two_samples_with_one_id_are_refused_and_not_merged() -> None:
    with pytest.raises(InputError, match='index 2, field id: "s0" is the id of index 0 too'):
        evaluate([*samples(2), samples(1)[0]], [TokenOverlap()])


def test_evaluate_works_inside_a_running_loop() -> None:
    """As in a notebook's cell; a metric that itself waits for `evaluate` says what to do instead."""

    class Nested(TokenOverlap):
        name = "nested"

        async def measure(self, sample: Sample) -> Score:
            evaluate([sample], [TokenOverlap()])
            return await super().measure(sample)

    async def cell() -> list[Any]:
        results = [evaluate(samples(1), [TokenOverlap()]), await aevaluate(samples(1), [TokenOverlap()])]
        with pytest.raises(UsageError, match="await it"):
            evaluate(samples(1), [Nested()])
        return results

    for results in asyncio.run(cell()):
        assert results.scores["s0"]["token_overlap"].value == 1.0
