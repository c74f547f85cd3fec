"""A run in figures, for a page: each metric's mean with its interval and spread, by part, and against ratings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..meta_eval.estimate import Estimate
from ..metrics.specification import ALL_BASELINES
from ..presentation.axes import axis_over
from ..presentation.charts import Histogram, draw_histogram
from ..presentation.verdict import Verdict
from .database import explain_errors
from .nightly.nightly_report import MetricReport, report_metric
from .run_verdict import run_verdict
from .score_sums import Part, ScoreSums
from .store import Store
from .summary import MetricSummary, ScoreTotals, shares_left_out

_MOST_GROUPS = 20
_NOTHING: Mapping[str, float | None] = MappingProxyType({})


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
    notes: tuple[str, ...]  # which ratings they are, as in `ScoreTotals`


def compute_figures(store: Store, run: str) -> RunFigures:
    """The figures of a run; its answers must be in the index (`AnswerIndex.update`)."""
    directions = store.run(run).plan.all_directions
    with explain_errors(store.database, "the scores cannot be read"):
        sums = ScoreSums(store.database, run)
        totals = ScoreTotals.of_run(store, run)
        left_out = shares_left_out(totals.sentences)
        whole = _report_parts(sums, "''", directions, left_out).get("not said", ())
        groups, more_groups = _worst_groups(sums, [row.metric for row in whole], directions)
        summaries = totals.summarise(directions)
        return RunFigures(
            verdict=run_verdict(store, run, summaries),
            metrics=whole,
            languages=_report_parts(sums, "language", directions),
            message_types=_report_parts(sums, "message_type", directions),
            groups=groups,
            more_groups=more_groups,
            spreads=tuple(_draw_spreads(sums, directions)),
            agreement=tuple(summaries) if totals.rated else (),
            notes=totals.notes,
        )


def _report_parts(
    sums: ScoreSums, part: Part, directions: Mapping[str, bool], left_out: Mapping[str, float | None] = _NOTHING
) -> Mapping[str, tuple[MetricReport, ...]]:
    """One row per metric, in the plan's order, by part; nothing where answers are parted, but into one part."""
    statuses: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for metric, name, status, count in sums.statuses(part):
        statuses[name][metric][status] = count
    if part != "''" and len(statuses) < 2:
        return {}
    means, none = sums.means(part), Estimate(None, n=0)
    return {
        name or "not said": tuple(
            report_metric(
                metric, statuses[name][metric], means.get((metric, name), none), left_out=left_out.get(metric)
            )
            for metric in directions
            if metric in statuses[name]
        )
        for name in sorted(statuses)
    }


def _worst_groups(
    sums: ScoreSums, metrics: list[str], directions: Mapping[str, bool]
) -> tuple[tuple[GroupFigures, ...], int]:
    """The worst groups by the first metric that is no baseline, and how many more there are."""
    if not metrics:
        return (), 0
    first = next((metric for metric in metrics if metric not in ALL_BASELINES), metrics[0])
    worst, count = sums.worst_groups(first, higher=directions[first], most=_MOST_GROUPS)
    by_group: dict[str, dict[str, tuple[int, float]]] = defaultdict(dict)
    for metric, source, n, total in worst:
        by_group[source][metric] = n, total / n
    groups = tuple(
        GroupFigures(
            source,
            max(n for n, _ in of_group.values()),
            {metric: of_group[metric][1] for metric in metrics if metric in of_group},
        )
        for source, of_group in by_group.items()
    )
    return groups, max(0, count - len(groups))


def _draw_spreads(sums: ScoreSums, directions: Mapping[str, bool]) -> Iterator[Histogram]:
    ranges = sums.ranges()
    for metric in directions:
        if metric in ranges:
            axis = axis_over(ranges[metric], about=4)
            yield draw_histogram(metric, axis, sums.spread(metric, axis.low, axis.high))
