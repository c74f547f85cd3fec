"""Gates: each state by hand, both sides of each bound."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.runs.compare import PairedSample, RunComparison
from assay.runs.nightly.gate_decisions import JudgedRun, decide_gates
from assay.runs.nightly.gates import Gate, GateResult, Spending
from assay.runs.nightly.nightly_report import decide_verdict

DIRECTIONS = {"faithfulness": True, "answer_length": True}


def judged(values: list[float | None], before: list[float | None] | None = None, **fields: Any) -> list[PairedSample]:
    """Samples s0, s1, ..., each its own group; Dutch at even places."""
    earlier = before or [None] * len(values)

    def score(value: float | None) -> dict[str, tuple[float | None, str]]:
        return {"faithfulness": (value, "skipped" if value is None else "scored")}

    return [
        PairedSample(f"s{n}", "en" if n % 2 else "nl", "", f"g{n}", True, score(was), score(now), **fields)
        for n, (was, now) in enumerate(zip(earlier, values, strict=True))
    ]


def results(
    gate: dict[str, Any],
    samples: list[PairedSample],
    spending: Spending | None = None,
    level: float = 0.02,
    higher: bool = True,
) -> GateResult:
    directions = DIRECTIONS | {"faithfulness": higher}
    comparison = RunComparison("a", "b", directions, (), (), (), tuple(samples), (), (), (), 0)
    run = JudgedRun("j", ("faithfulness",), directions, samples, comparison)
    (result,) = decide_gates(
        [TypeAdapter(Gate).validate_python(gate)], [run], spending or Spending(), false_alarms=level
    )
    return result


@pytest.mark.parametrize(
    ("gate", "state", "value"),
    [
        ({"gate": "mean", "at_least": 0.5}, "passed", 0.5),  # (0 + 0.5 + 1) / 3; the bound itself passes
        ({"gate": "mean", "at_least": 0.51}, "failed", 0.5),
        ({"gate": "mean", "at_most": 0.5}, "passed", 0.5),
        ({"gate": "mean", "at_most": 0.49}, "failed", 0.5),
        ({"gate": "mean", "at_least": 0.4, "at_most": 0.49}, "failed", 0.5),
        ({"gate": "mean", "at_least": 0.5, "language": "nl"}, "passed", 0.5),  # s0 and s2: (0 + 1) / 2
        ({"gate": "mean", "at_least": 0.6, "language": "en"}, "failed", 0.5),  # s1; s3 has no value
        ({"gate": "mean", "at_least": 0.5, "language": "de"}, "undecided", None),
        ({"gate": "share", "reach": 0.5, "at_least": 0.66}, "passed", pytest.approx(2 / 3)),
        ({"gate": "share", "reach": 0.6, "at_least": 0.5}, "failed", pytest.approx(1 / 3)),
        ({"gate": "coverage", "at_least": 0.75}, "passed", 0.75),
        ({"gate": "coverage", "at_least": 0.76}, "failed", 0.75),
    ],
    ids=str,
)
def test_bounds_on_three_values_and_a_missing_one(gate: dict[str, Any], state: str, value: float | None) -> None:
    result = results({"metric": "faithfulness"} | gate, judged([0.0, 0.5, 1.0, None]))
    assert (result.state, result.value) == (state, value)


@pytest.mark.parametrize(
    ("gate", "spending", "state"),
    [
        ({"at_most": 1}, Spending(usd=1.0), "passed"),
        ({"at_most": 1}, Spending(usd=1.01), "failed"),
        ({"at_most": 1}, Spending(usd=None, calls=3), "undecided"),  # an unknown price is not 0
        ({"at_most": 10, "unit": "tokens"}, Spending(usd=None, tokens=11), "failed"),
        ({"at_most": 10, "unit": "calls"}, Spending(usd=None, calls=10), "passed"),
    ],
    ids=str,
)
def test_cost(gate: dict[str, Any], spending: Spending, state: str) -> None:
    assert results({"gate": "cost"} | gate, judged([1.0]), spending).state == state


def test_a_regression_of_all_samples_is_found_and_one_bad_answer_is_noise() -> None:
    """Eight groups: all eight lower is 1 of 256 flips; one lower is half of them."""
    regression = {"gate": "regression", "metric": "faithfulness"}
    lower = results(regression, judged([0.8] * 8, before=[0.9] * 8))
    assert (lower.state, lower.value) == ("failed", pytest.approx(-0.1))
    assert lower.p == pytest.approx(1 / 256, abs=0.002)
    assert results(regression, judged([0.0] + [0.9] * 7, before=[0.9] * 8)).state == "passed"
    assert results(regression, judged([0.9] * 8, before=[0.8] * 8)).state == "passed"  # a rise is no regression
    assert results(regression | {"more_than": 0.1}, judged([0.8] * 8, before=[0.9] * 8)).state == "passed"
    assert results(regression | {"more_than": 0.05}, judged([0.8] * 8, before=[0.9] * 8)).state == "failed"


def test_a_passed_regression_says_what_it_would_have_missed() -> None:
    """At 0.02, one-sided: z(0.98) + z(0.8) = 2.0537 + 0.8416 standard errors; the interval is 2 * 1.96 of them wide."""
    before, now = [0.9, 0.5, 0.8, 0.6, 0.9, 0.5, 0.8, 0.6], [0.8, 0.6, 0.9, 0.5, 0.9, 0.5, 0.9, 0.6]
    result = results({"gate": "regression", "metric": "faithfulness"}, judged(now, before=before))
    numbers = re.search(r"\[(.+), (.+)\].*: no regression seen; one under (.+) would often be missed$", result.reason)
    assert result.state == "passed" and numbers is not None
    low, high, missed = map(float, numbers.groups())
    assert missed == pytest.approx(2.8953 * (high - low) / 3.92, abs=0.002)
    allowing = {"gate": "regression", "metric": "faithfulness", "more_than": 0.2}
    reason = results(allowing, judged(now, before=before)).reason
    assert f"one under {missed + 0.2:.3f} would" in reason  # every regression that is allowed is missed too


def test_where_lower_is_better_a_rise_is_the_regression() -> None:
    regression = {"gate": "regression", "metric": "faithfulness"}
    assert results(regression, judged([0.9] * 8, before=[0.8] * 8), higher=False).state == "failed"
    assert results(regression, judged([0.8] * 8, before=[0.9] * 8), higher=False).state == "passed"
    share = {"gate": "share", "metric": "faithfulness", "reach": 0.5, "at_least": 0.5}
    assert results(share, judged([0.1, 0.2, 0.9]), higher=False).value == pytest.approx(2 / 3)


def test_too_few_groups_decide_nothing() -> None:
    """Five groups give at best 1/32, which is above 0.02; six give 1/64."""
    regression = {"gate": "regression", "metric": "faithfulness"}
    few = results(regression, judged([0.0] * 5, before=[1.0] * 5))
    assert (few.state, "6 are needed" in few.reason) == ("undecided", True)
    assert results(regression, judged([0.0] * 6, before=[1.0] * 6)).state == "failed"


def test_the_regressions_of_a_nightly_run_share_one_level() -> None:
    """One test of p = 1/64 is below 0.02; five of them are not (Holm: 5/64)."""
    samples = judged([0.0] * 6, before=[1.0] * 6)
    comparison = RunComparison("a", "b", DIRECTIONS, (), (), (), tuple(samples), (), (), (), 0)
    gate = TypeAdapter(Gate).validate_python({"gate": "regression", "metric": "faithfulness"})
    run = JudgedRun("j", ("faithfulness",), DIRECTIONS, samples, comparison)
    assert decide_gates([gate], [run], Spending(), false_alarms=0.02)[0].state == "failed"
    assert {each.state for each in decide_gates([gate] * 5, [run], Spending(), false_alarms=0.02)} == {"passed"}


def test_without_an_accepted_run_there_is_no_baseline() -> None:
    gate = TypeAdapter(Gate).validate_python({"gate": "regression", "metric": "faithfulness"})
    (result,) = decide_gates(
        [gate], [JudgedRun("j", (), DIRECTIONS, judged([1.0]), None)], Spending(), false_alarms=0.02
    )
    assert result.state == "no baseline"


@pytest.mark.parametrize(
    ("states", "failed", "verdict"),
    [
        (["passed", "no baseline"], 0, "passed"),
        (["passed", "failed"], 0, "gate failed"),
        (["passed", "failed"], 1, "gate failed"),
        (["passed"], 1, "samples failed"),
        (["passed", "undecided"], 0, "gate undecided"),
        (["undecided"], 1, "samples failed"),
    ],
    ids=str,
)
def test_the_verdict_follows_from_gates_and_failed_samples(states: list[str], failed: int, verdict: str) -> None:
    gates = [
        GateResult(gate="mean", judge="j", metric="m", state=state, value=None, bound=0, reason="")  # type: ignore[arg-type]
        for state in states
    ]
    assert decide_verdict("done", gates, failed, 0) == verdict
    assert decide_verdict("budget", gates, failed, 0) == "budget"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_a_lower_bound_passes_wherever_a_higher_one_does(values: list[float], bound: float) -> None:
    gate = {"gate": "mean", "metric": "faithfulness"}
    if results(gate | {"at_least": bound}, judged(list(values))).state == "passed":
        assert results(gate | {"at_least": bound / 2}, judged(list(values))).state == "passed"
