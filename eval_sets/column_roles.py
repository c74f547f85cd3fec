"""The roles of columns that only all rows of a source tell: ratings with their rule and scale, ids and versions."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ..text.wording import list_first
from ..value_messages import quote_word, shorten
from .cell_values import parse_nested_json
from .column_table import (
    GENERAL_NAMES,
    ID_ALIASES,
    JUDGES,
    LABELS,
    NAMES,
    PREFERENCES,
    RATING_ALIASES,
    columns_by_usual_name,
    criterion_of,
    find_raters,
    find_roles,
    has_other_role,
    is_known_metric,
    is_mean_rating,
    is_missing,
    is_of_program,
    plain_name,
    rater_of,
    reason_rater,
    split_remark,
    usual_name,
)
from .columns import (
    OF_RATERS,
    RATER,
    check_one_answer,
    has_list,
    is_no_answer,
    is_rater,
)
from .items import as_label, read_version
from .message import MESSAGE_ALIASES
from .message_forms import find_messages_key, is_for_colleagues
from .number_rule import (
    Bounds,
    ColumnCells,
    NumberRule,
    RatingScale,
    check_high_is_good,
    find_common_scale,
    find_rating_scale,
    is_whole,
    scale_of_header,
    scale_of_values,
    usual_scale,
)
from .rows import BadRow, Row, Rows

_FIRST_WORD, _LAST_WORD = re.compile(r"([^\s_.:-]+)[\s_.:-]+(?=\w)"), re.compile(r"(?<=\w)[\s_.:-]+([^\s_.:-]+)$")
_RATER_WORDS = frozenset(("rater", "human", *NAMES["rater"]))  # which may stand before a rater's own name
_CHOICES = frozenset(PREFERENCES["choice"])  # columns that say which of two answers is better
_OWN: RatingScale = RatingScale(1, 5)  # of a column `rating` that tells no scale
_NAMES = ("rating", *RATING_ALIASES)
_MOST_FORMS = 256  # of rows with other columns each, as JSON may have, whose columns are kept
_OF_MESSAGE = ("rating", *MESSAGE_ALIASES["rating"])
_MESSAGE_RATINGS = frozenset(("ratings", *_OF_MESSAGE))
_HIGHEST = 10
_FEWEST_VALUES = 3  # different ones: two may be a flag
_MOST_DIFFERENT = 30  # cells: a column with more is of no small scale
_MOST_ODD = 0.2  # the share of cells that may hold something else, by a slip: 55 for 5


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """A column that is read as `rating`, or as the ratings of one rater."""

    name: str
    scale: RatingScale
    rater: str = ""  # whose ratings they are; empty where they are `rating`
    rule: NumberRule = field(default_factory=NumberRule)

    @property
    def is_usual(self) -> bool:
        """Whether it is on the scale from 1 to 5, in numbers."""
        return self.scale[:2] == (1, 5) and not self.rule.describe()

    def describe(self, label: str = "") -> str:
        """Says what is read as what, for the user; `label` is what the user calls the column, if not by its name."""
        field_name = f"ratings.{self.rater}" if self.rater else "rating"
        renamed = field_name if field_name == (label or self.name) else f"{label or self.name} as {field_name}"
        labels = self.rule.describe()
        return f"{renamed} from {self.scale.low:g} to {self.scale.high:g}{labels and f', {labels}'}"


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns of a source that only all its rows tell."""

    # those that are read as `rating`, or as the ratings of raters, where a row has none of its own
    ratings: tuple[RatingColumn, ...] = ()
    own: RatingColumn | None = None  # the column `rating`, or `ratings`, of our own form
    id: str = ""  # the one that is read as `id` where a row has none; empty for none
    # why a column with the name of a rating or an id is read as none, by its name
    unused: Mapping[str, str] = field(default_factory=dict)
    message_scale: RatingScale | None = None  # the scale of the ratings in messages, where there are any
    version: str = ""  # the one that tells apart rows of one id; empty where ids are unique
    rater: str = ""  # the one that names who gave a row's rating
    told_rule: NumberRule = field(default_factory=NumberRule)  # of the ratings whose rows tell their scale

    is_rated: bool = False  # whether a column is read as ratings, and some cell of it is filled
    beside_raters: tuple[str, ...] = ()  # the columns of ratings that name no rater, where others do

    @property
    def hints(self) -> list[str]:
        """What the user should know of the scales."""
        scales = [column.scale for column in (self.own, *self.ratings) if column is not None]
        scales += [self.message_scale] if self.message_scale is not None else []
        hints = list(dict.fromkeys(hint for scale in scales for hint in scale.hints))
        return [*hints, *self.notes_on_raters]

    @property
    def notes_on_raters(self) -> list[str]:
        """What the user should know of ratings that stand beside those of raters."""
        return [f"{name} counts only where no rater gave a rating" for name in self.beside_raters]


