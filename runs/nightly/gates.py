"""What a night must hold: the bounds as a suite names them, and whether the night's figures keep them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...meta_eval.estimate import Estimate
from ..compare import Comparison, Judged
from ..paired import holm, paired

State = Literal["held", "fell", "undecided", "no baseline"]


class _Gate(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    judge: str | None = Field(default=None, description="one of the suite's judges; if not said, each")


class _OfSamples(_Gate):
    metric: str
    language: str | None = None
    message_type: str | None = None

    def covers(self, judged: Judged) -> bool:
        """Whether a sample counts for this gate."""
        return self.language in {None, judged.language} and self.message_type in {None, judged.message_type}


class MeanGate(_OfSamples):
    """The mean of a metric's values lies within the bounds."""

    gate: Literal["mean"]
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _bounded(self) -> "MeanGate":
        if self.at_least is None and self.at_most is None:
            raise ValueError("a gate on a mean has at_least, at_most or both")
        return self


class ShareGate(_OfSamples):
    """The share of the scored samples whose value reaches `reach` (is at most it, where lower is better)."""

    gate: Literal["share"]
    reach: float
    at_least: float = Field(ge=0, le=1)


class FallGate(_OfSamples):
    """The mean is not lower than that of the last accepted run by more than `more_than`, beyond noise.

    Where lower is better a rise is the fall. Tested on the samples that both runs scored.
    """

    gate: Literal["fall"]
    more_than: float = Field(default=0.0, ge=0)


class CoverageGate(_Gate):
    """Scored / all of a metric, or of each metric of the suite."""

    gate: Literal["coverage"]
    metric: str | None = None
    at_least: float = Field(ge=0, le=1)


class CostGate(_Gate):
    """What the night's live calls took, all judges together; replayed replies cost nothing."""

    gate: Literal["cost"]
    at_most: float = Field(ge=0)
    unit: Literal["usd", "tokens", "calls"] = "usd"
    judge: None = None


Gate = Annotated[MeanGate | ShareGate | FallGate | CoverageGate | CostGate, Field(discriminator="gate")]
GATES: dict[str, type[_Gate]] = {
    "mean": MeanGate,
    "share": ShareGate,
    "fall": FallGate,
    "coverage": CoverageGate,
    "cost": CostGate,
}


class GateResult(BaseModel):
    """How one gate came out: its state, the figure and the bound, and a sentence that tells it."""

    gate: str
    judge: str | None
    metric: str | None
    state: State
    value: float | None
    bound: float
    told: str
    p: float | None = None


