"""Many who ask one judge, and views of it: what is asked once, what belongs to a run, and how it ends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer

from assay import aevaluate
from assay.errors import JudgeError
from assay.eval_sets import Sample
from assay.judges import Budget, LiteLLMJudge
from assay.runs import Plan, Progress, RunOptions, ScoringRequest, Store, StoredRun, score_samples


async def closed_after(judge: LiteLLMJudge, *questions: Any) -> list[Any]:
    async with judge:
        return await asyncio.gather(*(judge.ask(question) for question in questions))


def test_identical_questions_in_flight_are_asked_once(openai_server, judge, ask):
    openai_server.latency = 0.05
    asking = judge()
    questions = [ask("Same", sample=f"s{number}") for number in range(10)]
    replies = asyncio.run(closed_after(asking, *questions))
    assert len(openai_server.requests) == 1
    assert {reply.value.text for reply in replies} == {"I see."}
    assert [reply.usage.calls for reply in replies] == [1] + [0] * 9, "what it took is counted once"
    assert asking.usage.calls == 1
    assert not any(reply.from_cassette for reply in replies)


def test_the_same_a_moment_later_is_not_asked_again(openai_server, judge, ask):
    """Ragas asked the same question three times at temperature 0."""

    async def twice() -> list[Any]:
        async with judge() as asking:
            return [await asking.ask(ask("Same")), await asking.ask(ask("Same"))]

    first, second = asyncio.run(twice())
    assert len(openai_server.requests) == 1
    assert (second.value, second.usage.calls, second.from_cassette) == (first.value, 0, False)


def test_one_who_asks_may_go_and_the_others_still_get_the_reply(openai_server, judge, ask):
    openai_server.latency = 0.1

    async def one_goes() -> tuple[Any, LiteLLMJudge]:
        async with judge() as asking:
            goes, stays = (asyncio.create_task(asking.ask(ask("Same"))) for _ in range(2))
            while not openai_server.requests:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            goes.cancel()
            return await stays, asking

    reply, asking = asyncio.run(one_goes())
    assert reply.value.text == "I see."
    assert len(openai_server.requests) == 1
    assert asking.usage.calls == 1


def test_a_shared_failure_reaches_each_that_shared_it(openai_server, judge, ask):
    openai_server.script = lambda _: Answer(status=401, latency=0.05)

    async def both() -> list[Any]:
        asking = judge()
        calls = [asking.ask(ask("Same", sample=name)) for name in ("anna", "bert")]
        return await asyncio.gather(*calls, return_exceptions=True)

    anna, bert = asyncio.run(both())
    assert isinstance(anna, JudgeError) and "AuthenticationError" in str(anna)
    assert isinstance(bert, JudgeError) and str(bert) == str(anna), "the reason names no sample: equal ones are counted"
    assert len(openai_server.requests) == 1


def test_a_failure_is_not_remembered(openai_server, judge, ask):
    openai_server.script = lambda request: Answer(status=400) if request.number == 1 else None

    async def twice() -> Any:
        asking = judge()
        with pytest.raises(JudgeError):
            await asking.ask(ask("Same"))
        return await asking.ask(ask("Same"))

    assert asyncio.run(twice()).value.text == "I see."


def test_connections_are_used_again(openai_server, judge, ask):
    openai_server.latency = 0.01

    async def rounds() -> None:
        async with judge(concurrency=4) as asking:
            for number in range(10):
                await asyncio.gather(*(asking.ask(ask(f"Question {number}.{each}")) for each in range(4)))

    asyncio.run(rounds())
    assert len(openai_server.requests) == 40
    assert openai_server.connections <= 4


def test_leaving_ends_what_nobody_waits_for(openai_server, judge, ask, tmp_path):
    """Else a call would go on behind the back of a run that was stopped, and write into a closed cassette."""
    openai_server.script = lambda _: Answer(fault="hang")

    async def leave() -> int:
        async with judge(cassette=tmp_path / "a.jsonl") as asking:
            call = asyncio.create_task(asking.ask(ask("Anyone?")))
            while not openai_server.requests:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            call.cancel()
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(leave()) <= 1  # `asked` itself may not have heard yet
    assert list(tmp_path.iterdir()) == []


QUIET = """
import asyncio, sys
from assay.judges import LiteLLMJudge, PlainText, Question
from assay.prompts import PromptMessage, Prompt

ask = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")

async def main():
    async with LiteLLMJudge("openai/test", api_base=sys.argv[1], attempts=1) as judge:
        for text in ("One", "Two"):
            try:
                await judge.ask(Question(ask, text, PlainText))
                print("fine")
            except Exception as error:
                print(type(error).__name__)

