"""Judge ratings: one call for three, and the expected value over the digits where the judge tells its doubts."""

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer

from assay.metrics import JudgeCompleteness, JudgeRelatedness, JudgeTruthfulness, Score

Make = Callable[..., Any]
ALL = (JudgeTruthfulness, JudgeRelatedness, JudgeCompleteness)


def all_three(judge: Any, sample: Any) -> list[Score]:
    async def run() -> list[Score]:
        return [await metric(judge).assess(sample) for metric in ALL]

    return asyncio.run(run())


def test_three_ratings_take_one_call(judge: Make, sample: Make, script: Make, openai_server: OpenAIServer) -> None:
    script(Ratings={"truthfulness": 4, "relatedness": 5, "completeness": 2})
    scores = all_three(judge(), sample())
    assert [score.value for score in scores] == [4.0, 5.0, 2.0]
    assert len(openai_server.requests) == 1
    assert [score.usage.calls for score in scores] == [1, 0, 0]  # what was taken is counted once


def reply_with_alternatives(*pieces: str | dict[str, float]) -> Answer:
    """A reply in tokens; a piece in doubt gives its alternatives' probabilities, the said one first."""
    places = [
        {piece: 0.0} if isinstance(piece, str) else {token: math.log(p) for token, p in piece.items()}
        for piece in pieces
    ]
    return Answer(text="".join(next(iter(place)) for place in places), logprobs=places)


def test_the_expected_value_over_the_digits(judge: Make, sample: Make, script: Make) -> None:
    script(
        Ratings=lambda _: reply_with_alternatives(
            '{"truthfulness": ',
            {"4": 0.6, "5": 0.3, "3": 0.1},
            ', "relatedness": ',
            {"5": 0.9, "1": 0.1},
            ', "completeness": ',
            {"2": 0.5, "9": 0.25, "x": 0.25},
            "}",
        )
    )
    scores = all_three(judge(logprobs=True), sample())
    assert scores[0].value == pytest.approx(0.6 * 4 + 0.3 * 5 + 0.1 * 3, abs=1e-3)  # 4.2
    assert scores[1].value == pytest.approx(0.9 * 5 + 0.1 * 1, abs=1e-3)  # 4.6
    assert scores[2].value == pytest.approx(2.0)  # what is no rating does not count
    assert [score.evidence["stars"] for score in scores] == [4, 5, 2]


def test_digits_belong_to_their_requirements_in_whatever_order(judge: Make, sample: Make, script: Make) -> None:
    script(
        Ratings=lambda _: reply_with_alternatives(
            '{"completeness": ',
            {"1": 0.8, "2": 0.2},
            ', "truthfulness": ',
            {"5": 1.0},
            ', "relatedness": ',
            {"3": 1.0},
            "}",
        )
    )
    assert [score.value for score in all_three(judge(logprobs=True), sample())] == pytest.approx(
        [5.0, 3.0, 1.2], abs=1e-3
    )


def test_alternatives_that_do_not_match_the_text_are_not_used(judge: Make, sample: Make, script: Make) -> None:
    answer = Answer(
        text='{"truthfulness": 4, "relatedness": 5, "completeness": 2}', logprobs=[{"4": -0.5, "1": -0.9}, {"5": 0.0}]
    )
    script(Ratings=lambda _: answer)
    scores = all_three(judge(logprobs=True), sample())
    assert [score.value for score in scores] == [4.0, 5.0, 2.0]
    assert scores[0].evidence["expected"] is None


@pytest.mark.parametrize("stars", [0, 6, 3.5, "good", None])
def test_what_is_no_rating_fails_and_is_kept(judge: Make, sample: Make, script: Make, stars: Any) -> None:
    script(Ratings={"truthfulness": stars, "relatedness": 5, "completeness": 2})
    score = all_three(judge(), sample())[0]
    assert (score.status, score.value) == ("failed", None)
    assert "truthfulness" in score.reason


def test_the_range_is_one_to_five() -> None:
    assert {metric.range for metric in ALL} == {(1.0, 5.0)}
