"""Two runs beside each other: what changed, where, and whether it is more than noise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

from ...errors import UsageError
from ...eval_sets import Sample
from ...meta_eval.estimate import Estimate
from ...metrics import Score
from ...metrics.specification import UNDIRECTED
from ..answers.pairing import PairedAnswer, Pairing, list_values, pair_runs, pair_versions
from ..answers.table import AnswerTable
from ..answers.unanswered import unanswered_kind

if TYPE_CHECKING:
    from ..store.store import Store

NOBODY_RATED = "nobody rated the answers, which are the same in both runs"
"""Why nothing is decided where ratings would say nothing either."""

DifferenceKind = Literal["better", "worse", "neither", "same", "unsettled", "unknown"]
_SIGNIFICANT = 0.05  # the p-value below which a metric is said to differ
_POWER = 0.8  # with which a difference is seen that is called large enough to be seen
_NOISE = 1e-9  # a smaller change is one of rounding in the computer


@dataclass(frozen=True, slots=True)
class Difference:
    """How one metric differs, B minus A, on the samples that both runs scored.

    The command, the page and the JSON all take what they say of it from `kind`, `side` and `describe`.
    """

    metric: str
    part: str  # A language or message type, or "" for all samples
    mean_a: float | None  # the mean in A over these samples
    mean_b: float | None  # the mean in B
    paired: Estimate  # the mean difference, its interval and p-value
    lost: int  # how many samples have a value in A only
    gained: int  # how many have a value in B only
    higher_is_better: bool | None = True  # the metric's direction; None where neither more nor less is better

    @property
    def kind(self) -> DifferenceKind:
        """What the difference shows.

        `better` or `worse`, by this metric, where the interval leaves out 0; `neither` where it does, and the metric
        has no direction; `same` where the means are equal and no interval says otherwise; `unknown` where no sample was
        scored in both runs; else `unsettled`.
        """
        change = self.paired.value
        if change is None:
            return "unknown"
        if change and self.paired.p is not None and self.paired.p < _SIGNIFICANT:
            if self.higher_is_better is None:
                return "neither"
            return "better" if (change > 0) is self.higher_is_better else "worse"
        return "unsettled" if change or self.paired.low or self.paired.high else "same"

    @property
    def side(self) -> str:
        """Which way B differs, `higher in B` or `longer in B`; "" where that is not more than chance."""
        return f"{self._direction} in B" if self.kind in ("better", "worse", "neither") else ""

    @property
    def _direction(self) -> str:
        less, more = UNDIRECTED.get(self.metric, ("lower", "higher"))
        return more if (self.paired.value or 0) > 0 else less

    def describe(self) -> str:
        """Returns in a sentence what this metric says, of itself only.

        Where no difference is seen: which one would be, with the power of 80%: (t + z(0.8)) / t half widths of the
        interval, with t taken as 1.96.
        """
        change, note = self.paired, " (lower is better)" if self.higher_is_better is False else ""
        if change.value is None:
            return f"{self.metric}: {change.problem}."
        ends = None if change.low is None or change.high is None else (change.low, change.high)
        if self.side:
            likely = "" if ends is None else f" (likely {format_range(*ends)})"
            return f"{self.metric} is {self.side} by {_size(change.value)}{note}{likely}."
        if self.kind == "same":
            return f"{self.metric} is the same in both runs{note}."
        if ends is None:
            size = f"{self._direction} in B by {_size(change.value)}"
            return f"{self.metric} is {size}{note}, which may be chance: {change.problem}."
        normal = NormalDist()
        z = normal.inv_cdf(0.975)
        missed = (ends[1] - ends[0]) / 2 * (z + normal.inv_cdf(_POWER)) / z
        return f"{self.metric}{note}: no difference seen; a difference under {_size(missed)} would often be missed."

    def as_json(self) -> dict[str, Any]:
        """Flat, for `--json`, with what is said of it."""
        estimate = asdict(self.paired)
        estimate["difference"] = estimate.pop("value")
        row = {"metric": self.metric, "part": self.part or None, "mean_a": self.mean_a, "mean_b": self.mean_b}
        counts = {"lost": self.lost, "gained": self.gained}
        words = {"higher_is_better": self.higher_is_better, "kind": self.kind, "sentence": self.describe()}
        return row | estimate | counts | words


def format_range(low: float, high: float) -> str:
    """Returns the likely sizes of a change, with signs where they differ.

    Examples:
        >>> format_range(-0.3, -0.1), format_range(-0.1, 0.2)
        ('0.1 to 0.3', '-0.1 to +0.2')
    """
    if low < 0 < high:
        return f"{low:+.2g} to {high:+.2g}"
    return " to ".join(map(_size, sorted((low, high), key=abs)))


def _size(value: float) -> str:
    return f"{abs(value):.2g}"


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
    """Two runs: the differences over all, by language and by message type, and the samples that both have."""

    a: str  # the first run's id
    b: str  # the second run's id
    directions: Mapping[str, bool]  # by metric that both runs have, whether higher is better, as run B recorded it
    overall: tuple[Difference, ...]
    languages: tuple[Difference, ...]  # the differences by language; empty where there is only one
    message_types: tuple[Difference, ...]  # the differences by message type; empty where there is only one
    table_a: AnswerTable  # the answers of run A, with the ratings that they came with
    table_b: AnswerTable
    only_a: tuple[str, ...]  # the ids that only run A has
    only_b: tuple[str, ...]  # the ids that only run B has
    pairing: Pairing
    other_judging: str = ""  # how the judge of B was another than that of A; "" where they were one

    @property
    def samples(self) -> list[str]:
        """The ids in run B of the samples that both have."""
        return [name for name in self.table_b.samples if name in self.pairing.ids]

    @cached_property
    def changed_answers(self) -> frozenset[str]:
        """The ids in run B of the samples with another answer in run A."""
        return frozenset(
            name
            for name, name_a in self.pairing.ids.items()
            if not self.table_a.samples[name_a].has_same_texts(self.table_b.samples[name])
        )

    @property
    def other_question(self) -> tuple[str, ...]:
        """The ids whose question differs; they are not compared."""
        return self.pairing.other_question

    def id_in_a(self, sample: str) -> str:
        """The id in run A of a sample of run B."""
        return self.pairing.ids.get(sample, sample)

    def scores(self, sample: str, metric: str) -> tuple[Score | None, Score | None]:
        """The scores of a sample of run B in A and in B; None where there is none."""
        in_a, in_b = self.table_a.scores[self.id_in_a(sample)], self.table_b.scores[sample]
        return in_a.get(metric), in_b.get(metric)

    def values(self, sample: str, metric: str) -> tuple[float | None, float | None]:
        """The values of a sample of run B in A and in B; None where there is none."""
        before, after = self.scores(sample, metric)
        return None if before is None else before.value, None if after is None else after.value

    def change(self, sample: str, metric: str) -> float | None:
        """The value in B minus that in A, 0 where they differ by less than 1e-9; None where one is missing."""
        before, after = self.values(sample, metric)
        return None if before is None or after is None else _change(before, after)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that both runs have, in the order of run B."""
        return tuple(self.directions)

    @cached_property
    def _unanswered(self) -> dict[str, tuple[str, str]]:
        """By id in run B, of the answers that changed: whether each is empty or refused in A and in B."""
        in_a, in_b = self.table_a.samples, self.table_b.samples
        return {
            name: (unanswered_kind(in_a[self.id_in_a(name)]), unanswered_kind(in_b[name]))
            for name in self.changed_answers
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
        changes = [(sample, change) for sample in self.samples if (change := self.change(sample, metric))]
        first = {change.sample: self.change(change.sample, metric) for change in self.outcome_changes(metric)}
        ordered = sorted(changes, key=lambda pair: self._change_order(metric, pair[1]))
        return [*first.items(), *(pair for pair in ordered if pair[0] not in first)][:count]

    def changed(self, metric: str, *, answer_changed: bool) -> list[str]:
        """The samples that differ: those scored in one run only, then the largest change of a metric first."""
        of_metric = [sample for sample, _ in self.most_changed(metric, len(self.samples))]
        others = [sample for sample in self.samples if sample in self.changed_answers] if answer_changed else []
        listed = dict.fromkeys([*of_metric, *others])
        return [sample for sample in listed if (sample in self.changed_answers) is answer_changed]

    def _change_order(self, metric: str, change: float) -> tuple[float, float]:
        return -abs(change), change if self.directions[metric] else -change


def compare(store: "Store", run_a: str, run_b: str) -> RunComparison:
    """Reads two runs and compares them (`compare_versions`)."""
    rows = store.run(run_a), store.run(run_b)
    tables, (before, now) = (AnswerTable.read(store, row) for row in rows), map(store.judging, rows)
    return compare_versions(*tables, other_judging=now.describe_change(before))


def compare_versions(a: AnswerTable, b: AnswerTable, *, other_judging: str = "") -> RunComparison:
    """Compares two runs metric by metric; `other_judging` is what `Judging.describe_change` says of B.

    The figures are those that `decide` gives of metrics which do not decide: answers paired by `pair_versions`, several
    answers to one question averaged, and `compare_values`. A difference is B minus A, whichever way is better.
    """
    directions = {name: higher for name, higher in b.directions.items() if name in a.directions}
    if not directions:
        raise UsageError(f"{a.name} and {b.name} have no metric in common")
    answers, _ = pair_versions([a, b], is_one_source=False)
    pairing = pair_runs(a, b, answers)
    if not pairing.ids:
        raise UsageError(f"{a.name} and {b.name} have no sample in common (same id, same question): nothing to compare")
    elsewhere_a = {*pairing.ids.values(), *pairing.other_question}
    elsewhere_b = {*pairing.ids, *pairing.other_question}
    overall, languages, message_types = (
        _differences((a, b), answers, directions, part_of)
        for part_of in (None, lambda sample: sample.language, lambda sample: sample.message_type)
    )
    return RunComparison(
        a=a.run or a.name,
        b=b.run or b.name,
        directions=directions,
        overall=overall,
        languages=languages,
        message_types=message_types,
        table_a=a,
        table_b=b,
        only_a=tuple(name for name in a.samples if name not in elsewhere_a),
        only_b=tuple(name for name in b.samples if name not in elsewhere_b),
        pairing=pairing,
        other_judging=other_judging,
    )


def _differences(
    tables: Sequence[AnswerTable],
    answers: Sequence[PairedAnswer],
    directions: Mapping[str, bool],
    part_of: Callable[[Sample], str | None] | None,
) -> tuple[Difference, ...]:
    """The differences by metric, over all questions or by part of them; nothing where there is only one part."""
    import numpy as np

    from ...meta_eval.decision import VersionTable, compare_values

    parts: dict[int, str] = {}  # of each question that B answered
    for answer in answers:
        if answer.version == 1:
            parts.setdefault(answer.question, (part_of(answer.sample) or "not said") if part_of else "")
    in_a = {answer.question for answer in answers if answer.version == 0}
    both = {part for question, part in parts.items() if question in in_a}
    names = sorted(both, key=lambda name: "" if name == "not said" else name)
    if part_of is not None and len(names) < 2:
        return ()
    differences = []
    for metric, higher in directions.items():
        values = list_values(answers, [table.values(metric) for table in tables])
        for part in names:
            kept = [place for place, answer in enumerate(answers) if parts.get(answer.question) == part]
            rows = [answers[place] for place in kept]
            numbers = [(row.version, row.question, row.group, row.text) for row in rows]
            version, question, group, text = np.array(numbers, np.intp).T
            column = np.array([values[place] for place in kept])
            table = VersionTable(("A", "B"), version, question, group, column, np.full(len(kept), np.nan), text)
            change = compare_values(table, column)
            mean_a, mean_b = change.means
            direction = None if metric in UNDIRECTED else higher
            differences.append(
                Difference(metric, part, mean_a, mean_b, change.estimate, change.lost, change.gained, direction)
            )
    return tuple(differences)


def _change(before: float, after: float) -> float:
    return after - before if abs(after - before) > _NOISE else 0.0
