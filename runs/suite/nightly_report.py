"""The report of a nightly run: what its JSON file, its pages and the store hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ValidationError

from ...errors import written_by_earlier_version
from ...eval_sets.conversation import listed_question
from ...metrics.specification import parse_specification
from ...presentation import verdict as presentation_verdict
from ...presentation.figure import Figure
from ...presentation.texts import one_line
from ...presentation.verdict import describe_report
from ...text.wording import Phrase, phrase
from ..answers.summary import MetricSummary, summarise
from ..answers.table import AnswerTable
from ..decision.compare import RunComparison
from ..failures.bad_answers import unanswered_kind
from .gates import UNANSWERED, GateResult, ShareGate, Spending
from .ledger import NightlyRunRow
from .suite_file import Suite

Status = Literal["running", "done", "budget", "interrupted", "killed", "error"]
Verdict = Literal[
    "passed", "gate failed", "samples failed", "gate undecided", "budget", "interrupted", "killed", "error", "running"
]
UNFINISHED = frozenset({"running", "killed", "budget", "interrupted", "error", "samples failed"})
"""The verdicts after which a nightly run can be resumed."""

NOTHING_ACCEPTED = "There is no accepted run to compare with yet"
_IN_CI = " (on GitHub: run the workflow by hand with `accept`)"
_MOST_CHANGED, _MOST_FALLEN = 5, 10
_MOST_FAILING = 50
_MOST_CHARACTERS = 300
_LONGEST_NAME, _LONGEST_REASON = 30, 50


class SampleReport(BaseModel):
    """A sample that changed, fell or newly fails: its value in the run that it is compared with, and now."""

    sample: str
    metric: str
    before: float | None
    now: float | None
    question: str
    answer: str
    reason: str


def _leave_out_the_interval_of_a_scorer(values: Any) -> Any:
    """In a report by an earlier version: only ratings show how far off a scorer's predictions are."""
    if isinstance(values, dict) and parse_specification(str(values.get("metric"))).is_scorer:
        return values | {"low": None, "high": None}
    return values


class RunReport(BaseModel):
    """The run of one judge."""

    run: str
    judge: str
    status: str
    samples: int
    failed_samples: int
    first_failure: str
    accepted: str | None  # the run that the suite's regressions are tested against, or None
    no_baseline: str = ""  # why there is none, as a sentence begins
    compared_with: str | None  # the accepted run, else the run of the nightly run before this one, or None
    metrics: tuple[Annotated[MetricSummary, BeforeValidator(_leave_out_the_interval_of_a_scorer)], ...] = ()
    answers_changed: int | None = None  # samples with another answer than in `compared_with`
    samples_added: int | None = None  # samples that `compared_with` does not have, or has with another question
    samples_gone: int | None = None  # samples that only `compared_with` has, or has with another question
    samples_compared: int | None = None  # those of both runs of which no score failed, which says nothing of an answer
    added_unanswered: int = 0  # of those added, how many are refusals or empty
    changed: tuple[SampleReport, ...] = ()  # of a metric whose regression failed its gate those that fell most
    # the samples that fail now and did not before, each with the first metric that says so; `more_newly_failing` counts
    # those left out
    newly_failing: tuple[SampleReport, ...] = ()
    more_newly_failing: int = 0


