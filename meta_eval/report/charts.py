"""The report's charts as places in percent: the templates draw them and know no statistics."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import quantiles

import numpy as np

from ...presentation.charts import Axis, Forest, axis_over, draw_forest
from ..agreement import MetricAgreement
from ..estimate import Estimate
from ..meta_evaluation import MetaEvaluation
from ..table import ScoreTable

MOST_POINTS = 300
_MOST_LEVELS = 10
_GOLDEN = 0.6180339887  # spreads points that would lie on each other


@dataclass(frozen=True, slots=True)
class Scatter:
    """A metric's scores, as they were measured, against the ratings.

    `points` are (x, y) and `boxes` (low, middle, high, y, n), the quartiles of the scores at one rating. `remark` says
    where lower is better; `rho` is then that of the negated scores.
    """

    name: str
    kind: str
    rho: Estimate
    x: Axis
    y: Axis
    points: tuple[tuple[float, float], ...]
    boxes: tuple[tuple[float, float, float, float, int], ...]
    shown: int
    n: int
    remark: str = ""


def forest(evaluation: MetaEvaluation) -> Forest:
    """The metrics on the answers that chose among them and the choice's corrected agreement, on one axis."""
    rows = [(metric.name, _kind(metric), metric.spearman, _direction(metric)) for metric in evaluation.metrics]
    rows.sort(key=lambda row: -(row[2].value if row[2].value is not None else -2))
    if evaluation.selection is not None:
        rows.insert(
            0, (evaluation.selection.chosen.name, "chosen", evaluation.selection.agreement, "on unseen answers")
        )
    ceiling = evaluation.raters.ceiling.value if evaluation.raters else None
    return draw_forest(rows, within=(-1, 1), ceiling=ceiling)


def _kind(metric: MetricAgreement) -> str:
    return "baseline" if metric.baseline else "metric"


def _direction(metric: MetricAgreement) -> str:
    return "" if metric.higher_is_better else "lower is better"


def scatters(table: ScoreTable, evaluation: MetaEvaluation) -> tuple[Scatter, ...]:
    """One chart per metric with values: best correlation first, baselines last."""
    rated = table.rated()
    order = sorted(
        (metric for metric in evaluation.metrics if metric.name in table.metrics and metric.spearman.value is not None),
        key=lambda metric: (metric.baseline, -(metric.spearman.value or 0)),
    )
    y = _rating_axis(table.rating_min, table.rating_max)
    return tuple(_scatter(rated, metric, y) for metric in order)


def _scatter(rated: ScoreTable, metric: MetricAgreement, y: Axis) -> Scatter:
    values = rated.scores[:, rated.metrics.index(metric.name)]
    pairs = [
        (float(value), float(rating))
        for value, rating in zip(values, rated.mean_rating, strict=True)
        if not np.isnan(value)
    ]
    x = axis_over([value for value, _ in pairs], about=4)
    shown = pairs[:: -(-len(pairs) // MOST_POINTS)]
    height = 100 / max(1, len(y.ticks) - 1)
    points = tuple(
        (x.percent(value), _within_plot(_from_top(y, rating) + (number * _GOLDEN % 1 - 0.5) * height * 0.5))
        for number, (value, rating) in enumerate(shown)
    )
    by_level: dict[float, list[float]] = defaultdict(list)
    for value, rating in pairs:
        by_level[min(y.ticks, key=lambda level: abs(level - rating))].append(x.percent(value))
    boxes = []
    for level, places in sorted(by_level.items()):  # quartiles of places: those of huge values are no numbers
        low, middle, high = quantiles(places, n=4, method="inclusive") if len(places) > 1 else places * 3
        boxes.append((round(low, 2), round(middle, 2), round(high, 2), _from_top(y, level), len(places)))
    return Scatter(
        metric.name,
        _kind(metric),
        metric.spearman,
        x,
        y,
        points,
        tuple(boxes),
        shown=len(shown),
        n=len(pairs),
        remark=_direction(metric),
    )


def _rating_axis(low: float, high: float) -> Axis:
    """The axis of a rating scale: its levels where they are few and whole steps apart, else round ticks around it."""
    if 0 < high - low <= _MOST_LEVELS and float(high - low).is_integer():
        return Axis(low, high, tuple(low + place for place in range(int(high - low) + 1)))
    return axis_over([low, high])


def _within_plot(place: float) -> float:
    """A place in percent, folded back where it would stand outside of the plot."""
    return round(min(abs(place), 200 - abs(place)), 1)


def _from_top(axis: Axis, value: float) -> float:
    return round(100 - axis.percent(value), 2)
