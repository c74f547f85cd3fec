"""What an alarm is about: a figure and the bound that it must keep."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from ...errors import UsageError

BoundKind = Literal["mean", "bad_share", "fall", "judge_fall"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a figure of a chatbot in production.

    Raises:
        UsageError: The kind is unknown, or the limit is no finite number.

    Example:
        >>> Bound("mean", float("nan"))
        Traceback (most recent call last):
            ...
        assay.errors.UsageError: the limit of a bound must be a finite number, not nan
    """

    # `mean`: the mean rating is at least `limit`. `bad_share`: the share of bad answers is at most `limit`. `fall`: the
    # mean rating is at most `limit` below that of the first days. `judge_fall`: the same for the judge's scores in the
    # raters' scale, taking for granted that the judge errs as before
    kind: BoundKind
    limit: float  # the bound, in the unit of the figure

    def __post_init__(self) -> None:
        kinds = get_args(BoundKind)
        if self.kind not in kinds:
            raise UsageError(f"the kind of a bound is one of {', '.join(kinds)}, not {self.kind!r}")
        if not math.isfinite(self.limit):
            raise UsageError(f"the limit of a bound must be a finite number, not {self.limit:g}")
