"""Axes of charts: values as percentages of the plot, so that a chart fits any width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1, 2, 2.5, 5, 10)


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
        digits = next(number for number in range(10) if abs(round(step, number) - step) < 1e-9)
        return tuple((self.percent(tick), f"{tick:,.{digits}f}") for tick in self.ticks)


def axis_over(values: Iterable[float], *, about: int = 5, within: tuple[float, float] | None = None) -> Axis:
    """Makes an axis that contains all values, its ends on round ticks; `within` bounds it (correlations: -1, 1)."""
    listed = [*values]
    low, high = (min(listed), max(listed)) if listed else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = _step((high - low) / about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(place * step, 10) for place in range(first, last + 1)]
    if within is not None:
        ticks = [tick for tick in ticks if within[0] <= tick <= within[1]]
    return Axis(ticks[0], ticks[-1], tuple(ticks))


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)
