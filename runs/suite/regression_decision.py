"""Holds a metric against the accepted runs and the nightly runs since."""

import math
from collections.abc import Sequence

from ...text.wording import count_of
from .evidence import RELEASES, Evidence, Falls, Levels, weigh_together
from .gate_check import ROUNDING, GateCheck, format_bound, format_figure
from .gates import NOTEWORTHY, GateResult, State

_FEWEST_KEPT = 0.5  # of the accepted samples: a run without most of them is another set, or a file cut short


def decide_regressions(checks: Sequence[GateCheck], *, choice_level: float) -> list[GateResult]:
    """Decides the gates on regressions of one run, on the samples that an accepted run scored too.

    A nightly run that failed one of them is left out for all: what failed is no baseline.
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
        levels = Levels(checks[0].level.of_check, choice_level)
        weighed: dict[int, Evidence] = {}
        for night in range(first, newest + 1):
            usable = {number: falls for number, (falls, _) in figures.items() if falls.is_usable(night)}
            weighed = dict(zip(usable, weigh_together(list(usable.values()), night, levels), strict=True))
            if not any(evidence.failed for evidence in weighed.values()):
                for falls in usable.values():
                    falls.keep(night)
        fewest = fewest_groups(choice_level)
        for number, (_, groups) in figures.items():
            results[number] = _describe(checks[number], weighed[number], groups, fewest)
    return [results[number] for number in range(len(checks))]


def _prepare(check: GateCheck) -> "GateResult | tuple[Falls, list[str]]":
    """The figure's runs and the groups of its paired samples, or the result where it cannot be compared."""
    import numpy as np

    history, allowed = check.run.history, check.allowed
    kept = len({name for values in history.accepted for name in values})
    if kept < _FEWEST_KEPT * history.accepted_samples:
        reason = (
            f"{check.subject} cannot be compared: this run has {kept:,} of the "
            f"{count_of(history.accepted_samples, 'accepted sample')}; keep their ids and their rows, or accept this "
            "run if they are meant to be gone"
        )
        return check.result("failed", reason, allowed)
    if not history.accepted:
        reason = (
            f"{check.subject} is compared with nothing yet: no accepted run shares samples with this one; accept one "
            "with `assay suite accept RUN`"
        )
        return check.result("no baseline", reason, allowed)
    samples, accepted = check.samples, len(history.accepted)
    figures = check.figures(samples, [*history.accepted, *history.nights])
    known = ~np.isnan(figures)
    if not known[:, -1].any():
        return check.result("undecided", f"the change is unknown: no sample has a value of {check.metric}", allowed)
    paired = known[:, -1] & known[:, :accepted].any(axis=1)
    if not paired.any():
        reason = f"no sample has a value of {check.metric} in the accepted run too; accept a newer one"
        return check.result("no baseline", reason, allowed)
    counts = known[paired].sum(axis=0)
    usable = 2 * counts >= counts[-1]  # a nightly run of other samples says nothing of these
    usable[:accepted] = counts[:accepted] > 0
    sources = {source: number for number, source in enumerate(dict.fromkeys(one.source for one in check.run.samples))}
    groups = [sample.source for sample, is_paired in zip(samples, paired, strict=True) if is_paired]
    values = (1 if check.higher_is_better else -1) * figures[paired]
    numbers = np.array([sources[source] for source in groups])
    return Falls(values, numbers, accepted=accepted, allowed=allowed, usable=usable.tolist()), groups


def _describe(check: GateCheck, newest: Evidence, groups: list[str], fewest: int) -> GateResult:
    allowed, history = check.allowed, check.run.history
    is_shown = newest.failed or newest.is_of_few
    is_shown = is_shown or (newest.change < 0 and check.level.evidence(newest.p) >= NOTEWORTHY)
    change, nights, before = newest.tonight, 1, newest.baseline
    if is_shown:
        change, nights, before = newest.change, newest.nights, newest.before
    runs = "in this run" if nights == 1 else f"in the last {count_of(nights, 'run')}"
    others = "the accepted run" if before == 1 else f"the {count_of(before, 'run')} before"
    if abs(change) > ROUNDING:
        side = "higher" if (change > 0) is check.higher_is_better else "lower"
        reason = f"{check.subject} is {side} by {format_figure(abs(change))} {runs} than"
    else:
        reason = f"{check.subject} is the same {runs} as"
    limit = f", {format_bound(allowed)} allowed" if allowed else ""
    missing = max(0, history.accepted_samples - len({name for values in history.accepted for name in values}))
    lacking = f", {count_of(missing, 'accepted sample')} missing in this run" if missing else ""
    reason += f" in {others} ({count_of(len(groups), 'paired sample')}{lacking}{limit})"
    word = "fall" if check.higher_is_better else "rise"
    state: State = "failed" if newest.failed else "passed"
    if newest.failed:
        reason += f"; {check.describe_evidence(newest)}"
    elif len(set(groups)) < fewest:
        state = "undecided"
        reason += f"; {count_of(len(set(groups)), 'group')} cannot tell a {word} from chance, {fewest} are needed"
    elif newest.is_of_few:
        reason += f", more than noise, but of too few answers to call it a {word}; see `assay show changes`"
    elif is_shown:
        reason += f": a possible {word}, {check.describe_evidence(newest)}"
    else:
        by_chance = ", which is no more than chance gives" if change < 0 else ""
        reason += f"{by_chance}: no {word} seen{_missed(newest, word)}"
    return check.result(state, reason, allowed, value=change, newest=newest)


def fewest_groups(level: float) -> int:
    """Returns how many groups of answers a fall of the whole takes to be told from chance.

    Example:
        >>> fewest_groups(0.05), fewest_groups(0.05 / 3)
        (7, 9)
    """
    # with g groups the smallest p-value of a sign-flip test is 2 ** -g
    return next(count for count in range(1, 64) if RELEASES * 2.0**-count < level)


def _missed(newest: Evidence, word: str) -> str:
    if newest.missed is None or newest.missed_in_week is None:
        return ""
    one_run, week = (format_figure(_round_up(size)) for size in (newest.missed, newest.missed_in_week))
    in_week = f", one under {week} in seven" if newest.missed_in_week < newest.missed else ""
    return f"; a {word} under {one_run} would often be missed in one run{in_week}"


def _round_up(value: float) -> float:
    """To two digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / step - 1e-9) * step
