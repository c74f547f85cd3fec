"""The types of numbers on the command line: each has an upper bound, and none is NaN or infinite."""

import math
from typing import Any

import click

MOST = 1_000_000_000
MOST_CALLS_AT_ONCE = 10_000
"""As the settings of a judge allow."""
MOST_TOKENS = 10**15
MOST_RESAMPLES = 1_000_000
MOST_REPEATS = 1000


class BoundedCount(click.IntRange):
    """A whole number; the help names the least one, and only the error the largest."""

    def __init__(self, least: int = 1, most: int = MOST) -> None:
        super().__init__(min=least)
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails where it is out of bounds."""
        number: int = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{number} is too large; write {self._most:,} or less.", param, ctx)
        return number


class FiniteRange(click.FloatRange):
    """A number in a range, neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails where it is none to reckon with."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number that can be reckoned with; write 4 or 4.5.", param, ctx)
        return number


SEED = BoundedCount(0, 2**32 - 1)
