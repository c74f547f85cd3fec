"""Charts as places in percent: the templates draw them and know no statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .axes import Axis, axis_over
from .figure import Interval

_BARS = 20
_LOWEST_BAR = 1.0  # percent: one value of thousands is still seen
_MOST_LABELS = 6


@dataclass(frozen=True, slots=True)
class ChartMark:
    """An estimate on an axis, places in percent; the interval may be missing."""

    name: str
    kind: str
    at: float
    low: float | None
    high: float | None
    estimate: Interval
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Forest:
    """Estimates with their intervals on one axis, in their order.

    Attributes:
        axis: The axis.
        marks: The estimates.
        without: (name, reason) of what has no estimate.
        zero: The place of the line at 0; None where the axis has none.
        ceiling: The place of the line that no estimate can pass; None without one.
        margin: The places between which a difference does not matter; None without them.
    """

    axis: Axis
    marks: tuple[ChartMark, ...]
    without: tuple[tuple[str, str], ...]
    zero: float | None = None
    ceiling: float | None = None
    margin: tuple[float, float] | None = None


def draw_forest(
    rows: Sequence[tuple[str, str, Interval, str]],
    *,
    within: tuple[float, float] | None = None,
    has_zero: bool = True,
    ceiling: float | None = None,
    margin: float | None = None,
) -> Forest:
    """Draws estimates on one axis, in their order.

    Args:
        rows: (name, kind, estimate, remark); the kind is `metric`, `baseline` or `chosen`.
        within: The bounds of the axis, if it has any (of correlations -1 and 1).
        has_zero: Whether the axis has 0 and a line there.
        ceiling: What no estimate can pass, if it is known.
        margin: The largest size of a difference that does not matter, if the estimates are differences.
    """
    drawn = [row for row in rows if row[2].value is not None]
    ends = [end for _, _, one, _ in drawn for end in (one.value, one.low, one.high) if end is not None]
    lines = [*([0.0] if has_zero else []), *([] if ceiling is None else [ceiling])]
    axis = axis_over([*ends, *lines, *([] if margin is None else [-margin, margin])], within=within)
    return Forest(
        axis,
        tuple(mark for name, kind, one, remark in drawn if (mark := place_mark(axis, name, kind, one, remark))),
        tuple((name, one.problem) for name, _, one, _ in rows if one.value is None),
        axis.percent(0) if has_zero else None,
        None if ceiling is None else axis.percent(ceiling),
        None if margin is None else (axis.percent(-margin), axis.percent(margin)),
    )


def place_mark(axis: Axis, name: str, kind: str, estimate: Interval, remark: str = "") -> ChartMark | None:
    """An estimate on an axis; None where it has no value."""
    if estimate.value is None:
        return None
    low, high = (None if end is None else axis.percent(end) for end in (estimate.low, estimate.high))
    return ChartMark(name, kind, axis.percent(estimate.value), low, high, estimate, remark)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How the values of one metric are spread.

    Attributes:
        name: The metric.
        axis: The axis of the values.
        bars: (place, width, height) in percent, the height of that of the highest bar, and the count.
        highest: The count of the highest bar.
        n: How many values there are.
    """

    name: str
    axis: Axis
    bars: tuple[tuple[float, float, float, int], ...]
    highest: int
    n: int


def draw_histogram(name: str, axis: Axis, counts: Mapping[float, int]) -> Histogram:
    """The spread of values on an axis.

    Args:
        name: The metric.
        axis: The axis of the values.
        counts: How many values stand where, by percent of the axis.
    """
    in_bars = [0] * _BARS
    for percent, count in counts.items():
        in_bars[min(_BARS - 1, int(min(100.0, max(0.0, percent)) / 100 * _BARS))] += count
    highest, width = max(in_bars), 100 / _BARS
    bars = tuple(
        (round(place * width, 2), width, max(_LOWEST_BAR, round(100 * count / highest, 2)), count)
        for place, count in enumerate(in_bars)
        if count
    )
    return Histogram(name, axis, bars, highest, sum(counts.values()))


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One point of a trend; places in percent from the left and from the top."""

    label: str
    x: float
    y: float
    low: float | None
    high: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure with its interval over time; `line` is "x,y x,y" in percent, `labels` (percent, day or time) of x."""

    name: str
    y: Axis
    points: tuple[TrendPoint, ...]
    line: str
    labels: tuple[tuple[float, str], ...]


def draw_trend(name: str, rows: Sequence[tuple[str, Interval, str]]) -> Trend | None:
    """A trend, the oldest first, at equal distances; None where nothing has a value.

    Args:
        name: What is shown.
        rows: (moment as 2026-11-23 05:08, estimate, the figure in words) per point. Where two moments that have a label
            are of one day, the second has its time.
    """
    drawn = [row for row in rows if row[1].value is not None]
    if not drawn:
        return None
    axis = axis_over([end for _, one, _ in drawn for end in (one.value, one.low, one.high) if end is not None], about=4)
    distance = 100 / len(drawn)
    points = []
    for place, (label, estimate, text) in enumerate(drawn):
        y, low, high = (
            None if end is None else round(100 - axis.percent(end), 2)
            for end in (estimate.value, estimate.low, estimate.high)
        )
        points.append(TrendPoint(label, round((place + 0.5) * distance, 2), y or 0.0, low, high, text))
    line = " ".join(f"{point.x},{point.y}" for point in points)
    labelled = points[:: -(-len(points) // _MOST_LABELS)]
    days = [point.label[5:10] for point in labelled]
    times = [point.label[11:16] for point in labelled]
    labels = tuple(
        (point.x, times[place] if place and days[place] == days[place - 1] else days[place])
        for place, point in enumerate(labelled)
    )
    return Trend(name, axis, tuple(points), line, labels)
