"""Holds the figures of a nightly run, and of those before it, against the gates of its suite."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from ...errors import InputError, UsageError
from ...text.wording import count_of
from .evidence import weigh_bound
from .gate_check import (
    AlarmLevel,
    GateCheck,
    JudgedRun,
    SampleGate,
    format_bound,
    format_figure,
    is_beyond,
    list_bounds,
)
from .gates import CostGate, CoverageGate, DecideGate, GateResult, MeanGate, RegressionGate, Spending, State
from .regression_decision import decide_regressions, fewest_groups

if TYPE_CHECKING:
    from .suite import Suite
_STATES: dict[str, State] = {
    "ship": "passed",
    "equivalent": "passed",
    "keep": "failed",
    "unsettled": "undecided",
}


def fewest_groups_of(suite: "Suite") -> int:
    """Returns how many groups of answers a suite's gates on regressions need to tell a fall from chance."""
    return fewest_groups(suite.false_alarms / len(suite.judge_names))


def decide_gates(
    gates: Sequence[BaseModel], runs: Sequence[JudgedRun], spending: Spending, *, false_alarms: float
) -> list[GateResult]:
    """Decides each gate for each run that it is about.

    All gates share the level `false_alarms` (Bonferroni; max-T over the regressions of a run where their questions'
    choice is asked): in at most this share of the months (30 nightly runs) without a change does any gate fail that is
    not `strict`. The cost is known without noise, and a decision has a level of its own, which holds at every look.
    """
    checks = [list(_list_checks(gate, runs, AlarmLevel(false_alarms, _count_looks(gates, runs)))) for gate in gates]
    regressions: dict[int, GateResult] = {}  # those of one run are decided together
    for run in runs:
        of_run = [
            check
            for of_gate in checks
            for check in of_gate
            if isinstance(check.gate, RegressionGate) and check.run is run
        ]
        decided = decide_regressions(of_run, choice_level=false_alarms / len(runs))
        regressions |= {id(check): result for check, result in zip(of_run, decided, strict=True)}
    results: list[GateResult] = []
    for gate, of_gate in zip(gates, checks, strict=True):
        if isinstance(gate, CostGate):
            results.append(_decide_cost(gate, spending))
        if isinstance(gate, DecideGate):
            results += [decide_version_gate(gate, run) for run in runs if gate.judge in {None, run.judge}]
        results += [regressions.get(id(check)) or decide_bounds(check) for check in of_gate]
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


def decide_version_gate(gate: DecideGate, run: JudgedRun) -> GateResult:
    """Decides whether a run's answers are better for the raters than those of the accepted run, or as good."""
    value: float | None = None
    state: State = "undecided"
    if run.decide is None:
        state = "no baseline"
        reason = "this run is compared with nothing yet: no run is accepted; accept one with `assay suite accept RUN`"
    else:
        try:
            decision = run.decide(gate)
        except (UsageError, InputError) as error:
            reason = f"the accepted run and this one cannot be compared: {error}"
        else:
            state, value = _STATES[decision.verdict], decision.deciding.difference
            reason = decision.sentence
            if decision.notes:
                reason += f" `assay decide` of the two runs has {count_of(len(decision.notes), 'note')} on it."
    return GateResult(
        gate="decide",
        name=gate.name_for(gate.metric),
        judge=run.judge,
        metric=gate.metric,
        state=state,
        value=value,
        bound=gate.margin,
        reason=reason,
    )


def decide_bounds(check: GateCheck) -> GateResult:
    """Decides a gate on a mean, a share or the coverage: of two bounds the one that more speaks against."""
    import numpy as np

    bounds = list_bounds(check.gate)
    values = check.figures(check.samples)
    known = values[~np.isnan(values)]
    if len(known):
        figure = float(known.mean())
    elif isinstance(check.gate, CoverageGate):
        figure = 0.0
    else:
        return check.result("undecided", f"{check.subject} is unknown: no sample has a value of it", bounds[0][1])
    hold = _hold_strictly if check.is_strict or not len(known) else _hold_by_evidence
    results = [hold(check, figure, side, bound) for side, bound in bounds]
    return max(results, key=lambda result: (result.state == "failed", result.evidence or 0.0))


def _hold_strictly(check: GateCheck, figure: float, side: str, bound: float) -> GateResult:
    if is_beyond(figure, side, bound):
        return check.result("failed", f"{_figure_of(check, figure, bound)}{_but(side, bound)}", bound, value=figure)
    return check.result("passed", f"{_figure_of(check, figure, bound)}{_required(check)}", bound, value=figure)


def _hold_by_evidence(check: GateCheck, figure: float, side: str, bound: float) -> GateResult:
    import numpy as np

    samples, history, sign = check.samples, check.run.history, 1 if side == "at least" else -1
    figures = check.figures(samples, [*history.accepted, *history.distinct_nights])
    known = (~np.isnan(figures)).sum(axis=0)
    is_same_set = 2 * known >= known[-1]  # a run of other samples says nothing of these
    newest = weigh_bound(
        sign * figures[:, is_same_set],
        [sample.source for sample in samples],
        skipped=int(is_same_set[: len(history.accepted)].sum()),
        bound=sign * bound,
        level=check.level.of_check,
        is_share=not isinstance(check.gate, MeanGate),
    )[-1]
    reason = _figure_of(check, figure, bound)
    if newest.nights > 1 and newest.change < 0:
        reason += (
            f", {format_figure(bound + sign * newest.change, bound)} over the last {count_of(newest.nights, 'run')}"
        )
    if newest.failed:
        reason += f"{_but(side, bound)}; {check.describe_evidence(newest)}"
    elif is_beyond(figure, side, bound):
        reason += f" (required: {side} {format_bound(bound)}), which noise can do: {check.describe_evidence(newest)}"
    else:
        reason += _required(check)
    return check.result("failed" if newest.failed else "passed", reason, bound, value=figure, newest=newest)


def _figure_of(check: GateCheck, figure: float, bound: float) -> str:
    return f"{check.subject} is {format_figure(figure, bound)}"


def _but(side: str, bound: float) -> str:
    return f", but must be {side} {format_bound(bound)}"


def _required(check: GateCheck) -> str:
    return f" (required: {' and '.join(f'{side} {format_bound(bound)}' for side, bound in list_bounds(check.gate))})"
