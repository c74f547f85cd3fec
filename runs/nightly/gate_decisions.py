"""Holds the figures of a nightly run against the gates of its suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from pydantic import BaseModel

from ...meta_eval.estimate import Estimate
from ..compare import PairedSample, RunComparison
from ..pair_difference import adjust_p_values, paired_difference
from .gates import CostGate, CoverageGate, GateResult, MeanGate, RegressionGate, ShareGate, Spending, State


@dataclass(frozen=True)
class JudgedRun:
    """One run of a nightly run, as gates need it.

    Attributes:
        judge: The judge as the suite names it.
        metrics: The metrics that the suite names.
        directions: For every metric of the run, whether higher values are better, as recorded with the run.
        samples: The samples with their values.
        comparison: The comparison with the accepted run, or None where there is none.
    """

    judge: str
    metrics: tuple[str, ...]
    directions: Mapping[str, bool]
    samples: Sequence[PairedSample]
    comparison: RunComparison | None


def decide_gates(
    gates: Sequence[BaseModel], runs: Sequence[JudgedRun], spending: Spending, *, false_alarms: float
) -> list[GateResult]:
    """Decides each gate for each run that it is about.

    The regressions of one nightly run are tested on the level `false_alarms` together (Holm, 1979): of the nightly
    runs without a change at most this share fails.

    Args:
        gates: The gates of the suite.
        runs: The runs, one per judge.
        spending: What all live calls took.
        false_alarms: The level of all tests together, between 0 and 1.

    Returns:
        The results in the order of the gates, and of the runs within a gate.
    """
    results: list[GateResult] = []
    regressions: list[tuple[int, Estimate]] = []
    for gate in gates:
        if isinstance(gate, CostGate):
            results.append(_decide_cost(gate, spending))
            continue
        for run in runs:
            if getattr(gate, "judge", None) not in {None, run.judge}:
                continue
            if isinstance(gate, CoverageGate):
                metrics = [gate.metric] if gate.metric else run.metrics
                results += [_decide_coverage(gate, run, metric) for metric in metrics]
            elif isinstance(gate, MeanGate | ShareGate):
                results.append(_decide_bounds(gate, run))
            elif isinstance(gate, RegressionGate):
                change = _change_since_accepted(gate, run)
                if isinstance(change, Estimate):
                    regressions.append((len(results), change))
                    change = _result(
                        gate, run.judge, "undecided", change.problem, value=change.value, bound=gate.more_than
                    )
                results.append(change)
    corrected = adjust_p_values([change.p for _, change in regressions])
    for (place, change), p in zip(regressions, corrected, strict=True):
        results[place] = _decide_regression(results[place], change, p, false_alarms)
    return results


def _decide_bounds(gate: MeanGate | ShareGate, run: JudgedRun) -> GateResult:
    values = [value for sample in _covered(gate, run.samples) if (value := sample.value(gate.metric)) is not None]
    if isinstance(gate, ShareGate):
        higher = run.directions[gate.metric]
        reached = [value >= gate.reach if higher else value <= gate.reach for value in values]
        figure = sum(reached) / len(values) if values else None
        subject = f"the share of {_subject(gate)} that is {'at least' if higher else 'at most'} {gate.reach:g}"
        bounds = [("at least", gate.at_least)]
    else:
        figure = sum(values) / len(values) if values else None
        subject = f"the mean of {_subject(gate)}"
        sides = (("at least", gate.at_least), ("at most", gate.at_most))
        bounds = [(side, bound) for side, bound in sides if bound is not None]
    first_bound = bounds[0][1]
    if figure is None:
        reason = f"{subject} is unknown: no sample has a value of it"
        return _result(gate, run.judge, "undecided", reason, value=None, bound=first_bound)
    for side, bound in bounds:
        if figure < bound if side == "at least" else figure > bound:
            reason = f"{subject} is {figure:.4g}, but must be {side} {bound:g}"
            return _result(gate, run.judge, "failed", reason, value=figure, bound=bound)
    reason = f"{subject} is {figure:.4g} (required: {' and '.join(f'{side} {bound:g}' for side, bound in bounds)})"
    return _result(gate, run.judge, "passed", reason, value=figure, bound=first_bound)


def _decide_coverage(gate: CoverageGate, run: JudgedRun, metric: str) -> GateResult:
    scored = sum(sample.value(metric) is not None for sample in run.samples)
    figure = scored / len(run.samples) if run.samples else 0.0
    state: State = "passed" if figure >= gate.at_least else "failed"
    required = f"(required: {gate.at_least:.1%})" if state == "passed" else f"but must for at least {gate.at_least:.1%}"
    return GateResult(
        gate="coverage",
        judge=run.judge,
        metric=metric,
        state=state,
        value=figure,
        bound=gate.at_least,
        reason=f"{metric} has a value for {scored} of {len(run.samples)} samples, {figure:.1%} {required}",
    )


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
        gate="cost", judge=None, metric=None, state=state, value=figure, bound=gate.at_most, reason=reason
    )


def _change_since_accepted(gate: RegressionGate, run: JudgedRun) -> GateResult | Estimate:
    """The paired changes, where less than 0 is worse, tested against the allowed regression."""
    if run.comparison is None:
        reason = "no accepted run shares samples with this one; accept one with `assay accept RUN`"
        return _result(gate, run.judge, "no baseline", reason, value=None, bound=gate.more_than)
    if gate.metric not in run.comparison.metrics:
        reason = f"the accepted run {run.comparison.a} has no {gate.metric}; accept a newer one"
        return _result(gate, run.judge, "no baseline", reason, value=None, bound=gate.more_than)
    sign = 1 if run.directions[gate.metric] else -1
    pairs = [
        (sign * (after - before), sample.source)
        for sample in _covered(gate, run.comparison.samples)
        if (before := sample.earlier_value(gate.metric)) is not None
        if (after := sample.value(gate.metric)) is not None
    ]
    changes, groups = [change for change, _ in pairs], [group for _, group in pairs]
    return paired_difference(changes, groups, side="below", against=-gate.more_than)


def _decide_regression(result: GateResult, change: Estimate, p: float | None, false_alarms: float) -> GateResult:
    if change.value is None or p is None:
        return result.model_copy(update={"reason": f"the change is unknown: {change.problem}"})
    interval = "" if change.low is None else f" [{change.low:+.3f}, {change.high:+.3f}]"
    direction = "better by" if change.value > 0 else "worse by" if change.value < 0 else "neither better nor worse,"
    allowed = f", {result.bound:g} allowed" if result.bound else ""
    reason = f"{result.metric} is {direction} {abs(change.value):.4f}{interval} than in the accepted run"
    reason += f" ({change.n} paired samples, p = {p:.4f}{allowed})"
    # with g groups the smallest p-value of a sign-flip test is 2 ** -g
    fewest_groups = next(count for count in range(1, 64) if 2.0**-count < false_alarms)
    if (change.groups or 0) < fewest_groups:
        reason += f"; {change.groups} groups cannot tell a regression from noise, {fewest_groups} are needed"
        return result.model_copy(update={"reason": reason, "p": p})
    state: State = "failed" if p <= false_alarms else "passed"
    reason += (
        ": a regression beyond noise"
        if state == "failed"
        else f": no regression seen{_missed(change, result.bound or 0.0, false_alarms)}"
    )
    return result.model_copy(update={"state": state, "reason": reason, "p": p})


def _missed(change: Estimate, allowed: float, false_alarms: float) -> str:
    """Which regressions the test would miss more often than once in five, by the width of the change's 95% interval.

    A one-sided test at level a detects what is allowed and z(1 - a) + z(0.8) standard errors more, four times in five.
    """
    if change.low is None or change.high is None or change.low == change.high:
        return ""
    normal = NormalDist()
    standard_error = (change.high - change.low) / (2 * normal.inv_cdf(0.975))
    detected = allowed + (normal.inv_cdf(1 - false_alarms) + normal.inv_cdf(0.8)) * standard_error
    return f"; one under {detected:.3f} would often be missed"


def _covered(gate: MeanGate | ShareGate | RegressionGate, samples: Sequence[PairedSample]) -> list[PairedSample]:
    return [sample for sample in samples if gate.covers(language=sample.language, message_type=sample.message_type)]


def _subject(gate: MeanGate | ShareGate) -> str:
    parts = [part for part in (gate.language, gate.message_type) if part]
    return f"{gate.metric} ({', '.join(parts)})" if parts else gate.metric


def _result(
    gate: MeanGate | ShareGate | RegressionGate,
    judge: str,
    state: State,
    reason: str,
    *,
    value: float | None,
    bound: float,
) -> GateResult:
    return GateResult(
        gate=gate.gate, judge=judge, metric=gate.metric, state=state, value=value, bound=bound, reason=reason
    )
