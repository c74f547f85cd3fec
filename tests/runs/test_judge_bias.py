"""The bias card of a judge, by hand: what is measured, by what, and what is said where nothing measured it."""

from typing import Any

import pytest

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.meta_eval.estimate import Estimate
from assay.metrics import Score
from assay.runs.judge_bias import Bias, describe_unmeasured, measure_biases
from assay.runs.judge_probes import ProbeFindings
from assay.runs.judge_scoring import JudgeScores

NOTHING = Estimate(None, n=0, problem="no claim stands in both")


def score(value: float | None, **evidence: Any) -> Score:
    return Score(value, "failed" if value is None else "scored", "", evidence, Usage())


def card(judge: JudgeScores, samples: list[Sample], *probes: ProbeFindings) -> dict[str, Bias]:
    return {f"{bias.bias} by {bias.source}": bias for bias in measure_biases(judge, samples, probes)}


def systems(*rows: tuple[str, str, float | None, float]) -> tuple[list[Sample], dict[str, Score]]:
    """Samples by (group, system, rating, score)."""
    samples = [
        Sample(id=f"s{place}", user_input="q", response="a", group=group, rating=rating, metadata={"system": system})
        for place, (group, system, rating, _) in enumerate(rows)
    ]
    return samples, {f"s{place}": score(value) for place, (*_, value) in enumerate(rows)}


def test_own_answers_at_equal_ratings() -> None:
    """The score is 0.2 + 0.5 x the rating's share, and 0.1 more for the judge's own model.

    The own answers are rated 4 and 5, the others 1 to 4: the plain difference of the scores would be far more.
    """
    rows = [
        (f"g{place}", system, rating, 0.2 + 0.5 * (rating - 1) / 4 + 0.1 * (system == "gpt-x"))
        for place in range(6)
        for system, rating in (("gpt-x", 4 + place % 2), ("rules", 1 + place % 4))
    ]
    samples, scores = systems(*rows)
    bias = card(JudgeScores("one", scores, 1, model="openai/gpt-x"), samples)["self-preference by metadata.system"]
    assert bias.change.value == pytest.approx(0.1)
    assert (bias.change.n, bias.change.groups) == (12, 6)
    noisy = {key: score((one.value or 0.0) + 0.05 * (int(key[1:]) % 3 == 0)) for key, one in scores.items()}
    change = card(JudgeScores("one", noisy, 1, model="gpt-x"), samples)["self-preference by metadata.system"].change
    assert change.value is not None and change.low is not None and change.high is not None
    assert change.low < change.value < change.high


def test_own_answers_that_are_all_rated_alike() -> None:
    """All are rated 3: the coefficient is the difference of the means, 0.8 - 0.5."""
    rows = [(f"g{place}", system, 3.0, value) for place in range(6) for system, value in (("m", 0.8), ("n", 0.5))]
    samples, scores = systems(*rows)
    bias = card(JudgeScores("m", scores, 1), samples)["self-preference by metadata.system"]
    assert bias.change.value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("g", "other", 3, 0.5)], "no answer says that it is of the judge's own model (metadata.system)"),
        ([("g", "m", None, 0.5), ("g", "n", 3, 0.5)], "no answer of the judge's own model has a rating and a score"),
        ([("g", "m", 3, 0.5)], "no answer of another model has a rating and a score"),
    ],
)
def test_self_preference_that_is_not_measured(rows: list[tuple[str, str, float | None, float]], problem: str) -> None:
    samples, scores = systems(*rows)
    bias = card(JudgeScores("m", scores, 1), samples)["self-preference by metadata.system"]
    assert (bias.change.value, bias.change.problem) == (None, problem)


def test_position_is_that_of_two_answers_in_both_orders() -> None:
    """Of six pairs one is decided by the order (2 of 2 choices first), one chosen once (1 of 1), one last (0 of 2).

    The other three are decided by the answer, 1 of 2 each: 6 of 11 choices fell on what was read first.
    """
    samples = [Sample(id=f"s{place}", user_input="q", response="a", group=f"g{place}") for place in range(6)]

    def pair(first: str, second: str) -> Score:
        orders = [{"shown_first": "first", "choice": first}, {"shown_first": "second", "choice": second}]
        return score(0.5, orders=orders, contradiction={first, second} == {"first", "second"})

    choices = [("first", "second"), ("first", "tie"), ("second", "first"), *[("first", "first")] * 3]
    scores = {f"s{place}": pair(*both) for place, both in enumerate(choices)}
    change = card(JudgeScores("m", scores, 1), samples)["position by pairwise"].change
    assert change.value == pytest.approx(6 / 11 - 0.5)
    assert change.low is not None and change.high is not None and -0.5 < change.low < 0 < change.high < 0.5


def test_probes_are_lines_of_the_card_and_what_is_missing_is_said() -> None:
    shift = Estimate(0.12, 0.05, 0.19, n=6, groups=6)
    found = ProbeFindings("m", "styled", 0, NOTHING, 0, shift, 0, identical=False)
    empty = ProbeFindings("m", "reordered", 0, NOTHING, 0, Estimate(None, n=0, problem="no sample"), 0, identical=False)
    failed = ProbeFindings("m", "padded", 0, NOTHING, 0, Estimate(None, n=0, problem="no sample"), 6, identical=False)
    lines = card(JudgeScores("m", {}, 1), [], found, empty, failed)
    assert [*lines] == [
        "position by pairwise",
        "length by padded",
        "style by styled",
        "self-preference by metadata.system",
        "order of the contexts by reordered",
    ]
    assert lines["style by styled"].change == shift
    assert lines["order of the contexts by reordered"].change.problem == "no answer can be changed so"
    assert lines["length by padded"].change.problem == "no changed answer got a score"
    still = ProbeFindings("m", "padded", 0, NOTHING, 0, Estimate(0.0, n=6, groups=6, problem="no"), 0, identical=True)
    assert (
        card(JudgeScores("m", {}, 1), [], still)["length by padded"].change.problem
        == "no score moved: no question had the change"
    )
    alone = measure_biases(JudgeScores("n", {}, 1), [], ())
    assert [*describe_unmeasured([*lines.values(), *alone])] == [
        "position: only a judge of two answers side by side has one (--metric pairwise)",
        "length of m: no changed answer got a score",
        "self-preference: no answer says that it is of the judge's own model (metadata.system)",
        "order of the contexts of m: no answer can be changed so",
        "length of n, style of n: no probe of it was asked for (--probes)",
    ]
