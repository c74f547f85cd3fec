"""What one look at a chatbot in production says: its figures, and the bounds that they must keep."""

from dataclasses import dataclass
from typing import Literal

from ..estimate import Estimate

BoundKind = Literal["mean", "bad_share", "fall", "judge_fall"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a figure of a chatbot in production."""

    # `mean`: the mean rating is at least `limit`. `bad_share`: the share of bad answers is at most `limit`. `fall`: the
    # mean rating is at most `limit` below that of the first days. `judge_fall`: the same for the judge's mean score, on
    # the judge's own scale
    kind: BoundKind
    limit: float  # the bound, in the unit of the figure


@dataclass(frozen=True, slots=True)
class SegmentLook:
    """One segment at one look."""

    field: str  # such as `language`
    value: str  # such as `nl`
    answers: int  # how many answers it has
    mean: Estimate  # the mean rating; the interval holds at all looks and for all segments together
    bad_share: Estimate  # the share of bad answers, likewise


@dataclass(frozen=True, slots=True)
class BoundState:
    """Whether a bound is kept, at one look."""

    bound: Bound
    broken: bool  # whether the evidence says that the figure is beyond the bound
    # the figure since `since`, with the interval by which the bound is broken; where nothing changed that of the
    # window, with the interval that holds at all looks. Of a fall: how much lower the mean is than before.
    estimate: Estimate
    p: float  # the share of months in which a figure that keeps the bound shows as much evidence at some look
    # the day of the first answer of the change, counted as `ProductionAnswers.days`; None where nothing changed
    since: int | None
    sentence: str  # what changed, since when, in a sentence
    # whether the interval of the window lies beyond the bound, though no run of days is evidence enough for an alarm
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What one look says."""

    day: int
    answers: int  # how many answers there are
    judged: int  # how many of them the judge scored
    rated: int  # how many people rated
    mean: Estimate  # the mean rating of the days of the window, with an interval that holds at all looks
    bad_share: Estimate  # the share of bad answers, likewise
    segments: tuple[SegmentLook, ...]  # the segments, those with most answers first
    bounds: tuple[BoundState, ...]  # one state per bound
    notes: tuple[str, ...] = ()  # what the figures rest on and what was left out, in sentences
