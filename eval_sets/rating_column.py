"""Which columns of a set hold ratings: found by their names and by all their values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..shell_words import quote_word
from ..value_messages import shorten
from . import cell_values
from .logs.message_text import find_messages_key
from .message import MESSAGE_ALIASES
from .rows import BadRow, Row
from .sample_columns import (
    RATING_ALIASES,
    columns_by_usual_name,
    criterion_of,
    is_no_rating,
    rater_of,
    usual_scale,
)

_NAMES = ("rating", *RATING_ALIASES)  # a column `Rating` is read here, one `rating` as it is
_OWN = ("rating", "ratings")
_CURE = "if they are ratings, --map it to rating, with columns rating_min and rating_max"
_WIDEST = (0.0, 100.0)
_FEWEST, _FEW = 20, 0.05  # of so many ratings so few may be mistyped
_MOSTLY = 0.5  # of the filled cells that are no numbers, in a column of ratings
_WIDER = 2  # so many times as wide as the scale of a column's own values, a scale is another one


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """A column that is read as `rating`, or as the ratings of one rater."""

    name: str
    low: float
    high: float
    rater: str = ""  # whose ratings they are; empty where they are `rating`

    def describe(self, label: str = "") -> str:
        """Says what is read as what, for the user; `label` is what the user calls the column, if not by its name."""
        field_name = f"ratings.{self.rater}" if self.rater else "rating"
        renamed = field_name if field_name == (label or self.name) else f"{label or self.name} as {field_name}"
        return f"{renamed} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The columns of ratings of a set."""

    columns: tuple[RatingColumn, ...] = ()  # one that is `rating`, or one for each rater; none where no column counts
    # why a column with a rating's name is read as none, by its name
    unused: Mapping[str, str] = field(default_factory=dict)
    message_scale: tuple[float, float] | None = None  # the scale of the ratings in messages, where there are any


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

    @property
    def is_constant(self) -> bool:
        """Whether all values are one number, which tells no scale."""
        return bool(self.numbers) and not self._are_mostly_texts() and min(self.numbers) == max(self.numbers)

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return all(number.is_integer() for number in self.numbers)

    def range(self) -> tuple[float, float]:
        """The lowest and highest value, without a few that may be mistyped."""
        ordered = sorted(self.numbers)
        low, high = ordered[0], ordered[-1]
        scale = usual_scale(low, high, whole=self.is_whole)
        if (scale is None or scale == _WIDEST) and len(ordered) >= _FEWEST:
            cut = int(_FEW * len(ordered))  # so many may be mistyped: 44 for 4; the reading names them with their lines
            if usual_scale(ordered[cut], ordered[-1 - cut], whole=self.is_whole):
                return ordered[cut], ordered[-1 - cut]
        return low, high

    def scale(self) -> tuple[float, float] | str:
        """The scale of the column, or why it is no column of ratings."""
        if self._are_mostly_texts() or not self.numbers:
            return f'most of its values are no numbers, such as "{self.example}"' if self.others else "it has no number"
        if self.is_constant:
            return f"all its values are {self.numbers[0]:g}, which tells no scale; {_CURE}"
        low, high = self.range()
        scale = usual_scale(low, high, whole=self.is_whole)
        return scale or f"its values run from {low:g} to {high:g}, which is no usual scale; {_CURE}"

    def _are_mostly_texts(self) -> bool:
        return self.others > _MOSTLY * (len(self.numbers) + self.others)


