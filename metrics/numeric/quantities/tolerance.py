"""When a computed value bears out a stated one: by the stated precision, widened by what the hedge means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..specification import Hedge

ABOUT = 0.05
_TELLING = 3  # digits from which "about 362" is no round number
_ABOUT_TELLING = 0.02
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


def rounds_to(computed: float, stated: float, decimals: int) -> bool:
    """Whether a value rounds to the stated one at its precision; a half goes either way. Decimals may be negative."""
    return abs(computed - stated) <= 0.5 * 10.0**-decimals + _slack(computed, stated)


@dataclass(frozen=True)
class Stated:
    """A computed value beside a stated one.

    `share` is the part of its value that a round phrase ("a third") may be off, in place of 5%.
    """

    computed: float
    stated: float
    decimals: int
    share: float | None = None

    @property
    def slack(self) -> float:
        """What rounding of binary fractions may add."""
        return _slack(self.computed, self.stated)

    @property
    def about(self) -> float:
        """How far off "about" may be."""
        return (_about(self.stated, self.decimals) if self.share is None else self.share) * abs(self.stated)

    @property
    def beyond(self) -> float:
        """How much larger the computed value is in size than the stated one ("nearly -50" is -48)."""
        return self.stated - self.computed if self.stated < 0 else self.computed - self.stated

    @property
    def margin(self) -> float:
        """How far off "nearly" and "just over" may be: as "about", at least half a step of the precision."""
        return max(self.about, 0.5 * 10.0**-self.decimals)

    @property
    def rounds(self) -> bool:
        """Whether the computed value rounds to the stated one."""
        return rounds_to(self.computed, self.stated, self.decimals)

    @property
    def is_near(self) -> bool:
        """Whether the two are as near as "about" allows."""
        return abs(self.computed - self.stated) <= self.about + self.slack


@dataclass(frozen=True)
class HedgeEntry:
    """A hedge: when a value so stated holds, and what a judge is told of it.

    `word` is the kind of words in the packs that says it; `bound` the test that it makes of a value, if it is one.
    """

    hedge: Hedge
    holds: Callable[[Stated], bool]
    described: str
    word: str = ""
    bound: Literal["gt", "ge", "lt", "le"] | None = None


_ENTRIES = (
    HedgeEntry(Hedge.EXACT, lambda it: it.rounds or (it.share is not None and it.is_near), "no such word"),
    HedgeEntry(Hedge.ABOUT, lambda it: it.rounds or it.is_near, "about, around, roughly", "about"),
    HedgeEntry(Hedge.NEARLY, lambda it: -it.margin - it.slack <= it.beyond <= it.slack, "almost, just under", "nearly"),
    HedgeEntry(Hedge.JUST_OVER, lambda it: -it.slack <= it.beyond <= it.margin + it.slack, "just above", "just_over"),
    HedgeEntry(Hedge.AT_LEAST, lambda it: it.computed >= it.stated - it.slack, "as much or more", "at_least", "ge"),
    HedgeEntry(Hedge.AT_MOST, lambda it: it.computed <= it.stated + it.slack, "as much or less", "at_most", "le"),
    HedgeEntry(Hedge.MORE_THAN, lambda it: it.computed > it.stated + it.slack, "over, above", "above", "gt"),
    HedgeEntry(Hedge.LESS_THAN, lambda it: it.computed < it.stated - it.slack, "under, below", "below", "lt"),
)

HEDGES: Mapping[Hedge, HedgeEntry] = {entry.hedge: entry for entry in _ENTRIES}
"""The registry of hedges: each is one entry. Of a number with two the first here counts."""


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%.
    """
    return HEDGES[hedge].holds(Stated(computed, stated, decimals, share))


def _about(stated: float, decimals: int) -> float:
    """The share that "about" leaves: less of a value with three digits, zeros at its end left out (41,000 has two)."""
    digits = len(str(round(abs(stated) * 10.0**decimals)).rstrip("0"))
    return ABOUT if digits < _TELLING else _ABOUT_TELLING


def _slack(computed: float, stated: float) -> float:
    return _ROUNDING * max(abs(computed), abs(stated))