class _RowColumns(NamedTuple):
    """What of the columns of a row is looked at."""

    ratings: list[str]  # those that may hold ratings by their names
    judges: list[str]  # those that say who judged


class RoleSearch:
    """Looks at all rows of a source, once; what its columns are is decided on all their cells.

    A column of ratings is `rating` (or what is mapped to it), one of the usual names, or that of a rater
    (`rating_ada`). One of a usual name counts when most of its cells are numbers that differ, on a usual scale, or
    labels with two values. The raters' columns are on one scale, which rows may tell as `rating_min` and `rating_max`;
    else the others tell it for one who gave only fives. Beside a `rating` only raters are read, and it counts where no
    rater gave one: it is their mean, or says nothing new. A column that is the ratings' mean by its name is the rating
    where there is no other one.

    Args:
        name: The source's, for messages.
        mapping: Their columns to our fields.
        scale: The scale, where it is known.
        versions: The column that tells versions apart, where the user names one.
        has_own_scale: Whether a column `rating` that tells no scale is from 1 to 5.
        object_name: The column that objects `ratings` were made of.
        expects_ratings: Whether the user says that the source holds ratings: then those count that tell no usual scale.
    """

    def __init__(
        self,
        name: str,
        mapping: Mapping[str, str],
        scale: Bounds | None = None,
        versions: str = "",
        *,
        has_own_scale: bool = True,
        object_name: str = "ratings",
        expects_ratings: bool = False,
    ) -> None:
        self._name, self._mapping, self._scale, self._has_own_scale = name, mapping, scale, has_own_scale
        self._object_name, self._expects_ratings = object_name, expects_ratings
        own = "" if "rating" in mapping else "rating"
        self._own = next((theirs for theirs, ours in mapping.items() if ours == "rating"), own)
        of_scale = partial(ColumnCells, scale)
        self.cells = defaultdict[str, ColumnCells](of_scale)  # of the columns that may hold ratings
        self._names: dict[str, None] = {}
        self._row_columns: dict[tuple[str, ...], _RowColumns] = {}
        self._rater_column = ""
        self._told = set[bool]()
        self._has_told_objects = False
        self._in_messages, self._objects, self._told_cells = ColumnCells(), of_scale(), ColumnCells()
        self._by_rater = defaultdict[str, ColumnCells](of_scale)  # in objects, or beside a column of raters
        self._are_programs = defaultdict[str, set[bool]](set)  # of the names in each column of judges
        self.ids, self.versions = IdSearch(mapping), VersionSearch(mapping, versions)

    def may_tell(self, columns: Iterable[str]) -> bool:
        """Whether all rows must be looked at, for a column of ratings, of versions, or of ids of another name."""
        listed = tuple(columns)
        looked = self._look(listed)
        may_rate = bool(looked.ratings) or "ratings" in listed
        may_rate = may_rate or any(criterion_of(column) or scale_of_header(column) for column in listed)
        has_id = "id" in {*listed, *self._mapping.values()}
        return may_rate or (not has_id and bool(_id_columns(listed))) or self.versions.may_have(listed)

    def _look(self, columns: tuple[str, ...]) -> _RowColumns:
        if columns not in self._row_columns:
            if len(self._row_columns) > _MOST_FORMS:
                self._row_columns.clear()
            self._names |= dict.fromkeys(columns)
            self._rater_column = find_roles(self._names, self._mapping).get(OF_RATERS, "")
            free = [column for column in columns if column not in self._mapping]
            self._row_columns[columns] = _RowColumns(
                [
                    column
                    for column in columns
                    if column == self._own
                    or is_rater(self._mapping.get(column, ""))
                    or (column not in self._mapping and _is_named(column))
                ],
                [column for column in free if plain_name(column) in JUDGES],
            )
        return self._row_columns[columns]

    def add(self, row: Row) -> None:
        """Looks at a row."""
        self.ids.add(row)
        self.versions.add(row)
        values = row.values
        columns = self._look(tuple(values))
        bounds = [not is_missing(values.get(name)) for name in ("rating_min", "rating_max")]
        for rating in () if any(bounds) else message_ratings(row):
            self._in_messages.add(rating, row.place)
        if not is_missing(ratings := values.get("ratings")) and "ratings" not in self._mapping:
            self._add_object(ratings, row.place, is_told=any(bounds))
            return
        own = values.get(self._own)
        is_told = not is_missing(own) and any(bounds)  # where one bound is left out, it is that of 1-5
        if is_told:
            self._told_cells.add(own)
        for judge in columns.judges:
            if not is_missing(name := values.get(judge)):
                self._are_programs[judge].add(is_of_program(str(name)) or is_known_metric(str(name)))
        rater = values.get(self._rater_column)
        if not is_missing(own) and not is_missing(rater) and not is_told:
            self._by_rater[str(rater)].add(own, row.place)
        for column in columns.ratings:
            if not is_missing(value := values[column]) and not (is_told and column == self._own):
                self.cells[column].add(value, row.part(column).place)
        self._told.add(all(bounds))

    def _add_object(self, ratings: object, place: str, *, is_told: bool) -> None:
        if is_told:
            self._has_told_objects = True
            return
        by_rater = parse_nested_json(ratings)
        for rater, rating in by_rater.items() if isinstance(by_rater, Mapping) else ():
            self._objects.add(rating, place)
            self._by_rater[str(rater)].add(rating, place)

    def result(self, metrics: Sequence[str] = ()) -> ColumnRoles:
        """The columns, from the rows that were added; `metrics` are those that are known as metrics' beside them."""
        raters, unused = self._name_columns()
        candidates = [column for column in self.cells if column == self._own or column not in unused]
        rated = [] if self._own in self._mapping else candidates
        check_one_answer(self._names, rated, self._name, chosen=self._mapping)
        totals = self._explain_totals(candidates, metrics)
        unused |= totals
        own = None if self._own in totals else self._own_column(unused)
        has_own = own is not None and self._own in self.cells
        is_told = bool(self._told) and False not in self._told
        labels = self._labels_of(raters)
        chosen, constant = list[RatingColumn](), list[RatingColumn]()
        for column in sorted(candidates, key=lambda column: self._rank(column, raters)):
            if column in totals or column == self._own:
                continue
            cells, rater = self.cells[column], raters.get(column, "")
            if rater and labels:
                cells.read_as(labels)
            scale = find_rating_scale(cells, self._scale or scale_of_header(column))
            values = cells.values()
            is_equal = bool(values) and values[0] == values[-1]
            is_sure = not is_equal and column in self._mapping
            is_sure = is_sure or (self._expects_ratings and not (rater and is_equal))
            if isinstance(scale, str) and (is_sure or usual_name(column) == "rating") and values:
                scale = self._scale_of_odd(cells)
            is_own_named = own is not None and self._own in self._mapping and not self._expects_ratings
            if is_own_named or (has_own and not rater):
                unused[column] = f"the ratings are those of {self._own}"
            elif isinstance(scale, str):
                unused[column] = scale
                if rater and is_equal:
                    constant.append(RatingColumn(column, RatingScale(values[0], values[0]), rater, cells.rule()))
            elif chosen and not (rater and (chosen[0].rater or self._expects_ratings)):
                other = chosen[0].name
                unused[column] = f"the ratings are those of {other}; --map {quote_word(f'{column}=rating')} uses it"
            else:
                chosen.append(RatingColumn(column, scale, rater, cells.rule()))
        of_raters = [column for column in chosen if column.rater]
        if of_raters or (not chosen and (is_told or self._expects_ratings)):
            of_raters = self._on_one_scale(of_raters, constant, is_told=is_told or self._scale is not None)
            chosen = [*(column for column in chosen if not column.rater), *of_raters]
            unused = {column: why for column, why in unused.items() if column not in {one.name for one in constant}}
        for read in filter(None, (own, *chosen)):
            is_of_object = read.name == "ratings" or (read.name.startswith(RATER) and self._object_name != "ratings")
            column = self._object_name if is_of_object else read.name.removeprefix(RATER)
            check_high_is_good(
                column, self._names, self._name, self._objects if read.name == "ratings" else self.cells[read.name]
            )
        check_high_is_good("rating", (), self._name, self._in_messages)
        message_scale = scale_of_values(self._in_messages.values(), self._in_messages.places())
        message_scale = message_scale if self._scale is None else RatingScale(*self._scale)
        has_id = "id" in self._mapping.values()
        name = self.ids.result() or (self.versions.id if self.versions.result() else "")
        ids_unused = {column: why for column, why in self.ids.unused.items() if column != name}
        return ColumnRoles(
            tuple(chosen),
            own,
            "" if has_id else name,
            unused | ({} if has_id else ids_unused),
            message_scale,
            self.versions.result(),
            self._rater_column if has_own or self._told_cells.size or any(not rated.rater for rated in chosen) else "",
            self._told_cells.rule(),
            has_own or self._has_told_objects or bool(chosen or self._objects.size or self._told_cells.size),
            self._beside_raters(own, chosen),
        )

    def _beside_raters(self, own: RatingColumn | None, chosen: Sequence[RatingColumn]) -> tuple[str, ...]:
        if not any(column.rater for column in chosen):
            return ()
        whole = [column.name for column in (own, *chosen) if column is not None and not column.rater]
        return tuple(dict.fromkeys([*([self._own] if self._told_cells.size else []), *whole]))

    def _name_columns(self) -> tuple[dict[str, str], dict[str, str]]:
        """The rater of each column that is one's, and why columns are no ratings by their names."""
        free = [column for column in self._names if column not in self._mapping or column == self._own]
        by_name = columns_by_usual_name(free)
        named = find_raters(tuple(column for column in free if column not in self._mapping))
        raters = {
            column: ours.removeprefix(RATER)
            for column, ours in self._mapping.items()
            if is_rater(ours) and column in self._names
        }
        unused = dict(named.others)
        for column in free:
            name, typed = usual_name(column), f"--map {quote_word(f'{column}=rating')} uses it"
            if column in unused or is_mean_rating(column):
                continue
            if rater := named.names.get(column):
                same = (known for known in raters.values() if known.casefold() == rater.casefold())
                raters.setdefault(column, next(same, rater))
            elif scale_of_header(column) and name not in _NAMES:
                unused[column] = f"may be a rating; {typed}"
            elif criterion_of(column):
                unused[column] = f"a criterion, not a rater; {typed}"
            elif name in _NAMES and by_name.get(name) != column:
                unused[column] = f"another rating; {typed}"
        for column in unused.keys() & self.cells.keys():  # nothing is offered that cannot be read
            if not (self.cells[column].values() or self.cells[column].rule().labels):
                unused[column] = unused[column].partition("; --map")[0]
        return raters, unused

    def _explain_totals(self, candidates: Collection[str], metrics: Sequence[str]) -> dict[str, str]:
        """Why columns of a general name, such as `score`, are no ratings: a program gave them, or they may be totals of
        metrics. What people give are labels, or whole and half numbers on a scale above 1.
        """
        judge = next((column for column, are_programs in self._are_programs.items() if are_programs == {True}), "")
        judge = "" if self._rater_column else judge
        beside = metrics or [column for column in self._names if is_known_metric(column)]
        totals = {}
        for column in candidates:
            if usual_name(column) not in GENERAL_NAMES or column in self._mapping:
                continue
            cells = self.cells[column]
            is_peoples = is_whole([2 * value for value in cells.values()]) and cells.values()[-1:] > [1]
            why = f"{judge} names the program that gave it" if judge else ""
            if not judge and beside and cells.values() and not cells.rule().labels and not is_peoples:
                why = f"beside {list_first(list(beside))} it may be a total"
            if why:
                totals[column] = f"no rating: {why}; --map {quote_word(f'{column}=rating')} uses it"
        return totals

    def _labels_of(self, raters: Collection[str]) -> NumberRule | None:
        """How the labels of all raters are read: one who used one label alone tells no rule."""
        texts = ColumnCells()
        for column in raters:
            for text in self.cells[column].texts if column in self.cells else ():
                texts.add(text)
        return texts.rule() if texts.size and texts.rule().labels else None

    def _own_column(self, unused: dict[str, str]) -> RatingColumn | None:
        """The column `rating`, or the objects `ratings`, of rows that tell no scale."""
        name = self._own if self._own in self.cells else "ratings" if self._objects.size else ""
        if not name:
            return None
        cells = self._objects if name == "ratings" else self.cells[name]
        told = self._scale or scale_of_header(self._object_name if name == "ratings" else name)
        if told is None and len(self._by_rater) > 1:
            find_common_scale(self._by_rater, self._name)
        scale = find_rating_scale(cells, told)
        if isinstance(scale, str):
            if not self._has_own_scale and name == "rating":
                unused[name] = scale
                return None
            scale = self._scale_of_odd(cells)
        return RatingColumn(name, scale, rule=cells.rule())

    def _scale_of_odd(self, cells: ColumnCells) -> RatingScale:
        """The scale of a column `rating` whose values tell none: ours, but of equal ones that do not lie on it."""
        values = cells.values()
        scale = usual_scale(values[0], values[-1]) if values else None
        return RatingScale(*(scale or _OWN[:2]))

    def _rank(self, column: str, raters: Collection[str]) -> int:
        """A column that names a rater is more surely of ratings than one called `score`, and a mapping is sure."""
        if column in self._mapping:
            return -1
        if is_mean_rating(column):
            return len(_NAMES)
        return _NAMES.index("stars" if column in raters else usual_name(column))

    def _on_one_scale(
        self, telling: list[RatingColumn], constant: list[RatingColumn], *, is_told: bool
    ) -> list[RatingColumn]:
        """The columns of raters on the scale that holds the values of all; as they are where it is told."""
        places = list(self._names)
        columns = sorted((*telling, *constant), key=lambda column: places.index(column.name))
        if is_told:
            scales = [RatingScale(*(self._scale or column.scale[:2]), is_told=True) for column in columns]
            return [replace(column, scale=scale) for column, scale in zip(columns, scales, strict=True)]
        if all(column.scale.is_told for column in columns) and len({column.scale for column in columns}) == 1:
            return columns
        cells = {column.name.removeprefix(RATER): self.cells[column.name] for column in columns}
        told_scales = {column.name.removeprefix(RATER): column.scale for column in telling}
        scale = find_common_scale(cells, self._name, told_scales) or _OWN
        return [replace(column, scale=scale) for column in columns]


