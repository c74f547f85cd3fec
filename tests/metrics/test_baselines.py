"""The baselines, worked out by hand, and what every metric promises."""

import asyncio
from typing import Any

import pytest

from assay.errors import UsageError
from assay.metrics import AnswerLength, Metric, RougeLPrecision, Score, TokenOverlap
from assay.metrics.catalogue import describe_metric, load_metric, metric_names


def score(metric: Metric, sample: Any) -> Score:
    return asyncio.run(metric.assess(sample))


@pytest.mark.parametrize(
    ("answer", "contexts", "overlap", "rouge", "length"),
    [
        ("the red cat", ("The red, red cat!",), 3 / 3, 3 / 3, 3),
        ("cat red the", ("The red, red cat!",), 3 / 3, 1 / 3, 3),  # the order is ROUGE's alone
        ("red red red dog", ("red cat", "red dog"), 4 / 4, 3 / 4, 4),  # red ... red ... dog over both contexts
        ("a b c d", ("x y",), 0.0, 0.0, 4),
        ("fünf Löffel Öl", ("FÜNF LÖFFEL",), 2 / 3, 2 / 3, 3),
    ],
)
def test_baselines(*, sample, answer, contexts, overlap, rouge, length):
    tested = sample(response=answer, retrieved_contexts=contexts)
    assert score(TokenOverlap(), tested).value == pytest.approx(overlap)
    assert score(RougeLPrecision(), tested).value == pytest.approx(rouge)
    assert score(AnswerLength(), tested).value == length


def test_words_that_the_context_lacks_are_in_the_evidence(sample):
    scored = score(TokenOverlap(), sample(response="Click Save and Undo.", retrieved_contexts=("Click Save.",)))
    assert scored.evidence == {"not_in_context": ["and", "undo"]}


@pytest.mark.parametrize("metric", [TokenOverlap(), RougeLPrecision()])
@pytest.mark.parametrize("fields", [{"response": "?!"}, {"response": ""}, {"retrieved_contexts": ()}])
def test_nothing_to_compare_is_skipped(sample, metric, fields):
    scored = score(metric, sample(**fields))
    assert (scored.status, scored.value) == ("skipped", None)
    assert scored.reason


@pytest.mark.parametrize("value", [float("nan"), None])
def test_a_score_is_never_nan_and_never_without_a_value(value):
    with pytest.raises(ValueError, match="score"):
        Score(value, "scored", "because")
    with pytest.raises(ValueError, match="cannot have the value"):
        Score(1.0, "failed", "because")


@pytest.mark.parametrize("name", [name for name in metric_names() if not describe_metric(name).argument])
def test_every_metric_says_what_it_is(judge, name):
    metric = load_metric(name, judge())
    assert metric.name == name
    assert metric.needs == tuple(dict.fromkeys(metric.needs))
    assert metric.range[0] is not None
    assert isinstance(metric.higher_is_better, bool)


def test_a_metric_that_asks_needs_a_judge():
    with pytest.raises(UsageError, match="--judge"):
        load_metric("faithfulness")


def test_score_takes_fields_also_inside_a_running_loop():
    # As in a notebook's cell.

    async def cell() -> float | None:
        return TokenOverlap().score(response="x", retrieved_contexts=["x"]).value

    assert asyncio.run(cell()) == 1.0
    with pytest.raises(UsageError, match="respnse"):
        TokenOverlap().score(respnse="x")
