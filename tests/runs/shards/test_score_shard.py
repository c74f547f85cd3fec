"""A shard's scores are those of a local run, are made once, and depend on nothing but the rows and the plan."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from openai_server import Answer, OpenAIServer, Request

from assay import evaluate
from assay.errors import BudgetReached, InputError
from assay.eval_sets import load_set
from assay.judges import Budget, load_settings
from assay.runs.shards import ShardPlan, ShardScorer, content_key, score_shard
from assay.runs.shards.shard_folder import shard_name

Make = Callable[..., Any]


def table(set_path: Path) -> pyarrow.Table:
    return pyarrow.Table.from_pylist([json.loads(line) for line in set_path.read_text().splitlines()])


@pytest.fixture
def rows(set_file: Make) -> pyarrow.Table:
    return table(set_file(4))


@pytest.fixture
def judged(judge_file: Make) -> ShardPlan:
    return ShardPlan(metrics=("judge_truthfulness",), judge=load_settings(str(judge_file())))


def test_a_shard_gets_the_scores_of_a_local_run(rows: pyarrow.Table, set_file: Make) -> None:
    result = score_shard(rows, ShardPlan(metrics=("declined",)))
    local = evaluate(set_file(4), "declined", progress=False)
    assert result.num_rows == 4
    for row in result.to_pylist():
        for metric, score in local.scores[row["id"]].items():
            assert (row[metric], row[f"{metric}.status"]) == (score.value, score.status)
            assert row[f"{metric}.reason"] == score.reason
            assert json.loads(row[f"{metric}.evidence"]) == json.loads(json.dumps(dict(score.evidence)))


def test_an_answer_that_was_scored_is_not_scored_again(
    rows: pyarrow.Table, judged: ShardPlan, openai_server: OpenAIServer
) -> None:
    first = score_shard(rows.slice(0, 3), judged)
    assert len(openai_server.requests) == 3
    both = score_shard(rows, judged, earlier=first)
    assert len(openai_server.requests) == 4  # one for the fourth answer
    assert both.slice(0, 3).equals(first)
    assert score_shard(rows, judged, earlier=both).equals(both)
    assert len(openai_server.requests) == 4


def test_another_content_or_plan_is_another_answer(rows: pyarrow.Table, judged: ShardPlan) -> None:
    (sample, *_) = load_set("helpdesk_en", limit=1)
    key = content_key(sample, judged)
    assert judged.judge is not None
    same = judged.model_copy(update={"concurrency": 3, "mode": "off"})
    changed_plans = [
        judged.model_copy(update={"metrics": ("judge_relatedness",)}),
        judged.model_copy(update={"judge": judged.judge.with_changes(max_tokens=77)}),
        judged.model_copy(update={"own_prompts": {"claims.en.md": "text"}}),
    ]
    assert content_key(sample, ShardPlan.model_validate_json(same.model_dump_json())) == key
    keys = {content_key(sample, ShardPlan.model_validate(plan.model_dump())) for plan in changed_plans}
    keys.add(content_key(sample.model_copy(update={"response": "No."}), judged))
    assert len(keys | {key}) == 5
    assert shard_name([key, "b"]) != shard_name(["b", key])


def test_what_failed_is_scored_again_and_its_replies_are_not_asked_for_again(
    rows: pyarrow.Table, judge_file: Make, openai_server: OpenAIServer
) -> None:
    settings = load_settings(str(judge_file(attempts=1)))
    plan = ShardPlan(metrics=("judge_truthfulness", "context_relevance"), judge=settings)
    failures: list[Request] = []

    def fail_one_metric_on_one_answer(request: Request) -> Answer | None:
        if "step 1?" not in request.user or "truthfulness" in request.user:
            return None
        failures.append(request)
        return Answer(status=400)

    openai_server.script = fail_one_metric_on_one_answer
    first = score_shard(rows, plan)
    assert first["judge_truthfulness.status"].to_pylist() == ["scored"] * 4
    assert first["context_relevance.status"].to_pylist() == ["scored", "failed", "scored", "scored"]
    asked = len(openai_server.requests)
    openai_server.script = None
    second = score_shard(rows, plan, earlier=first)
    assert second["context_relevance.status"].to_pylist() == ["scored"] * 4
    assert len(openai_server.requests) == asked + len(failures) == asked + 1
    assert [len(replies) for replies in second["replies"].to_pylist()] == [2, 2, 2, 2]


def test_at_a_bound_of_the_budget_what_was_scored_is_there(
    rows: pyarrow.Table, judged: ShardPlan, openai_server: OpenAIServer
) -> None:
    with ShardScorer(judged, budget=Budget(calls=2)) as scorer:
        with pytest.raises(BudgetReached):
            scorer.score(rows)
        unfinished = scorer.unfinished
    assert unfinished is not None
    scored = [row["id"] for row in unfinished.to_pylist() if row["judge_truthfulness.status"] == "scored"]
    assert len(scored) == 2
    score_shard(rows, judged, earlier=unfinished)
    assert len(openai_server.requests) == 4


def test_a_bad_row_is_named(rows: pyarrow.Table) -> None:
    bad = rows.set_column(rows.schema.get_field_index("rating"), "rating", pyarrow.array([1, 2, 9, 4]))
    with pytest.raises(InputError, match=r"the shard, row 3, field rating: .*outside the scale 1-5"):
        score_shard(bad, ShardPlan(metrics=("token_overlap",)))