class NightlyReport(BaseModel):
    """A whole nightly run.

    Attributes:
        nightly_run: The id in the store; None where the store could not be opened.
        began: When it began, in ISO 8601; `ended` when its last session ended.
        status: `running` until it ends, then how it ended.
        verdict: What it comes to, the gates considered.
        message: Why it did not end well; else empty.
        resume: The command that resumes it, or None where there is nothing to resume.
        accept: The command that accepts its runs, or None where they cannot be accepted.
        changes: The command that shows what changed since the accepted run, or None where no gate failed by that.
        is_accepted: Whether its runs were accepted when it ended.
        sets: The sets as the suite names them.
        spent: What all live calls took, over all sessions.
        seconds: How long it took, over all sessions.
    """

    suite: str
    nightly_run: str | None
    began: str
    ended: str | None = None
    status: Status
    verdict: Verdict
    message: str = ""
    resume: str | None = None
    accept: str | None = None
    changes: str | None = None
    is_accepted: bool = False
    sets: tuple[str, ...] = ()
    runs: tuple[RunReport, ...] = ()
    gates: tuple[GateResult, ...] = ()
    spent: Spending = Spending()
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Returns the report as JSON values, with the lines of its verdict."""
        return self.model_dump(mode="json", by_alias=True) | {"verdict_lines": self.give_verdict().as_json()}

    def describe(self) -> Phrase:
        """Of what sets it is, and the day that it began, as the line under a report's title."""
        day = datetime.fromisoformat(self.began).date()
        return describe_report([phrase("file", name=", ".join(self.sets))] if self.sets else [], day=day)

    def give_verdict(self) -> presentation_verdict.Verdict:
        """Says what a nightly run comes to: passed or failed, by which gate, and how many samples newly fail."""
        lines: list[tuple[str, *tuple[Phrase, ...]]] = [("suite", *self._describe_gates()), *self._describe_unscored()]
        lines += [*self._describe_newly_failing(), *self._describe_uncompared()]
        # the page says how many samples are gone or new in any case
        return presentation_verdict.Verdict(tuple(lines[: presentation_verdict.MOST_LINES]))

    @property
    def possible_falls(self) -> list[GateResult]:
        """The gates on regressions of a run that passed, which may have fallen: noise can do it too."""
        gates = self.gates if self.verdict == "passed" else ()
        return [gate for gate in gates if gate.state == "not settled" and gate.gate == "regression"]

    def _describe_gates(self) -> tuple[Phrase, ...]:
        failed = [gate for gate in self.gates if gate.state == "failed"]
        undecided = [gate for gate in self.gates if gate.state == "undecided" and fails_nightly_run(gate)]
        speaking = {"gate failed": failed, "gate undecided": undecided}.get(self.verdict, [])
        values: dict[str, Any] = {"suite": one_line(self.suite, _LONGEST_NAME), "count": len(self.gates)}
        if self.verdict == "passed":
            held = sum(gate.state == "passed" for gate in self.gates)
            if self.possible_falls:
                return _speak_of(self.possible_falls, "suite_possible", values)
            if held < len(self.gates):
                return phrase("suite_partly_passed", **values, held=held), phrase("suite_partly_passed_shortly")
            return (phrase("suite_passed" if self.gates else "suite_without_gates", **values),)
        name = f"suite_{self.verdict.replace(' ', '_')}"
        if not speaking:
            return (phrase(name, **values, samples=sum(run.failed_samples for run in self.runs)),)
        return _speak_of(speaking, name, values)

    def _describe_unscored(self) -> Iterator[tuple[str, Phrase]]:
        """The samples that a judge failed to score: every judge has the same, so those of the one who failed most."""
        worst = max(self.runs, key=lambda run: run.failed_samples, default=None)
        if worst and worst.failed_samples:
            reason = one_line(worst.first_failure, _LONGEST_REASON)
            yield "unscored", phrase("samples_unscored", count=worst.failed_samples, reason=reason)

    def _describe_newly_failing(self) -> Iterator[tuple[str, *tuple[Phrase, ...]]]:
        """How many samples newly fail; where no gate says what an answer has to reach, which ones fell too."""
        compared = [run for run in self.runs if run.compared_with]
        if self.runs and not compared:
            yield "newly", phrase("newly_unknown")
            return
        # every judge has the same samples: those of the judge by whom most of them fail
        newly = max((len(run.newly_failing) + run.more_newly_failing for run in compared), default=0)
        counts = (run.samples if run.samples_compared is None else run.samples_compared for run in compared)
        total = max(counts, default=0)
        is_accepted = all(run.compared_with == run.accepted for run in compared)
        before = phrase("accepted_run" if is_accepted else "run_before")
        failed = [gate for gate in self.gates if gate.state == "failed" and gate.gate == "regression" and gate.samples]
        fallen = None if any(gate.metric == UNANSWERED for gate in failed) else next(iter(failed), None)
        if total and any(gate.gate == "share" for gate in self.gates):
            yield "newly", phrase("newly_failing", newly=newly, count=total, before=before)
        elif fallen:
            values = {"count": newly, "total": total, "gate": _name_gate(fallen), "fell": len(fallen.samples)}
            names = [one_line(name, _LONGEST_NAME) for name in fallen.samples]
            texts = [phrase("newly_and_fell", **values, first=", ".join(names[:most])) for most in (3, 2, 1)]
            texts.append(phrase("newly_and_fell_shortly", **values))
            yield ("newly", *texts)
        elif newly:
            yield "newly", phrase("newly_without_score", count=newly, total=total, before=before)

    def _describe_uncompared(self) -> Iterator[tuple[str, Phrase]]:
        """The samples that only the accepted run has, or only this one: no gate on a regression looks at them."""
        for run in self.runs[:1] if self.status == "done" else ():
            if run.accepted is None or run.compared_with != run.accepted:
                continue
            gone, added = run.samples_gone or 0, run.samples_added or 0
            if gone:
                yield "missing", phrase("accepted_missing", missing=gone, count=run.samples - added + gone)
            if added:
                name = "new_samples_unanswered" if run.added_unanswered else "new_samples"
                yield "new", phrase(name, count=added, unanswered=run.added_unanswered)

    @property
    def next_steps(self) -> list[tuple[str, str]]:
        """What to do now: the beginning of each sentence, and the command that does it, "" for none."""
        if self.resume:
            raised = ", first raise `budget` in the suite's file, which bounds all sessions of a nightly run"
            return [(f"To resume it{raised if self.verdict == 'budget' else ''}", self.resume)]
        if self.is_accepted:
            return [("Accepted: the next nightly runs are compared with this one", "")]
        steps = []
        if any(gate.state == "no baseline" for gate in self.gates):
            reasons = dict.fromkeys(run.no_baseline for run in self.runs if run.no_baseline)
            steps.append((f"{'; '.join(reasons) or NOTHING_ACCEPTED}, so that no fall can be seen", ""))
        if self.accept is None:
            return steps
        if any(gate.state == "failed" and gate.gate == "regression" for gate in self.gates):
            steps += [("To see what changed", self.changes)] if self.changes else []
            steps.append((f"If the change is meant, start a new baseline with it{_IN_CI}", self.accept))
        elif steps and self.verdict == "passed":
            content = "If you are content with these answers, compare the next nightly runs with them"
            steps.append((f"{content}{_IN_CI}", self.accept))
        return steps


