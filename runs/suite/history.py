"""The runs that a nightly run is compared with: those accepted together, and the nightly runs since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from ...eval_sets import Sample
from ...metrics import Score
from ..answers.pairing import pair_runs
from ..answers.table import AnswerTable
from ..answers.unanswered import unanswered_kind
from ..show.results import read_results
from ..store.plan import Plan
from ..store.store import RunRow, Store
from .gates import UNANSWERED
from .ledger import Baseline, Ledger, NightlyRunRow
from .nightly_report import NOTHING_ACCEPTED, UNFINISHED, read_report
from .suite import judge_identity

ValueAndStatus = tuple[float | None, str]
RunValues = Mapping[str, Mapping[str, ValueAndStatus]]
"""The values and statuses of an earlier run by metric, by the id that the sample has in the newest run."""

_MOST_NIGHTS = 90
_ONE_NIGHT = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """One sample of a run, as gates count it."""

    sample: str
    language: str  # its language, or ""
    message_type: str  # its message type, or ""
    source: str  # its group: samples of one source are not independent
    after: Mapping[str, ValueAndStatus] = field(default_factory=dict)  # by metric its value and status
    reasons: Mapping[str, str] = field(default_factory=dict)  # by metric without a value why there is none


class History(NamedTuple):
    """The runs before a nightly run's, the oldest first."""

    accepted: tuple[RunValues, ...] = ()
    nights: tuple[RunValues, ...] = ()
    # which of these (counted from 0) the next run only replayed: the same replies, with the same values
    repeated: frozenset[int] = frozenset()
    accepted_samples: int = 0  # how many samples the accepted runs have, also where the newest run has none of them
    # of the nightly runs (counted from 0) that failed a gate, the names of the gates that failed
    failed: Mapping[int, frozenset[str]] = MappingProxyType({})

    @property
    def paired(self) -> set[str]:
        """The newest run's samples that an accepted run has too."""
        return {name for values in self.accepted for name in values}

    @property
    def missing(self) -> int:
        """How many samples of the accepted runs the newest run has not."""
        return max(0, self.accepted_samples - len(self.paired))

    @property
    def distinct_nights(self) -> list[RunValues]:
        """The nightly runs without those that failed or were replayed: a judge not asked again shows no noise."""
        left_out = self.repeated | self.failed.keys()
        return [values for number, values in enumerate(self.nights) if number not in left_out]


def find_baseline(store: Store, suite: str, run: str) -> tuple[Baseline | None, str]:
    """Returns the accepted runs of a suite that were judged as a run is, and why there are none, as a sentence begins.

    Without any the time of the last acceptance is still there: evidence starts anew after it.
    """
    ledger, row = Ledger(store), store.run(run)
    baseline = ledger.baseline(suite, judge_identity(row.plan.judge))
    known = set(store.run_ids())
    of_others = sorted(ledger.accepted_runs(suite) & known)
    accepted = [name for name in baseline.runs if name in known] if baseline else of_others[-1:]
    judging = _describe_judging(store, map(store.run, accepted), row)
    alike = tuple(name for name in accepted if not judging[name])
    problem = NOTHING_ACCEPTED
    if accepted and not alike:
        problem = f"The accepted run {accepted[-1]} was not judged as this one ({judging[accepted[-1]]})"
    return baseline and baseline._replace(runs=alike), "" if alike else problem


