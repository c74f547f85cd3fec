"""assert_score: what passes, and what a failure shows."""

import asyncio
from typing import Any

import pytest

from assay import Sample, metric, scored, skipped
from assay.errors import UsageError
from assay.metrics import Claim, Place
from assay.testing import assert_score

ANSWER = {"user_input": "Is the course free?", "response": "It is free.", "retrieved_contexts": ["The course is free."]}


@metric
def with_claims(_: Sample) -> Any:
    claims = [
        Claim("It is free.", "supported", "the context says so", "course is free", Place(0, 4, 18), probability=0.93),
        Claim("It lasts a day.", "not_found", "no context says how long", "two\x1b[31m days"),
    ]
    return scored(0.5, "1 of 2 claims supported", {"claims": [claim.evidence() for claim in claims]})


def test_a_score_within_its_bounds_is_returned():
    assert assert_score("token_overlap", ANSWER, at_least=2 / 3).value == pytest.approx(2 / 3)
    sample = Sample(id="s1", **ANSWER)
    assert assert_score("token_overlap", sample, at_least=0.5, at_most=0.7).value == pytest.approx(2 / 3)
    assert assert_score("declined", ANSWER, at_most=0).value == 0.0


def test_a_failure_shows_claims_reasons_quotes_and_places():
    with pytest.raises(AssertionError) as failure:
        assert_score(with_claims, ANSWER, at_least=0.8)
    assert str(failure.value).splitlines() == [
        "with_claims is 0.5, below 0.8: 1 of 2 claims supported",
        "  question: Is the course free?",
        "  answer: It is free.",
        "  supported    P=0.93  It is free.",
        "               the context says so",
        '               "course is free" (context 0, 4-18)',
        "  not_found     It lasts a day.",
        "               no context says how long",
        '               "two[31m days" (not in the context)',
    ]


def test_a_value_that_is_too_high_fails_where_lower_is_better():
    with pytest.raises(AssertionError, match=r"^declined is 1, above 0: it declines"):
        assert_score("declined", ANSWER | {"response": "I have no information about that."}, at_most=0)


def test_no_value_never_passes():
    with pytest.raises(
        AssertionError, match=r"^token_overlap has no value, it is skipped: the sample has no retrieved"
    ):
        assert_score("token_overlap", {"response": "It is free."}, at_least=0)
    nothing = metric(lambda _: skipped("nothing to measure"))
    with pytest.raises(AssertionError, match="it is skipped: nothing to measure"):
        assert_score(nothing, ANSWER, at_most=1)


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("token_overlap", ANSWER, "needs a bound"),
        ("token_overlp", ANSWER, "the nearest are token_overlap"),
        ("token_overlap", {"respnse": "x"}, "respnse"),
        ("faithfulness", ANSWER, "asks a judge"),
    ],
)
def test_what_cannot_be_asserted_is_a_usage_error(name, fields, message):
    bounds = {} if "bound" in message else {"at_least": 0.5}
    with pytest.raises(UsageError, match=message):
        assert_score(name, fields, **bounds)


def test_it_works_inside_a_loop():
    async def inside():
        assert assert_score("token_overlap", ANSWER, at_least=0.5).status == "scored"

    asyncio.run(inside())
