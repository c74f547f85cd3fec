"""What a user may say about the columns of the files, where their names do not say it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...errors import UsageError

RatedLevel = Literal["conversation", "turn"]
"""What is rated, where samples are conversations."""
_SCALE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class ReadOptions:
    """How files of scores and ratings are read."""

    # their column -> ours (id, metric, value, rater, rating, user_input, ...)
    mapping: Mapping[str, str] = field(default_factory=dict)
    # the metrics to read, as patterns such as `metadata.published_metrics.*`; all if empty
    metrics: tuple[str, ...] = ()
    # the columns of ratings, or the raters, to read, as patterns; found by their names if empty
    ratings: tuple[str, ...] = ()
    lower_is_better: tuple[str, ...] = ()  # metrics whose lower scores are better
    # metrics whose higher scores are better, though their names or runs say otherwise
    higher_is_better: tuple[str, ...] = ()
    group: str | None = None  # the attribute whose items share a source; None for `group`
    by: tuple[str, ...] = ()  # attributes by whose labels the items are evaluated apart
    scale: tuple[float, float] | None = None  # the lowest and the highest rating; None where the files say it
    sheet: str | None = None  # the sheet of Excel files
    header_row: int | None = None  # the row of CSV and Excel files that names the columns, 0 for none; None to find it
    level: RatedLevel | None = None  # whether runs are read by conversation or by turn; None for what is rated
    versions: str | None = None  # the attribute that says which version gave an answer; None for `system`

    @property
    def labels(self) -> frozenset[str]:
        """The columns that hold labels of items and so no scores, though the labels may be numbers."""
        names = {"group", "language", "message_type", *self.by, *filter(None, (self.group, self.versions))}
        return frozenset(names | {f"metadata.{name}" for name in names})


def parse_scale(text: str) -> tuple[float, float]:
    """Reads a rating scale.

    Examples:
        >>> parse_scale("1-5"), parse_scale("-1 to 1")
        ((1.0, 5.0), (-1.0, 1.0))
    """
    match = _SCALE.fullmatch(text)
    if not match or float(match[1]) >= float(match[2]):
        raise UsageError(f"scale {text!r}: write the lowest and the highest rating, such as 1-5")
    return float(match[1]), float(match[2])
