"""A run uses a view of the judge: what belongs to the run stays with it, and the judge is left as it was."""

import asyncio
from pathlib import Path
from typing import Any

from openai_server import Answer

from assay import aevaluate
from assay.eval_sets import Sample
from assay.judges import Budget, LiteLLMJudge
from assay.runs import Plan, Progress, RunOptions, ScoringRequest, Store, StoredRun, score_samples


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
