"""Gates: each state by hand, both sides of each bound."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.runs.compare import Comparison, Judged
from assay.runs.nightly.gates import Gate, GateResult, JudgedRun, Spent, judge_gates
from assay.runs.nightly.report import verdict_of

DIRECTIONS = {"faithfulness": True, "answer_length": True}


def judged(values: list[float | None], before: list[float | None] | None = None, **fields: Any) -> list[Judged]:
    """Samples s0, s1, ... of groups of their own; Dutch at even places."""
    earlier = before or [None] * len(values)

    def score(value: float | None) -> dict[str, tuple[float | None, str]]:
        return {"faithfulness": (value, "skipped" if value is None else "scored")}

    return [
        Judged(f"s{n}", "en" if n % 2 else "nl", "", f"g{n}", True, score(was), score(now), **fields)
        for n, (was, now) in enumerate(zip(earlier, values, strict=True))
    ]


def results(
    gate: dict[str, Any], samples: list[Judged], spent: Spent | None = None, level: float = 0.02, higher: bool = True
) -> GateResult:
    directions = DIRECTIONS | {"faithfulness": higher}
    found = Comparison("a", "b", directions, (), (), (), tuple(samples), (), (), (), 0)
    run = JudgedRun("j", ("faithfulness",), directions, samples, found)
    (result,) = judge_gates([TypeAdapter(Gate).validate_python(gate)], [run], spent or Spent(), false_alarms=level)
    return result


@pytest.mark.parametrize(
    ("gate", "state", "value"),
    [
        ({"gate": "mean", "at_least": 0.5}, "held", 0.5),  # (0 + 0.5 + 1) / 3; the bound itself is kept
        ({"gate": "mean", "at_least": 0.51}, "fell", 0.5),
        ({"gate": "mean", "at_most": 0.5}, "held", 0.5),
        ({"gate": "mean", "at_most": 0.49}, "fell", 0.5),
        ({"gate": "mean", "at_least": 0.4, "at_most": 0.49}, "fell", 0.5),
        ({"gate": "mean", "at_least": 0.5, "language": "nl"}, "held", 0.5),  # s0 and s2: (0 + 1) / 2
        ({"gate": "mean", "at_least": 0.6, "language": "en"}, "fell", 0.5),  # s1; s3 has no value
        ({"gate": "mean", "at_least": 0.5, "language": "de"}, "undecided", None),
        ({"gate": "share", "reach": 0.5, "at_least": 0.66}, "held", pytest.approx(2 / 3)),
        ({"gate": "share", "reach": 0.6, "at_least": 0.5}, "fell", pytest.approx(1 / 3)),
        ({"gate": "coverage", "at_least": 0.75}, "held", 0.75),
        ({"gate": "coverage", "at_least": 0.76}, "fell", 0.75),
    ],
    ids=str,
)
def test_bounds_on_three_values_and_a_missing_one(gate: dict[str, Any], state: str, value: float | None) -> None:
    found = results({"metric": "faithfulness"} | gate, judged([0.0, 0.5, 1.0, None]))
    assert (found.state, found.value) == (state, value)


@pytest.mark.parametrize(
    ("gate", "spent", "state"),
    [
        ({"at_most": 1}, Spent(usd=1.0), "held"),
        ({"at_most": 1}, Spent(usd=1.01), "fell"),
        ({"at_most": 1}, Spent(usd=None, calls=3), "undecided"),  # an unknown price is not 0
        ({"at_most": 10, "unit": "tokens"}, Spent(usd=None, tokens=11), "fell"),
        ({"at_most": 10, "unit": "calls"}, Spent(usd=None, calls=10), "held"),
    ],
    ids=str,
)
def test_cost(gate: dict[str, Any], spent: Spent, state: str) -> None:
    assert results({"gate": "cost"} | gate, judged([1.0]), spent).state == state


def test_a_fall_of_all_is_told_and_one_bad_answer_is_not() -> None:
    """Eight groups: all eight lower is 1 of 256 flips; one lower is half of them."""
    fall = {"gate": "fall", "metric": "faithfulness"}
    lower = results(fall, judged([0.8] * 8, before=[0.9] * 8))
    assert (lower.state, lower.value) == ("fell", pytest.approx(-0.1))
    assert lower.p == pytest.approx(1 / 256, abs=0.002)
    assert results(fall, judged([0.0] + [0.9] * 7, before=[0.9] * 8)).state == "held"
    assert results(fall, judged([0.9] * 8, before=[0.8] * 8)).state == "held"  # a rise is no fall
    assert results(fall | {"more_than": 0.1}, judged([0.8] * 8, before=[0.9] * 8)).state == "held"
    assert results(fall | {"more_than": 0.05}, judged([0.8] * 8, before=[0.9] * 8)).state == "fell"


def test_where_lower_is_better_a_rise_is_the_fall() -> None:
    fall = {"gate": "fall", "metric": "faithfulness"}
    assert results(fall, judged([0.9] * 8, before=[0.8] * 8), higher=False).state == "fell"
    assert results(fall, judged([0.8] * 8, before=[0.9] * 8), higher=False).state == "held"
    share = {"gate": "share", "metric": "faithfulness", "reach": 0.5, "at_least": 0.5}
    assert results(share, judged([0.1, 0.2, 0.9]), higher=False).value == pytest.approx(2 / 3)


def test_too_few_groups_decide_nothing() -> None:
    """Five groups give at best 1/32, which is above 0.02; six give 1/64."""
    fall = {"gate": "fall", "metric": "faithfulness"}
    few = results(fall, judged([0.0] * 5, before=[1.0] * 5))
    assert (few.state, "6 are needed" in few.told) == ("undecided", True)
    assert results(fall, judged([0.0] * 6, before=[1.0] * 6)).state == "fell"


def test_falls_share_the_level_of_a_night() -> None:
    """One test of p = 1/64 is below 0.02; five of them are not (Holm: 5/64)."""
    samples = judged([0.0] * 6, before=[1.0] * 6)
    found = Comparison("a", "b", DIRECTIONS, (), (), (), tuple(samples), (), (), (), 0)
    gate = TypeAdapter(Gate).validate_python({"gate": "fall", "metric": "faithfulness"})
    run = JudgedRun("j", ("faithfulness",), DIRECTIONS, samples, found)
    assert judge_gates([gate], [run], Spent(), false_alarms=0.02)[0].state == "fell"
    assert {each.state for each in judge_gates([gate] * 5, [run], Spent(), false_alarms=0.02)} == {"held"}


def test_without_an_accepted_run_there_is_no_fall() -> None:
    gate = TypeAdapter(Gate).validate_python({"gate": "fall", "metric": "faithfulness"})
    (found,) = judge_gates([gate], [JudgedRun("j", (), DIRECTIONS, judged([1.0]), None)], Spent(), false_alarms=0.02)
    assert found.state == "no baseline"


@pytest.mark.parametrize(
    ("states", "failed", "verdict"),
    [
        (["held", "no baseline"], 0, "held"),
        (["held", "fell"], 0, "gate fell"),
        (["held", "fell"], 1, "gate fell"),
        (["held"], 1, "samples failed"),
        (["held", "undecided"], 0, "gate undecided"),
        (["undecided"], 1, "samples failed"),
    ],
    ids=str,
)
def test_what_a_night_comes_to(states: list[str], failed: int, verdict: str) -> None:
    gates = [
        GateResult(gate="mean", judge="j", metric="m", state=state, value=None, bound=0, told="")  # type: ignore[arg-type]
        for state in states
    ]
    assert verdict_of("done", gates, failed, 0) == verdict
    assert verdict_of("budget", gates, failed, 0) == "budget"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_a_lower_bound_is_held_wherever_a_higher_one_is(values: list[float], bound: float) -> None:
    gate = {"gate": "mean", "metric": "faithfulness"}
    if results(gate | {"at_least": bound}, judged(list(values))).state == "held":
        assert results(gate | {"at_least": bound / 2}, judged(list(values))).state == "held"
