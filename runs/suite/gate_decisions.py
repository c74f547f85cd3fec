"""Holds the figures of a nightly run, and of those before it, against the gates of its suite."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from ...meta_eval.arrays import Floats
from ...presentation.texts import one_line
from ...text.wording import count_of, list_first
from .evidence import Evidence, Falls, Levels, weigh_bound, weigh_together
from .gates import (
    UNANSWERED,
    CoverageGate,
    Gate,
    GateResult,
    MeanGate,
    RegressionGate,
    ShareGate,
    State,
    fewest_groups,
)
from .history import JudgedRun, RunValues

_ROUNDING = 1e-12  # figures that differ by no more, or by this share of their size, differ by rounding only
_MOST_MISSING = 0.5  # of the accepted samples: a run without so many is another set, or a file cut short
_MOST_NAMES = 5  # ids of samples that a failed gate lists
_LONGEST_NAME, _LONGEST_WHY = 40, 160  # characters of an id, and of why a sample has no value
_MOST_EVIDENCE, _MOST_SHOWN = 1_000_000.0, 1000
_NOTEWORTHY = 2.0  # less evidence is not mentioned: every second month without a change shows as much


def decide_gates(gates: Sequence[Gate], runs: Sequence[JudgedRun], *, false_alarms: float) -> list[GateResult]:
    """Decides each gate for each run that it is about.

    All gates share the level `false_alarms` (Bonferroni; max-T over the regressions of a run where their questions'
    choice is asked): in at most this share of the months (30 nightly runs) without a change does any gate fail that is
    not `strict`.
    """
    listed = [list(_list_figures(gate, runs)) for gate in gates]
    looks = sum(len(list_bounds(gate)) or 1 for gate, *_ in chain(*listed) if not _is_strict(gate))
    checks = [[GateCheck(*figure, false_alarms, max(looks, 1)) for figure in of_gate] for of_gate in listed]
    regressions = dict[GateCheck, GateResult]()
    for run in runs:  # those of one run are decided together
        of_run = [check for check in chain(*checks) if isinstance(check.gate, RegressionGate) and check.run is run]
        decided = decide_regressions(of_run, choice_level=false_alarms / len(runs))
        regressions |= zip(of_run, decided, strict=True)
    return [regressions.get(check) or decide_bounds(check) for check in chain(*checks)]


def _list_figures(gate: Gate, runs: Sequence[JudgedRun]) -> Iterator[tuple[Gate, JudgedRun, str]]:
    """The figures that are held against a gate: of which runs and metrics."""
    for run in runs:
        if gate.judge in {None, run.judge}:
            metrics = run.metrics if isinstance(gate, CoverageGate) and not gate.metric else (gate.metric or "",)
            yield from ((gate, run, metric) for metric in metrics)


def _is_strict(gate: Gate) -> bool:
    """Whether the figure of the newest run alone decides, and not the evidence."""
    return not isinstance(gate, RegressionGate) and gate.strict


@dataclass(frozen=True, eq=False)
class GateCheck:
    """One figure of one run that is held against one gate."""

    gate: Gate
    run: JudgedRun
    metric: str
    false_alarms: float  # the share of months without a change in which any gate of the suite may fail
    looks: int  # how many figures share it (Bonferroni)

    @property
    def allowed(self) -> float:
        """How much worse the figure may become; 0 of a gate that is not on a regression."""
        return self.gate.more_than if isinstance(self.gate, RegressionGate) else 0.0

    @property
    def higher_is_better(self) -> bool:
        """The metric's direction."""
        return self.metric != UNANSWERED and self.run.table.directions[self.metric]

    @property
    def name(self) -> str:
        """The gate's name in reports."""
        return self.gate.name_for(self.metric)

    @property
    def subject(self) -> str:
        """What the figure is of, as a gate's reason begins."""
        gate, name = self.gate, self.metric
        if isinstance(gate, CoverageGate):
            return f"the share of samples with a value of {name}"
        name = "the share of refusals and empty answers" if name == UNANSWERED else name
        if isinstance(gate, MeanGate):
            return name if self.metric == UNANSWERED else f"the mean of {name}"
        if isinstance(gate, ShareGate):
            side = "at least" if self.higher_is_better else "at most"
            return f"the share of {name} that is {side} {format_bound(gate.reach)}"
        return name

    @cached_property
    def samples(self) -> list[str]:
        """The ids of the run's samples."""
        return list(self.run.table.samples)

    def groups(self, samples: Sequence[str]) -> list[str]:
        """The group of each sample: those of one group are not independent."""
        return [self.run.table.groups[name] for name in samples]

    def figures(self, earlier: Sequence[RunValues] = ()) -> Floats:
        """Returns what the values count for: (samples, runs), earlier runs and then this one, NaN without a value.

        A value that differs from this run's, or from the gate's bound, by the computer's rounding only is equal to it:
        another version of a library is no fall.
        """
        columns = [[self._figure(run, name) for name in self.samples] for run in (*earlier, self.run.values)]
        figures = np.array(columns, float).T.reshape(len(self.samples), len(columns))
        is_equal = np.isclose(figures, figures[:, -1:], rtol=_ROUNDING, atol=_ROUNDING)
        return np.where(is_equal, figures[:, -1:], figures)

    def _figure(self, run: RunValues, sample: str) -> float:
        """The value itself, or whether it reaches the bound, or whether it is there."""
        gate, values = self.gate, run.get(sample, {})
        value = values.get(self.metric)
        if isinstance(gate, CoverageGate):
            return float(value is not None) if self.metric in values else math.nan
        if value is None:
            return math.nan
        if isinstance(gate, ShareGate):
            return float(not is_beyond(value, "at least" if self.higher_is_better else "at most", gate.reach))
        return next((bound for _, bound in list_bounds(gate) if _is_equal(value, bound)), value)

    def evidence(self, p: float) -> float:
        """One month without a change in so many shows as much as this p-value in one of the suite's figures."""
        return min(_MOST_EVIDENCE, 1 / max(p * self.looks, 1 / _MOST_EVIDENCE))

    def describe_evidence(self, newest: Evidence) -> str:
        """Returns the evidence so far as the end of a sentence."""
        evidence, needed = format_evidence(self.evidence(newest.p)), f"{1 / self.false_alarms:.3g}"
        if newest.failed:
            return f"evidence {evidence}, where {needed} is enough"
        return f"evidence {evidence} of the {needed} that a failure takes"

    def result(
        self,
        state: State,
        reason: str,
        bound: float,
        *,
        value: float | None = None,
        newest: Evidence | None = None,
        fallen: Sequence[str] = (),
    ) -> GateResult:
        """Returns what came of the gate, with the evidence where there is some, and the answers by which it failed.

        They are the refusals; or the answers without a value, and why the first has none; or those that fell
        (`fallen`); none of a bound on a mean or a share.
        """
        what, names, why = "fell most" if self.higher_is_better else "rose most", list(fallen), ""
        if self.metric == UNANSWERED:
            what, names = "refused or empty", [name for name in self.samples if self.run.values[name][UNANSWERED]]
        elif isinstance(self.gate, CoverageGate):
            what, scores = "without a value", self.run.table.scores
            names = [name for name in self.samples if self.run.values[name].get(self.metric) is None]
            reasons = (scores[name][self.metric].reason for name in names if self.metric in scores[name])
            first = next(filter(None, reasons), "")
            why = f" ({one_line(f'the first: {first}', _LONGEST_WHY)})" if first else ""
        if state != "failed" or value is None:
            names = []
        if names:
            listed = list_first([one_line(name, _LONGEST_NAME) for name in names], _MOST_NAMES)
            reason = f"{reason}; {what}: {listed}{why}"
        return GateResult(
            gate=self.gate.gate,
            name=self.name,
            judge=self.run.judge,
            metric=self.metric,
            state=state,
            value=value,
            bound=bound,
            reason=reason,
            p=newest.p if newest else None,
            evidence=self.evidence(newest.p) if newest else None,
            needed=1 / self.false_alarms if newest else None,
            samples=tuple(names),
        )


