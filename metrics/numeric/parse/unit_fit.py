"""Which readings a stated unit leaves: not euros of what counts orders, not percentage points as a value."""

from collections.abc import Iterable

from ..compute.statistic_entry import UnitRule
from ..compute.statistics import statistics_in
from ..quantities import can_be_in
from ..specification import Specification
from ..tables import Table
from .checks import Check

_VALUES = statistics_in(UnitRule.LEVEL)
_SIZES = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)


def fitting(checks: Iterable[Check], table: Table) -> list[Check] | None:
    """The checks less the readings whose unit the series cannot have; None where one of them has no other."""
    left = [Check(tuple(kept for tier in check.tiers if (kept := _fit(tier, table)))) for check in checks]
    return left if all(check.tiers for check in left) else None


def _fit(tier: tuple[Specification, ...], table: Table) -> tuple[Specification, ...]:
    return tuple(spec for spec in tier if _can_be(spec, table))


def _can_be(spec: Specification, table: Table) -> bool:
    if spec.series not in table.columns:
        return True
    if spec.threshold_unit is not None and not can_be_in(table, spec.series, spec.threshold_unit):
        return False
    if spec.value is None or spec.unit is None or spec.statistic not in _SIZES:
        return True
    if spec.unit == "pp" and spec.statistic in _VALUES:
        return False  # a value is in percent, and only what lies between two is in percentage points
    return can_be_in(table, spec.series, spec.unit)
