"""A plan's identity and its record in a store stay what they were: stored runs are found again by them."""

import json

import pytest

from assay.judges import JudgeSettings
from assay.runs import Plan

PLANS = {
    # computed by version 0.1.0, before a plan was taken apart into what is scored and how it is carried out
    "459cc68dc061": Plan(sets=("helpdesk_en",), metrics=("faithfulness",)),
    "e8108820d1df": Plan(
        sets=("helpdesk_en",),
        metrics=('predicate:"The answer is polite"',),
        judge=JudgeSettings(model="openai/gpt-4o-mini", decide="listed", parameters={"temperature": 0}),
    ),
    "fa3d5a2c822e": Plan(
        sets=("/data/a.csv",),
        metrics=("scorer:/data/s.json", "my.py:is_short:limit=80", "ragas:faithfulness"),
        judge=JudgeSettings(model="openai/gpt-4o-mini"),
        embedder="st:x",
        mapping={"vraag": "user_input"},
        language="nl",
        split="test",
        limit=5,
        prompts="/data/prompts",
    ),
    "63cc44ea5b42": Plan(
        sets=("/data/a.xlsx",), metrics=("token_overlap",), sheet="2024", directions={"token_overlap": True}
    ),
}


@pytest.mark.parametrize("identity", PLANS)
def test_the_identity_is_that_of_runs_already_stored(identity: str) -> None:
    assert PLANS[identity].identity == identity


def test_the_record_has_the_fields_of_runs_already_stored() -> None:
    """In the order in which they are written, since the identity is a hash of the text."""
    record = json.loads(PLANS["459cc68dc061"].model_dump_json())
    assert list(record) == [
        *("sets", "metrics", "judge", "embedder", "mapping", "language", "split", "sheet", "limit", "prompts"),
        *("directions", "turns", "conversation_metrics", "has_pair_ratings"),
    ]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_is_read_back_from_its_record(plan: Plan) -> None:
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
