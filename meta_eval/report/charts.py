"""The report's charts as places in percent: the templates draw them and know no statistics."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

import numpy as np

from ...presentation.axes import Axis, axis_over
from ...presentation.charts import Forest, draw_forest
from ..agreement import MetricAgreement
from ..estimate import Estimate
from ..meta_evaluation import MetaEvaluation
from ..recommendation import name_of
from ..sending import Policy
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


@dataclass(frozen=True, slots=True)
class Triage:
    """The curves of the thresholds: points "x,y" of a 100 x 100 plot, y from the top."""

    x: Axis
    sent: str
    wrong: str
    band: str
    held_good: str
    bound: float
    start: int
    places: tuple[float, ...]


def forest(evaluation: MetaEvaluation) -> Forest:
    """The metrics on the answers that chose among them and the choice's corrected agreement, on one axis."""
    rows = [(metric.name, _kind(metric), metric.spearman, _direction(metric)) for metric in evaluation.metrics]
    rows.sort(key=lambda row: -(row[2].value if row[2].value is not None else -2))
    if evaluation.selection is not None:
        rows.insert(
            0, (name_of(evaluation.selection.chosen), "chosen", evaluation.selection.agreement, "on unseen answers")
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


def triage(policy: Policy) -> Triage | None:
    """The curves over the thresholds, ascending; None where there are fewer than two."""
    thresholds = policy.thresholds
    if len(thresholds) < 2:
        return None
    x = axis_over([threshold.at for threshold in thresholds])
    total, good = policy.n or 1, policy.good or 1

    def line(shares: Sequence[tuple[float, float | None]]) -> str:
        return " ".join(f"{x.percent(at)},{round(100 - 100 * share, 2)}" for at, share in shares if share is not None)

    over = line([(threshold.at, threshold.wrong_rate.high) for threshold in thresholds])
    under = line([(threshold.at, threshold.wrong_rate.low) for threshold in reversed(thresholds)])
    start = min(range(len(thresholds)), key=lambda place: abs(thresholds[place].at - _first_threshold(policy)))
    return Triage(
        x,
        line([(threshold.at, threshold.sent / total) for threshold in thresholds]),
        line([(threshold.at, threshold.wrong_rate.value) for threshold in thresholds]),
        f"{over} {under}".strip(),
        line([(threshold.at, threshold.held_good / good) for threshold in thresholds]),
        round(100 - 100 * policy.bound, 2),
        start,
        tuple(x.percent(threshold.at) for threshold in thresholds),
    )


def _first_threshold(policy: Policy) -> float:
    if policy.send_at is not None:
        return policy.send_at
    return policy.thresholds[len(policy.thresholds) // 2].at
