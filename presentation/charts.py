"""Charts and their axes as places in percent of the plot, so that they fit any width: the templates draw them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .figure import Interval

_MOST_LABELS = 6
_BAND_EDGE = 1.5  # percent of a band's chart that is free at its sides
_THINNEST_SPAN = 0.4  # percent: an alarm of a minute is seen
_STEPS = (1, 2, 2.5, 5, 10)
_NOISE = 1e-9  # values that differ less, of their size, differ by rounding in the computer
_LARGEST_FIXED = 1e9  # a larger tick is written with a power of ten


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from `low` to `high` with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def percent(self, value: float) -> float:
        """Where a value stands, in percent of the axis; values outside stand at its end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def labels(self) -> tuple[tuple[float, str], ...]:
        """(percent, text) of each tick."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else 1.0
        if max(abs(self.ticks[0]), abs(self.ticks[-1])) >= _LARGEST_FIXED:
            return tuple((self.percent(tick), f"{tick:.4g}") for tick in self.ticks)
        is_exact = (all(abs(round(tick, digits) - tick) < step / 1000 for tick in self.ticks) for digits in range(9))
        digits = [*is_exact, True].index(True)
        return tuple((self.percent(tick), f"{tick:,.{digits}f}") for tick in self.ticks)


def axis_over(values: Iterable[float], *, about: int = 5, within: tuple[float, float] | None = None) -> Axis:
    """Makes an axis that contains all values, its ends on round ticks.

    Example:
        >>> axis_over([0.2, 0.9]).ticks, axis_over([0.5, 0.5 + 1e-16], about=2).ticks
        ((0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.5, 1.0))
    """
    listed = list(values)
    low, high = (min(listed), max(listed)) if listed else (0.0, 1.0)
    size = max(abs(low), abs(high))
    if high - low <= max(_NOISE * size, _NOISE):
        room = max(0.5, size / 10)
        low, high = low - room, high + room
    step = _step((high - low) / about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = 10 - math.floor(math.log10(step))
    ticks = [round(place * step, digits) for place in range(first, last + 1)]
    if within is not None:
        ticks = [tick for tick in ticks if within[0] <= tick <= within[1]]
        ticks = ticks if len(ticks) > 1 else [*within]
    return Axis(ticks[0], ticks[-1], tuple(ticks))


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)


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
    """Estimates with their intervals on one axis, in their order."""

    axis: Axis
    marks: tuple[ChartMark, ...]
    without: tuple[tuple[str, str], ...]  # (name, reason) of what has no estimate
    zero: float | None = None  # the place of the line at 0; None where the axis has none
    ceiling: float | None = None  # the place of the line that no estimate can pass; None without one
    # the places between which a difference does not matter; None without them
    margin: tuple[float, float] | None = None


def draw_forest(
    rows: Sequence[tuple[str, str, Interval, str]],
    *,
    within: tuple[float, float] | None = None,
    has_zero: bool = True,
    ceiling: float | None = None,
    margin: float | None = None,
) -> Forest:
    """Draws estimates on one axis, in their order."""
    drawn = [row for row in rows if row[2].value is not None]
    ends = [end for _, _, one, _ in drawn for end in (one.value, one.low, one.high) if end is not None]
    lines = [*([0.0] if has_zero else []), *([] if ceiling is None else [ceiling])]
    axis = axis_over([*ends, *lines, *([] if margin is None else [-margin, margin])], within=within)

    def place(value: float | None) -> float | None:
        return None if value is None else axis.percent(value)

    return Forest(
        axis,
        tuple(
            ChartMark(name, kind, place(one.value) or 0.0, place(one.low), place(one.high), one, remark)
            for name, kind, one, remark in drawn
        ),
        tuple((name, one.problem) for name, _, one, _ in rows if one.value is None),
        axis.percent(0) if has_zero else None,
        place(ceiling),
        None if margin is None else (axis.percent(-margin), axis.percent(margin)),
    )


@dataclass(frozen=True, slots=True)
class BandPoint:
    """One point of a band; places in percent from the left and from the top."""

    label: str
    x: float
    y: float
    low: float | None  # that of the interval's lower end; None without an interval
    high: float | None  # that of its upper end
    text: str


@dataclass(frozen=True, slots=True)
class BandSpan:
    """A time that is marked, from `x` on for `width` percent, and what it is."""

    x: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Band:
    """A figure over time with its interval as a band."""

    name: str
    y: Axis
    points: tuple[BandPoint, ...]  # the points, the oldest first
    line: str
    areas: tuple[str, ...]  # the band, one polygon for each stretch of points with an interval
    limits: tuple[tuple[float, str], ...]  # (place from the top, text) of the lines that the figure is held against
    spans: tuple[BandSpan, ...]
    labels: tuple[tuple[float, str], ...]  # (place, text) of moments


def draw_band(
    name: str,
    rows: Sequence[tuple[datetime, Interval, str]],
    *,
    limits: Sequence[tuple[float, str]] = (),
    spans: Sequence[tuple[datetime, datetime | None, str]] = (),
    within: tuple[float, float] | None = None,
) -> Band | None:
    """Draws a figure over time with its interval as a band; None where nothing has a value."""
    drawn = [row for row in rows if row[1].value is not None]
    if not drawn:
        return None
    first, last = drawn[0][0], drawn[-1][0]
    length = (last - first).total_seconds()

    def across(moment: datetime) -> float:
        share = (moment - first).total_seconds() / length if length > 0 else 0.5
        return round(_BAND_EDGE + (100 - 2 * _BAND_EDGE) * min(1.0, max(0.0, share)), 2)

    ends = [end for _, one, _ in drawn for end in (one.value, one.low, one.high) if end is not None]
    axis = axis_over([*ends, *(limit for limit, _ in limits)], about=4, within=within)

    def down(value: float | None) -> float | None:
        return None if value is None else round(100 - axis.percent(value), 2)

    points = tuple(
        BandPoint(
            f"{moment:%Y-%m-%d %H:%M}", across(moment), down(one.value) or 0.0, down(one.low), down(one.high), text
        )
        for moment, one, text in drawn
    )
    return Band(
        name,
        axis,
        points,
        " ".join(f"{point.x},{point.y}" for point in points),
        _band_areas(points),
        tuple((down(limit) or 0.0, text) for limit, text in limits),
        tuple(
            BandSpan(across(begin), max(_THINNEST_SPAN, round(across(end or last) - across(begin), 2)), text)
            for begin, end, text in spans
        ),
        _moment_labels(first, last, across),
    )


def _band_areas(points: Sequence[BandPoint]) -> tuple[str, ...]:
    areas, stretch = list[str](), list[BandPoint]()
    for point in (*points, None):
        if point is not None and point.low is not None and point.high is not None:
            stretch.append(point)
            continue
        if len(stretch) > 1:
            upper = [f"{one.x},{one.high}" for one in stretch]
            areas.append(" ".join([*upper, *(f"{one.x},{one.low}" for one in reversed(stretch))]))
        stretch = []
    return tuple(areas)


def _moment_labels(
    first: datetime, last: datetime, across: Callable[[datetime], float]
) -> tuple[tuple[float, str], ...]:
    """Moments at equal distances, as days, or as times where all are of two days."""
    length = last - first
    form = "%m-%d %H:%M" if length < timedelta(days=2) else "%m-%d" if length < timedelta(days=300) else "%Y-%m-%d"
    count = 1 if not length else _MOST_LABELS - 2
    moments = [first + length * (place / max(count - 1, 1)) for place in range(count)]
    return tuple({f"{moment:{form}}": (across(moment), f"{moment:{form}}") for moment in moments}.values())
