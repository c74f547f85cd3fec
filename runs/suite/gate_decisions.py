"""Holds the figures of a nightly run, and of those before it, against the gates of its suite."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import BaseModel

from ...text.wording import count_of
from .evidence import Evidence, Falls, Levels, weigh_bound, weigh_together
from .gate_check import (
    ROUNDING,
    AlarmLevel,
    GateCheck,
    JudgedRun,
    SampleGate,
    format_bound,
    format_figure,
    is_beyond,
    list_bounds,
)
from .gates import (
    NOTEWORTHY,
    CostGate,
    CoverageGate,
    GateResult,
    MeanGate,
    RegressionGate,
    Spending,
    State,
    fewest_groups,
)
from .history import History, JudgedSample

_MOST_MISSING = 0.5  # of the accepted samples: a run without so many is another set, or a file cut short


def decide_gates(
    gates: Sequence[BaseModel], runs: Sequence[JudgedRun], spending: Spending, *, false_alarms: float
) -> list[GateResult]:
    """Decides each gate for each run that it is about.

    All gates share the level `false_alarms` (Bonferroni; max-T over the regressions of a run where their questions'
    choice is asked): in at most this share of the months (30 nightly runs) without a change does any gate fail that is
    not `strict`. The cost is known without noise.
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
    """By what the calls took for sure: a call without a reply may have cost nothing, and fails no gate."""
    figure: float | None = getattr(spending, gate.unit)
    unit = "USD" if gate.unit == "usd" else gate.unit
    if figure is None:
        state: State = "undecided"
        reason = "the cost is unknown: give the judge's price in its settings file, or bound tokens (unit: tokens)"
    else:
        lost, more = spending.lost, ""
        if lost and gate.unit != "calls":  # the call itself was made
            most = getattr(lost, gate.unit)
            figure -= most
            more = f", and {count_of(lost.calls, 'call')} without a reply at most {most:.6g} {unit} more"
        is_passed = not is_beyond(figure, "at most", gate.at_most)
        state = "passed" if is_passed else "failed"
        limit = f" (allowed: {gate.at_most:g})" if is_passed else f", but may take {gate.at_most:g}"
        reason = f"the live calls took {figure:.6g} {unit}{more}{limit}"
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


def decide_bounds(check: GateCheck) -> GateResult:
    """Decides a gate on a mean, a share or the coverage: of two bounds the one that more speaks against."""
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
        reason = f"{_figure_of(check, figure, bound)}{_but(side, bound)}{check.describe_answers()}"
        return check.result("failed", reason, bound, value=figure)
    return check.result("passed", f"{_figure_of(check, figure, bound)}{_required(check)}", bound, value=figure)


def _hold_by_evidence(check: GateCheck, figure: float, side: str, bound: float) -> GateResult:
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
        reason += f"{_but(side, bound)}; {check.describe_evidence(newest)}{check.describe_answers()}"
    elif is_beyond(figure, side, bound):
        reason += f" (required: {side} {format_bound(bound)}), which noise can do: {check.describe_evidence(newest)}"
    else:
        reason += _required(check)
    result = check.result("failed" if newest.failed else "passed", reason, bound, value=figure, newest=newest)
    return result.model_copy(update={"is_within_noise": not newest.failed and is_beyond(figure, side, bound)})


def _figure_of(check: GateCheck, figure: float, bound: float) -> str:
    return f"{check.subject} is {format_figure(figure, bound)}"


def _but(side: str, bound: float) -> str:
    return f", but must be {side} {format_bound(bound)}"


def _required(check: GateCheck) -> str:
    return f" (required: {' and '.join(f'{side} {format_bound(bound)}' for side, bound in list_bounds(check.gate))})"


def decide_regressions(checks: Sequence[GateCheck], *, choice_level: float) -> list[GateResult]:
    """Decides the gates on regressions of one run, on the samples that an accepted run scored too.

    A nightly run that failed one of them is left out for all: what failed is no baseline, nor are the runs before it on
    which the failure rested.
    """
    results: dict[int, GateResult] = {}
    figures: dict[int, tuple[Falls, list[JudgedSample]]] = {}
    for number, check in enumerate(checks):
        prepared = _prepare(check)
        if isinstance(prepared, GateResult):
            results[number] = prepared
        else:
            figures[number] = prepared
    if figures:
        history = checks[0].run.history
        first, newest = len(history.accepted), len(history.accepted) + len(history.nights)
        levels = Levels(checks[0].level.of_check, choice_level)
        weighed: dict[int, Evidence] = {}
        for night in range(first, newest + 1):
            usable = {number: falls for number, (falls, _) in figures.items() if falls.is_usable(night)}
            weighed = dict(zip(usable, weigh_together(list(usable.values()), night, levels), strict=True))
            recorded = history.failed.get(night - first)
            failed = [
                number
                for number, evidence in weighed.items()
                if (evidence.failed if recorded is None else checks[number].name in recorded)
            ]
            rested = set[int]().union(*(usable[number].rested(night, weighed[number].nights) for number in failed))
            for number, falls in usable.items() if night < newest else ():
                if rested:
                    falls.leave_out(rested)
                if recorded is None and not failed:
                    falls.keep(night, is_suspect=weighed[number].is_suspect)
        fewest = fewest_groups(choice_level)
        for number, (falls, paired) in figures.items():
            results[number] = _describe(checks[number], weighed[number], falls.missed(newest, levels), paired, fewest)
    return [results[number] for number in range(len(checks))]