def decide_bounds(check: GateCheck) -> GateResult:
    """Decides a gate on a mean, a share or the coverage: of two bounds the one that more speaks against."""
    bounds, values = list_bounds(check.gate), check.figures()
    known = values[~np.isnan(values)]
    if len(known):
        figure = float(known.mean())
    elif isinstance(check.gate, CoverageGate):
        figure = 0.0
    else:
        return check.result("undecided", f"{check.subject} is unknown: no sample has a value of it", bounds[0][1])
    is_strict = _is_strict(check.gate) or not len(known)
    results = [_decide_bound(check, figure, side, bound, is_strict=is_strict) for side, bound in bounds]
    return max(results, key=lambda result: (result.state == "failed", result.evidence or 0.0))


def _decide_bound(check: GateCheck, figure: float, side: str, bound: float, *, is_strict: bool) -> GateResult:
    newest = None if is_strict else _weigh(check, 1 if side == "at least" else -1, bound)
    is_broken = is_beyond(figure, side, bound)
    is_failed = is_broken if newest is None else newest.failed
    reason = f"{check.subject} is {format_figure(figure, bound)}"
    if newest and newest.nights > 1 and newest.change < 0:
        over = bound + (1 if side == "at least" else -1) * newest.change
        reason += f", {format_figure(over, bound)} over the last {count_of(newest.nights, 'run')}"
    evidence = check.describe_evidence(newest) if newest else ""
    if is_failed:
        reason += f", but must be {side} {format_bound(bound)}{f'; {evidence}' if evidence else ''}"
        return check.result("failed", reason, bound, value=figure, newest=newest)
    required = " and ".join(f"{word} {format_bound(one)}" for word, one in list_bounds(check.gate))
    reason += f" (required: {required}){f', which noise can do: {evidence}' if is_broken else ''}"
    return check.result("not settled" if is_broken else "passed", reason, bound, value=figure, newest=newest)


