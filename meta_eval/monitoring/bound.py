"""What an alarm is about: a figure and the bound that it must keep."""

from dataclasses import dataclass
from typing import Literal

BoundKind = Literal["mean", "bad_share", "fall", "judge_fall"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a figure of a chatbot in production.

    Attributes:
        kind: `mean`: the mean rating is at least `limit`. `bad_share`: the share of bad answers is at most `limit`.
            `fall`: the mean rating is at most `limit` below that of the first days. `judge_fall`: the same for the
            judge's scores in the raters' scale, taking for granted that the judge errs as before.
        limit: The bound, in the unit of the figure.
    """

    kind: BoundKind
    limit: float