@lru_cache(maxsize=1024)
def _is_named(column: str) -> bool:
    """Whether a column may hold ratings by its name alone."""
    return usual_name(column) in _NAMES or is_mean_rating(column) or bool(rater_of(column))


def look_at_columns(opened: Rows, mapping: Mapping[str, str], scale: Bounds | None, versions: str) -> ColumnRoles:
    """The columns that only all rows tell; the set is read for them where one of its first rows has such a name."""
    object_name = opened.origins.get("ratings", "ratings")
    search = RoleSearch(
        opened.name, mapping, scale, versions, has_own_scale=not opened.finds_scale, object_name=object_name
    )
    try:
        head = opened.head()
        names = dict.fromkeys((*(opened.columns or ()), *(column for row in head for column in row.values)))
        if not (search.may_tell(names) or any(map(message_ratings, head))):
            return ColumnRoles()
        for row in opened.rows:
            # nothing in a row that is no answer may decide how the others are read
            if isinstance(row, Row) and not is_no_answer(row.values, mapping):
                search.add(row)
    except OSError:
        return ColumnRoles()  # the reading itself meets the same error, and tells it
    return search.result()


def message_ratings(row: Row) -> list[Any]:
    """Lists the ratings in the messages of a row."""
    key = find_messages_key(row.values) if has_list(row.values) else None
    ratings: list[Any] = []
    for message in row.values[key] if key else ():
        values = message if isinstance(message, Mapping) else vars(message) if hasattr(message, "__dict__") else {}
        if _MESSAGE_RATINGS.isdisjoint(values) or is_for_colleagues(message):
            continue
        by_rater = values.get("ratings")  # beside them `rating` is their mean, which tells no scale
        own = [values[name] for name in _OF_MESSAGE if not is_missing(values.get(name))][:1]
        given = by_rater.values() if isinstance(by_rater, Mapping) else ()
        ratings += [rating for rating in given if not is_missing(rating)] or own
    return ratings


