"""Two runs beside each other: what each metric says of them, and which answers changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...meta_eval.decision import MetricDifference, compare_by_metrics
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES
from ..answers.pairing import pair_runs, pair_versions
from ..answers.table import AnswerTable
from ..failures.bad_answers import unanswered_kind
from .versions import metric_directions, version_table

if TYPE_CHECKING:
    from ..store.store import Store

NOBODY_RATED = "nobody rated the answers, which are the same in both runs"
"""Why nothing is decided where ratings would say nothing either."""
_NOISE = 1e-9  # a smaller change is one of rounding in the computer


@dataclass(frozen=True, slots=True)
class OutcomeChange:
    """A sample that was scored in one of two runs, and was empty, refused, skipped or failed in the other."""

    sample: str  # the id in run B
    metric: str
    before: str  # what became of it in run A: `scored`, `empty`, `refused`, `skipped` or `failed`
    after: str  # what became of it in run B
    reason: str  # why it has no value, as the metric says; empty where it has one

    @property
    def is_lost(self) -> bool:
        """Whether it was scored in run A."""
        return self.before == "scored"


@dataclass(frozen=True)
class RunComparison:
    """Two runs: the differences by metric, B minus A, and the samples that both have."""

    directions: Mapping[str, bool]  # by metric that both runs have, whether higher is better, as run B recorded it
    differences: tuple[MetricDifference, ...]
    table_a: AnswerTable  # the answers of run A, with the ratings that they came with
    table_b: AnswerTable
    ids: Mapping[str, str]  # of the samples that both have, the id in run B -> the id in run A
    other_judging: str = ""  # how the judge of B was another than that of A; "" where they were one

    @property
    def a(self) -> str:
        """The first run's id."""
        return self.table_a.run or self.table_a.name

    @property
    def b(self) -> str:
        """The second run's id."""
        return self.table_b.run or self.table_b.name

    @cached_property
    def samples(self) -> list[str]:
        """The ids in run B of the samples that both have."""
        return [name for name in self.table_b.samples if name in self.ids]

    @cached_property
    def changed_answers(self) -> frozenset[str]:
        """The ids in run B of the samples with another answer in run A."""
        in_a, in_b = self.table_a.samples, self.table_b.samples
        return frozenset(name for name in self.samples if not in_a[self.ids[name]].has_same_texts(in_b[name]))

    @cached_property
    def rejudged(self) -> MetricDifference | None:
        """The first metric, a baseline last, that scores the same answers otherwise; None where an answer changed.

        Then this compares two ways to judge, and no versions of a chatbot.
        """
        if self.changed_answers:
            return None
        order = sorted(self.differences, key=lambda one: one.metric in ALL_BASELINES)
        return next((one for one in order if not one.is_zero), None)

    @property
    def only_a(self) -> tuple[str, ...]:
        """The ids in run A whose question run B does not have under this id or another."""
        paired = {*self.ids.values()}
        return tuple(name for name in self.table_a.samples if name not in paired)

    @property
    def only_b(self) -> tuple[str, ...]:
        """The ids in run B whose question run A does not have."""
        return tuple(name for name in self.table_b.samples if name not in self.ids)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that both runs have, in the order of run B."""
        return tuple(self.directions)

    def scores(self, sample: str, metric: str) -> tuple[Score | None, Score | None]:
        """The scores of a sample of run B in A and in B; None where there is none."""
        in_a, in_b = self.table_a.scores[self.ids[sample]], self.table_b.scores[sample]
        return in_a.get(metric), in_b.get(metric)

    def values(self, sample: str, metric: str) -> tuple[float | None, float | None]:
        """The values of a sample of run B in A and in B; None where there is none."""
        before, after = self.scores(sample, metric)
        return None if before is None else before.value, None if after is None else after.value

    def change(self, sample: str, metric: str) -> float | None:
        """The value in B minus that in A, 0 where they differ by less than 1e-9; None where one is missing."""
        before, after = self.values(sample, metric)
        if before is None or after is None:
            return None
        return after - before if abs(after - before) > _NOISE else 0.0

    @cached_property
    def _unanswered(self) -> dict[str, tuple[str, str]]:
        """By id in run B, of the answers that changed: whether each is empty or refused in A and in B."""
        in_a, in_b = self.table_a.samples, self.table_b.samples
        return {
            name: (unanswered_kind(in_a[self.ids[name]]), unanswered_kind(in_b[name])) for name in self.changed_answers
        }

    def outcome_changes(self, metric: str) -> list[OutcomeChange]:
        """The samples that were scored in one run only, or empty or refused in one only; those lost in B first."""
        changes = []
        for sample in self.samples:
            scores = self.scores(sample, metric)
            before, after = (
                unanswered or ("" if score is None else str(score.status))
                for unanswered, score in zip(self._unanswered.get(sample, ("", "")), scores, strict=True)
            )
            if None not in scores and before != after and "scored" in (before, after):
                reason = next((score.reason for score in scores if score is not None and score.value is None), "")
                changes.append(OutcomeChange(sample, metric, before, after, reason))
        return sorted(changes, key=lambda change: not change.is_lost)

    def most_changed(self, metric: str, count: int) -> list[tuple[str, float | None]]:
        """The samples that changed most, with B minus A (None where one has no value).

        First those that are scored in one run only, then the largest changes; of one size, the worse ones first.
        """

        def order(pair: tuple[str, float]) -> tuple[float, float]:
            return -abs(pair[1]), pair[1] if self.directions[metric] else -pair[1]

        first = {change.sample: self.change(change.sample, metric) for change in self.outcome_changes(metric)}
        changes = [(sample, change) for sample in self.samples if (change := self.change(sample, metric))]
        return [*first.items(), *(pair for pair in sorted(changes, key=order) if pair[0] not in first)][:count]

    def changed(self, metric: str, *, answer_changed: bool) -> list[str]:
        """The samples that differ: those scored in one run only, then the largest change of a metric first."""
        of_metric = [sample for sample, _ in self.most_changed(metric, len(self.samples))]
        others = [sample for sample in self.samples if sample in self.changed_answers] if answer_changed else []
        listed = dict.fromkeys([*of_metric, *others])
        return [sample for sample in listed if (sample in self.changed_answers) is answer_changed]


def compare(store: "Store", run_a: str, run_b: str) -> RunComparison:
    """Reads two runs and compares them (`compare_versions`)."""
    if run_a == run_b:
        raise UsageError(f"both runs are {run_a}: name two runs; last~1 is the run before last")
    rows = store.run(run_a), store.run(run_b)
    tables, (before, now) = (AnswerTable.read(store, row) for row in rows), map(store.judging, rows)
    return compare_versions(*tables, other_judging=now.describe_change(before))


def compare_versions(a: AnswerTable, b: AnswerTable, *, other_judging: str = "") -> RunComparison:
    """Compares two runs metric by metric, as `decide` does; `other_judging` is what `Judging.describe_change` says."""
    directions = {name: higher for name, higher in b.directions.items() if name in a.directions}
    if not directions:
        raise UsageError(f"{a.name} and {b.name} have no metric in common")
    answers, _ = pair_versions([a, b], is_one_source=False)
    ids = pair_runs(a, b, answers)
    if not ids:
        raise UsageError(f"{a.name} and {b.name} have no sample in common (same id, same question): nothing to compare")
    values = {name: [table.values(name) for table in (a, b)] for name in directions}
    table = version_table(("A", "B"), answers, values, directions=metric_directions(directions))
    return RunComparison(directions, compare_by_metrics(table), a, b, ids, other_judging)
