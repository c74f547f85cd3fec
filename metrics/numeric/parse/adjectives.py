"""Which way an adjective goes: "cheaper" of money, "busier" of amounts, "faster" as the series is better."""

from collections.abc import Callable

from ....text.numbers import known_unit
from ..names.column_names import meanings, means, polarity
from ..quantities.units import is_currency, measured_by
from .checks import is_flow, series_of
from .clause import Clause
from .marks import Mark

_Applies = Callable[[Clause, str], bool]


def is_money(clause: Clause, series: str) -> bool:
    """Whether a series is in a currency."""
    return is_currency(known_unit(clause.table.units.get(series, "")))


def is_busy(clause: Clause, series: str) -> bool:
    """Whether more of a series makes a day busier: what is counted, and people."""
    if means(series, "people"):
        return True
    counted = clause.table.units.get(series) is None and bool((clause.table.known_values(series) % 1 == 0).all())
    return (counted or is_flow(clause, series)) and not is_money(clause, series) and not means(series, "levels")


def can_describe(clause: Clause, quantity: str, series: str) -> bool:
    """Whether adjectives of a quantity describe a series: `flow`, `busy`, `money`, or what its unit measures."""
    said_of: _Applies | None = {"flow": is_flow, "busy": is_busy, "money": is_money}.get(quantity)
    if said_of is not None:
        return said_of(clause, series)
    unit = clause.table.unit_of(series)
    return quantity in meanings(series) or (unit is not None and quantity in measured_by(unit))


# a kind of word, whether it says more, and which series it describes
_KINDS: tuple[tuple[str, bool, _Applies], ...] = (
    ("dearer", True, is_money),
    ("cheaper", False, is_money),
    ("busier", True, is_busy),
    ("quieter", False, is_busy),
    ("better", True, lambda _, series: polarity(series) is not None),
    ("worse", False, lambda _, series: polarity(series) is not None),
)


def adjective_ways(clause: Clause, names: list[str]) -> tuple[list[Mark], list[Mark]] | None:
    """The adjectives that say more, and those that say less; None where one of them cannot describe these series."""
    more: list[Mark] = []
    less: list[Mark] = []
    for kind, says_more, said_of in _KINDS:
        for mark in clause.marks_of(kind):
            if not names or not all(said_of(clause, name) for name in names):
                return None
            down = kind in ("better", "worse") and any(polarity(name) == "down" for name in names)
            (more if says_more is not down else less).append(mark)
    return more, less


def described_series(clause: Clause) -> list[str]:
    """The series that a clause is about; "cheaper" describes the only one in money where the clause names none."""
    names = series_of(clause)
    if clause.series or not clause.marks_of("dearer", "cheaper"):
        return names
    money = [name for name in clause.table.columns if is_money(clause, name)]
    return money if len(money) == 1 else names
