"""Which columns of a set hold ratings: found by their names and by all their values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..value_messages import shorten
from . import cell_values
from .rows import BadRow, Row
from .sample_columns import RATING_ALIASES, columns_by_usual_name, is_no_rating, rater_of, usual_scale

_NAMES = ("rating", *RATING_ALIASES)  # a column `Rating` is read here, one `rating` as it is
_CURE = "if they are ratings, --map it to rating, with columns rating_min and rating_max"
_WIDEST = (0.0, 100.0)
_FEWEST, _FEW = 20, 0.05  # of so many ratings so few may be mistyped
_MOSTLY = 0.5  # of the filled cells that are no numbers, in a column of ratings


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """A column that is read as `rating`, or as the ratings of one rater.

    Attributes:
        name: The column's name.
        low: The worst rating of its scale.
        high: The best rating of its scale.
        rater: Whose ratings they are; empty where they are `rating`.
    """

    name: str
    low: float
    high: float
    rater: str = ""

    def describe(self) -> str:
        """Says what is read as what, for the user."""
        field_name = f"ratings.{self.rater}" if self.rater else "rating"
        return f"{self.name} as {field_name} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The columns of ratings of a set.

    Attributes:
        columns: One that is `rating`, or one for each rater; none where no column counts.
        unused: Why a column with a rating's name is read as none, by its name.
    """

    columns: tuple[RatingColumn, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Values:
    """What was seen of a column's filled cells."""

    numbers: list[float] = field(default_factory=list)
    others: int = 0
    example: str = ""

    def add(self, value: object) -> None:
        if is_no_rating(value):
            return
        try:
            number = float(cell_values.parse_number(value))  # type: ignore[arg-type]
        except (ValueError, TypeError):
            self.others += 1
            self.example = self.example or shorten(str(value), 30)
            return
        self.numbers.append(number)

    def scale(self) -> tuple[float, float] | str:
        """The scale of the column, or why it is no column of ratings."""
        if self.others > _MOSTLY * (len(self.numbers) + self.others) or not self.numbers:
            return f'most of its values are no numbers, such as "{self.example}"' if self.others else "it has no number"
        low, high = min(self.numbers), max(self.numbers)
        if low == high:
            return f"all its values are {low:g}, which tells no scale; {_CURE}"
        whole = all(number.is_integer() for number in self.numbers)
        scale = usual_scale(low, high, whole=whole)
        if (scale is None or scale == _WIDEST) and len(self.numbers) >= _FEWEST:
            ordered = sorted(self.numbers)
            cut = int(_FEW * len(ordered))  # so many may be mistyped: 44 for 4; the reading names them with their lines
            scale = usual_scale(ordered[cut], ordered[-1 - cut], whole=whole) or scale
        return scale or f"its values run from {low:g} to {high:g}, which is no usual scale; {_CURE}"


class RatingSearch:
    """Finds the columns of ratings among the usual names, from all rows of a set.

    A column counts when most of its values are numbers that differ, on a usual scale. Cells such as "n/a" are no
    ratings and count for nothing; a single other text is for the reading to complain of. Columns `rating_ada` and
    `rating_bob` are those of raters, on one scale; they count where there is no column for `rating`. Rows with a
    `rating` or `ratings` of their own do not count.
    """

    def __init__(self) -> None:
        self._seen: dict[str, _Values] = {}
        self._columns: dict[str, str] = {}

    def add(self, row: Row) -> None:
        """Looks at a row."""
        if _is_filled(row.values.get("rating")) or _is_filled(row.values.get("ratings")):
            return
        by_name = columns_by_usual_name(row.values)
        for name in (*_NAMES, *(column for column in row.values if rater_of(column))):
            column = by_name.get(name, name)
            if _is_filled(value := row.values.get(column)):
                self._columns.setdefault(name, column)
                self._seen.setdefault(name, _Values()).add(value)

    def result(self) -> RatingColumns:
        """The columns, from the rows that were added."""
        return _choose(self._seen, self._columns)


def find_rating_columns(rows: Iterable[Row | BadRow]) -> RatingColumns:
    """Finds the columns of ratings of a set; see `RatingSearch`.

    Examples:
        >>> find_rating_columns([Row(1, "line 2", {"score": "0.2"}), Row(2, "line 3", {"score": "1"})]).columns
        (RatingColumn(name='score', low=0.0, high=1.0, rater=''),)
        >>> find_rating_columns([Row(1, "line 2", {"label": "good"}), Row(2, "line 3", {"label": "bad"})]).unused
        {'label': 'most of its values are no numbers, such as "good"'}
    """
    search = RatingSearch()
    for row in rows:
        if not isinstance(row, BadRow):
            search.add(row)
    return search.result()


def _choose(seen: Mapping[str, _Values], columns: Mapping[str, str]) -> RatingColumns:
    unused = dict[str, str]()
    chosen = list[RatingColumn]()
    for name in sorted(seen, key=_certainty):
        rater, scale = rater_of(name), seen[name].scale()
        if isinstance(scale, str):
            unused[columns[name]] = scale
        elif chosen and not (rater and chosen[0].rater):
            unused[columns[name]] = f"the ratings are those of {chosen[0].name}"
        else:
            chosen.append(RatingColumn(columns[name], *scale, rater))
    if len({(column.low, column.high) for column in chosen}) > 1:  # one rater never gave a 1: the widest holds for all
        low, high = min(column.low for column in chosen), max(column.high for column in chosen)
        chosen = [RatingColumn(column.name, low, high, column.rater) for column in chosen]
    return RatingColumns(tuple(chosen), unused)


def _certainty(name: str) -> int:
    """The place of a column's name: a column that names a rater is more surely of ratings than one called `score`."""
    return _NAMES.index("stars" if rater_of(name) else name)


def _is_filled(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and not value.strip())
