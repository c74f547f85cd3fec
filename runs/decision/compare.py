"""Two runs beside each other: what changed, where, and whether it is more than noise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

from ...errors import UsageError
from ...eval_sets import Sample
from ...meta_eval.estimate import Estimate
from ...metrics.specification import UNDIRECTED
from ..answers.pairing import Pairing, pair_samples
from ..show.results import Results, read_results, shares_left_out

if TYPE_CHECKING:
    from ..store.store import Store

ValueAndStatus = tuple[float | None, str]
DifferenceKind = Literal["better", "worse", "neither", "same", "unsettled", "unknown"]
_SIGNIFICANT = 0.05  # the p-value below which a metric is said to differ
_POWER = 0.8  # with which a difference is seen that is called large enough to be seen
_NOISE = 1e-9  # a smaller change is one of rounding in the computer


@dataclass(frozen=True, slots=True)
class PairedSample:
    """One sample and its values in two runs; `before` is empty where there is only one run."""

    sample: str
    language: str  # its language, or ""
    message_type: str  # its message type, or ""
    source: str  # its group: samples of one source are not independent
    answer_changed: bool = False
    # by metric, the value (None: skipped or failed) and status in the first run
    before: Mapping[str, ValueAndStatus] = field(default_factory=dict)
    after: Mapping[str, ValueAndStatus] = field(default_factory=dict)  # the same for the second run

    def earlier_value(self, metric: str) -> float | None:
        """The value in the first run."""
        return self.before.get(metric, (None, ""))[0]

    def value(self, metric: str) -> float | None:
        """The value in the second run."""
        return self.after.get(metric, (None, ""))[0]

    def change(self, metric: str) -> float | None:
        """The second value minus the first, 0 where they differ by less than 1e-9; None where one is missing."""
        before, after = self.earlier_value(metric), self.value(metric)
        if before is None or after is None:
            return None
        return after - before if abs(after - before) > _NOISE else 0.0


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


@dataclass(frozen=True)
class RunComparison:
    """Two runs: the differences over all, by language and by message type, and the samples that both have."""

    a: str  # the first run's id
    b: str  # the second run's id
    directions: Mapping[str, bool]  # by metric that both runs have, whether higher is better, as run B recorded it
    overall: tuple[Difference, ...]
    languages: tuple[Difference, ...]  # the differences by language; empty where there is only one
    message_types: tuple[Difference, ...]  # the differences by message type; empty where there is only one
    samples: tuple[PairedSample, ...]
    only_a: tuple[str, ...]  # the ids that only run A has
    only_b: tuple[str, ...]  # the ids that only run B has
    other_question: tuple[str, ...]  # the ids whose question differs; they are not compared
    changed_answers: int
    pairing: Pairing = field(default_factory=Pairing)
    # by metric that parts answers into sentences, the share of them that was not judged in A and in B
    left_out: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)

    def id_in_a(self, sample: str) -> str:
        """The id in run A of a sample of run B."""
        return self.pairing.ids.get(sample, sample)

    def has_changed_answer(self, sample: str) -> bool:
        """Whether a sample of run B has another answer in run A."""
        return any(pair.answer_changed for pair in self.samples if pair.sample == sample)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that both runs have, in the order of run B."""
        return tuple(self.directions)

    def most_changed(self, metric: str, count: int) -> list[tuple[str, float]]:
        """The samples whose value changed most, with B minus A; of changes of one size, the worse ones first."""
        changes = [(sample.sample, change) for sample in self.samples if (change := sample.change(metric))]
        return sorted(changes, key=lambda pair: self._change_order(metric, pair[1]))[:count]

    def changed(self, metric: str, *, answer_changed: bool) -> list[str]:
        """The samples that differ, the largest change of a metric first."""
        changes = [
            (sample.sample, sample.change(metric) or 0.0)
            for sample in self.samples
            if sample.answer_changed is answer_changed and (answer_changed or sample.change(metric))
        ]
        return [sample for sample, change in sorted(changes, key=lambda pair: self._change_order(metric, pair[1]))]

    def _change_order(self, metric: str, change: float) -> tuple[float, float]:
        return -abs(change), change if self.directions[metric] else -change


