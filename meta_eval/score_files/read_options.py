"""What a user may say about the columns of the files, where their names do not say it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...errors import UsageError

_SCALE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class ReadOptions:
    """How files are read. `mapping` is their column -> ours (id, metric, value, rater, rating, user_input, ...).

    `metrics` and `ratings` name the columns to take (patterns such as `metadata.published_metrics.*`; all, if empty),
    `lower_is_better` the metrics whose scores are turned. `by` are attributes that the items are split by, `group` the
    attribute whose items resample together. `scale` is the lowest and the highest rating.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    lower_is_better: tuple[str, ...] = ()
    group: str | None = None
    by: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None

    @property
    def labels(self) -> frozenset[str]:
        """The columns that hold labels of items and so no scores, though the labels may be numbers."""
        names = {"group", "language", "message_type", *self.by, *([self.group] if self.group else [])}
        return frozenset(names | {f"metadata.{name}" for name in names})


def parse_scale(text: str) -> tuple[float, float]:
    """`1-5` as two numbers. Raises `UsageError` when it is none, or the first is not below the second."""
    match = _SCALE.fullmatch(text)
    if not match or float(match[1]) >= float(match[2]):
        raise UsageError(f"scale {text!r}: write the lowest and the highest rating, such as 1-5")
    return float(match[1]), float(match[2])
