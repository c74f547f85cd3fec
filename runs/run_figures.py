"""A run in figures, for a page: each metric's mean with its interval and spread, by part, and against ratings."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ..eval_sets import Sample
from ..metrics.specification import ALL_BASELINES
from ..presentation.axes import axis_over
from ..presentation.charts import Histogram, draw_histogram
from ..presentation.verdict import Verdict
from .nightly.nightly_report import MetricReport, ScoreOfGroup, report_metric
from .results import Results
from .run_verdict import name_run, run_verdict
from .store import Store
from .summary import MetricSummary

_MOST_GROUPS = 20
_SPREAD_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """One group of answers: its number of answers and its mean by metric."""

    group: str
    n: int
    means: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run comes to."""

    verdict: Verdict
    metrics: tuple[MetricReport, ...]  # one row per metric, the baselines last
    languages: Mapping[str, tuple[MetricReport, ...]]  # rows by language; empty where there is only one
    message_types: Mapping[str, tuple[MetricReport, ...]]  # rows by message type; empty where there is only one
    # the groups with two values or more of the first metric that have its worst means, the worst first
    groups: tuple[GroupFigures, ...]
    more_groups: int
    spreads: tuple[Histogram, ...]  # how the values of each metric are spread
    agreement: tuple[MetricSummary, ...]  # how each metric follows the ratings; empty without ratings
    notes: tuple[str, ...]  # which ratings they are, as in `Results`


def compute_figures(store: Store, run: str) -> RunFigures:
    """The figures of a run."""
    row = store.run(run)
    results = Results.of_run(store, row, has_evidence=False)
    summaries = results.summary()
    whole = _report_parts(results, summaries, lambda _: "").get("not said", ())
    groups, more_groups = _worst_groups(results, [metric.metric for metric in whole])
    return RunFigures(
        verdict=run_verdict(results, summaries, row.plan.metrics, name_run(store, row.id)),
        metrics=whole,
        languages=_several(_report_parts(results, (), lambda sample: sample.language)),
        message_types=_several(_report_parts(results, (), lambda sample: sample.message_type)),
        groups=groups,
        more_groups=more_groups,
        spreads=tuple(_draw_spreads(results)),
        agreement=tuple(summaries) if any(summary.correlation.n for summary in summaries) else (),
        notes=results.notes,
    )


def _several(parts: Mapping[str, tuple[MetricReport, ...]]) -> Mapping[str, tuple[MetricReport, ...]]:
    return parts if len(parts) > 1 else {}


def _report_parts(
    results: Results, summaries: Sequence[MetricSummary], part_of: Callable[[Sample], str | None]
) -> Mapping[str, tuple[MetricReport, ...]]:
    """One row per metric, in the plan's order, by part of the answers."""
    left_out = {summary.name: summary.left_out for summary in summaries}
    parts: dict[str, dict[str, list[ScoreOfGroup]]] = defaultdict(lambda: defaultdict(list))
    for name, metric, score in results.listed_scores():
        sample = results.samples[name]
        parts[part_of(sample) or ""][metric].append((score.value, score.status, sample.source))
    return {
        part or "not said": tuple(
            report_metric(metric, parts[part][metric], left_out=left_out.get(metric))
            for metric in results.metrics
            if metric in parts[part]
        )
        for part in sorted(parts)
    }


def _worst_groups(results: Results, metrics: Sequence[str]) -> tuple[tuple[GroupFigures, ...], int]:
    """The groups with two values or more of the first metric that is no baseline and its worst means, and how many more
    there are.
    """
    first = next((metric for metric in metrics if metric not in ALL_BASELINES), next(iter(metrics), ""))
    groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, metric, score in results.listed_scores():
        if score.value is not None:
            groups[results.samples[name].source][metric].append(score.value)
    several = [
        GroupFigures(
            group,
            max(map(len, values.values())),
            {metric: fsum(values[metric]) / len(values[metric]) for metric in metrics if metric in values},
        )
        for group, values in groups.items()
        if len(values.get(first, ())) > 1
    ]
    sign = 1 if results.directions.get(first, True) else -1
    worst = sorted(several, key=lambda figures: (sign * figures.means[first], figures.group))[:_MOST_GROUPS]
    return tuple(worst), len(several) - len(worst)


def _draw_spreads(results: Results) -> Iterator[Histogram]:
    """How the values of each metric are spread: counts by percent of the way between its ends, in steps of 0.01."""
    values: dict[str, list[float]] = defaultdict(list)
    for _, metric, score in results.listed_scores():
        if score.value is not None:
            values[metric].append(score.value)
    for metric in results.metrics:
        if of_metric := values.get(metric):
            axis = axis_over((min(of_metric), max(of_metric)), about=4)
            width = axis.high - axis.low
            steps = Counter(round((value - axis.low) / width * _SPREAD_STEPS) for value in of_metric)
            yield draw_histogram(metric, axis, {100 * step / _SPREAD_STEPS: count for step, count in steps.items()})
