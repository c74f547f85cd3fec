"""The chart of agreement against cost: one point per judge and panel, and the line that single judges reach."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...meta_eval.estimate import Estimate
from ...presentation.axes import Axis, axis_over, write_power
from ..judge_comparison import JudgeComparison

# Powers of ten beyond the lowest and the highest cost: together more than the widest gap of 1, 2, 5, so that a tick is
# always seen.
_ROOM = math.log10(1.6)
_LEAST, _MOST = 1e-300, 1e300  # costs beyond stand at the ends
_MOST_POWERS = 10  # ticks of an axis over many powers of ten
_FREE, _PRICED = 6.0, 16.0  # percent: where what costs nothing stands, and where the logarithmic axis begins
_NEAR, _APART = 2.5, 22  # percent of the axis; pixels between points that would lie on each other


@dataclass(frozen=True, slots=True)
class Point:
    """A judge or panel in the chart; places are in percent from the left and the top.

    Attributes:
        key: Its letter.
        name: The judge's or panel's name.
        kind: `judge` or `panel`.
        cost: Of 1,000 answers, in the comparison's unit.
        agreement: Spearman's rho with the ratings.
        x: The place of its cost.
        y: The place of its agreement.
        low: The place of the interval's lower end; None without an interval.
        high: The place of its upper end.
        on_frontier: Whether no other judge agrees more for less.
        beyond: Whether it is a panel that agrees more than any judge that costs no more.
        shift: How many pixels it is moved aside, so that points do not lie on each other.
    """

    key: str
    name: str
    kind: str
    cost: float
    agreement: Estimate
    x: float
    y: float
    low: float | None
    high: float | None
    on_frontier: bool
    beyond: bool
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Frontier:
    """The chart of a comparison.

    Attributes:
        x_ticks: (percent, text) of the cost axis.
        y: The axis of the agreement.
        points: In the tables' order.
        without: (name, reason) of what has no agreement.
        stairs: The line of the frontier, as "x,y x,y" in percent.
        zero: The place of no agreement, in percent from the top.
        free: Whether the axis begins with a place for what costs nothing.
    """

    x_ticks: tuple[tuple[float, str], ...]
    y: Axis
    points: tuple[Point, ...]
    without: tuple[tuple[str, str], ...]
    stairs: str
    zero: float
    free: bool


def draw_frontier(comparison: JudgeComparison) -> Frontier | None:
    """Draws the chart of a comparison; None where nothing has an agreement with the ratings."""
    unit = comparison.unit
    rows = [(judge.judge, "judge", judge.cost(unit), judge.agreement, judge.on_frontier) for judge in comparison.judges]
    rows += [(panel.name, "panel", panel.cost, panel.agreement, False) for panel in comparison.panels]
    shown = [row for row in rows if row[3].value is not None]
    if not shown:
        return None
    agreements = [agreement for _, _, _, agreement, _ in shown]
    ends = [end for rho in agreements for end in (rho.value, rho.low, rho.high) if end is not None]
    y = axis_over([*ends, 0.0], within=(-1, 1))
    costs = _Costs([cost for _, _, cost, _, _ in shown])
    points = []
    for key, (name, kind, cost, rho, on_frontier) in zip(_letters(len(shown)), shown, strict=True):
        cheaper = [judge.agreement.value or -1 for judge in comparison.judges if judge.cost(unit) <= cost]
        beyond = kind == "panel" and (rho.value or 0) > max(cheaper, default=-1)
        at, low, high = (None if end is None else 100 - y.percent(end) for end in (rho.value, rho.low, rho.high))
        place = costs.percent(cost)
        points.append(Point(key, name, kind, cost, rho, place, at or 0.0, low, high, on_frontier, beyond))
    without = tuple((row[0], row[3].problem) for row in rows if row[3].value is None)
    stairs = _stairs([point for point in points if point.on_frontier])
    return Frontier(costs.ticks(), y, _apart(points), without, stairs, 100 - y.percent(0), costs.free is not None)


class _Costs:
    """A logarithmic axis of costs; costs of 0 stand before it."""

    def __init__(self, costs: Sequence[float]) -> None:
        logs = [math.log10(min(_MOST, max(_LEAST, cost))) for cost in costs if cost > 0]
        self.free = _FREE if len(logs) < len(costs) else None
        self._start = _PRICED if self.free else 0.0
        self._is_empty = not logs
        self._low, self._high = (min(logs) - _ROOM, max(logs) + _ROOM) if logs else (0.0, 1.0)

    def percent(self, cost: float) -> float:
        """Where a cost stands."""
        if cost <= 0:
            return _FREE
        share = (math.log10(min(_MOST, max(_LEAST, cost))) - self._low) / (self._high - self._low)
        return round(self._start + (100 - self._start) * share, 2)

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """1, 2 and 5 of each power of ten; over more than two of them only powers, few enough to be read."""
        decades = self._high - self._low
        steps = (1, 2, 5) if decades < 2 else (1,)
        powers = range(math.floor(self._low), math.floor(self._high) + 1, math.ceil(decades / _MOST_POWERS))
        logs = [(power + math.log10(step), f"{step}e{power}") for power in powers for step in steps]
        shown = [float(text) for log, text in logs if self._low < log < self._high and not self._is_empty]
        ticks = [(self.percent(value), write_power(value)) for value in shown]
        return ((self.free, "0"), *ticks) if self.free else tuple(ticks)


def _stairs(points: Sequence[Point]) -> str:
    """Builds the line of the frontier: at each cost the highest agreement that it buys."""
    line, height = list[str](), 0.0
    for point in sorted(points, key=lambda one: one.x):
        if line:
            line.append(f"{point.x},{height}")
        line.append(f"{point.x},{point.y}")
        height = point.y
    return " ".join([*line, f"100,{height}"]) if line else ""


def _apart(points: Sequence[Point]) -> tuple[Point, ...]:
    """Points of nearly one cost, beside each other; one on the frontier keeps its place, at its stair."""
    moved = []
    for point in points:
        near = [other for other in points if abs(other.x - point.x) < _NEAR]
        place = sorted(near, key=lambda other: not other.on_frontier).index(point)
        moved.append(replace(point, shift=(place + 1) // 2 * (_APART if place % 2 else -_APART)))
    return tuple(moved)


def _letters(many: int) -> list[str]:
    """A, B, ... Z, A1, B1, ..."""
    return [chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "") for number in range(many)]
