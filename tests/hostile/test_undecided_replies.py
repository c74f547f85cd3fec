"""A judge that says two things at once, or takes its word back, has said nothing: such a reply counts for no answer.

So do log probabilities that nobody gave, or that are impossible: no number is made of them.
"""

import json
import math
import re

import pytest
from case_files import cases_beside
from hypothesis import given, strategies as st
from openai_server import Answer

from assay import evaluate
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge, RawReply, choose_option, read_option

YES_NO, JA_NEE, JA_NEIN, STARS = ("Yes", "No"), ("Ja", "Nee"), ("Ja", "Nein"), ("1", "2", "3", "4", "5")
VERDICTS, WINNER = ("supported", "not supported", "not found"), ("A", "B", "Neither")

CASES = cases_beside(__file__)
OPTIONS = {
    "yes_no": YES_NO,
    "ja_nee": JA_NEE,
    "ja_nein": JA_NEIN,
    "stars": STARS,
    "verdicts": VERDICTS,
    "winner": WINNER,
}


@pytest.mark.parametrize(
    ("options", "text"), [(OPTIONS[name], text) for name, texts in CASES["undecided"].items() for text in texts]
)
def test_a_reply_that_says_no_option_or_several_is_none(options, text):
    assert read_option(text, options) is None
    assert choose_option(RawReply("m", text), options)[0] is None
    if len(re.findall(r"\w+", text)) > 1:  # the probabilities of its first token do not decide what it took back
        logprobs = ({options[0]: math.log(0.9), options[1]: math.log(0.1)},)
        assert choose_option(RawReply("m", text, logprobs=logprobs), options)[0] is None


@pytest.mark.parametrize(
    ("options", "text", "option"),
    [
        (OPTIONS[name], text, option)
        for name, by_option in CASES["decided"].items()
        for option, texts in by_option.items()
        for text in texts
    ],
)
def test_a_reply_with_one_option_is_read(options, text, option):
    assert read_option(text, options) == option
    assert choose_option(RawReply("m", text), options)[0] == option
    logprobs = ({options[0]: math.log(0.9), options[1]: math.log(0.1)},)  # where there are some, they decide
    assert choose_option(RawReply("m", text, logprobs=logprobs), options)[0] == options[0]


@given(
    st.sampled_from([YES_NO, JA_NEE, JA_NEIN, STARS]),
    st.data(),
    st.sampled_from(
        [" and ", "/", ", ", ". ", "\n", " - ", " or ", " en ", "; ", " | ", " (", " vs ", ": ", "?! ", "…"]
    ),
    st.sampled_from(["", ".", "!", "\n", " ", ")", "**"]),
)
def test_law_two_options_side_by_side_are_none(options, data, between, after):
    first, second = data.draw(st.permutations(options))[:2]
    for change in (str, str.lower, str.upper):
        assert read_option(change(f"{first}{between}{second}{after}"), options) is None


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
    said = r"the log probability of '\w+' is .*, which is impossible|the probabilities of No sum to nothing"
    assert re.search(said, live.reason), live.reason
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