def _weigh(check: GateCheck, sign: int, bound: float) -> Evidence:
    """The evidence against a bound; the sign turns what is better upwards."""
    history = check.run.history
    figures = check.figures([*history.accepted, *history.distinct_nights])
    known = (~np.isnan(figures)).sum(axis=0)
    is_same_set = 2 * known >= known[-1]  # a run of other samples says nothing of these
    return weigh_bound(
        sign * figures[:, is_same_set],
        check.groups(check.samples),
        skipped=int(is_same_set[: len(history.accepted)].sum()),
        bound=sign * bound,
        level=check.false_alarms / check.looks,
        is_share=not isinstance(check.gate, MeanGate),
    )[-1]


def decide_regressions(checks: Sequence[GateCheck], *, choice_level: float) -> list[GateResult]:
    """Decides the gates on regressions of one run, on the samples that an accepted run scored too.

    A nightly run that failed one of them is left out for all: what failed is no baseline, nor are the runs before it on
    which the failure rested. Its failure stands until a run is nearer to the baseline than to it.
    """
    results: dict[int, GateResult] = {}
    figures: dict[int, tuple[Falls, list[str]]] = {}
    for number, check in enumerate(checks):
        prepared = _prepare(check)
        if isinstance(prepared, GateResult):
            results[number] = prepared
        else:
            figures[number] = prepared
    if figures:
        history = checks[0].run.history
        first, newest = len(history.accepted), len(history.accepted) + len(history.nights)
        levels = Levels(checks[0].false_alarms / checks[0].looks, choice_level)
        weighed: dict[int, Evidence] = {}
        for night in range(first, newest + 1):
            usable = {number: falls for number, (falls, _) in figures.items() if falls.is_usable(night)}
            weighed = dict(zip(usable, weigh_together(list(usable.values()), night, levels), strict=True))
            recorded = history.nights[night - first].failed if night < newest else None
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
                elif recorded is not None and number in failed:
                    falls.fall(night)
        fewest = fewest_groups(choice_level)
        for number, (_, paired) in figures.items():
            results[number] = _describe(checks[number], weighed[number], paired, fewest)
    return [results[number] for number in range(len(checks))]


def _prepare(check: GateCheck) -> "GateResult | tuple[Falls, list[str]]":
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
    accepted = len(history.accepted)
    figures = check.figures([*history.accepted, *(night.values for night in history.nights)])
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
    groups = check.run.table.groups
    numbers_of = {group: number for number, group in enumerate(dict.fromkeys(groups.values()))}
    samples = [name for name, is_paired in zip(check.samples, paired, strict=True) if is_paired]
    values = (1 if check.higher_is_better else -1) * figures[paired]
    numbers = np.array([numbers_of[groups[name]] for name in samples])
    return Falls(values, numbers, accepted=accepted, allowed=allowed, usable=usable.tolist()), samples


