"""Log probabilities that nobody gave, or that are impossible: never a number made of them."""

import json

import pytest
from openai_server import Answer

from assay import evaluate
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge

SAMPLE = Sample(
    id="s",
    language="en",
    user_input="How do I save?",
    response="Press Save. Send flowers.",
    retrieved_contexts=("Press Save.",),
)
METRICS = ["faithfulness", "weakest_claim", "judge_truthfulness"]


def score(server, cassette=None, mode="auto", **changes):
    settings = JudgeSettings(
        model="openai/test", api_base=server.api_base, structured="schema", logprobs=True, attempts=1, **changes
    )
    judge = LiteLLMJudge(settings, cassette=cassette, mode=mode)
    results = evaluate([SAMPLE], METRICS, judge=judge)
    judge.close()
    return dict(results.scores["s"])


def say_no(server, place):
    """The judge says No to each claim, with these alternatives."""
    server.script = lambda request: (
        Answer(text="No", logprobs=None if place is None else [place]) if request.schema == "options" else None
    )


def test_without_log_probabilities_a_verdict_is_plain_and_one_line_says_so(openai_server, caplog):
    """The word decides, and P(supported) is not 0.00 but unknown."""
    say_no(openai_server, None)
    scores = score(openai_server)
    faithfulness = scores["faithfulness"]
    assert (faithfulness.status, faithfulness.value) == ("scored", 0.0)
    assert [claim["probability"] for claim in faithfulness.evidence["claims"]] == [None, None]
    assert "gives no probability" in faithfulness.reason and "P(supported)" not in json.dumps(faithfulness.evidence)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("assay.")]
    assert len(lines) == 1 and "openai/test gives no log probabilities" in lines[0]


def test_without_log_probabilities_a_sample_fails_where_the_setting_says_so(openai_server):
    say_no(openai_server, None)
    faithfulness = score(openai_server, without_logprobs="fail")["faithfulness"]
    assert (faithfulness.status, faithfulness.value) == ("failed", None)
    assert "gives no log probabilities" in faithfulness.reason


IMPOSSIBLE = {
    "above 0": {"No": 0.7, "Yes": -0.7},
    "far above 0": {"No": 1e300, "Yes": -0.7},
    "too large for exp": {"No": 710.0, "Yes": -0.7},
    "not a number": {"No": float("nan"), "Yes": -0.7},
    "an alternative that is not a number": {"No": -0.7, "Yes": float("nan")},
    "an alternative above 0": {"No": -0.7, "Yes": 3.0},
    "infinite": {"No": float("inf"), "Yes": -0.7},
    "its own word was impossible": {"No": float("-inf"), "Yes": -0.7},
    "they sum to nothing": {"No": -9999.0, "Yes": -9999.0},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_log_probabilities_fail_with_the_reason(name, openai_server, tmp_path):
    say_no(openai_server, IMPOSSIBLE[name])
    live = score(openai_server, tmp_path / "replies.jsonl", "record")["faithfulness"]
    assert (live.status, live.value) == ("failed", None), live
    assert "which is impossible" in live.reason or "sum to nothing" in live.reason
    assert "Traceback" not in live.reason and "Error" not in live.reason
    openai_server.forget()
    replayed = score(openai_server, tmp_path / "replies.jsonl", "replay")["faithfulness"]
    assert (replayed.status, replayed.reason) == ("failed", live.reason)
    assert not openai_server.requests


def test_an_alternative_without_any_probability_is_left_out(openai_server):
    """P(No) = 1 where the only other word has the log probability minus infinity."""
    say_no(openai_server, {"No": 0.0, "Yes": float("-inf")})
    claims = score(openai_server)["faithfulness"].evidence["claims"]
    assert [claim["probability"] for claim in claims] == [0.0, 0.0]
