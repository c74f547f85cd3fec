"""A run in figures, for a page: each metric's mean with its interval and spread, by part, and against ratings."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics.catalogue import BASELINES
from .answer_index import AnswerIndex
from .nightly.nightly_report import MetricReport, report_metric
from .store import Store
from .summary import MetricSummary, summarise

_MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """One group of answers: its number of answers and its mean by metric."""

    group: str
    n: int
    means: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run comes to.

    Attributes:
        metrics: One row per metric, the baselines last.
        languages: Rows by language; empty where there is only one.
        message_types: Rows by message type; empty where there is only one.
        groups: The groups of two answers or more with the worst means of the first metric, the worst first.
        more_groups: How many groups were left out.
        spreads: By metric, how often each value occurs.
        agreement: How each metric follows the ratings; empty without ratings.
    """

    metrics: tuple[MetricReport, ...]
    languages: Mapping[str, tuple[MetricReport, ...]]
    message_types: Mapping[str, tuple[MetricReport, ...]]
    groups: tuple[GroupFigures, ...]
    more_groups: int
    spreads: Mapping[str, Mapping[float, int]]
    agreement: tuple[MetricSummary, ...]


@dataclass(slots=True)
class _Column:
    statuses: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, value: float | None, group: str, status: str) -> None:
        self.statuses.append(status)
        if value is not None:
            self.values.append(value)
            self.groups.append(group)


_Columns = dict[str, _Column]


def compute_figures(store: Store, run: str) -> RunFigures:
    """The figures of a run; its answers must be in the index (`AnswerIndex.update`).

    Raises:
        InputError: The store cannot be read.
    """
    directions = store.run(run).plan.all_directions
    whole: _Columns = defaultdict(_Column)
    by_language: dict[str, _Columns] = defaultdict(lambda: defaultdict(_Column))
    by_type: dict[str, _Columns] = defaultdict(lambda: defaultdict(_Column))
    spreads: dict[str, Counter[float]] = defaultdict(Counter)
    rated_rows = []
    for metric, language, message_type, group, value, rating, status in AnswerIndex(store.tables(run)).values(run):
        for columns in (whole, by_language[language], by_type[message_type]):
            columns[metric].add(value, group, status)
        if value is not None:
            spreads[metric][value] += 1
        if rating is not None:
            rated_rows.append((metric, language, value, rating, group, status))
    order = [metric for metric in directions if metric in whole]

    def rows(columns: _Columns) -> tuple[MetricReport, ...]:
        return tuple(
            report_metric(metric, columns[metric].statuses, columns[metric].values, columns[metric].groups)
            for metric in order
            if metric in columns
        )

    groups = _worst_groups(whole, order, directions)
    return RunFigures(
        metrics=rows(whole),
        languages=_parts(by_language, rows),
        message_types=_parts(by_type, rows),
        groups=tuple(groups[:_MOST_GROUPS]),
        more_groups=max(0, len(groups) - _MOST_GROUPS),
        spreads={metric: spreads[metric] for metric in order if metric in spreads},
        agreement=tuple(summarise(rated_rows, directions)),
    )


def _parts(
    columns_by_part: Mapping[str, _Columns], rows: Callable[[_Columns], tuple[MetricReport, ...]]
) -> dict[str, tuple[MetricReport, ...]]:
    if len(columns_by_part) < 2:
        return {}
    return {part or "not said": rows(columns_by_part[part]) for part in sorted(columns_by_part)}


def _worst_groups(columns: _Columns, order: Sequence[str], directions: Mapping[str, bool]) -> list[GroupFigures]:
    sums: dict[str, dict[str, tuple[int, float]]] = defaultdict(dict)
    for metric in order:
        column = columns[metric]
        for group, value in zip(column.groups, column.values, strict=True):
            count, total = sums[group].get(metric, (0, 0.0))
            sums[group][metric] = (count + 1, total + value)
    groups = [
        GroupFigures(
            group,
            max(count for count, _ in by_metric.values()),
            {metric: total / count for metric, (count, total) in by_metric.items()},
        )
        for group, by_metric in sums.items()
    ]
    asked = [metric for metric in order if metric not in BASELINES] or list(order)
    sign = 1 if not asked or directions[asked[0]] else -1
    shared = [group for group in groups if group.n > 1]
    return sorted(shared, key=lambda one: sign * one.means.get(asked[0], sign * float("inf")))
