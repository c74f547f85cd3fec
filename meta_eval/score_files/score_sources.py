"""What one file says: its items, and one column of numbers per metric or rater, from long or wide rows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InputError
from ...eval_sets import cell_values
from ...eval_sets.name_suggestions import quote_names
from ...eval_sets.sample_columns import is_no_rating, rater_of, usual_name
from ...shell_words import quote_word
from ...text.wording import count_of, list_first
from ..table import RATER
from .column_roles import (
    ROLES,
    as_label,
    cell_error,
    check_patterns,
    find_roles,
    is_no_metric,
    match_columns,
    short_name,
)
from .flat_rows import FlatRow, read_number
from .read_options import ReadOptions

_WIDEST_SCALE = 10  # where nothing says which columns are ratings, 0-10 is the widest scale that is believed
_HOW_TO_RATE = "name their columns (--rating), or write a column rating, or the columns id, rater and rating"


@dataclass(frozen=True)
class Item:
    """One rated or scored answer as a file shows it.

    Attributes:
        id: Its id; empty where the file has none.
        place: Where it stands in the file, for messages ("line 17").
        user_input: The question; empty where the file has none.
        response: The answer; empty where the file has none.
        contexts: The retrieved contexts.
        values: All cells of its row.
        reasons: The reason of each metric's score.
        before: What was said before the question, in a conversation.
        version: The version that gave the answer, where its source says it.
        question: What is the same of answers to one question, where its source says it; else the question's text is.
    """

    id: str
    place: str
    user_input: str = ""
    response: str = ""
    contexts: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    version: str = ""
    question: str = ""

    @property
    def asked(self) -> str:
        """The question after what was said before it: with the answer it says which answer this is."""
        return f"{self.before}\n{self.user_input}" if self.before else self.user_input

    def label(self, attribute: str) -> str:
        """The label of an attribute (also under `metadata.`); empty where the file has none."""
        return as_label(self.values.get(attribute)) or as_label(self.values.get(f"metadata.{attribute}"))


@dataclass(frozen=True)
class ScoreSource:
    """The numbers of one source of scores or ratings.

    Attributes:
        name: The file or run, for messages.
        items: Its items.
        columns: Metric or rater -> place of the item in `items` -> number; what is missing is left out.
        judges: The judge that made a column, where one did.
        scale: The scale of ratings, where the source says it.
        read_columns: The columns of the source that were read.
        offered: The metrics that could have been read.
        directions: Whether higher is better, by metric, where the source says it.
        notes: What the reader should tell the user.
    """

    name: str
    items: tuple[Item, ...]
    columns: Mapping[str, Mapping[int, float]]
    judges: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    read_columns: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    directions: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_scores(
    rows: Sequence[FlatRow], name: str, options: ReadOptions, *, other_columns: Collection[str] = ()
) -> ScoreSource:
    """Reads the metrics' scores in rows: long (columns metric and value) or wide (one column per metric).

    Wide, every column of numbers is a metric, unless its name says otherwise or it is in `other_columns`.

    Args:
        rows: The rows of one file.
        name: The file's name, for messages.
        options: How files are read.
        other_columns: Columns that are known to be no metrics, such as those read as ratings.

    Raises:
        InputError: A cell is no number, an item stands twice, or there are no numbers at all.

    Examples:
        >>> rows = [FlatRow("line 2", {"id": "a", "bleu": 0.5, "note": "x"}), FlatRow("line 3", {"id": "b", "bleu": 1})]
        >>> read_scores(rows, "scores.csv", ReadOptions()).columns
        {'bleu': {0: 0.5, 1: 1.0}}
    """
    names = _column_names(rows)
    roles = find_roles(names, options.mapping)
    if "metric" in roles and "value" in roles:
        items, columns = _read_long_rows(rows, name, roles, by=roles["metric"], value=roles["value"])
        offered = list(columns)
    else:
        excluded = {*other_columns, *options.labels}
        candidates = [column for column in names if not is_no_metric(column, roles) and column not in excluded]
        requested = match_columns(options.metrics, candidates)
        items = _read_items(rows, name, roles)
        offered = [column for column in candidates if column in requested or _holds_numbers(rows, column)]
        columns = {column: _read_column(rows, name, column) for column in (requested if options.metrics else offered)}
    if not offered:
        rated = [column for column in names if rater_of(column) or column.startswith("ratings.")]
        held = f", only the ratings {quote_names(rated)}" if rated else ""
        raise InputError(
            f"{name}: there are no scores in it{held}; write one column per metric, or the columns id, metric and "
            f"value (it has {quote_names(names)})"
        )
    selected = match_columns(options.metrics, columns) if options.metrics else offered
    scores = {short_name(metric): columns[metric] for metric in selected}
    return ScoreSource(name, tuple(items), scores, read_columns=tuple(selected), offered=tuple(offered))


def read_ratings(rows: Sequence[FlatRow], name: str, options: ReadOptions) -> ScoreSource:
    """Reads people's ratings in rows: long (columns rater and rating), an object `ratings` by rater, a column `rating`,
    or one column per rater.

    Args:
        rows: The rows of one file.
        name: The file's name, for messages.
        options: How files are read.

    Raises:
        InputError: As `read_scores`, and where nothing says which columns are ratings.

    Examples:
        >>> rows = [FlatRow("line 2", {"id": "a", "ratings.ann": 4, "ratings.bob": 5})]
        >>> read_ratings(rows, "ratings.jsonl", ReadOptions()).columns
        {'ann': {0: 4.0}, 'bob': {0: 5.0}}
    """
    names = _column_names(rows)
    roles = find_roles(names, options.mapping)
    value = roles.get("rating") or roles.get("value")
    rating_columns: list[str] = []
    notes: tuple[str, ...] = ()
    if "rater" in roles and value:
        items, columns = _read_long_rows(rows, name, roles, by=roles["rater"], value=value)
        if options.ratings:
            check_patterns(options.ratings, columns, "rater", name)
            columns = {rater: columns[rater] for rater in match_columns(options.ratings, columns)}
    else:
        items = _read_items(rows, name, roles)
        rating_columns = _named_rating_columns(names, roles, options, name)
        if not rating_columns:
            unlabelled = [column for column in names if column not in options.labels]
            rating_columns = _guess_rating_columns(rows, unlabelled, roles, name)
            listed = quote_names(rating_columns)
            notes = (
                f"{name}: the columns {listed} are read as the ratings of {count_of(len(rating_columns), 'rater')}",
            )
        _check_raters(rating_columns, name)
        columns = {_rater_name(column): _read_column(rows, name, column, is_rating=True) for column in rating_columns}
        notes += tuple(filter(None, (_note_without_rating(rows, name, column) for column in rating_columns)))
        if not options.ratings and len(columns) > 1 and roles.get("rating") in rating_columns:
            # beside the raters' own ratings, `rating` is their mean or says nothing new
            rated = {place for rater, numbers in columns.items() if rater != RATER for place in numbers}
            columns[RATER] = {place: rating for place, rating in columns[RATER].items() if place not in rated}
    columns = {rater: numbers for rater, numbers in columns.items() if numbers}
    if not columns:
        raise InputError(f"{name}: there are no ratings in it; {_HOW_TO_RATE} (it has {quote_names(names)})")
    scale, rescaled = _read_scale(rows, name, roles, columns)
    if rescaled is not columns:
        notes += (f"{name}: its ratings are on several scales (rating_min, rating_max), and are brought to 1 to 5",)
    return ScoreSource(name, tuple(items), rescaled, scale=scale, read_columns=tuple(rating_columns), notes=notes)


def _column_names(rows: Iterable[FlatRow]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row.values))


def _rater_name(column: str) -> str:
    if usual_name(column) in ROLES["rating"] or column == "rating":
        return RATER
    return rater_of(column) or short_name(column).removeprefix("ratings.")


def _check_raters(columns: Iterable[str], name: str) -> None:
    """Raises `InputError` where two columns are of one rater."""
    by_rater = dict[str, str]()
    for column in columns:
        rater = _rater_name(column)
        first = by_rater.setdefault(rater.casefold(), column)
        if first != column:
            raise InputError(
                f"{name}: `{first}` and `{column}` are both read as the ratings of {rater}; rename one of them, or "
                f"choose one (--rating {quote_word(column)})"
            )


def _named_rating_columns(names: list[str], roles: Mapping[str, str], options: ReadOptions, name: str) -> list[str]:
    """The columns that the user or their names call ratings; none where neither does."""
    if options.ratings:
        column_by_name = {column: column for column in names}
        column_by_name |= {rater_of(column) or column.removeprefix("ratings."): column for column in names}
        check_patterns(options.ratings, column_by_name, "column of ratings", name)
        return [column_by_name[match] for match in match_columns(options.ratings, column_by_name)]
    by_rater = [column for column in names if column.startswith("ratings.") or rater_of(column)]
    return by_rater + [roles[role] for role in ("rating", "value") if role in roles][:1]


def _guess_rating_columns(rows: Sequence[FlatRow], names: list[str], roles: Mapping[str, str], name: str) -> list[str]:
    """The columns of numbers, where all may be ratings. Raises `InputError` where one is none, or there are none."""
    candidates = [column for column in names if not is_no_metric(column, roles) and _holds_numbers(rows, column)]
    numbers_by_column = [numbers.values() for column in candidates if (numbers := _read_column(rows, name, column))]
    if not numbers_by_column or any(max(numbers) - min(numbers) > _WIDEST_SCALE for numbers in numbers_by_column):
        raise InputError(f"{name}: which of its columns are ratings? {_HOW_TO_RATE} (it has {quote_names(names)})")
    return candidates


def _read_items(rows: Sequence[FlatRow], name: str, roles: Mapping[str, str]) -> list[Item]:
    """One item per row. Raises `InputError` for an id that stands twice."""
    items = []
    place_by_id: dict[str, str] = {}
    for row in rows:
        item = _read_item(row, name, roles)
        if item.id:
            first = place_by_id.setdefault(item.id, row.place)
            if first != row.place:
                problem = f'"{item.id}" stands at {first} too; keep one of them, or give each its own id'
                raise cell_error(name, row.place, roles["id"], problem)
        items.append(item)
    return items


def _read_item(row: FlatRow, name: str, roles: Mapping[str, str]) -> Item:
    contexts: Any = row.values.get(roles.get("retrieved_contexts", ""))
    if isinstance(contexts, str):
        try:
            contexts = cell_values.parse_texts(contexts)
        except ValueError as error:
            raise cell_error(name, row.place, roles["retrieved_contexts"], str(error)) from None
    return Item(
        as_label(row.values.get(roles.get("id", ""))),
        row.place,
        _read_text(row, roles, "user_input"),
        _read_text(row, roles, "response"),
        contexts=tuple(str(context) for context in contexts or ()),
        values=row.values,
    )


def _read_text(row: FlatRow, roles: Mapping[str, str], role: str) -> str:
    text = row.values.get(roles.get(role, ""))
    return text if isinstance(text, str) else ""


def _read_long_rows(
    rows: Sequence[FlatRow], name: str, roles: Mapping[str, str], *, by: str, value: str
) -> tuple[list[Item], dict[str, dict[int, float]]]:
    """Items and columns of long rows. Rows of one item share its id, or where there are no ids its texts."""
    items: list[Item] = []
    number_by_key: dict[str, int] = {}
    reasons: list[dict[str, str]] = []
    columns: dict[str, dict[int, float]] = {}
    place_by_cell: dict[tuple[int, str], str] = {}
    for row in rows:
        item = _read_item(row, name, roles)
        key = item.id or f"{item.user_input}\0{item.response}"
        column = as_label(row.values.get(by))
        if key == "\0" or not column:
            missing = roles.get("id", "id") if key == "\0" else by
            raise cell_error(name, row.place, missing, "is missing; without it nobody knows what was measured")
        number = number_by_key.setdefault(key, len(items))
        if number == len(items):
            items.append(item)
            reasons.append({})
        first = place_by_cell.get((number, column))
        place_by_cell[number, column] = row.place
        if first is not None:
            problem = f"{column} of {item.id or 'this item'} stands at {first} too; keep one of them"
            raise cell_error(name, row.place, by, problem)
        score = _read_cell(row, name, value)
        columns.setdefault(column, {})
        if score is not None:
            columns[column][number] = score
        if "reason" in roles and isinstance(reason := row.values.get(roles["reason"]), str):
            reasons[number][column] = reason
    return [replace(item, reasons=reason) for item, reason in zip(items, reasons, strict=True)], columns


def _read_cell(row: FlatRow, name: str, column: str) -> float | None:
    try:
        return read_number(row.values.get(column))
    except ValueError as error:
        raise cell_error(name, row.place, column, str(error)) from None


def _note_without_rating(rows: Sequence[FlatRow], name: str, column: str) -> str:
    """Names the cells of a column of ratings that say that there is none."""
    cells = [f'{row.place} "{row.values[column]}"' for row in rows if is_no_rating(row.values.get(column))]
    return f"{name}: {count_of(len(cells), 'cell')} of {column} without a rating: {list_first(cells)}" if cells else ""


def _read_column(rows: Sequence[FlatRow], name: str, column: str, *, is_rating: bool = False) -> dict[int, float]:
    numbers = {
        place: _read_cell(row, name, column)
        for place, row in enumerate(rows)
        if not (is_rating and is_no_rating(row.values.get(column)))
    }
    return {place: number for place, number in numbers.items() if number is not None}


def _holds_numbers(rows: Sequence[FlatRow], column: str) -> bool:
    """Whether most of what stands in a column is a number: then what is none is a mistake, not a text."""
    numbers = others = 0
    for row in rows:
        try:
            numbers += read_number(row.values.get(column)) is not None
        except ValueError:
            others += 1
    return numbers > others


def _read_scale(
    rows: Sequence[FlatRow], name: str, roles: Mapping[str, str], columns: dict[str, dict[int, float]]
) -> tuple[tuple[float, float] | None, dict[str, dict[int, float]]]:
    """The scale that the rows name, and the ratings; ratings on several scales are brought to 1-5."""
    low_column, high_column = roles.get("rating_min"), roles.get("rating_max")
    if low_column is None and high_column is None:
        return None, columns
    scales: list[tuple[float, float]] = []
    for row in rows:
        low = _read_cell(row, name, low_column) if low_column else None
        high = _read_cell(row, name, high_column) if high_column else None
        scales.append((1.0 if low is None else low, 5.0 if high is None else high))
        if scales[-1][0] >= scales[-1][1]:
            problem = "is not below rating_max; give a scale such as 1 and 5"
            raise cell_error(name, row.place, low_column or "rating_min", problem)
    of_ratings = {scales[place] for ratings in columns.values() for place in ratings}  # a row may have no rating
    if len(of_ratings) == 1:
        return of_ratings.pop(), columns
    rescaled = {
        rater: {
            place: 1 + 4 * (rating - scales[place][0]) / (scales[place][1] - scales[place][0])
            for place, rating in ratings.items()
        }
        for rater, ratings in columns.items()
    }
    return (1.0, 5.0), rescaled
