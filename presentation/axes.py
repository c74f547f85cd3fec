"""Axes of charts: values as percentages of the plot, so that a chart fits any width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
