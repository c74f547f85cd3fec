"""When a computed value bears out a stated one: by the stated precision, widened by what the hedge means."""

from ..specification import Hedge

ABOUT = 0.05
_TELLING = 3  # digits from which "about 362" is no round number
_ABOUT_TELLING = 0.02
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


def rounds_to(computed: float, stated: float, decimals: int) -> bool:
    """Whether a value rounds to the stated one at its precision; a half goes either way. Decimals may be negative."""
    return abs(computed - stated) <= 0.5 * 10.0**-decimals + _slack(computed, stated)


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%.
    """
    slack = _slack(computed, stated)
    size, wanted = (-computed, -stated) if stated < 0 else (computed, stated)
    about = (_about(stated, decimals) if share is None else share) * abs(stated)
    margin = max(about, 0.5 * 10.0**-decimals)
    near = share is not None and abs(computed - stated) <= about + slack
    return {
        Hedge.EXACT: near or rounds_to(computed, stated, decimals),
        Hedge.ABOUT: rounds_to(computed, stated, decimals) or abs(computed - stated) <= about + slack,
        Hedge.NEARLY: wanted - margin - slack <= size <= wanted + slack,
        Hedge.JUST_OVER: wanted - slack <= size <= wanted + margin + slack,
        Hedge.MORE_THAN: computed > stated + slack,
        Hedge.LESS_THAN: computed < stated - slack,
        Hedge.AT_LEAST: computed >= stated - slack,
        Hedge.AT_MOST: computed <= stated + slack,
    }[hedge]


def _about(stated: float, decimals: int) -> float:
    """The share that "about" leaves: less of a value with three digits, zeros at its end left out (41,000 has two)."""
    digits = len(str(round(abs(stated) * 10.0**decimals)).rstrip("0"))
    return ABOUT if digits < _TELLING else _ABOUT_TELLING


def _slack(computed: float, stated: float) -> float:
    return _ROUNDING * max(abs(computed), abs(stated))
