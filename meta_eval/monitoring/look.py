"""What one look at a chatbot in production says."""

from dataclasses import dataclass

from ..estimate import Estimate
from .bound import Bound


@dataclass(frozen=True, slots=True)
class SegmentLook:
    """One segment at one look.

    Attributes:
        field: Such as `language`.
        value: Such as `nl`.
        answers: How many answers it has.
        mean: The mean rating; the interval holds at all looks and for all segments together.
        bad_share: The share of bad answers, likewise.
    """

    field: str
    value: str
    answers: int
    mean: Estimate
    bad_share: Estimate


@dataclass(frozen=True, slots=True)
class BoundState:
    """Whether a bound is kept, at one look.

    Attributes:
        bound: The bound.
        broken: Whether the evidence says that the figure is beyond the bound.
        estimate: The figure since `since`, with the interval by which the bound is broken; where nothing changed that
            of the window, with the interval that holds at all looks. Of a fall: how much lower the mean is than before.
        p: The share of months in which a figure that keeps the bound shows as much evidence at some look.
        since: The day of the first answer of the change, counted as `ProductionAnswers.days`; None where nothing
            changed.
        sentence: What changed, since when, in a sentence.
    """

    bound: Bound
    broken: bool
    estimate: Estimate
    p: float
    since: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Look:
    """What one look says.

    Attributes:
        day: The newest day.
        answers: How many answers there are.
        judged: How many of them the judge scored.
        rated: How many people rated.
        mean: The mean rating of the days of the window, with an interval that holds at all looks.
        bad_share: The share of bad answers, likewise.
        segments: The segments, those with most answers first.
        bounds: One state per bound.
        notes: What the figures rest on and what was left out, in sentences.
    """

    day: int
    answers: int
    judged: int
    rated: int
    mean: Estimate
    bad_share: Estimate
    segments: tuple[SegmentLook, ...]
    bounds: tuple[BoundState, ...]
    notes: tuple[str, ...] = ()
