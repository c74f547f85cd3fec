"""Which readings are possible: the series can have the unit, and the rows can be taken together."""

from collections.abc import Iterable

from ..compute.computation import UnitRule
from ..compute.statistics import statistics_in
from ..specification import ALL_ROWS, Specification, Statistic
from ..tables.groups import is_panel
from .checks import RELATIONS, ClauseCheck, can_be_summed
from .clause import Clause
from .places import has_several

_VALUES = statistics_in(UnitRule.LEVEL)
_SIZES = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_OF_ONE_ROW = frozenset({Statistic.VALUE_AT, Statistic.SUM, Statistic.SHARE, *RELATIONS})
"""The statistics that one row can have; the others take several rows."""


def possible_checks(checks: Iterable[ClauseCheck], clause: Clause) -> list[ClauseCheck] | None:
    """The checks without impossible readings; None where no reading of a check is left."""
    left = [ClauseCheck(tuple(kept for tier in check.tiers if (kept := _fit(tier, clause)))) for check in checks]
    return left if all(check.tiers for check in left) else None


def _fit(tier: tuple[Specification, ...], clause: Clause) -> tuple[Specification, ...]:
    return tuple(spec for spec in tier if _can_have_unit(spec, clause) and _can_have_rows(spec, clause))


def _can_have_unit(spec: Specification, clause: Clause) -> bool:
    table = clause.table
    if spec.series not in table.columns:
        return True
    if spec.threshold_unit is not None and not table.can_be_in(spec.series, spec.threshold_unit):
        return False
    if spec.value is None or spec.unit is None or spec.statistic not in _SIZES:
        return True
    if spec.unit == "pp" and spec.statistic in _VALUES:
        return False  # a value is in percent, and only what lies between two is in percentage points
    return table.can_be_in(spec.series, spec.unit)


def _can_have_rows(spec: Specification, clause: Clause) -> bool:
    """Whether the rows of a reading can be taken together.

    In a transposed table the columns of one time have different meanings. In a table with several rows per time, the
    rows of a group ("Portside had the most complaints") are one row of a grouped view instead.
    """
    view = clause.view
    if view.grouping:
        return _is_of_groups(spec, clause)
    if is_panel(view.table) and spec.place is not None and has_several(clause, spec.window, spec.place):
        return False
    return not view.transposed or bool(spec.window.conditions) or not is_panel(view.table)


def _is_of_groups(spec: Specification, clause: Clause) -> bool:
    """Whether a reading is about groups: sums where the series can be added up, unless the clause says "mean".

    The mean, or the maximum, of a group's one row would be that of its own rows.
    """
    means = clause.view.grouping == "mean"
    if spec.series and not clause.marks_of("mean") and can_be_summed(clause, spec.series) is means:
        return False
    named = clause.times or clause.cells
    windows = [
        spec.window,
        *(() if named else clause.scope),
    ]  # "never more than a dozen" is about the zone of the text before
    return spec.statistic in _OF_ONE_ROW or all(w == ALL_ROWS or has_several(clause, w) for w in windows)
