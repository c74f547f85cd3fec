"""Holds the figures of a nightly run, and of those before it, against the gates of its suite."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel

from .bound_decision import decide_bounds
from .gate_check import AlarmLevel, GateCheck, JudgedRun, SampleGate, list_bounds
from .gates import CostGate, CoverageGate, DecideGate, GateResult, RegressionGate, Spending, State
from .regression_decision import decide_regression, fewest_groups
from .version_gate import decide_version_gate

if TYPE_CHECKING:
    from .suite import Suite


def fewest_groups_of(suite: "Suite") -> int:
    """Returns how many groups of answers a suite's gates on regressions need to tell a fall of all of them from chance.

    Fewer are needed with fewer gates, which share the suite's level.
    """
    names = suite.judge_names
    runs = [JudgedRun(judge, suite.metrics, {}, ()) for judge in names]
    return fewest_groups(AlarmLevel(suite.false_alarms, _count_looks(suite.gates, runs)).of_check)


def decide_gates(
    gates: Sequence[BaseModel], runs: Sequence[JudgedRun], spending: Spending, *, false_alarms: float
) -> list[GateResult]:
    """Decides each gate for each run that it is about.

    All gates share the level `false_alarms` (Bonferroni): in at most this share of the months (30 nightly runs) without
    a change does any gate fail that is not `strict`. The cost is known without noise, and a decision has a level of its
    own, which holds at every look.
    """
    checks = [list(_list_checks(gate, runs, AlarmLevel(false_alarms, 0))) for gate in gates]
    looks = _count_looks(gates, runs)
    results: list[GateResult] = []
    for gate, of_gate in zip(gates, checks, strict=True):
        if isinstance(gate, CostGate):
            results.append(_decide_cost(gate, spending))
        if isinstance(gate, DecideGate):
            results += [decide_version_gate(gate, run) for run in runs if gate.judge in {None, run.judge}]
        results += [_decide(replace(check, level=AlarmLevel(false_alarms, looks))) for check in of_gate]
    return results


def _count_looks(gates: Sequence[BaseModel], runs: Sequence[JudgedRun]) -> int:
    """How many figures share the level."""
    checks = (check for gate in gates for check in _list_checks(gate, runs, AlarmLevel(1.0, 0)))
    return sum(len(list_bounds(check.gate)) or 1 for check in checks if not check.is_strict)


def _list_checks(gate: BaseModel, runs: Sequence[JudgedRun], level: AlarmLevel) -> Iterator[GateCheck]:
    if isinstance(gate, SampleGate):
        for run in runs:
            if gate.judge in {None, run.judge}:
                metrics = run.metrics if isinstance(gate, CoverageGate) and not gate.metric else (gate.metric or "",)
                yield from (GateCheck(gate, run, metric, level) for metric in metrics)


def _decide(check: GateCheck) -> GateResult:
    return decide_regression(check, check.gate) if isinstance(check.gate, RegressionGate) else decide_bounds(check)


def _decide_cost(gate: CostGate, spending: Spending) -> GateResult:
    figure: float | None = getattr(spending, gate.unit)
    unit = "USD" if gate.unit == "usd" else gate.unit
    if figure is None:
        state: State = "undecided"
        reason = "the cost is unknown: give the judge's price in its settings file, or bound tokens (unit: tokens)"
    elif figure <= gate.at_most:
        state, reason = "passed", f"the live calls took {figure:.6g} {unit} (allowed: {gate.at_most:g})"
    else:
        state, reason = "failed", f"the live calls took {figure:.6g} {unit}, but may take {gate.at_most:g}"
    return GateResult(
        gate="cost",
        name=gate.name_for(None),
        judge=None,
        metric=None,
        state=state,
        value=figure,
        bound=gate.at_most,
        reason=reason,
    )
