"""What a statistic came to: its value or values, and how it was worked out, in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..specification import Specification, Window
from ..tables import Table

_SHOWN = 6  # values in a line of arithmetic


@dataclass(frozen=True)
class Computed:
    """A statistic of a table.

    `values` are the value by definition: one under "", or one for each definition that is in use ("sample",
    "population"). `unit` is the series' (or `%`, `pp`). `arithmetic` is how it came about, in a line. `places` are
    positions of rows, for statistics that ask where. `holds` is the answer of a statistic without a value (a trend,
    a comparison). `base` is what a change is measured from.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    unit: str | None = None
    arithmetic: str = ""
    places: tuple[int, ...] = ()
    holds: bool | None = None
    base: float | None = None

    @property
    def value(self) -> float | None:
        """The value under the first definition; None for a statistic without one."""
        return next(iter(self.values.values()), None)


def one(value: float, unit: str | None, arithmetic: str, **rest: Any) -> Computed:
    """A statistic of one definition."""
    return Computed({"": float(value)}, unit, arithmetic, **rest)


def shown(value: float) -> str:
    """A number for a person: whole numbers whole, others with six digits that count."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 1e6 else f"{value:,.6g}"


def with_unit(value: float, unit: str | None) -> str:
    """A number with its unit."""
    return f"{shown(value)}{'' if unit == '%' else ' '}{unit}" if unit else shown(value)


def listed(values: Sequence[float], sign: str) -> str:
    """Values joined by a sign, the middle of many left out."""
    texts = [shown(value) for value in (values if len(values) <= _SHOWN else [*values[:3], *values[-1:]])]
    if len(values) > _SHOWN:
        texts.insert(3, "...")
    return f" {sign} ".join(texts)


def called(name: str, series: str | None, window: Window) -> str:
    """A statistic as a person calls it: "mean of throughput_mbps over 2026-03-01..2026-03-07"."""
    of = f" of {series}" if series else " of rows"
    return f"{name}{of}" + ("" if str(window) == "all rows" else f" over {window.text or window}")


def unit_of(table: Table, specification: Specification) -> str | None:
    """The unit of the specification's series."""
    from ..quantities import unit_and_power

    return unit_and_power(table.units.get(specification.series or ""))[0]