def without_rating_words(column: str) -> str:
    """A column's name without the words for a rating at its ends: the rater's, where it is one's."""
    name = column.strip()
    while (word := _FIRST_WORD.match(name)) and _is_rating_word(word[1]):
        name = name[word.end() :]
    while (word := _LAST_WORD.search(name)) and _is_rating_word(word[1]):
        name = name[: word.start()]
    return name


def _is_rating_word(word: str) -> bool:
    return word.casefold() in {"rating", *RATING_ALIASES}


@lru_cache(maxsize=1024)
def may_be_rating(column: str) -> bool:
    """Whether a column may hold ratings, by a rater or of a criterion, by its name: it says nothing else.

    Examples:
        >>> may_be_rating("Ann"), may_be_rating("overall"), may_be_rating("human"), may_be_rating("Human feedback")
        (True, True, True, True)
        >>> may_be_rating("question_id"), may_be_rating("turn"), may_be_rating("gpt4"), may_be_rating("3.5")
        (False, False, False, False)
    """
    rater = without_rating_words(column)
    words = [word for word in re.split(r"[\s_.:-]+", rater) if word.casefold() not in _RATER_WORDS]
    is_name = rater.casefold() == "human" or (bool(words) and not has_other_role(" ".join(words), "rating"))
    is_other = usual_name(column) in RATING_ALIASES or is_of_program(rater)
    is_cell = re.fullmatch(r"[\d\s.,]+", column) is not None  # of a file without names for its columns
    is_choice = split_remark(column.strip().casefold())[0] in _CHOICES
    return (is_name or scale_of_header(column) is not None) and not (is_other or is_cell or is_choice)


