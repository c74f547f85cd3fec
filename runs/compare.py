"""Two runs beside each other: what changed, where, and whether it is more than noise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate
from .pair_difference import adjust_p_values, paired_difference
from .sample_pairing import Pairing, pair_samples

if TYPE_CHECKING:
    from .store import Store

ValueAndStatus = tuple[float | None, str]


@dataclass(frozen=True, slots=True)
class PairedSample:
    """One sample and its values in two runs; `before` is empty where there is only one run.

    Attributes:
        sample: The sample's id.
        language: Its language, or "".
        message_type: Its message type, or "".
        source: Its group: samples of one source are not independent.
        answer_changed: Whether its answer differs between the runs.
        before: By metric, the value (None: skipped or failed) and status in the first run.
        after: The same for the second run.
    """

    sample: str
    language: str
    message_type: str
    source: str
    answer_changed: bool = False
    before: Mapping[str, ValueAndStatus] = field(default_factory=dict)
    after: Mapping[str, ValueAndStatus] = field(default_factory=dict)

    def earlier_value(self, metric: str) -> float | None:
        """The value in the first run."""
        return self.before.get(metric, (None, ""))[0]

    def value(self, metric: str) -> float | None:
        """The value in the second run."""
        return self.after.get(metric, (None, ""))[0]

    def change(self, metric: str) -> float | None:
        """The second value minus the first; None where one is missing."""
        before, after = self.earlier_value(metric), self.value(metric)
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class Difference:
    """How one metric differs, B minus A, on the samples that both runs scored.

    Attributes:
        metric: The metric's name.
        part: A language or message type, or "" for all samples.
        mean_a: The mean in A over these samples.
        mean_b: The mean in B.
        paired: The mean difference, its interval and p-value.
        lost: How many samples have a value in A only.
        gained: How many have a value in B only.
        higher_is_better: The metric's direction.
        p_of_all: The p-value, adjusted for the other rows of its table.
    """

    metric: str
    part: str
    mean_a: float | None
    mean_b: float | None
    paired: Estimate
    lost: int
    gained: int
    higher_is_better: bool = True
    p_of_all: float | None = None

    @property
    def is_improvement(self) -> bool | None:
        """Whether B's mean is the better one by this metric; None where they do not differ or nothing is in both."""
        change = self.paired.value
        return (change > 0) is self.higher_is_better if change else None

    def as_json(self) -> dict[str, Any]:
        """Flat, for `--json`."""
        estimate = asdict(self.paired)
        estimate["difference"] = estimate.pop("value")
        row = {"metric": self.metric, "part": self.part or None, "mean_a": self.mean_a, "mean_b": self.mean_b}
        counts = {"lost": self.lost, "gained": self.gained}
        return row | estimate | {"p_of_all": self.p_of_all} | counts | {"higher_is_better": self.higher_is_better}