def _speak_of(gates: Sequence[GateResult], name: str, values: Mapping[str, Any]) -> tuple[Phrase, Phrase]:
    """The headline that names the first of some gates, and a shorter one that counts them."""
    # refusals lower what other metrics measure too, and not the other way round
    first = min(gates, key=lambda gate: gate.metric != UNANSWERED)
    gate = _name_gate(first)
    if first.state == "not settled":
        gate = phrase("gate_by_how_much", gate=gate, change=Figure("change", first.value))
    if len(gates) > 1:
        is_rest_coverage = all(other.gate == "coverage" for other in gates if other is not first)
        more = "and_coverage" if is_rest_coverage and first.metric == UNANSWERED else "and_more_gates"
        gate = phrase(more, gate=gate, count=len(gates) - 1)
    return phrase(name, **values, gate=gate), phrase(f"{name}_shortly", **{**values, "count": len(gates)})


def _name_gate(gate: GateResult) -> Phrase:
    kind = "unanswered" if gate.metric == UNANSWERED else gate.gate
    if gate.gate == "regression" and gate.value is None:
        kind = "incomparable"
    elif kind == "regression" and gate.value is not None and gate.value > 0:  # lower is better
        kind = "rise"
    return phrase(f"gate_{kind}", metric=one_line(gate.metric or "", _LONGEST_NAME))


def read_report(row: NightlyRunRow) -> NightlyReport:
    """Returns a nightly run's report from the store.

    A report by an earlier version, or of a nightly run that did not finish, becomes one without figures.
    """
    message = "it is still running" if row.status == "running" else "it began and did not finish: it was killed"
    if row.report is not None:
        try:
            return NightlyReport.model_validate(row.report)
        except ValidationError:
            message = written_by_earlier_version("its report")
    status: Status = "done" if row.report is not None else "killed" if row.status == "killed" else "running"
    verdict: Any = row.status
    if verdict not in get_args(Verdict):
        verdict = status
    return NightlyReport(
        suite=row.suite, nightly_run=row.id, began=row.began, status=status, verdict=verdict, message=message
    )


def decide_verdict(status: Status, gates: Sequence[GateResult], failed: int, max_failed: int) -> Verdict:
    """Returns what a nightly run comes to.

    More failed samples than allowed count before a gate on the coverage: it cannot hold where the judge failed, and a
    resumed nightly run asks for these values again.

    Returns:
        The verdict. A regression that could not be tested (too few groups) does not fail the nightly run; every other
        undecided gate does.
    """
    if status != "done":
        return status
    failing = {gate.gate for gate in gates if gate.state == "failed"}
    if failed > max_failed and failing <= {"coverage"}:
        return "samples failed"
    if failing:
        return "gate failed"
    return "gate undecided" if any(map(fails_nightly_run, gates)) else "passed"


def fails_nightly_run(gate: GateResult) -> bool:
    """Returns whether a gate fails its nightly run: it failed, or is undecided and no regression."""
    return gate.state == "failed" or (gate.state == "undecided" and gate.gate != "regression")