asyncio.run(main())
"""


def test_litellm_prints_nothing(openai_server, warm_python):
    openai_server.script = lambda request: Answer(status=500) if request.user == "Two" else None
    process = warm_python.run("-c", QUIET, openai_server.api_base)
    assert (process.returncode, process.stdout, process.stderr) == (0, "fine\nJudgeError\n", "")


def state_of(judge: LiteLLMJudge) -> tuple[Any, ...]:
    """What a run might change."""
    return judge.usage, judge.replies, judge.retries, list(judge._stores), dict(judge._recent), judge._under_way


async def score_plan(plan: Plan, store: Store, judge: LiteLLMJudge, resume: str | None = None) -> tuple[str, Progress]:
    """Scores the plan's samples by this very judge; the run's id and what its session took."""
    record, progress = StoredRun(plan, store, resume), Progress()
    request = ScoringRequest(metrics=plan.metrics, judge=judge, options=RunOptions(concurrency=2))
    await score_samples(plan.samples(), record, request, progress=progress)
    return record.run, progress


def run_twice_at_once(judge: LiteLLMJudge, path: Path, folder: Path) -> list[Any]:
    """Two runs of one set with one judge object, each in a store of its own; what each store kept."""
    plan = Plan(sets=(str(path),), metrics=("judge_truthfulness",), judge=judge.settings)
    stores = [Store(folder / name) for name in ("one", "two")]

    async def run(store: Store) -> Any:
        run, progress = await score_plan(plan, store, judge)
        return progress, {sample: score for sample, _, score in store.scores(run)}

    async def both() -> list[Any]:
        return await asyncio.gather(*map(run, stores))

    return asyncio.run(both())


def test_runs_at_once_do_not_read_each_others_replies(openai_server, judge, set_file, tmp_path):
    """Six samples in two runs: each run asks its own six questions, counts them, and keeps them in its own store."""
    openai_server.latency = 0.02
    asking = judge()
    before = state_of(asking)
    runs = run_twice_at_once(asking, set_file(6), tmp_path)
    assert len(openai_server.requests) == 12
    assert [progress.usage.calls for progress, _ in runs] == [6, 6]
    assert [progress.usage.from_cassette for progress, _ in runs] == [0, 0]
    assert state_of(asking) == before


def test_a_resumed_run_reads_its_own_replies(openai_server, judge, set_file, tmp_path):
    asking, store = judge(), Store(tmp_path / "runs")
    plan = Plan(sets=(str(set_file(3)),), metrics=("judge_truthfulness",), judge=asking.settings)

    run, _ = asyncio.run(score_plan(plan, store, asking))
    store.database.execute("DELETE FROM scores WHERE run = ?", (run,))
    _, again = asyncio.run(score_plan(plan, store, asking, resume=run))
    assert (again.usage.calls, again.usage.from_cassette) == (3, 3)
    assert len(openai_server.requests) == 3


def test_views_share_the_budget_and_the_calls_at_once(openai_server, judge, ask):
    openai_server.latency = 0.05
    asking = judge(concurrency=2, budget=Budget(calls=5))

    async def both() -> list[Any]:
        views = [asking.for_run(), asking.for_run()]
        calls = [view.ask(ask(f"Question {n}")) for view in views for n in range(4)]
        return await asyncio.gather(*calls, return_exceptions=True)

    replies = asyncio.run(both())
    assert sorted(type(reply).__name__ for reply in replies) == ["BudgetReached"] * 3 + ["Reply"] * 5
    assert openai_server.most_at_once == 2


def test_evaluate_leaves_the_judge_as_it_was(openai_server, judge, known):
    openai_server.script = lambda request: Answer(text="no JSON") if request.number == 1 else None
    asking = judge()
    before = state_of(asking)
    sample: Sample = known(1).sample
    results = asyncio.run(aevaluate([sample], ["judge_truthfulness"], judge=asking))
    assert state_of(asking) == before
    assert (results.replies.questions, results.replies.unparsable) == (1, 1)
    assert results.usage.calls == 2


def test_a_second_asking_that_fails_counts_the_question_once(openai_server, judge, known):
    """The first reply cannot be used, and the call that names what was wrong is refused."""
    openai_server.script = lambda request: Answer(text="no JSON") if request.number == 1 else Answer(status=400)
    results = asyncio.run(aevaluate([known(1).sample], ["judge_truthfulness"], judge=judge()))
    assert (results.replies.questions, results.replies.unparsable) == (1, 1)
