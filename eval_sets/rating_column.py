"""Which column of a set holds the ratings, where none is called `rating`: found by its name and all its values."""

from collections.abc import Iterable
from dataclasses import dataclass

from . import cell_values
from .rows import BadRow, Row
from .sample_columns import RATING_ALIASES, columns_by_usual_name, usual_scale

_NAMES = ("rating", *RATING_ALIASES)  # a column `Rating` is read here, one `rating` as it is


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """A column that is read as `rating`.

    Attributes:
        name: The column's name.
        low: The worst rating of its scale.
        high: The best rating of its scale.
    """

    name: str
    low: float
    high: float

    def describe(self) -> str:
        """Says what is read as what, for the user."""
        return f"{self.name} as rating from {self.low:g} to {self.high:g}"


def find_rating_column(rows: Iterable[Row | BadRow]) -> RatingColumn | None:
    """Finds the column of ratings among the usual names.

    A column counts when all its values are numbers, they differ, and they are on a usual scale.

    Args:
        rows: All rows of a set.

    Returns:
        The column with its scale; None where no column counts. Rows with a rating of their own do not count.

    Examples:
        >>> find_rating_column([Row(1, "line 2", {"score": "0.2"}), Row(2, "line 3", {"score": "1"})])
        RatingColumn(name='score', low=0.0, high=1.0)
        >>> find_rating_column([Row(1, "line 2", {"label": "good"}), Row(2, "line 3", {"label": "bad"})]) is None
        True
    """
    candidates: dict[str, list[float]] = {}
    columns: dict[str, str] = {}
    excluded: set[str] = set()
    for row in rows:
        if isinstance(row, BadRow):
            continue
        if _is_filled(row.values.get("rating")) or _is_filled(row.values.get("ratings")):
            continue
        by_name = columns_by_usual_name(row.values)
        for name in _NAMES:
            value = row.values.get(by_name.get(name, name))
            if name in excluded or not _is_filled(value):
                continue
            try:
                number = float(cell_values.parse_number(value))  # type: ignore[arg-type]
            except (ValueError, TypeError):
                excluded.add(name)
                continue
            columns[name] = by_name[name]
            low, high = candidates.get(name, [number, number])
            candidates[name] = [min(low, number), max(high, number)]
    for name in _NAMES:
        if name in candidates and name not in excluded:
            low, high = candidates[name]
            scale = usual_scale(low, high) if low < high else None
            if scale:
                return RatingColumn(columns[name], *scale)
    return None


def _is_filled(value: object) -> bool:
    return value is not None and value != ""