def report_run(
    suite: Suite,
    judge: str,
    table: AnswerTable,
    gates: Sequence[GateResult],
    *,
    baseline: str | None,
    no_baseline: str,
    comparison: RunComparison | None,
) -> RunReport:
    """Returns the report of one judge's run.

    Args:
        gates: What came of all gates of the nightly run.
        baseline: The accepted run that it is tested against, or None; then `no_baseline` says why.
        comparison: With the accepted run, else with the run of the nightly run before, if there is one.
    """
    row = table.row
    assert row is not None  # it is a run of the store
    summaries = {summary.name: summary for summary in summarise(table, has_agreement=False, has_interval=True)}
    changes = {difference.metric: difference.paired for difference in comparison.differences} if comparison else {}
    failures = [(name, score.reason) for name, _, score in table.rows() if score.status == "failed"]
    failed_now = {name for name, _ in failures}
    report = RunReport(
        run=row.id,
        judge=judge,
        status=row.status,
        samples=len(table.samples),
        failed_samples=len(failed_now),
        first_failure=failures[0][1] if failures else "",
        accepted=baseline,
        no_baseline=no_baseline,
        compared_with=None if comparison is None else comparison.a,
        metrics=tuple(
            replace(summaries.get(metric) or MetricSummary(metric), asked=metric in row.plan.metrics).with_change(
                changes.get(metric)
            )
            for metric in row.plan.all_metrics
        ),
    )
    if comparison is None:
        return report
    own_metrics = [metric for metric in comparison.metrics if metric in row.plan.metrics] or list(comparison.metrics)
    failed = (gate for gate in gates if gate.state == "failed" and gate.gate == "regression" and gate.judge == judge)
    fallen = {gate.metric: [name for name in gate.samples if name in comparison.ids] for gate in failed}
    changed: list[tuple[str, str]] = []
    for metric in own_metrics:
        most = (name for name, _ in comparison.most_changed(metric, _MOST_CHANGED))
        changed += [(name, metric) for name in fallen.get(metric, [])[:_MOST_FALLEN] or most]
    # a score that failed says nothing of the answer
    failed_before = {name for name, _, score in comparison.table_a.rows() if score.status == "failed"}
    compared = [
        name for name, before in comparison.ids.items() if name not in failed_now and before not in failed_before
    ]
    failing = list(_newly_failing(suite, judge, comparison, compared))
    return report.model_copy(
        update={
            "answers_changed": len(comparison.changed_answers),
            "samples_added": len(comparison.only_b),
            "samples_gone": len(comparison.only_a),
            "samples_compared": len(compared),
            "added_unanswered": sum(bool(unanswered_kind(table.samples[name])) for name in comparison.only_b),
            "changed": tuple(_report_sample(comparison, *change) for change in changed),
            "newly_failing": tuple(_report_sample(comparison, *change) for change in failing[:_MOST_FAILING]),
            "more_newly_failing": max(0, len(failing) - _MOST_FAILING),
        }
    )


def _newly_failing(
    suite: Suite, judge: str, comparison: RunComparison, samples: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """(sample, its first metric) where one misses what a share requires, or is lost, and before none did.

    One that was refused or empty before cannot get worse.
    """
    required: dict[str, float] = {}
    for gate in suite.gates:
        if isinstance(gate, ShareGate) and gate.judge in {None, judge}:
            strictest = max if comparison.directions.get(gate.metric, True) else min
            required[gate.metric] = strictest(gate.reach, required.get(gate.metric, gate.reach))
    changes = [change for metric in comparison.metrics for change in comparison.outcome_changes(metric)]
    lost = {(change.sample, change.metric) for change in changes if change.is_lost}
    unanswered = {change.sample for change in changes if change.before in {"empty", "refused"}}

    def failing(sample: str, side: int) -> list[str]:
        return [
            metric
            for metric, higher in comparison.directions.items()
            if _misses(comparison.values(sample, metric)[side], required.get(metric), higher=higher)
            or (side == 1 and (sample, metric) in lost)
        ]

    for sample in samples:
        if sample not in unanswered and not failing(sample, 0) and (metrics := failing(sample, 1)):
            yield sample, metrics[0]  # a sample counts once


def _misses(value: float | None, bound: float | None, *, higher: bool) -> bool:
    return value is not None and bound is not None and (value < bound if higher else value > bound)


def _report_sample(comparison: RunComparison, name: str, metric: str) -> SampleReport:
    before, now = comparison.values(name, metric)
    sample, score = comparison.table_b.samples[name], comparison.table_b.scores[name][metric]
    return SampleReport(
        sample=name,
        metric=metric,
        before=before,
        now=now,
        question=listed_question(sample)[:_MOST_CHARACTERS],
        answer=sample.response[:_MOST_CHARACTERS],
        reason=score.reason[:_MOST_CHARACTERS],
    )