def read_history(
    store: Store,
    rows: Sequence[NightlyRunRow],
    *,
    judge: str,
    run: str,
    baseline: Baseline | None,
    sets: Sequence[str],
    newest: Sequence[tuple[Sample, JudgedSample]] = (),
) -> History:
    """Reads the runs that one run of a nightly run is compared with; `newest` are its `answered_samples`, if read.

    A nightly run counts if it finished, began after the baseline was accepted, and had the same sets, metrics, judge
    and prompts. `sets` are those of the suite as its file names them. One that was replayed within twelve hours, with
    the same values, counts once; one that failed a gate shows only on which runs before its failure rested.
    """
    following = own_row = store.run(run)
    plan = own_row.plan
    identity = _identity(plan, sets)
    newest = newest or list(answered_samples(store, run))
    accepted_runs = [name for name in baseline.runs if name != run] if baseline else []
    earlier = [
        (row, night)
        for night, name in _nightly_runs(store, rows, judge, baseline)
        if name not in {run, *accepted_runs}
        and _identity((row := store.run(name)).plan, (night.report or {}).get("sets", ())) == identity
    ][-_MOST_NIGHTS:]
    judging = _describe_judging(store, (row for row, _ in earlier), own_row)
    next_values: RunValues = {sample.id: judged.after for sample, judged in newest}
    nights: list[tuple[RunValues, bool, frozenset[str] | None]] = []  # (values, replayed, failed gates), newest first
    for row, night in reversed(earlier):
        values = None if judging[row.id] else _paired_values(store, row, plan.sets, newest)
        if not values:
            continue
        if night.status == "gate failed":
            gates = (gate for gate in read_report(night).gates if gate.state == "failed" and gate.judge == judge)
            nights.append((values, False, frozenset(gate.name for gate in gates)))
            continue
        is_repeated = values == next_values and _is_replayed(store, following.id)
        is_same_night = datetime.fromisoformat(following.created) - datetime.fromisoformat(row.created) < _ONE_NIGHT
        if not (is_repeated and is_same_night):
            nights.append((values, is_repeated, None))
        following, next_values = row, values
    nights.reverse()
    accepted = (_paired_values(store, store.run(name), plan.sets, newest) for name in accepted_runs)
    return History(
        accepted=tuple(filter(None, accepted)),
        nights=tuple(values for values, *_ in nights),
        repeated=frozenset(number for number, (_, is_repeated, _) in enumerate(nights) if is_repeated),
        accepted_samples=max((store.count_samples(name) for name in accepted_runs), default=0),
        failed={number: gates for number, (*_, gates) in enumerate(nights) if gates is not None},
    )


def answered_samples(store: Store, run: str) -> Iterator[tuple[Sample, JudgedSample]]:
    """The samples of a run with their values, and with whether the answer is empty or a refusal (`UNANSWERED`)."""
    results = read_results(store, store.run(run), has_evidence=False)
    for name, sample in results.samples.items():
        values = _values(sample, results.scores[name])
        reasons = {metric: score.reason for metric, score in results.scores[name].items() if score.value is None}
        described = sample.language or "", sample.message_type or "", results.groups[name]
        yield sample, JudgedSample(name, *described, values, reasons)


def _values(sample: Sample, scores: Mapping[str, Score]) -> dict[str, ValueAndStatus]:
    values = {metric: (score.value, str(score.status)) for metric, score in scores.items()}
    return values | {UNANSWERED: (float(bool(unanswered_kind(sample))), "scored")}


def _identity(plan: Plan, names: Sequence[str]) -> str:
    """What a plan is found by in whatever folder the suite lies: its sets as the suite's file names them.

    Its prompts are compared by their wording (`Store.judging`).
    """
    return plan.model_copy(update={"sets": tuple(names) or plan.sets, "prompts": None}).identity


def _nightly_runs(
    store: Store, rows: Sequence[NightlyRunRow], judge: str, baseline: Baseline | None
) -> Iterator[tuple[NightlyRunRow, str]]:
    """The judge's runs of the nightly runs that finished since the baseline was accepted, the oldest first."""
    ledger = Ledger(store)
    for row in reversed(rows):
        if row.status not in UNFINISHED and (baseline is None or row.began > baseline.accepted_at):
            name = ledger.runs(row.id).get(judge)
            if name is not None:
                yield row, name


def _paired_values(
    store: Store, row: RunRow, sets: Sequence[str], newest: Sequence[tuple[Sample, JudgedSample]]
) -> RunValues:
    """A run's values by the newest run's samples; none where they share none."""
    earlier = read_results(store, row, has_evidence=False)
    before, now = (
        AnswerTable({}, samples, {}, sets=tuple(of_samples))
        for samples, of_samples in (
            (earlier.samples, row.plan.sets),
            ({sample.id: sample for sample, _ in newest}, sets),
        )
    )
    pairing = pair_runs(before, now)
    return {
        name: _values(earlier.samples[earlier_name], earlier.scores[earlier_name])
        for name, earlier_name in pairing.ids.items()
    }


def _describe_judging(store: Store, runs: Iterable[RunRow], row: RunRow) -> dict[str, str]:
    """By run how it was judged otherwise than another one; "" where it was not."""
    own = store.judging(row)
    return {other.id: own.describe_change(store.judging(other)) for other in runs}


def _is_replayed(store: Store, run: str) -> bool:
    """Whether a judge's replies were all recorded before the run."""
    usages = [score.usage for *_, score in store.scores(run, fields=("usage",))]
    calls = sum(usage.calls for usage in usages)
    return 0 < calls == sum(usage.from_cassette for usage in usages)
