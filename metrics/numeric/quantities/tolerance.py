"""When a computed value bears out a stated one: by the stated precision, widened by what the hedge means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..specification import Hedge

_ABOUT = 0.05
_TELLING = 3  # digits from which "about 362" is no round number
_ABOUT_TELLING = 0.02
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


@dataclass(frozen=True)
class HedgeEntry:
    """A hedge: when a value with it holds, and its description for a judge.

    `least` and `most` are how far the computed value may be from the stated one, in margins (0: up to it, None: any
    distance). `word` is the kind of its words in the packs; `bound` is the test of a hedge that is a limit.
    """

    hedge: Hedge
    least: int | None
    most: int | None
    described: str
    word: str = ""
    bound: Literal["gt", "ge", "lt", "le"] | None = None


_ENTRIES = (
    HedgeEntry(Hedge.EXACT, -1, 1, "no such word"),
    HedgeEntry(Hedge.ABOUT, -1, 1, "about, around, roughly", "about"),
    HedgeEntry(Hedge.NEARLY, -1, 0, "almost, just under", "nearly"),
    HedgeEntry(Hedge.JUST_OVER, 0, 1, "just above", "just_over"),
    HedgeEntry(Hedge.AT_LEAST, 0, None, "as much or more", "at_least", "ge"),
    HedgeEntry(Hedge.AT_MOST, None, 0, "as much or less", "at_most", "le"),
    HedgeEntry(Hedge.MORE_THAN, 0, None, "over, above", "above", "gt"),
    HedgeEntry(Hedge.LESS_THAN, None, 0, "under, below", "below", "lt"),
)

HEDGES: Mapping[Hedge, HedgeEntry] = {entry.hedge: entry for entry in _ENTRIES}
"""The registry of hedges: each is one entry. Of a number with two the first here counts."""


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%. Decimals may be negative.
    """
    entry = HEDGES[hedge]
    margin = 0.5 * 10.0**-decimals
    if hedge is not Hedge.EXACT or share is not None:
        margin = max(margin, abs(stated) * (_about(stated, decimals) if share is None else share))
    slack = _ROUNDING * max(abs(computed), abs(stated))
    beyond = computed - stated if stated >= 0 or entry.bound else stated - computed
    if entry.bound in ("gt", "lt"):
        return beyond > slack if entry.bound == "gt" else beyond < -slack
    enough = entry.least is None or beyond >= entry.least * margin - slack
    return enough and (entry.most is None or beyond <= entry.most * margin + slack)


def _about(stated: float, decimals: int) -> float:
    """The share that "about" leaves: less of a value with three digits, zeros at its end left out (41,000 has two)."""
    digits = len(str(round(abs(stated) * 10.0**decimals)).rstrip("0"))
    return _ABOUT if digits < _TELLING else _ABOUT_TELLING
