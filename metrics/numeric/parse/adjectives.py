"""Which way an adjective goes: "cheaper" of money, "busier" of amounts, "better" as the series is better."""

from ....text.numbers import known_unit
from ..names.column_names import meanings, means, polarity
from ..units import is_currency, measured_by
from .checks import is_flow, series_of
from .clause import Clause
from .marks import Mark

# what each kind of word describes, and whether it says more
_KINDS = {
    "dearer": ("money", True),
    "cheaper": ("money", False),
    "busier": ("busy", True),
    "quieter": ("busy", False),
    "better": ("better", True),
    "worse": ("better", False),
}


def can_describe(clause: Clause, quantity: str, series: str) -> bool:
    """Whether adjectives of a quantity describe a series.

    `quantity` is "money", "flow", "better", what a unit measures ("time"), or "busy": more of what is counted, and more
    people, makes a day busier.
    """
    unit = clause.table.units.get(series)
    money = is_currency(known_unit(unit or ""))
    if quantity == "money":
        return money
    if quantity == "better":
        return polarity(series) is not None
    if quantity == "flow":
        return is_flow(clause, series)
    if quantity == "busy":
        whole = unit is None and bool((clause.table.known_values(series) % 1 == 0).all())
        amount = (whole or is_flow(clause, series)) and not money and not means(series, "levels")
        return amount or means(series, "people")
    measure = clause.table.unit_of(series)
    return quantity in meanings(series) or (measure is not None and quantity in measured_by(measure))


def adjective_ways(clause: Clause, names: list[str]) -> tuple[list[Mark], list[Mark]] | None:
    """The adjectives that say more, and those that say less; None where one of them cannot describe these series."""
    more: list[Mark] = []
    less: list[Mark] = []
    for kind, (quantity, says_more) in _KINDS.items():
        for mark in clause.marks_of(kind):
            if not names or not all(can_describe(clause, quantity, name) for name in names):
                return None
            down = quantity == "better" and any(polarity(name) == "down" for name in names)
            (more if says_more is not down else less).append(mark)
    return more, less


def described_series(clause: Clause) -> list[str]:
    """The series that a clause is about; "cheaper" describes the only one in money where the clause names none."""
    names = series_of(clause)
    if clause.series or not clause.marks_of("dearer", "cheaper"):
        return names
    money = [name for name in clause.table.columns if can_describe(clause, "money", name)]
    return money if len(money) == 1 else names
