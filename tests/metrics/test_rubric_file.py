"""Files of rubrics, and questions of your own: what the judge sees, what comes out, and mistakes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from case_files import cases_beside

from assay.cli.options import read_metrics
from assay.errors import InputError, UsageError
from assay.metrics import (
    JudgeCompleteness,
    JudgeRelatedness,
    JudgeTruthfulness,
    Rubric,
    RubricMetric,
    Score,
    load_metric,
    rating_request,
    read_rubric,
)
from assay.prompts import BUNDLED, Prompts

CASES = cases_beside(__file__)
YAML, RUBRIC = CASES["yaml"], CASES["rubric"]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_rubric(tmp_path):
    rubric = read_rubric(write(tmp_path, "helpful.yaml", YAML))
    assert [criterion.weight for criterion in rubric.criteria] == [2, 1]
    assert list(rubric.criteria[0].levels) == ["none", "some", "all"], "the lowest first, as written"
    assert rubric.criteria[1].levels == {"1": "It is rude.", "2": "It is polite."}


SOME, NONE = "      some: It names some.\n", "      none: It names some.\n"
MISTAKES = [
    ("weight: 2", "weight: -2", "line 6, criteria.0.weight: is -2; write a number above 0"),
    ("weight: 2", "wieght: 2", "line 6, criteria.0.wieght: is an unknown key; did you mean `weight`?"),
    ("reference]", "answer]", "line 2, fields.2: is \"answer\"; write 'user_input', 'response', 'ret"),
    (SOME, NONE, "line 9, criteria.0.levels.none: line 8 has this key too"),
    ("    question: Is the answer polite?\n", "", "line 11, criteria.1.question: is missing; add it"),
    ("      2: It is polite.\n", "", "line 13, criteria.1.levels: has too few entries (1); give 2"),
    ("criteria:", "criteria: [", "not valid YAML"),
    ("weight: 2", "weight: high", 'line 6, criteria.0.weight: is a text ("high"), not a number'),
    (
        "      none: It names no",
        "      no: It names no",
        "line 7, criteria.0.levels.0: YAML reads this label as false; put it in quotes",
    ),
    (YAML, "", "line 1, the whole file: is empty; write KEY: VALUE on each line; the keys are `name`"),
]


@pytest.mark.parametrize(("before", "after", "told"), MISTAKES)
def test_a_mistake_is_told_with_line_field_and_cure(tmp_path, before, after, told):
    assert before in YAML
    path = write(tmp_path, "helpful.yaml", YAML.replace(before, after, 1))
    with pytest.raises(InputError) as caught:
        read_rubric(path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line ")


def test_a_predicate_is_its_probability(judge, sample, decide, openai_server):
    decide(lambda statement: {"The answer is polite": 0.7}[statement])
    metric = load_metric('predicate:"The answer is polite"', judge(logprobs=True))
    score = asyncio.run(metric.assess(sample()))
    assert score.value == pytest.approx(0.7, abs=1e-4)
    assert metric.name == 'predicate:"The answer is polite"'
    assert [(claim.text, claim.verdict) for claim in score.claims] == [("The answer is polite", "supported")]
    asked = openai_server.requests[0].body["messages"][-1]["content"]
    assert "<answer>" in asked
    assert "<documentation>" not in asked


def test_the_judge_sees_the_fields_that_you_name(judge, sample, decide, openai_server):
    decide(lambda _: 0.7)
    metric = load_metric("predicate:It is short:fields=response+reference", judge(logprobs=True))
    assert metric.needs == ("response", "reference")
    assert asyncio.run(metric.assess(sample())).status == "skipped", "the sample has no reference"
    asyncio.run(metric.assess(sample(reference="Short.")))
    asked = openai_server.requests[0].body["messages"][-1]["content"]
    assert "<reference>\nShort.\n</reference>" in asked
    assert "<question>" not in asked


@pytest.mark.parametrize(
    ("typed", "statement", "needs"),
    [
        ('predicate:"It is polite, and short"', "It is polite, and short", ("user_input", "response")),
        ("predicate:It says: go", "It says: go", ("user_input", "response")),
        ('predicate:"a:fields=b":fields=response', "a:fields=b", ("response",)),
    ],
)
def test_how_a_statement_is_typed(judge, typed, statement, needs):
    (name, other) = read_metrics(f"{typed},token_overlap")
    metric: Any = load_metric(name, judge(decide="single"))
    assert (metric.statement, metric.needs, other) == (statement, needs, "token_overlap")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("predicate", "the statement is missing; write predicate:STATEMENT"),
        ("rubric", "the file is missing; write rubric:FILE"),
        ("predicate:It is short:fields=answer", "'answer' is no field that a judge can be shown"),
        ("predicate:It is short:colour=red", "'colour' is not an option of this metric; its options are: fields, sta"),
        ("rubric:nowhere.yaml", "nowhere.yaml: the file cannot be read"),
    ],
)
def test_a_mistake_in_the_specification(judge, typed, told):
    with pytest.raises((UsageError, InputError)) as caught:
        load_metric(typed, judge(decide="single"))
    assert told in str(caught.value)


def test_a_rubric_is_the_weighted_mean_of_its_criteria(judge, sample, decide):
    decide(lambda asked: {"2": 0.8, "1": 0.2} if "steps" in asked else {"1": 0.1, "2": 0.4, "3": 0.5})
    score = asyncio.run(
        RubricMetric(judge(logprobs=True), Rubric.model_validate(RUBRIC)).assess(sample(reference="Click."))
    )
    # steps: level 1.8 of 2 is 0.8; tone: level 2.4 of 3 is 0.7; weights 3 and 1
    assert score.value == pytest.approx((3 * 0.8 + 1 * 0.7) / 4, abs=1e-4)
    assert [(each["text"], each["level"]) for each in score.evidence["criteria"]] == [
        ("Steps", "all"),
        ("Tone", "kind"),
    ]
    assert score.reason == "Steps: all (0.80); Tone: kind (0.70)"
    assert score.evidence["criteria"][0]["reason"] == "all, level 1.80 of 2: P(none) = 0.20, P(all) = 0.80"


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
        assert name in question.instructions
        assert f"\n{name[0].upper()}{name[1:]}: " in task
    assert [question.id for question in request.questions] == ["truthfulness", "relatedness", "completeness"]
    assert all(question.options == ("1", "2", "3", "4", "5") for question in request.questions)
