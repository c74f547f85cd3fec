"""Execution: how many at once, what is kept when it stops, and in which order results come out."""

import asyncio

import pytest
from openai_server import Answer

from assay import Sample, evaluate
from assay.errors import BudgetReached, InputError
from assay.judges import Budget, LiteLLMJudge
from assay.metrics import Faithfulness, Metric, TokenOverlap
from assay.runs import execute


def samples(count):
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
def judge(openai_server):
    return lambda **options: LiteLLMJudge(
        "openai/test", **{"api_base": openai_server.api_base, "structured": "schema", "wait": 0} | options
    )


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_concurrency_is_bounded_where_it_counts(judge, openai_server, at_once):
    openai_server.latency = 0.05
    evaluate(samples(16), [Faithfulness(judge(concurrency=100), claims="judge")], concurrency=at_once)
    assert openai_server.most_at_once == at_once
    assert len(openai_server.requests) == 2 * 16


def test_results_are_in_the_samples_order_whatever_is_done_first(judge, openai_server):
    def first_is_last(request):
        return Answer(latency=0.5) if "menu 0" in request.user else None

    openai_server.script = first_is_last
    done = []
    six_samples = samples(6)
    asyncio.run(execute(six_samples, [Faithfulness(judge())], lambda sample, _: done.append(sample.id), concurrency=6))
    assert done[-1] == "s0"
    results = evaluate(six_samples, [Faithfulness(judge())], concurrency=6)
    assert list(results.scores) == ["s0", "s1", "s2", "s3", "s4", "s5"]


def test_samples_are_drawn_one_by_one(judge, openai_server):
    """A set of any length takes the same memory: never more samples are drawn than are under way."""
    drawn, done, most = 0, 0, 0

    def source():
        nonlocal drawn, most
        for sample in samples(50):
            drawn += 1
            most = max(most, drawn - done)
            yield sample

    def keep(_, __):
        nonlocal done
        done += 1

    openai_server.latency = 0.005
    asyncio.run(execute(source(), [Faithfulness(judge())], keep, concurrency=4))
    assert (done, most) == (50, 4)


def test_a_budget_under_concurrency_is_not_passed(judge, openai_server):
    openai_server.latency = 0.02
    with pytest.raises(BudgetReached):
        evaluate(samples(40), [Faithfulness(judge(budget=Budget(calls=11)))], concurrency=8)
    assert len(openai_server.requests) == 11


def test_a_bad_row_in_the_middle_keeps_what_was_done():
    def source():
        yield from samples(3)
        raise InputError("row 4 is bad")

    recorded = []
    with pytest.raises(InputError, match="row 4"):
        asyncio.run(execute(source(), [TokenOverlap()], lambda s, _: recorded.append(s.id), concurrency=2))
    assert recorded == ["s0", "s1", "s2"]


def test_a_metric_that_breaks_fails_its_samples_and_nobody_elses():
    class Broken(Metric):
        name = "broken"

        async def measure(self, sample):
            if sample.id == "s1":
                raise ZeroDivisionError("a defect")
            return await TokenOverlap().measure(sample)

    results = evaluate(samples(3), [Broken()])
    statuses = [scores["broken"].status for scores in results.scores.values()]
    assert statuses == ["scored", "failed", "scored"]
    reason = results.scores["s1"]["broken"].reason
    assert reason.startswith("broken broke: ZeroDivisionError: a defect (test_execute.py, line ")
    assert "test_execute.py" in results.scores["s1"]["broken"].evidence["traceback"]


def test_two_samples_with_one_id_are_refused_and_not_merged():
    with pytest.raises(InputError, match='index 2, field id: "s0" is the id of index 0 too'):
        evaluate([*samples(2), samples(1)[0]], [TokenOverlap()])
