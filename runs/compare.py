"""Two runs beside each other: what changed, where, and whether it is more than noise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate
from .paired import holm, paired

if TYPE_CHECKING:
    from .store import Store


class Judged(NamedTuple):
    """One sample of both runs, and its values by metric in each (None: skipped or failed)."""

    sample: str
    language: str
    message_type: str
    source: str
    answer_changed: bool
    before: dict[str, tuple[float | None, str]]
    after: dict[str, tuple[float | None, str]]

    def earlier_value(self, metric: str) -> float | None:
        """The value in the first run."""
        return self.before.get(metric, (None, ""))[0]

    def value(self, metric: str) -> float | None:
        """The value in the second run."""
        return self.after.get(metric, (None, ""))[0]


@dataclass(frozen=True, slots=True)
class Difference:
    """How one metric differs, B minus A, on the samples that both scored.

    `part` is a language or message type, or "" for all. `p_of_all` is `p` with the other rows of its table counted.
    `lost` samples have a value in A only, `gained` in B only.
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
        """Whether B is better than A on average; None where they do not differ or nothing was scored in both."""
        change = self.paired.value
        return (change > 0) is self.higher_is_better if change else None

    def as_json(self) -> dict[str, Any]:
        """Flat, for `--json`."""
        found = asdict(self.paired)
        found["difference"] = found.pop("value")
        own = {"metric": self.metric, "part": self.part or None, "mean_a": self.mean_a, "mean_b": self.mean_b}
        counts = {"lost": self.lost, "gained": self.gained}
        return own | found | {"p_of_all": self.p_of_all} | counts | {"higher_is_better": self.higher_is_better}


@dataclass(frozen=True)
class Comparison:
    """Two runs: the differences over all, by language and by message type, and the samples that both have."""

    a: str
    b: str
    directions: Mapping[str, bool]  # by metric that both runs have, whether higher is better, as run B recorded it
    overall: tuple[Difference, ...]
    languages: tuple[Difference, ...]
    message_types: tuple[Difference, ...]
    judged: tuple[Judged, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    other_question: tuple[str, ...]
    changed_answers: int

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that both runs have, in the order of run B."""
        return tuple(self.directions)

    def most_changed(self, metric: str, count: int) -> list[tuple[str, float]]:
        """The samples whose value changed most, with B minus A; of changes of one size, the worse ones first."""
        found = [
            (each.sample, b - a) for each in self.judged if (a := each.earlier_value(metric)) is not None
            if (b := each.value(metric)) is not None and a != b
        ]  # fmt: skip
        sign = 1 if self.directions[metric] else -1
        return sorted(found, key=lambda pair: (-abs(pair[1]), sign * pair[1]))[:count]


def compare(store: "Store", run_a: str, run_b: str) -> Comparison:
    """Pairs two runs by sample id. A sample whose question differs between them is not paired, and listed.

    Raises `UsageError` when the runs share no sample or no metric.
    """
    plan_a, plan_b = store.run(run_a).plan, store.run(run_b).plan
    directions = {name: higher for name, higher in plan_b.all_directions.items() if name in plan_a.all_metrics}
    if not directions:
        raise UsageError(f"{run_a} and {run_b} have no metric in common")
    before = _values(store, run_a)
    samples_a = {sample.id: (sample.user_input, sample.response) for sample in store.samples(run_a)}
    judged: list[Judged] = []
    only_b, other_question = [], []
    for sample, found in judged_samples(store, run_b):
        if sample.id not in samples_a:
            only_b.append(sample.id)
            continue
        question, answer = samples_a.pop(sample.id)
        if question != sample.user_input:
            other_question.append(sample.id)
        else:
            changed = answer != sample.response
            judged.append(found._replace(before=before.get(sample.id, {}), answer_changed=changed))
    if not judged:
        raise UsageError(f"{run_a} and {run_b} have no sample in common (same id, same question): nothing to compare")
    return Comparison(
        a=run_a,
        b=run_b,
        directions=directions,
        overall=_differences(judged, directions, [("", judged)]),
        languages=_differences(judged, directions, _parts(judged, "language")),
        message_types=_differences(judged, directions, _parts(judged, "message_type")),
        judged=tuple(judged),
        only_a=tuple(samples_a),
        only_b=tuple(only_b),
        other_question=tuple(other_question),
        changed_answers=sum(each.answer_changed for each in judged),
    )


def judged_samples(store: "Store", run: str) -> Iterator[tuple[Sample, Judged]]:
    """The samples of one run with their values, in their order; `before` is empty."""
    values = _values(store, run)
    for sample in store.samples(run):
        kind, own = sample.message_type or "", values.get(sample.id, {})
        yield sample, Judged(sample.id, sample.language or "", kind, sample.source, False, {}, own)


def _values(store: "Store", run: str) -> dict[str, dict[str, tuple[float | None, str]]]:
    found: dict[str, dict[str, tuple[float | None, str]]] = {}
    for sample, metric, value, status in store.sample_values(run):
        found.setdefault(sample, {})[metric] = (value, status)
    return found


def _parts(judged: Sequence[Judged], field: str) -> list[tuple[str, list[Judged]]]:
    """The samples by language or message type; nothing where there is only one part."""
    parts: dict[str, list[Judged]] = {}
    for each in judged:
        parts.setdefault(getattr(each, field), []).append(each)
    return [(name or "not said", parts[name]) for name in sorted(parts)] if len(parts) > 1 else []


def _differences(
    judged: Sequence[Judged], directions: Mapping[str, bool], parts: Sequence[tuple[str, Sequence[Judged]]]
) -> tuple[Difference, ...]:
    found = [
        replace(difference(members, metric, part), higher_is_better=higher)
        for metric, higher in directions.items()
        for part, members in parts
    ]
    adjusted = holm([each.paired.p for each in found])
    return tuple(replace(each, p_of_all=p) for each, p in zip(found, adjusted, strict=True))


def difference(judged: Sequence[Judged], metric: str, part: str = "") -> Difference:
    """How one metric differs on some samples; `part` names them."""
    both = [
        (a, b, each.source) for each in judged if (a := each.earlier_value(metric)) is not None
        if (b := each.value(metric)) is not None
    ]  # fmt: skip
    scored_a = sum(each.earlier_value(metric) is not None for each in judged)
    scored_b = sum(each.value(metric) is not None for each in judged)
    return Difference(
        metric,
        part,
        sum(a for a, _, _ in both) / len(both) if both else None,
        sum(b for _, b, _ in both) / len(both) if both else None,
        paired([b - a for a, b, _ in both], [source for *_, source in both]),
        lost=scored_a - len(both),
        gained=scored_b - len(both),
    )