def _describe(check: GateCheck, newest: Evidence, samples: list[str], fewest: int) -> GateResult:
    allowed, history = check.allowed, check.run.history
    is_noteworthy = newest.change < 0 and check.evidence(newest.p) >= _NOTEWORTHY
    is_shown = newest.failed or newest.is_of_few or is_noteworthy
    change, nights, before = newest.tonight, 1, newest.baseline
    if is_shown:
        change, nights, before = newest.change, newest.nights, newest.before
    runs = "in this run" if nights == 1 else f"in this run and the {count_of(nights - 1, 'run')} that fell with it"
    others = "the accepted run" if before == 1 else f"the {count_of(before, 'run')} before"
    if abs(change) > _ROUNDING:
        side = "higher" if (change > 0) is check.higher_is_better else "lower"
        reason = f"{check.subject} is {side} by {format_figure(abs(change))} {runs} than"
    else:
        reason = f"{check.subject} is the same {runs} as"
    limit = f", {format_bound(allowed)} allowed" if allowed else ""
    lacking = f", {count_of(history.missing, 'accepted sample')} missing in this run" if history.missing else ""
    reason += f" in {others} ({count_of(len(samples), 'paired sample')}{lacking}{limit})"
    word = "fall" if check.higher_is_better else "rise"
    state: State = "failed" if newest.failed else "not settled" if is_shown else "passed"
    groups, fallen = len({*check.groups(samples)}), list[str]()
    if newest.failed:
        reason += f"; {check.describe_evidence(newest)}{'; no later run is compared with these' if nights > 1 else ''}"
        order = np.argsort(-newest.falls, kind="stable")  # those of the comparison of which the failure speaks
        is_rest = np.cumsum(newest.falls[order]) >= newest.falls.sum() - _ROUNDING * len(order)
        largest = order[: int(is_rest.argmax()) + 1].tolist()  # as many as make up the whole fall
        fallen = [samples[place] for place in largest if newest.falls[place] > _ROUNDING]
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
        reason += ", which noise can do" if change < -_ROUNDING else f": no {word} seen"
    value = change if check.higher_is_better else -change or 0.0
    return check.result(state, reason, allowed, value=value, newest=newest, fallen=fallen)


def list_bounds(gate: Gate) -> list[tuple[str, float]]:
    """Returns (`at least` or `at most`, the bound) of a gate; none of a gate on a regression."""
    sides = (("at least", getattr(gate, "at_least", None)), ("at most", getattr(gate, "at_most", None)))
    return [(side, bound) for side, bound in sides if bound is not None]


def is_beyond(figure: float, side: str, bound: float) -> bool:
    """Returns whether a figure breaks a bound, by more than the computer's rounding.

    Example:
        >>> is_beyond(0.1 + 0.2, "at most", 0.3), is_beyond(0.31, "at most", 0.3)
        (False, True)
    """
    return not _is_equal(figure, bound) and (figure < bound if side == "at least" else figure > bound)


def _is_equal(value: float, bound: float) -> bool:
    return math.isclose(value, bound, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def format_figure(value: float, bound: float | None = None) -> str:
    """Formats a figure of a gate: two digits, and as many more as show on which side of its bound it lies.

    Example:
        >>> format_figure(0.05146), format_figure(0.7153, 0.5), format_figure(0.5, 0.51), format_figure(153.2)
        ('0.051', '0.72', '0.5', '153')
        >>> format_figure(0.6496, 0.65), format_figure(0.65, 0.65)
        ('0.6496', '0.65')
    """
    first = 1 - math.floor(math.log10(abs(value))) if value else 0
    shown = ""
    for decimals in range(max(0, first), max(0, first) + 12):
        shown = f"{value:.{decimals}f}"
        shown = shown.rstrip("0").rstrip(".") if decimals else shown
        if (
            bound is None
            or _is_equal(value, bound)
            or (float(shown) != bound and (value < bound) == (float(shown) < bound))
        ):
            break
    return shown


def format_bound(bound: float) -> str:
    """Formats a bound as the suite gives it.

    Example:
        >>> format_bound(0.8833), format_bound(0.5)
        ('0.8833', '0.5')
    """
    return f"{bound:.6g}"


def format_evidence(evidence: float) -> str:
    """Formats evidence: without a change, one month in so many shows as much.

    Example:
        >>> format_evidence(12.3), format_evidence(2.26), format_evidence(0.2), format_evidence(1e6)
        ('12', '2.3', 'under 2', 'over 1,000')
    """
    if evidence < _NOTEWORTHY:
        return f"under {_NOTEWORTHY:g}"
    if evidence > _MOST_SHOWN:
        return f"over {_MOST_SHOWN:,}"
    return f"{evidence:.2g}" if evidence < 10 else f"{evidence:,.0f}"
