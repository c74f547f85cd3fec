"""A night's report: what its JSON file, its pages and the store have."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from ...meta_eval.bootstrap import bca_interval
from ..compare import Comparison, Judged, judged_samples
from .gates import GateResult, ShareGate, Spent
from .ledger import NightRow
from .suite import Suite

if TYPE_CHECKING:
    from ..store import Store

Status = Literal["running", "done", "budget", "interrupted", "error"]
Verdict = Literal["held", "gate fell", "samples failed", "gate undecided", "budget", "interrupted", "error", "running"]

_MOST_CHANGED = 5
_MOST_FAILING = 50
_TEXT = 300


class MetricReport(BaseModel):
    """One metric of one run: counts, the mean with its 95% interval over groups, and the change since the run before.

    `asked`: the suite names it; the others are the baselines that stand in every table.
    """

    metric: str
    asked: bool
    n: int
    scored: int
    skipped: int
    failed: int
    mean: float | None
    low: float | None = None
    high: float | None = None
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    change_p: float | None = None


class SampleReport(BaseModel):
    """A sample that changed or newly fails: its value in the run that it is compared with and now."""

    sample: str
    metric: str
    before: float | None
    now: float | None
    question: str
    answer: str
    reason: str


class RunReport(BaseModel):
    """One run of a night. `compared_with` is the accepted run, or else the run of the night before, or None."""

    run: str
    judge: str
    status: str
    samples: int
    failed_samples: int
    first_failure: str
    accepted: str | None
    compared_with: str | None
    metrics: list[MetricReport] = []
    answers_changed: int | None = None
    samples_added: int | None = None
    samples_gone: int | None = None
    changed: list[SampleReport] = []
    newly_failing: list[SampleReport] = []
    more_newly_failing: int = 0


class NightReport(BaseModel):
    """A whole night. `status` is `running` until it ends; `message` says why one did not end well."""

    suite: str
    night: str | None
    began: str
    ended: str | None = None
    status: Status
    verdict: Verdict
    message: str = ""
    resume: str | None = None
    sets: list[str] = []
    runs: list[RunReport] = []
    gates: list[GateResult] = []
    spent: Spent = Spent()
    seconds: float = 0.0


def report_of(row: NightRow) -> NightReport:
    """A night's report as the store has it; of a night that did not end, or by another version, only how it stands."""
    told = "it has begun and did not end: it is still running, or was killed"
    if row.report is not None:
        try:
            return NightReport.model_validate(row.report)
        except ValidationError:
            told = "its report is of another version of Assay, and is not shown"
    status: Status = "running" if row.report is None else "done"
    verdict: Any = row.status if row.status in get_args(Verdict) else status
    return NightReport(suite=row.suite, night=row.id, began=row.began, status=status, verdict=verdict, message=told)


def verdict_of(status: Status, gates: Sequence[GateResult], failed: int, max_failed: int) -> Verdict:
    """What a night comes to. A test of a fall that cannot be decided (too few groups) does not fail it."""
    if status != "done":
        return status
    if any(gate.state == "fell" for gate in gates):
        return "gate fell"
    if failed > max_failed:
        return "samples failed"
    undecided = any(gate.state == "undecided" and gate.gate != "fall" for gate in gates)
    return "gate undecided" if undecided else "held"


def report_run(
    store: "Store", suite: Suite, *, judge: str, run: str, accepted: str | None, comparison: Comparison | None
) -> RunReport:
    """One run in figures; `comparison` is with the accepted run or the night before."""
    row = store.run(run)
    samples = [judged for _, judged in judged_samples(store, run)]
    failed = store.failed_samples(run)
    found = RunReport(
        run=run,
        judge=judge,
        status=row.status,
        samples=len(samples),
        failed_samples=len(failed),
        first_failure=store.first_failure(run),
        accepted=accepted,
        compared_with=None if comparison is None else comparison.a,
        metrics=[
            _metric(samples, metric, comparison, asked=metric in row.plan.metrics) for metric in row.plan.all_metrics
        ],
    )
    if comparison is None:
        return found
    own = [metric for metric in comparison.metrics if metric in row.plan.metrics] or list(comparison.metrics)
    changed = [(metric, name) for metric in own for name, _ in comparison.most_changed(metric, _MOST_CHANGED)]
    failing = list(_newly_failing(suite, judge, comparison))
    return found.model_copy(
        update={
            "answers_changed": comparison.changed_answers,
            "samples_added": len(comparison.only_b) + len(comparison.other_question),
            "samples_gone": len(comparison.only_a),
            "changed": [_sample(store, comparison, name, metric) for metric, name in changed],
            "newly_failing": [_sample(store, comparison, *each) for each in failing[:_MOST_FAILING]],
            "more_newly_failing": max(0, len(failing) - _MOST_FAILING),
        }
    )


def _metric(samples: Sequence[Judged], metric: str, comparison: Comparison | None, *, asked: bool) -> MetricReport:
    import numpy as np

    scores = [(each.after[metric], each.source) for each in samples if metric in each.after]
    values = np.array([value for (value, _), _ in scores if value is not None], float)
    sources = [source for (value, _), source in scores if value is not None]
    statuses = [status for (_, status), _ in scores]
    mean = float(values.mean()) if len(values) else None
    interval = None
    if mean is not None:
        interval = bca_interval(
            lambda weights: (weights * values[:, None]).sum(axis=0) / weights.sum(axis=0), mean, sources
        )
    counts = {status: statuses.count(status) for status in ("scored", "skipped", "failed")}
    low, high = interval or (None, None)
    found = MetricReport(
        metric=metric,
        asked=asked,
        n=len(statuses),
        **counts,
        mean=mean,
        low=low,
        high=high,
    )
    change = next((each for each in comparison.overall if each.metric == metric), None) if comparison else None
    if change is None:
        return found
    by = change.paired
    return found.model_copy(
        update={"change": by.value, "change_low": by.low, "change_high": by.high, "change_p": change.p_of_all}
    )


def _newly_failing(suite: Suite, judge: str, comparison: Comparison) -> Iterable[tuple[str, str]]:
    """(sample, metric) where a metric now fails, or does not reach what a gate on a share asks, and did before."""
    reach: dict[str, float] = {}
    for gate in suite.gates:
        if isinstance(gate, ShareGate) and gate.judge in {None, judge}:
            reach[gate.metric] = max(gate.reach, reach.get(gate.metric, gate.reach))
    for each in comparison.judged:
        for metric in comparison.metrics:
            before, after = each.before.get(metric), each.after.get(metric)
            if after is None:
                continue
            bound, higher = reach.get(metric), comparison.directions[metric]
            if _fails(*after, bound, higher=higher) and not (before and _fails(*before, bound, higher=higher)):
                yield each.sample, metric


def _fails(value: float | None, status: str, bound: float | None, *, higher: bool) -> bool:
    if value is None or bound is None:
        return status == "failed"
    return value < bound if higher else value > bound


def _sample(store: "Store", comparison: Comparison, name: str, metric: str) -> SampleReport:
    judged = next(each for each in comparison.judged if each.sample == name)
    sample = store.sample(comparison.b, name)
    score = next(score for _, found, score in store.scores(comparison.b, name) if found == metric)
    return SampleReport(
        sample=name,
        metric=metric,
        before=judged.earlier_value(metric),
        now=judged.value(metric),
        question=sample.user_input[:_TEXT],
        answer=sample.response[:_TEXT],
        reason=score.reason[:_TEXT],
    )


def as_json(report: NightReport) -> dict[str, Any]:
    """The report as JSON values."""
    return report.model_dump(mode="json")
