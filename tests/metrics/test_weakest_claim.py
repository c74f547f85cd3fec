"""The weakest claim: the lowest support, and no call of its own beside faithfulness."""

import asyncio
import math
from typing import Any

import pytest
from openai_server import Answer

from assay.metrics import Faithfulness, WeakestClaim


def test_lowest_probability_at_no_further_call(judge, sample, script, openai_server):
    """The answer's three sentences are supported with 0.8, 0.6 and 0.1: the lowest is 0.1, the mean 0.5."""
    replies = [
        Answer(text="Yes", logprobs=[{"Yes": math.log(0.8), "No": math.log(0.2)}]),
        Answer(text="Yes", logprobs=[{"Yes": math.log(0.6), "No": math.log(0.4)}]),
        Answer(text="No", logprobs=[{"No": math.log(0.9), "Yes": math.log(0.1)}]),
    ]
    script(options=replies)
    made = judge(logprobs=True)

    async def both() -> tuple[Any, Any]:
        return await Faithfulness(made).assess(sample()), await WeakestClaim(made).assess(sample())

    mean, lowest = asyncio.run(both())
    assert mean.value == pytest.approx(0.5, abs=1e-4)
    assert lowest.value == pytest.approx(0.1, abs=1e-4)
    assert lowest.evidence == mean.evidence
    assert len(openai_server.requests) == 3
    assert lowest.usage.calls == 0


def test_verdicts_without_probabilities_give_all_or_nothing(judge, sample, script):
    script(
        Claims={"claims": ["Payments lie under Payroll.", "It costs 5 euros."]}, ListedAnswers={"1": "Yes", "2": "No"}
    )
    score = asyncio.run(WeakestClaim(judge(), "judge").assess(sample()))
    assert (score.status, score.value) == ("scored", 0.0)
