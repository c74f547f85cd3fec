"""What one file says: its items, and a column of numbers a metric or a rater, from long or wide rows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InputError
from ...eval_sets import cell_values
from ...eval_sets.name_suggestions import quote_names
from ..table import RATER
from .column_roles import as_label, cell_error, check_patterns, find_roles, is_no_metric, match_columns, short_name
from .flat_rows import FlatRow, number
from .read_options import ReadOptions

_WIDEST_SCALE = 10  # where nothing says which columns are ratings, 0-10 is the widest scale that is believed


@dataclass(frozen=True)
class Item:
    """One rated or scored answer as a file shows it; `id` and the texts are empty where the file has none."""

    id: str
    place: str
    user_input: str = ""
    response: str = ""
    contexts: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def label(self, attribute: str) -> str:
        """What the file says of an attribute (also under `metadata.`); empty where it says nothing."""
        return as_label(self.values.get(attribute)) or as_label(self.values.get(f"metadata.{attribute}"))


@dataclass(frozen=True)
class ScoreSource:
    """The numbers of one source: column -> place of the item in `items` -> number; what is missing is left out.

    `judges` says which judge made a column, where one did. `scale` is that of ratings, where the source says it.
    `taken` are the columns of the source that were read, `offered` the metrics that could have been. Lower scores are
    better for the metrics in `lower_is_better`.
    """

    name: str
    items: tuple[Item, ...]
    columns: Mapping[str, Mapping[int, float]]
    judges: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    taken: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    lower_is_better: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_scores(
    rows: Sequence[FlatRow], name: str, choices: ReadOptions, *, besides: Collection[str] = ()
) -> ScoreSource:
    """The metrics' scores in rows: long (columns metric and value) or wide (a column a metric).

    Wide, every column of numbers is a metric, unless its name says otherwise or it is in `besides`. Raises `InputError`
    for a cell that is no number, an item that stands twice, and where there are no numbers at all.
    """
    names = _columns(rows)
    roles = find_roles(names, choices.mapping, name)
    if "metric" in roles and "value" in roles:
        items, columns = _long(rows, name, roles, roles["metric"], roles["value"])
        offered = list(columns)
    else:
        apart = {*besides, *choices.labels}
        found = [column for column in names if not is_no_metric(column, roles) and column not in apart]
        named = match_columns(choices.metrics, found)
        items = _items(rows, name, roles)
        offered = [column for column in found if column in named or _holds_numbers(rows, column)]
        columns = {column: _numbers(rows, name, column) for column in (named if choices.metrics else offered)}
    if not offered:
        raise InputError(
            f"{name}: there are no scores in it; write a column a metric, or the columns id, metric and value "
            f"(it has {quote_names(names)})"
        )
    taken = match_columns(choices.metrics, columns) if choices.metrics else offered
    read = {short_name(metric): columns[metric] for metric in taken}
    return ScoreSource(name, tuple(items), read, taken=tuple(taken), offered=tuple(offered))


def read_ratings(rows: Sequence[FlatRow], name: str, choices: ReadOptions) -> ScoreSource:
    """People's ratings in rows: long (columns rater and rating), `ratings` by rater, a column `rating`, or a column a
    rater. Raises as `read_scores`, and where nothing says which columns are the ratings."""
    names = _columns(rows)
    roles = find_roles(names, choices.mapping, name)
    value = roles.get("rating") or roles.get("value")
    taken: list[str] = []
    notes: tuple[str, ...] = ()
    if "rater" in roles and value:
        items, columns = _long(rows, name, roles, roles["rater"], value)
        if choices.ratings:
            check_patterns(choices.ratings, columns, "rater", name)
            columns = {rater: columns[rater] for rater in match_columns(choices.ratings, columns)}
    else:
        items = _items(rows, name, roles)
        taken = _rating_columns(names, roles, choices, name)
        if not taken:
            taken = _columns_of_raters(rows, [column for column in names if column not in choices.labels], roles, name)
            notes = (f"{name}: the columns {quote_names(taken)} are read as the ratings of {len(taken)} raters",)
        columns = {_rater(column): _numbers(rows, name, column) for column in taken}
        if not choices.ratings and len(columns) > 1 and roles.get("rating") in taken:
            # beside the raters' own ratings, `rating` is their mean or says nothing new
            rated = {place for rater, numbers in columns.items() if rater != RATER for place in numbers}
            columns[RATER] = {place: found for place, found in columns[RATER].items() if place not in rated}
    columns = {rater: numbers for rater, numbers in columns.items() if numbers}
    if not columns:
        raise InputError(f"{name}: there are no ratings in it; {_HOW_RATINGS} (it has {quote_names(names)})")
    scale, rescaled = _scale(rows, name, roles, columns)
    return ScoreSource(name, tuple(items), rescaled, scale=scale, taken=tuple(taken), notes=notes)


_HOW_RATINGS = "name their columns (--rating), or write a column rating, or the columns id, rater and rating"


def _columns(rows: Iterable[FlatRow]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row.values))


def _rater(column: str) -> str:
    return RATER if column in {"rating", "human_rating", "stars"} else short_name(column).removeprefix("ratings.")


def _rating_columns(names: list[str], roles: Mapping[str, str], choices: ReadOptions, name: str) -> list[str]:
    """The columns that are ratings by what was said or by their names; none where neither says it."""
    if choices.ratings:
        spelled = {column.removeprefix("ratings."): column for column in names}
        check_patterns(choices.ratings, spelled, "column of ratings", name)
        return [spelled[found] for found in match_columns(choices.ratings, spelled)]
    by_rater = [column for column in names if column.startswith("ratings.")]
    return by_rater + [roles[role] for role in ("rating", "value") if role in roles][:1]


def _columns_of_raters(rows: Sequence[FlatRow], names: list[str], roles: Mapping[str, str], name: str) -> list[str]:
    """The columns of numbers, where all may be ratings. Raises `InputError` where one is none, or there are none."""
    found = [column for column in names if not is_no_metric(column, roles) and _holds_numbers(rows, column)]
    held = [numbers.values() for column in found if (numbers := _numbers(rows, name, column))]
    if not held or any(max(numbers) - min(numbers) > _WIDEST_SCALE for numbers in held):
        raise InputError(f"{name}: which of its columns are ratings? {_HOW_RATINGS} (it has {quote_names(names)})")
    return found


def _items(rows: Sequence[FlatRow], name: str, roles: Mapping[str, str]) -> list[Item]:
    """An item a row. Raises `InputError` for an id that stands twice."""
    items = []
    places: dict[str, str] = {}
    for row in rows:
        item = _item(row, name, roles)
        if item.id:
            first = places.setdefault(item.id, row.place)
            if first != row.place:
                said = f'"{item.id}" stands at {first} too; keep one of them, or give each its own id'
                raise cell_error(name, row.place, roles["id"], said)
        items.append(item)
    return items


def _item(row: FlatRow, name: str, roles: Mapping[str, str]) -> Item:
    contexts: Any = row.values.get(roles.get("retrieved_contexts", ""))
    if isinstance(contexts, str):
        try:
            contexts = cell_values.parse_texts(contexts)
        except ValueError as error:
            raise cell_error(name, row.place, roles["retrieved_contexts"], str(error)) from None
    return Item(
        as_label(row.values.get(roles.get("id", ""))),
        row.place,
        _text(row, roles, "user_input"),
        _text(row, roles, "response"),
        contexts=tuple(str(context) for context in contexts or ()),
        values=row.values,
    )


def _text(row: FlatRow, roles: Mapping[str, str], role: str) -> str:
    text = row.values.get(roles.get(role, ""))
    return text if isinstance(text, str) else ""


def _long(
    rows: Sequence[FlatRow], name: str, roles: Mapping[str, str], by: str, value: str
) -> tuple[list[Item], dict[str, dict[int, float]]]:
    """Items and columns of long rows. Rows of one item have its id, or where there are no ids its texts."""
    items: list[Item] = []
    places: dict[str, int] = {}
    reasons: list[dict[str, str]] = []
    columns: dict[str, dict[int, float]] = {}
    seen: dict[tuple[int, str], str] = {}
    for row in rows:
        item = _item(row, name, roles)
        key = item.id or f"{item.user_input}\0{item.response}"
        column = as_label(row.values.get(by))
        if key == "\0" or not column:
            missing = roles.get("id", "id") if key == "\0" else by
            raise cell_error(name, row.place, missing, "is missing; without it nobody can say what was measured")
        place = places.setdefault(key, len(items))
        if place == len(items):
            items.append(item)
            reasons.append({})
        first = seen.get((place, column))
        seen[place, column] = row.place
        if first is not None:
            said = f"{column} of {item.id or 'this item'} stands at {first} too; keep one of them"
            raise cell_error(name, row.place, by, said)
        found = _number(row, name, value)
        columns.setdefault(column, {})
        if found is not None:
            columns[column][place] = found
        if "reason" in roles and isinstance(reason := row.values.get(roles["reason"]), str):
            reasons[place][column] = reason
    told = [replace(item, reasons=reason) for item, reason in zip(items, reasons, strict=True)]
    return told, columns


def _number(row: FlatRow, name: str, column: str) -> float | None:
    try:
        return number(row.values.get(column))
    except ValueError as error:
        raise cell_error(name, row.place, column, str(error)) from None


def _numbers(rows: Sequence[FlatRow], name: str, column: str) -> dict[int, float]:
    found = {place: _number(row, name, column) for place, row in enumerate(rows)}
    return {place: value for place, value in found.items() if value is not None}


def _holds_numbers(rows: Sequence[FlatRow], column: str) -> bool:
    """Whether most of what stands in a column is a number: then what is none there is a mistake, not a text."""
    numbers = others = 0
    for row in rows:
        try:
            numbers += number(row.values.get(column)) is not None
        except ValueError:
            others += 1
    return numbers > others


def _scale(
    rows: Sequence[FlatRow], name: str, roles: Mapping[str, str], columns: dict[str, dict[int, float]]
) -> tuple[tuple[float, float] | None, dict[str, dict[int, float]]]:
    """The scale that the rows name, and the ratings; ratings on several scales are brought to 1-5."""
    low, high = roles.get("rating_min"), roles.get("rating_max")
    if low is None and high is None:
        return None, columns
    ends: list[tuple[float, float]] = []
    for row in rows:
        least = _number(row, name, low) if low else None
        most = _number(row, name, high) if high else None
        ends.append((1.0 if least is None else least, 5.0 if most is None else most))
        if ends[-1][0] >= ends[-1][1]:
            raise cell_error(
                name, row.place, low or "rating_min", "is not below rating_max; give a scale such as 1 and 5"
            )
    if len(set(ends)) == 1:
        return ends[0], columns
    brought = {
        rater: {
            place: 1 + 4 * (rating - ends[place][0]) / (ends[place][1] - ends[place][0])
            for place, rating in ratings.items()
        }
        for rater, ratings in columns.items()
    }
    return (1.0, 5.0), brought
