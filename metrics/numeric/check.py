"""What a reading of a clause gives: the checks that all have to hold."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

from .clause import Clause, Mark
from .specification import Hedge, Specification, Statistic, Window

_SUMMED_NEVER = frozenset(
    {"%", "pp", "degC", "dB", "dBm", "Mbps", "kbps", "Gbps", "MB/s", "ms", "s", "Hz", "MHz", "GHz"}
)


@dataclass(frozen=True)
class Check:
    """One check. Each tier is a list of readings that are equally good; a later tier counts only where no reading of
    the tiers before it can be computed.
    """

    tiers: tuple[tuple[Specification, ...], ...]

    def negated(self) -> "Check":
        """The check of a claim that says the opposite."""
        return Check(tuple(tuple(replace(each, negated=not each.negated) for each in tier) for tier in self.tiers))


def check(*tiers: Iterable[Specification]) -> Check:
    """A check of these tiers, each reading once, empty tiers left out."""
    return Check(tuple(tuple(dict.fromkeys(tier)) for tier in tiers if tier))


def each(
    statistic: Statistic, series: Iterable[str | None], windows: Iterable[Window], **rest: object
) -> list[Specification]:
    """The readings for every series and window that may be meant."""
    windows = list(windows)
    return [
        Specification(statistic, name, window, **rest)  # type: ignore[arg-type]
        for name, window in product(series, windows)
    ]


def stated(mark: Mark, decimals: int | None = None) -> dict[str, object]:
    """A number of the text as the fields of a specification."""
    number = mark.number
    assert number is not None  # the mark of a number
    return {
        "value": number.value,
        "unit": number.unit,
        "decimals": number.decimals if decimals is None else decimals,
        "hedge": mark.hedge,
    }


def factor(value: float, mark: Mark | None = None) -> dict[str, object]:
    """ "Twice" and "half" as the fields of a specification: about so, unless a hedge says otherwise."""
    hedge = mark.hedge if mark is not None and mark.hedge is not Hedge.EXACT else Hedge.ABOUT
    return {"value": value, "unit": None, "decimals": 1, "hedge": hedge}


def series_of(clause: Clause, mark: Mark | None = None) -> list[str]:
    """The series that a mention may mean; without one those of the text before, else the table's only one."""
    if mark is not None:
        return list(mark.series)
    if clause.series:
        return list(clause.series[0].series)
    if clause.inherited:
        return list(clause.inherited)
    return list(clause.table.columns) if len(clause.table.columns) == 1 else []


def nearest_series(clause: Clause, mark: Mark) -> Mark | None:
    """The mention of a series nearest to a mark; of two as near, the one before."""
    near = sorted(clause.series, key=lambda s: (min(abs(s.end - mark.start), abs(mark.end - s.start)), s.start))
    return near[0] if near else None


def can_be_summed(clause: Clause, series: str) -> bool:
    """Whether adding up the values of a series means anything: not of rates, shares, temperatures, delays."""
    from .written import known_unit

    unit = clause.table.units.get(series)
    return unit is None or (known_unit(unit) or unit) not in _SUMMED_NEVER
