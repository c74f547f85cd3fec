"""Judge ratings: three questions in one request, and the expected stars where the judge gives probabilities."""

import asyncio
from typing import Any

import pytest

from assay.errors import UsageError
from assay.metrics import JudgeCompleteness, JudgeRelatedness, JudgeTruthfulness, Score
from assay.metrics.judge_rating import rating_request
from assay.prompts import BUNDLED, Prompts
from assay.prompts.prompt import parse_prompt

ALL = (JudgeTruthfulness, JudgeRelatedness, JudgeCompleteness)


def all_three(judge: Any, sample: Any, prompts: Prompts = BUNDLED) -> list[Score]:
    async def run() -> list[Score]:
        return [await metric(judge, prompts).assess(sample) for metric in ALL]

    return asyncio.run(run())


def test_three_ratings_take_one_call(judge, sample, script, openai_server):
    script(ListedAnswers={"truthfulness": "4", "relatedness": "5", "completeness": "2"})
    scores = all_three(judge(), sample())
    assert [score.value for score in scores] == [4.0, 5.0, 2.0]
    assert [score.evidence["expected"] for score in scores] == [None, None, None]
    assert len(openai_server.requests) == 1
    assert [score.usage.calls for score in scores] == [1, 0, 0]  # what was taken is counted once


def test_the_expected_stars(judge, sample, decide, openai_server):
    """4 x 0.6 + 5 x 0.3 + 3 x 0.1 = 4.2; 5 x 0.9 + 1 x 0.1 = 4.6; 2 x 0.5 / 0.5 = 2: what is no star is left out."""
    shares = {"truth": {"4": 0.6, "5": 0.3, "3": 0.1}, "relat": {"5": 0.9, "1": 0.1}, "compl": {"2": 0.5, "x": 0.25}}
    decide(lambda asked: next(shares[name] for name in shares if f"the {name}" in asked.rpartition("</answer>")[2]))
    scores = all_three(judge(logprobs=True), sample())
    assert [score.value for score in scores] == pytest.approx([4.2, 4.6, 2.0], abs=1e-3)
    assert [score.evidence["stars"] for score in scores] == [4, 5, 2]
    assert scores[1].evidence["probabilities"] == pytest.approx({"1": 0.1, "2": 0, "3": 0, "4": 0, "5": 0.9}, abs=1e-3)
    assert len(openai_server.requests) == 3  # question by question, for all three metrics together
    assert [score.usage.calls for score in scores] == [3, 0, 0]


@pytest.mark.parametrize("stars", ["0", "6", "3.5", "good", None, 4.5])
def test_what_is_no_rating_fails_alone(judge, sample, script, stars):
    script(ListedAnswers={"truthfulness": stars, "relatedness": "5", "completeness": "2"})
    truthfulness, relatedness, completeness = all_three(judge(), sample())
    assert (truthfulness.status, truthfulness.value) == ("failed", None)
    assert "there is no rating of truthfulness" in truthfulness.reason
    assert (relatedness.value, completeness.value) == (5.0, 2.0)


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ("truthfulness", "relatedness", "completeness")),
        ("nl", ("waarheid", "samenhang", "volledigheid")),
        ("de", ("Wahrheit", "Bezug", "Vollständigkeit")),
        ("es", ("truthfulness", "relatedness", "completeness")),  # which has no prompts
    ],
)
def test_the_prompt_defines_what_the_questions_name(sample, language, names):
    request = rating_request(sample(language=language), BUNDLED)
    task = BUNDLED.load(request.task, language).task
    for question, name in zip(request.questions, names, strict=True):
        assert name in question.instructions  # type: ignore[union-attr]
        assert f"\n{name[0].upper()}{name[1:]}: " in task
    assert [question.id for question in request.questions] == ["truthfulness", "relatedness", "completeness"]
    assert all(question.options == ("1", "2", "3", "4", "5") for question in request.questions)


def test_a_prompt_of_yours_from_before_typed_questions_is_refused(judge, sample):
    """Its user part cannot say which of the three is asked."""
    former = parse_prompt(
        "## system\nRate.\n\n## user\n$documentation $question $answer", "rating", "en", "rating.en.md"
    )
    with pytest.raises(UsageError, match=r"has no part `## task`.*assay prompts copy rating") as raised:
        all_three(judge(logprobs=True), sample(), BUNDLED.replacing(former))
    assert "decide: single" not in str(raised.value)  # which it already is