@dataclass(frozen=True)
class RunComparison:
    """Two runs: the differences over all, by language and by message type, and the samples that both have.

    Attributes:
        a: The first run's id.
        b: The second run's id.
        directions: By metric that both runs have, whether higher is better, as run B recorded it.
        overall: The differences over all samples.
        languages: The differences by language; empty where there is only one.
        message_types: The differences by message type; empty where there is only one.
        samples: The samples that both runs have.
        only_a: The ids that only run A has.
        only_b: The ids that only run B has.
        other_question: The ids whose question differs; they are not compared.
        changed_answers: How many samples have another answer in B.
        pairing: How the samples were paired.
    """

    a: str
    b: str
    directions: Mapping[str, bool]
    overall: tuple[Difference, ...]
    languages: tuple[Difference, ...]
    message_types: tuple[Difference, ...]
    samples: tuple[PairedSample, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    other_question: tuple[str, ...]
    changed_answers: int
    pairing: Pairing = field(default_factory=Pairing)

    def id_in_a(self, sample: str) -> str:
        """The id in run A of a sample of run B."""
        return self.pairing.ids.get(sample, sample)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that both runs have, in the order of run B."""
        return tuple(self.directions)

    def most_changed(self, metric: str, count: int) -> list[tuple[str, float]]:
        """The samples whose value changed most, with B minus A; of changes of one size, the worse ones first."""
        changes = [(sample.sample, change) for sample in self.samples if (change := sample.change(metric))]
        sign = 1 if self.directions[metric] else -1
        return sorted(changes, key=lambda pair: (-abs(pair[1]), sign * pair[1]))[:count]


def compare(store: "Store", run_a: str, run_b: str) -> RunComparison:
    """Pairs two runs by sample id, and samples without ids of their own by question (`pair_samples`).

    Args:
        store: Where both runs are.
        run_a: The id of the first run.
        run_b: The id of the second run.

    Raises:
        UsageError: The runs share no sample or no metric.
    """
    plan_a, plan_b = store.run(run_a).plan, store.run(run_b).plan
    directions = {name: higher for name, higher in plan_b.all_directions.items() if name in plan_a.all_metrics}
    if not directions:
        raise UsageError(f"{run_a} and {run_b} have no metric in common")
    values_a = _values(store, run_a)
    samples_a, rows_b = list(store.samples(run_a)), list(run_samples(store, run_b))
    pairing = pair_samples(samples_a, [sample for sample, _ in rows_b], plan_a.sets, plan_b.sets)
    answers_a = {sample.id: sample.response for sample in samples_a}
    pairs = [
        replace(row, before=values_a.get(id_a, {}), answer_changed=answers_a[id_a] != sample.response)
        for sample, row in rows_b
        if (id_a := pairing.ids.get(sample.id)) is not None
    ]
    if not pairs:
        raise UsageError(f"{run_a} and {run_b} have no sample in common (same id, same question): nothing to compare")
    elsewhere_a = {*pairing.ids.values(), *pairing.other_question}
    elsewhere_b = {*pairing.ids, *pairing.other_question}
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
    )


def run_samples(store: "Store", run: str) -> Iterator[tuple[Sample, PairedSample]]:
    """The samples of one run with their values, in their order; nothing stands before them."""
    values = _values(store, run)
    for sample in store.samples(run):
        yield (
            sample,
            PairedSample(
                sample=sample.id,
                language=sample.language or "",
                message_type=sample.message_type or "",
                source=sample.source,
                after=values.get(sample.id, {}),
            ),
        )


def _values(store: "Store", run: str) -> dict[str, dict[str, ValueAndStatus]]:
    values: dict[str, dict[str, ValueAndStatus]] = {}
    for sample, metric, value, status in store.sample_values(run):
        values.setdefault(sample, {})[metric] = (value, status)
    return values


def _parts(pairs: Sequence[PairedSample], attribute: str) -> list[tuple[str, list[PairedSample]]]:
    """The samples by language or message type; nothing where there is only one part."""
    parts: dict[str, list[PairedSample]] = {}
    for pair in pairs:
        parts.setdefault(getattr(pair, attribute), []).append(pair)
    return [(name or "not said", parts[name]) for name in sorted(parts)] if len(parts) > 1 else []


def _differences(
    directions: Mapping[str, bool], parts: Sequence[tuple[str, Sequence[PairedSample]]]
) -> tuple[Difference, ...]:
    rows = [
        _difference(pairs, metric, part, higher_is_better=higher)
        for metric, higher in directions.items()
        for part, pairs in parts
    ]
    adjusted = adjust_p_values([row.paired.p for row in rows])
    return tuple(replace(row, p_of_all=p) for row, p in zip(rows, adjusted, strict=True))


def _difference(pairs: Sequence[PairedSample], metric: str, part: str, *, higher_is_better: bool) -> Difference:
    values = [(pair.earlier_value(metric), pair.value(metric), pair.source) for pair in pairs]
    both = [(a, b, source) for a, b, source in values if a is not None and b is not None]
    return Difference(
        metric=metric,
        part=part,
        mean_a=sum(a for a, _, _ in both) / len(both) if both else None,
        mean_b=sum(b for _, b, _ in both) / len(both) if both else None,
        paired=paired_difference([b - a for a, b, _ in both], [source for *_, source in both]),
        lost=sum(a is not None for a, _, _ in values) - len(both),
        gained=sum(b is not None for _, b, _ in values) - len(both),
        higher_is_better=higher_is_better,
    )
