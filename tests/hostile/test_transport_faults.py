"""Faithfulness through each transport while three of ten calls break: every score is right, or failed with a reason."""

import random

import pytest
from openai_server import Answer

from assay import evaluate
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge

TRANSPORTS = ("single", "listed", "decisions", "systemone")
FAULTS = {
    "429": lambda: Answer(status=429, headers={"Retry-After": "0"}),
    "500": lambda: Answer(status=500),
    "reset": lambda: Answer(fault="reset"),
    "cut": lambda: Answer(fault="cut"),
    "no JSON": lambda: Answer(raw="<html>"),
    "null": lambda: Answer(raw="null"),
    "no answers": lambda: Answer(raw='{"answers": [], "model": "m", "usage": {}}'),
    "another shape": lambda: Answer(raw='{"answers": {"1": [["yes"]]}, "choices": {"a": 1}}'),
    "deep": lambda: Answer(raw='{"answers": ' * 5000),
}
SAMPLES = [
    Sample(
        id=f"s{n}",
        language="en",
        user_input="How?",
        response=f"Press button {n}. Bonuses are paid in May. It costs {n} euros.",
        retrieved_contexts=(f"Press button {n}.",),
    )
    for n in range(6)
]


@pytest.mark.parametrize("decide", TRANSPORTS)
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_in_three_of_ten_calls(decide, kind, openai_server):
    openai_server.script = None
    right = scores(openai_server, decide)
    assert {score.status for score in right.values()} == {"scored"}
    draw = random.Random(f"{decide} {kind}")
    openai_server.script = lambda _: FAULTS[kind]() if draw.random() < 0.3 else None
    for name, score in scores(openai_server, decide).items():
        if score.status == "scored":
            assert score.value == right[name].value
        else:
            assert score.status == "failed" and score.reason and "Traceback" not in score.reason


def scores(server, decide):
    settings = JudgeSettings(
        model="hosted_vllm/test" if decide == "systemone" else "openai/test",
        api_base=server.api_base,
        structured="schema",
        decide=decide,
        wait=0,
        timeout=5,
        attempts=4,
        concurrency=4,
    )
    results = evaluate(SAMPLES, ["faithfulness"], judge=LiteLLMJudge(settings))
    return {sample: each["faithfulness"] for sample, each in results.scores.items()}