def _prepare(check: GateCheck) -> "GateResult | tuple[Falls, list[JudgedSample]]":
    """The figure's runs and its paired samples, or the result where it cannot be compared."""
    history, allowed = check.run.history, check.allowed
    if history.missing and history.missing >= _MOST_MISSING * history.accepted_samples:
        reason = (
            f"{check.subject} cannot be compared: this run has {len(history.paired):,} of the "
            f"{count_of(history.accepted_samples, 'accepted sample')}; keep their ids and their rows, or accept this "
            "run if they are meant to be gone"
        )
        return check.result("failed", reason, allowed)
    if not history.accepted:
        return check.result("no baseline", f"{check.subject} is compared with nothing yet", allowed)
    samples, accepted = check.samples, len(history.accepted)
    figures = check.figures(samples, [*history.accepted, *history.nights])
    known = ~np.isnan(figures)
    if not known[:, -1].any():
        return check.result("undecided", f"the change is unknown: no sample has a value of {check.subject}", allowed)
    paired = known[:, -1] & known[:, :accepted].any(axis=1)
    if not paired.any():
        reason = f"no sample has a value of {check.subject} in the accepted run too; accept a newer one"
        return check.result("no baseline", reason, allowed)
    counts = known[paired].sum(axis=0)
    usable = 2 * counts >= counts[-1]  # a nightly run of other samples says nothing of these
    usable[:accepted] = counts[:accepted] > 0
    sources = {source: number for number, source in enumerate(dict.fromkeys(one.source for one in check.run.samples))}
    samples = [sample for sample, is_paired in zip(samples, paired, strict=True) if is_paired]
    values = (1 if check.higher_is_better else -1) * figures[paired]
    numbers = np.array([sources[sample.source] for sample in samples])
    return Falls(values, numbers, accepted=accepted, allowed=allowed, usable=usable.tolist()), samples


def _describe(
    check: GateCheck, newest: Evidence, missed: float | None, samples: list[JudgedSample], fewest: int
) -> GateResult:
    allowed, history = check.allowed, check.run.history
    is_noteworthy = newest.change < 0 and check.level.evidence(newest.p) >= NOTEWORTHY
    is_shown = newest.failed or newest.is_of_few or is_noteworthy
    change, nights, before = newest.tonight, 1, newest.baseline
    if is_shown:
        change, nights, before = newest.change, newest.nights, newest.before
    runs = _name_newest(history, nights)
    others = "the accepted run" if before == 1 else f"the {count_of(before, 'run')} before"
    if abs(change) > ROUNDING:
        side = "higher" if (change > 0) is check.higher_is_better else "lower"
        reason = f"{check.subject} is {side} by {format_figure(abs(change))} {runs} than"
    else:
        reason = f"{check.subject} is the same {runs} as"
    limit = f", {format_bound(allowed)} allowed" if allowed else ""
    lacking = f", {count_of(history.missing, 'accepted sample')} missing in this run" if history.missing else ""
    reason += f" in {others} ({count_of(len(samples), 'paired sample')}{lacking}{limit})"
    word = "fall" if check.higher_is_better else "rise"
    state: State = "failed" if newest.failed else "passed"
    groups, fallen = len({sample.source for sample in samples}), _list_fallen(samples, newest)
    if newest.failed:
        rested = "; no later run is compared with these" if nights > 1 else ""
        reason += f"; {check.describe_evidence(newest)}{rested}{check.describe_answers(fallen)}"
    elif groups < fewest:
        state = "undecided"
        reason += f"; {count_of(groups, 'group')} cannot tell a {word} from chance, {fewest} are needed"
    elif newest.is_of_few:
        reason += (
            f", more than nightly runs differ without a change, but of too few answers to call it a {word}; see `assay "
            "show changes`"
        )
    elif is_shown:
        reason += f": a possible {word}, {check.describe_evidence(newest)}"
    else:
        reason += ", which noise can do" if change < -ROUNDING else f": no {word} seen"
        if missed is not None:
            reason += f"; a {word} under {format_figure(_round_up(missed))} would often be missed in one run"
    return check.result(state, reason, allowed, value=change, newest=newest, fallen=fallen)


def _list_fallen(samples: Sequence[JudgedSample], newest: Evidence) -> list[str]:
    """The answers that became worse in the comparison of which the failure speaks, the largest change first."""
    if newest.falls is None or not newest.failed:
        return []
    order = np.argsort(-newest.falls, kind="stable")
    return [samples[place].sample for place in order.tolist() if newest.falls[place] > ROUNDING]


def _name_newest(history: History, nights: int) -> str:
    """So many runs up to this one; those that failed are left out."""
    if nights == 1:
        return "in this run"
    if history.failed.keys().isdisjoint(range(len(history.nights) + 1 - nights, len(history.nights))):
        return f"in the last {nights} runs"
    return f"in this run and the last {nights - 1} that failed no gate"


def _round_up(value: float) -> float:
    """To two digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / step - 1e-9) * step