def may_be_rater(column: str) -> bool:
    """Whether a column may hold a rater's ratings by its name, and is no criterion's."""
    rater = without_rating_words(column)
    return may_be_rating(column) and rater_of(f"rating_{rater}") == rater


class IdSearch:
    """Finds the column that is read as `id` among the usual names, from all rows of a set.

    A column counts when its filled cells are texts or whole numbers, and no two are the same; of several the first in
    the list of names. Rows with an `id` do not count.
    Examples:
        >>> search = IdSearch({})
        >>> search.add(Row(1, "line 2", {"Case": "a", "nr": "7"}))
        >>> search.add(Row(2, "line 3", {"Case": "a", "nr": "8"}))
        >>> search.result(), search.unused
        ('nr', {'Case': 'it names line 2 and line 3 "a"'})
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self.unused: dict[str, str] = {}
        self._mapping = mapping
        self._columns: dict[str, str] = {}
        self._places: dict[str, dict[int, str]] = {}

    def add(self, row: Row) -> None:
        """Looks at a row."""
        if row.values.get("id") not in (None, ""):
            return
        for name, column in _id_columns(tuple(row.values)):
            value = row.values[column]
            if column in self.unused or column in self._mapping or is_missing(value):
                continue
            if not isinstance(value, str | int) or isinstance(value, bool):
                self.unused[column] = "it holds neither texts nor whole numbers"
                continue
            self._columns.setdefault(name, column)
            # the hash in place of the text keeps this small for very large sets
            first = self._places.setdefault(name, {}).setdefault(hash(str(value).strip()), row.place)
            if first != row.place:
                self.unused[column] = f'it names {first} and {row.place} "{shorten(str(value), 30)}"'

    def result(self) -> str:
        """The column, from the rows that were added; empty where none counts."""
        names = (self._columns[name] for name in ID_ALIASES if name in self._columns)
        return next((column for column in names if column not in self.unused), "")


@lru_cache(maxsize=256)  # the rows of a set have the same columns
def _id_columns(columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """The usual names of ids that columns have, the surest first, each with its column."""
    by_name = columns_by_usual_name(columns)
    return [(name, by_name[name]) for name in ID_ALIASES if name in by_name]


class VersionSearch:
    """Finds the column that tells apart rows of one id, from all rows of a set.

    A column counts where an id stands more than once, and no two rows of one id have the same cell, or none; of several
    the one that the user names, else the first in the list of names.

    Example:
        >>> search = VersionSearch({})
        >>> search.add(Row(1, "line 2", {"id": "q1", "system": "old"}))
        >>> search.add(Row(2, "line 3", {"id": "q1", "system": "new"}))
        >>> search.result()
        'system'
    """

    def __init__(self, mapping: Mapping[str, str], named: str = "") -> None:
        # the column of ids; by default one of a usual name, which the first row that has one tells
        self.id = next((theirs for theirs, ours in mapping.items() if ours == "id"), "")
        # hashes in place of texts keep this small for very large sets
        self._ids: set[int] = set()
        self._cells: dict[str, set[int]] = {column: set() for column in ([named] if named else NAMES["version"])}
        self._columns: dict[str, str] = {}
        self._has_repeats, self._is_named = False, bool(named)
        self._labels: dict[int, str] = {}  # the first label of each id

    def may_have(self, columns: Iterable[str]) -> bool:
        """Whether rows with these columns may be of several versions."""
        names = {*columns} | {usual_name(column) for column in columns}
        with_metadata = {*self._cells, *(f"metadata.{column}" for column in self._cells), "metadata"}
        return bool(names & ({self.id} if self.id else {*ID_ALIASES}) and names & with_metadata)

    def add(self, row: Row, part: str = "") -> None:
        """Looks at a row; `part` says of which metric or rater it is, where an id has one row for each of them."""
        self.id = self.id or next((column for _, column in _id_columns(tuple(row.values))), "")
        name = row.values.get(self.id)
        if not self._cells or name is None or not str(name).strip():
            return
        name = str(name).strip()
        self._has_repeats |= hash((name, part)) in self._ids
        self._ids.add(hash((name, part)))
        by_name = columns_by_usual_name(row.values)
        for version in list(self._cells):
            column = by_name.get(version, version)
            label = read_version(row.values, column)
            cell = hash((name, part, label))
            if self._is_named:  # of rows without a label, or with the same one, the reading says what is wrong
                if label:
                    self._columns[version] = column
                    self._has_repeats |= self._labels.setdefault(hash(name), label) != label
            elif not label or cell in self._cells[version]:
                del self._cells[version]
            else:
                self._cells[version].add(cell)
                self._columns[version] = column

    def result(self) -> str:
        """The column, from the rows that were added; empty where ids are unique, or no column tells them apart."""
        chosen = (self._columns[version] for version in self._cells if version in self._columns)
        return next(chosen, "") if self._has_repeats else ""


def find_version(rows: Iterable[Row | BadRow], names: Iterable[str], id_column: str, part: str, named: str = "") -> str:
    """The column that tells apart the answers of versions to the question of one id; empty where none need be.

    `names` are those of all columns, `part` is the one of the metric or the rater that a row is of, where it is of one,
    and `named` the one that the user names.
    """
    search = VersionSearch({id_column: "id"}, named)
    if not search.may_have(names):
        return ""
    with suppress(OSError):  # the reading itself meets the same error, and tells it
        for row in rows:
            if isinstance(row, Row):
                search.add(row, as_label(row.values.get(part)))
    return search.result()


class RaterSearch:
    """Finds columns that may be ratings in rows that nobody rated, to propose them.

    Raters' are those of whole numbers from 0 to 10, three different ones, with few other cells, whose names neither
    have another role nor are a criterion's, a metric's, a program's or a count's; beside one of them also those with
    two different numbers within its range. Else columns of yes and no count that are called as a decision.

    Example:
        >>> search = RaterSearch()
        >>> for ann, bob, page in ((1, "5", 3), (3, "3", 1), (5, "", 2)):
        ...     search.add({"Ann": ann, "Bob": bob, "page": page, "note": "x"})
        >>> search.result()
        ['Ann', 'Bob']
    """

    def __init__(self) -> None:
        self._cells = defaultdict[str, ColumnCells](ColumnCells)
        self._others = set[str]()  # the columns of texts and of wide numbers

    def add(self, cells: Mapping[str, Any]) -> None:
        """Looks at the cells of a row that no field takes, by column."""
        for column, cell in cells.items():
            if column not in self._others:
                added = self._cells[column]
                added.add(cell)
                if len(added.texts) + len(added.numbers) > _MOST_DIFFERENT:
                    self._others.add(column)
                    del self._cells[column]

    def result(self) -> list[str]:
        """The columns of raters, from the rows that were added."""
        return find_likely_raters(self._cells)

    def reasons_of_numbers(self) -> list[str]:
        """The columns that are called as reasons (`Note`, `feedback`) and hold numbers or thumbs: they give none."""
        called = {column: cells for column, cells in self._cells.items() if reason_rater(column) == ""}
        return [column for column, cells in called.items() if cells.values() and not cells.count_unread()]

    def describe(self) -> str:
        """Says what to type so that columns are read as ratings; empty where none may be."""
        raters, decision = find_decisions(self._cells)
        decision = decision or self.reasons_of_numbers()[:1]
        typed = type_raters(self.result() or raters) or [
            f"--map {quote_word(f'{column}=rating')}" for column in decision
        ]
        return f"no column is read as a rating; if these are your team's: {' '.join(typed)}" if typed else ""


def find_decisions(cells: Mapping[str, ColumnCells]) -> tuple[list[str], list[str]]:
    """The columns of yes and no, or 1 and 0, that are raters' by a word for a rating; and the first that is called as
    what people judge (Correct? and is_correct); a yes to Wrong? would be read as good.
    """
    columns = [
        column
        for column, of_column in cells.items()
        if of_column.rule().labels or ({*of_column.values()} == {0, 1} and not of_column.count_unread())
    ]
    raters = [column for column in columns if without_rating_words(column) != column.strip() and may_be_rater(column)]
    words = {column: re.split(r"[\s_]+", column.strip(" ?!").casefold())[-1] for column in columns}
    return raters, [column for column, word in words.items() if LABELS.get(word) and not is_known_metric(word)][:1]


def find_likely_raters(
    cells: Mapping[str, ColumnCells],
    fewest: int = _FEWEST_VALUES,
    may_be: Callable[[str], bool] = may_be_rater,
) -> list[str]:
    """The columns that are raters' by their values and names; one at least has as many as `fewest` different values."""
    columns = {}
    for column, of_column in cells.items():
        numbers = [number for number in of_column.values() if is_whole([number]) and 0 <= number <= _HIGHEST]
        if may_be(column) and not of_column.rule().labels and len(numbers) >= (1 - _MOST_ODD) * of_column.size:
            columns[column] = {*numbers}
    of_scale = [number for numbers in columns.values() if len(numbers) >= fewest for number in numbers]
    if not of_scale:
        return []
    low, high = min(of_scale), max(of_scale)
    return [
        column
        for column, numbers in columns.items()
        if len(numbers) >= min(2, fewest - 1) and low <= min(numbers) and max(numbers) <= high
    ]


def propose_raters(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to type so that columns of rows are read as ratings; empty where none may be."""
    search = RaterSearch()
    for row in rows:
        search.add(row)
    return type_raters(search.result())


def name_raters(columns: Iterable[str]) -> dict[str, str]:
    """The rater of each column: its name without words for a rating; where two then are one, the whole names."""
    raters = {column: without_rating_words(column) for column in columns}
    if len({rater.casefold() for rater in raters.values()}) < len(raters):
        return {column: column for column in raters}
    return raters


def type_raters(columns: Iterable[str]) -> list[str]:
    """The options that make columns those of raters.

    Example:
        >>> type_raters(["Ann", "Score Jan Smit"])
        ['--map Ann=rating_Ann', "--map 'Score Jan Smit=rating_Jan Smit'"]
    """
    return [f"--map {quote_word(f'{column}=rating_{rater}')}" for column, rater in name_raters(columns).items()]
