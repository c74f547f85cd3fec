"""The runs that a nightly run is compared with: those accepted together, and the nightly runs since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from ..answers.pairing import pair_runs
from ..answers.table import AnswerTable
from ..failures.bad_answers import unanswered_kind
from ..store.plan import Plan
from ..store.store import RunRow, Store
from .gates import UNANSWERED
from .ledger import Baseline, Ledger, NightlyRunRow
from .nightly_report import NOTHING_ACCEPTED, UNFINISHED, read_report
from .suite_file import judge_identity

RunValues = Mapping[str, Mapping[str, float | None]]
"""The values of a run by the id that the sample has in the newest run, and by metric."""

_MOST_NIGHTS = 90
_ONE_NIGHT = timedelta(hours=12)


class Night(NamedTuple):
    """An earlier nightly run's run."""

    values: RunValues
    is_replayed: bool = False  # whether the next run has the same replies, with the same values
    failed: frozenset[str] | None = None  # where it failed a gate, the names of the gates that failed


class History(NamedTuple):
    """The runs before a nightly run's, the oldest first."""

    accepted: tuple[RunValues, ...] = ()
    nights: tuple[Night, ...] = ()
    accepted_samples: int = 0  # how many samples the accepted runs have, also where the newest run has none of them

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
        return [night.values for night in self.nights if not night.is_replayed and night.failed is None]


@dataclass
class JudgedRun:
    """One run of a nightly run, as gates need it."""

    judge: str
    metrics: tuple[str, ...]  # the suite's
    table: AnswerTable
    history: History = field(default_factory=History)

    @cached_property
    def values(self) -> RunValues:
        """Its values by sample and metric."""
        return read_values(self.table)


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
    store: Store, rows: Sequence[NightlyRunRow], newest: JudgedRun, baseline: Baseline | None, *, sets: Sequence[str]
) -> History:
    """Reads the runs that the newest run is compared with.

    A nightly run counts if it finished, began after the baseline was accepted, and had the same sets, metrics, judge
    and prompts. `sets` are those of the suite as its file names them. One that was replayed within twelve hours, with
    the same values, counts once; one that failed a gate shows only on which runs before its failure rested.
    """
    following = own_row = store.run(newest.table.name)
    identity = _identity(own_row.plan, sets)
    accepted_runs = [name for name in baseline.runs if name != own_row.id] if baseline else []
    earlier = [
        (row, night)
        for night, name in _nightly_runs(store, rows, newest.judge, baseline)
        if name not in {own_row.id, *accepted_runs}
        and _identity((row := store.run(name)).plan, (night.report or {}).get("sets", ())) == identity
    ][-_MOST_NIGHTS:]
    judging = _describe_judging(store, (row for row, _ in earlier), own_row)
    next_values = newest.values
    nights: list[Night] = []  # the newest first
    for row, night in reversed(earlier):
        values = None if judging[row.id] else _paired_values(store, row, newest.table)
        if not values:
            continue
        if night.status == "gate failed":
            gates = (gate for gate in read_report(night).gates if gate.state == "failed" and gate.judge == newest.judge)
            nights.append(Night(values, failed=frozenset(gate.name for gate in gates)))
            continue
        is_replayed = values == next_values and _is_replayed(store, following.id)
        is_same_night = datetime.fromisoformat(following.created) - datetime.fromisoformat(row.created) < _ONE_NIGHT
        if not (is_replayed and is_same_night):
            nights.append(Night(values, is_replayed))
        following, next_values = row, values
    accepted = (_paired_values(store, store.run(name), newest.table) for name in accepted_runs)
    return History(
        accepted=tuple(filter(None, accepted)),
        nights=tuple(reversed(nights)),
        accepted_samples=max((store.count_samples(name) for name in accepted_runs), default=0),
    )


def read_values(table: AnswerTable, ids: Mapping[str, str] | None = None) -> RunValues:
    """The values of a run, and whether each answer is empty or a refusal (`UNANSWERED`).

    Args:
        ids: The id of each sample in the run, by that which it has in the newest one; by default they are the same.
    """
    return {
        name: {metric: score.value for metric, score in table.scores[own].items()}
        | {UNANSWERED: float(bool(unanswered_kind(table.samples[own])))}
        for name, own in ({name: name for name in table.samples} if ids is None else ids).items()
    }


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


def _paired_values(store: Store, row: RunRow, newest: AnswerTable) -> RunValues:
    """A run's values by the newest run's samples; none where they share none."""
    earlier = AnswerTable.read(store, row)
    ids = pair_runs(earlier, newest)
    return read_values(earlier, ids) if ids else {}


def _describe_judging(store: Store, runs: Iterable[RunRow], row: RunRow) -> dict[str, str]:
    """By run how it was judged otherwise than another one; "" where it was not."""
    own = store.judging(row)
    return {other.id: own.describe_change(store.judging(other)) for other in runs}


def _is_replayed(store: Store, run: str) -> bool:
    """Whether a judge's replies were all recorded before the run."""
    usages = [score.usage for *_, score in store.scores(run, fields=("usage",))]
    calls = sum(usage.calls for usage in usages)
    return 0 < calls == sum(usage.from_cassette for usage in usages)