class Spent(BaseModel):
    """What a night's live calls took; `usd` is None where a price is unknown."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


@dataclass(frozen=True)
class JudgedRun:
    """One run of a night as the gates see it; `comparison` is with the accepted run, where there is one.

    `directions` says of each metric of the run whether higher is better.
    """

    judge: str
    metrics: tuple[str, ...]
    directions: Mapping[str, bool]
    samples: Sequence[Judged]
    comparison: Comparison | None


def judge_gates(
    gates: Sequence[_Gate], runs: Sequence[JudgedRun], spent: Spent, *, false_alarms: float
) -> list[GateResult]:
    """Each gate for each run that it is about, in the suite's order.

    The tests of all falls of a night share one level, `false_alarms` (Holm): of nights without a change at most this
    share has a fall.
    """
    results: list[GateResult] = []
    falls: list[tuple[int, Estimate]] = []
    for gate in gates:
        if isinstance(gate, CostGate):
            results.append(_cost(gate, spent))
            continue
        for run in runs:
            if gate.judge not in {None, run.judge}:
                continue
            if isinstance(gate, CoverageGate):
                metrics = [gate.metric] if gate.metric else run.metrics
                results += [_coverage(gate, run, metric) for metric in metrics]
            elif isinstance(gate, FallGate):
                found = _fallen(gate, run)
                if isinstance(found, Estimate):
                    falls.append((len(results), found))
                    found = _result(
                        gate, run.judge, state="undecided", value=found.value, bound=gate.more_than, told=found.problem
                    )
                results.append(found)
            elif isinstance(gate, MeanGate | ShareGate):
                results.append(_bounded(gate, run))
    for (place, found), p in zip(falls, holm([found.p for _, found in falls]), strict=True):
        results[place] = _told_fall(results[place], found, p, false_alarms)
    return results


def _bounded(gate: MeanGate | ShareGate, run: JudgedRun) -> GateResult:
    values = [value for each in run.samples if gate.covers(each) if (value := each.value(gate.metric)) is not None]
    if isinstance(gate, ShareGate):
        higher = run.directions[gate.metric]
        reached = [value >= gate.reach if higher else value <= gate.reach for value in values]
        figure = sum(reached) / len(values) if values else None
        what = f"the share of {_named(gate)} that is {'at least' if higher else 'at most'} {gate.reach:g}"
        bounds = [("at least", gate.at_least)]
    else:
        figure = sum(values) / len(values) if values else None
        what = f"the mean of {_named(gate)}"
        sides = (("at least", gate.at_least), ("at most", gate.at_most))
        bounds = [(side, bound) for side, bound in sides if bound is not None]
    bound = bounds[0][1]
    if figure is None:
        told = f"{what} is unknown: no sample was scored"
        return _result(gate, run.judge, state="undecided", value=None, bound=bound, told=told)
    for side, bound in bounds:
        if figure < bound if side == "at least" else figure > bound:
            told = f"{what} is {figure:.4g}, not {side} {bound:g}"
            return _result(gate, run.judge, state="fell", value=figure, bound=bound, told=told)
    told = f"{what} is {figure:.4g}, " + " and ".join(f"{side} {bound:g}" for side, bound in bounds)
    return _result(gate, run.judge, state="held", value=figure, bound=bounds[0][1], told=told)


def _coverage(gate: CoverageGate, run: JudgedRun, metric: str) -> GateResult:
    have = sum(each.value(metric) is not None for each in run.samples)
    figure = have / len(run.samples) if run.samples else 0.0
    kept = figure >= gate.at_least
    told = f"{metric} has a value for {have} of {len(run.samples)} samples ({figure:.1%}), {'' if kept else 'not '}"
    told += f"at least {gate.at_least:.1%}"
    return GateResult(
        gate="coverage",
        judge=run.judge,
        metric=metric,
        state="held" if kept else "fell",
        value=figure,
        bound=gate.at_least,
        told=told,
    )


def _cost(gate: CostGate, spent: Spent) -> GateResult:
    figure: float | None = getattr(spent, gate.unit)
    unit = "USD" if gate.unit == "usd" else gate.unit
    if figure is None:
        state: State = "undecided"
        told = "the cost is unknown: give the judge's price in its settings file, or bound tokens (unit: tokens)"
    else:
        state = "held" if figure <= gate.at_most else "fell"
        told = f"the night took {figure:.6g} {unit}, {'' if state == 'held' else 'not '}at most {gate.at_most:g}"
    return GateResult(gate="cost", judge=None, metric=None, state=state, value=figure, bound=gate.at_most, told=told)


def _fallen(gate: FallGate, run: JudgedRun) -> GateResult | Estimate:
    """The paired differences in the direction in which less is worse, tested against the allowed fall."""
    if run.comparison is None:
        told = "there is no accepted run that shares samples with this one; make one with `assay accept RUN`"
        return _result(gate, run.judge, state="no baseline", value=None, bound=gate.more_than, told=told)
    if gate.metric not in run.comparison.metrics:
        told = f"the accepted run {run.comparison.a} has no {gate.metric}; accept a newer one"
        return _result(gate, run.judge, state="no baseline", value=None, bound=gate.more_than, told=told)
    sign = 1 if run.directions[gate.metric] else -1
    both = [
        (sign * (after - before), each.source)
        for each in run.comparison.judged
        if gate.covers(each)
        if (before := each.earlier_value(gate.metric)) is not None and (after := each.value(gate.metric)) is not None
    ]
    differences, sources = [by for by, _ in both], [source for _, source in both]
    return paired(differences, sources, side="below", against=-gate.more_than)


def _told_fall(result: GateResult, found: Estimate, p: float | None, false_alarms: float) -> GateResult:
    if found.value is None or p is None:
        return result.model_copy(update={"told": f"the change is unknown: {found.problem}"})
    fewest = next(count for count in range(1, 64) if 2.0**-count < false_alarms)
    interval = "" if found.low is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    way = "better by" if found.value > 0 else "worse by" if found.value < 0 else "neither better nor worse,"
    told = f"{result.metric} is {way} {abs(found.value):.4f}{interval} than in the accepted run, {found.n} pairs"
    told += f", p = {p:.4f}" + (f", {result.bound:g} allowed" if result.bound else "")
    if found.groups < fewest:
        told += f"; {found.groups} groups are too few to tell a fall from noise, {fewest} are needed"
        return result.model_copy(update={"state": "undecided", "told": told, "p": p})
    fell = p <= false_alarms
    told += f": {'more than noise' if fell else 'no fall beyond noise'}"
    return result.model_copy(update={"state": "fell" if fell else "held", "told": told, "p": p})


def _named(gate: _OfSamples) -> str:
    parts = [part for part in (gate.language, gate.message_type) if part]
    return f"{gate.metric} ({', '.join(parts)})" if parts else gate.metric


def _result(
    gate: MeanGate | ShareGate | FallGate, judge: str, *, state: State, value: float | None, bound: float, told: str
) -> GateResult:
    return GateResult(gate=gate.gate, judge=judge, metric=gate.metric, state=state, value=value, bound=bound, told=told)
