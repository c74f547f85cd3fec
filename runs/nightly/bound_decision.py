"""Holds a mean, a share or the coverage against its bounds."""

from ...text.wording import count_of
from .evidence import weigh_bound
from .gate_check import GateCheck, format_bound, format_figure, is_beyond, list_bounds
from .gates import CoverageGate, GateResult, MeanGate


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