class RatingSearch:
    """Finds the columns of ratings among the usual names, from all rows of a set.

    A column counts when most of its values are numbers that differ, on a usual scale. Cells such as "n/a" are no
    ratings and count for nothing; a single other text is for the reading to complain of. Columns `rating_ada` and
    `rating_bob` are those of raters, on one scale, which rows may tell as `rating_min` and `rating_max`; else the
    others tell it for one who gave only fives. They count where there is no column for `rating`. Rows with a `rating`
    or `ratings` of their own do not count; beside a `rating` only columns of raters are read.
    """

    def __init__(self, name: str, mapping: Mapping[str, str] | None = None, *, finds_scale: bool = False) -> None:
        self._name, self._mapped, self._finds_scale = name, frozenset(mapping or ()), finds_scale
        self._seen: dict[str, _Values] = {}
        self._columns: dict[str, str] = {}
        self._criteria: dict[str, str] = {}
        self._has_own = False
        self._scales = set[tuple[str, str]]()
        self._in_messages = _Values()

    def add(self, row: Row) -> None:
        """Looks at a row."""
        for rating in message_ratings(row):
            self._in_messages.add(rating)
        low, high = (row.values.get(name) for name in ("rating_min", "rating_max"))
        own = ("ratings",) if self._finds_scale and not _is_filled(low) and not _is_filled(high) else _OWN
        for name in own:
            if name not in self._mapped and _is_filled(value := row.values.get(name)) and not is_no_rating(value):
                self._has_own |= name == "rating"
                return
        columns = [column for column in row.values if column not in self._mapped]
        by_name = columns_by_usual_name(columns)
        for name in (*_NAMES, *(column for column in columns if rater_of(column))):
            column = by_name.get(name, name)
            if column not in self._mapped and _is_filled(value := row.values.get(column)):
                self._columns.setdefault(name, column)
                self._seen.setdefault(name, _Values()).add(value)
        for column in columns:
            if criterion_of(column) and _is_filled(row.values[column]):
                self._criteria[column] = f"a criterion, not a rater; --map {quote_word(f'{column}=rating')} uses it"
        self._scales.add((str(low), str(high)) if _is_filled(low) and _is_filled(high) else ("", ""))

    def result(self) -> RatingColumns:
        """The columns, from the rows that were added."""
        unused = dict(self._criteria)
        chosen, constant = list[RatingColumn](), list[str]()
        for name in sorted(self._seen, key=_certainty):
            rater, scale, column = rater_of(name), self._seen[name].scale(), self._columns[name]
            if self._has_own and column == "rating":
                continue  # on our own scale where a row tells none, as in other rows
            if self._has_own and not rater:
                unused[column] = "the ratings are those of rating"
            elif isinstance(scale, str):
                unused[column] = scale
                if rater and self._seen[name].is_constant:
                    constant.append(name)
            elif chosen and not (rater and chosen[0].rater):
                unused[column] = (
                    f"the ratings are those of {chosen[0].name}; --map {quote_word(f'{column}=rating')} uses it"
                )
            else:
                chosen.append(RatingColumn(column, *scale, rater))
        is_told = bool(self._scales) and ("", "") not in self._scales
        if chosen[0].rater if chosen else is_told:
            fives = [RatingColumn(name, *self._seen[name].range(), rater_of(name)) for name in constant]
            chosen = self._on_one_scale(chosen, fives, is_told=is_told)
            unused = {name: why for name, why in unused.items() if name not in constant}
        seen = self._in_messages
        message_scale = usual_scale(*seen.range(), whole=seen.is_whole) if seen.numbers else None
        return RatingColumns(tuple(chosen), unused, message_scale)

    def _on_one_scale(
        self, telling: list[RatingColumn], constant: list[RatingColumn], *, is_told: bool
    ) -> list[RatingColumn]:
        """The columns of raters on the scale that holds the values of all; as they are where the rows tell it."""
        columns = sorted((*telling, *constant), key=lambda column: list(self._seen).index(column.name))
        by_rater = dict[str, str]()
        for column in columns:
            first = by_rater.setdefault(column.rater.casefold(), column.name)
            if first != column.name:
                raise InputError(
                    f"{self._name}: `{first}` and `{column.name}` are both read as the ratings of "
                    f"{column.rater}; rename one of them, or --map the one that counts to rating"
                )
        if is_told:
            return columns
        ranges = [self._seen[column.name].range() for column in columns]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        scale = usual_scale(low, high, whole=all(self._seen[column.name].is_whole for column in columns))
        if scale is None or any(scale[1] - scale[0] >= _WIDER * (column.high - column.low) for column in telling):
            listed = [f"{column.name} {column.low:g} to {column.high:g}" for column in telling]
            listed += [f"{column.name} only {column.low:g}" for column in constant]
            raise InputError(
                f"{self._name}: the raters' columns are on different scales: {', '.join(listed)}; bring them to one "
                "scale, or if they are on one, add columns rating_min and rating_max with it"
            )
        return [RatingColumn(column.name, *scale, column.rater) for column in columns]


def message_ratings(row: Row) -> list[Any]:
    """Lists the ratings in the messages of a row."""
    key = find_messages_key(row.values)
    names = ("rating", *MESSAGE_ALIASES["rating"])
    ratings = []
    for message in row.values[key] if key else ():
        values = message if isinstance(message, Mapping) else vars(message) if hasattr(message, "__dict__") else {}
        ratings.append(next((values[name] for name in names if _is_filled(values.get(name))), None))
    return [rating for rating in ratings if rating is not None]


def find_rating_columns(rows: Iterable[Row | BadRow], name: str = "the set") -> RatingColumns:
    """Finds the columns of ratings of a set; see `RatingSearch`.

    Examples:
        >>> find_rating_columns([Row(1, "line 2", {"score": "0.2"}), Row(2, "line 3", {"score": "1"})]).columns
        (RatingColumn(name='score', low=0.0, high=1.0, rater=''),)
        >>> find_rating_columns([Row(1, "line 2", {"label": "good"}), Row(2, "line 3", {"label": "bad"})]).unused
        {'label': 'most of its values are no numbers, such as "good"'}
    """
    search = RatingSearch(name)
    for row in rows:
        if not isinstance(row, BadRow):
            search.add(row)
    return search.result()


def _certainty(name: str) -> int:
    """The place of a column's name: a column that names a rater is more surely of ratings than one called `score`."""
    return _NAMES.index("stars" if rater_of(name) else name)


def _is_filled(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and not value.strip())