def compare(store: "Store", run_a: str, run_b: str) -> RunComparison:
    """Pairs two runs by sample id, and samples without ids of their own by question (`pair_samples`)."""
    row_a, row_b = store.run(run_a), store.run(run_b)
    plan_a, plan_b = row_a.plan, row_b.plan
    directions = {name: higher for name, higher in plan_b.all_directions.items() if name in plan_a.all_metrics}
    if not directions:
        raise UsageError(f"{run_a} and {run_b} have no metric in common")
    a, b = (read_results(store, row, has_evidence=False) for row in (row_a, row_b))
    values_a = {sample.id: row.after for sample, row in run_samples(a)}
    samples_a, rows_b = list(a.samples.values()), list(run_samples(b))
    pairing = pair_samples(samples_a, [sample for sample, _ in rows_b], plan_a.sets, plan_b.sets)
    by_id_a = {sample.id: sample for sample in samples_a}
    pairs = [
        replace(row, before=values_a.get(id_a, {}), answer_changed=not by_id_a[id_a].has_same_texts(sample))
        for sample, row in rows_b
        if (id_a := pairing.ids.get(sample.id)) is not None
    ]
    if not pairs:
        raise UsageError(f"{run_a} and {run_b} have no sample in common (same id, same question): nothing to compare")
    elsewhere_a = {*pairing.ids.values(), *pairing.other_question}
    elsewhere_b = {*pairing.ids, *pairing.other_question}
    left_out_a, left_out_b = shares_left_out(a), shares_left_out(b)
    return RunComparison(
        a=run_a,
        b=run_b,
        directions=directions,
        overall=_differences(directions, [("", pairs)]),
        languages=_differences(directions, _parts(pairs, "language")),
        message_types=_differences(directions, _parts(pairs, "message_type")),
        samples=tuple(pairs),
        only_a=tuple(sample.id for sample in samples_a if sample.id not in elsewhere_a),
        only_b=tuple(sample.id for sample, _ in rows_b if sample.id not in elsewhere_b),
        other_question=pairing.other_question,
        pairing=pairing,
        changed_answers=sum(pair.answer_changed for pair in pairs),
        left_out={
            name: (left_out_a.get(name), left_out_b.get(name))
            for name in directions
            if left_out_b.get(name) is not None
        },
    )


def run_samples(results: Results) -> Iterator[tuple[Sample, PairedSample]]:
    """The samples of one run with their values, in their order; nothing stands before them."""
    for name, sample in results.samples.items():
        values = {metric: (score.value, score.status) for metric, score in results.scores[name].items()}
        yield (
            sample,
            PairedSample(
                sample=name,
                language=sample.language or "",
                message_type=sample.message_type or "",
                source=sample.source,
                after=values,
            ),
        )


def _parts(pairs: Sequence[PairedSample], attribute: str) -> list[tuple[str, list[PairedSample]]]:
    """The samples by language or message type; nothing where there is only one part."""
    parts: dict[str, list[PairedSample]] = {}
    for pair in pairs:
        parts.setdefault(getattr(pair, attribute), []).append(pair)
    return [(name or "not said", parts[name]) for name in sorted(parts)] if len(parts) > 1 else []


def _differences(
    directions: Mapping[str, bool], parts: Sequence[tuple[str, Sequence[PairedSample]]]
) -> tuple[Difference, ...]:
    return tuple(
        _difference(pairs, metric, part, higher_is_better=higher)
        for metric, higher in directions.items()
        for part, pairs in parts
    )


def _difference(pairs: Sequence[PairedSample], metric: str, part: str, *, higher_is_better: bool) -> Difference:
    import numpy as np

    from ...meta_eval.decision import estimate_change

    values = [(pair.earlier_value(metric), pair.value(metric), pair.source) for pair in pairs]
    both = [(a, b, source) for a, b, source in values if a is not None and b is not None]
    return Difference(
        metric=metric,
        part=part,
        mean_a=sum(a for a, _, _ in both) / len(both) if both else None,
        mean_b=sum(b for _, b, _ in both) / len(both) if both else None,
        paired=estimate_change(
            np.array([b - a if abs(b - a) > _NOISE else 0.0 for a, b, _ in both]),
            np.unique([source for *_, source in both], return_inverse=True)[1].ravel(),
        ),
        lost=sum(a is not None for a, _, _ in values) - len(both),
        gained=sum(b is not None for _, b, _ in values) - len(both),
        higher_is_better=None if metric in UNDIRECTED else higher_is_better,
    )
