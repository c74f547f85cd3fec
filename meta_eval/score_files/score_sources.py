"""What one file says: its items, and one column of numbers per metric or rater, from long or wide rows."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InputError
from ...eval_sets import cell_values
from ...eval_sets.column_search import VersionSearch
from ...eval_sets.column_table import (
    NAMES,
    is_failed_status,
    is_known_metric,
    is_no_rating,
    is_total,
    rater_of,
    says_failure,
    usual_name,
)
from ...eval_sets.number_rule import ColumnCells, NumberRule, scale_of_header, scale_of_rule
from ...eval_sets.rows import Row
from ...eval_sets.version_column import versioned_id
from ...name_suggestions import quote_names
from ...number_bounds import LARGEST_NUMBER
from ...shell_words import quote_word
from ...text.wording import count_of, list_first
from ..table import RATER
from .flat_rows import ROLES, as_label, check_patterns, find_roles, is_no_metric, match_columns, short_name
from .read_options import ReadOptions

_WIDEST_SCALE = 10  # where nothing says which columns are ratings, 0-10 is the widest scale that is believed
_HOW_TO_RATE = "name their columns (--rating), or write a column rating, or the columns id, rater and rating"


@dataclass(frozen=True)
class Item:
    """One rated or scored answer as a file shows it."""

    id: str  # its id; empty where the file has none
    place: str  # where it stands in the file, for messages ("line 17")
    user_input: str = ""  # the question; empty where the file has none
    response: str = ""  # the answer; empty where the file has none
    contexts: tuple[str, ...] = ()  # the retrieved contexts
    values: Mapping[str, Any] = field(default_factory=dict)  # all cells of its row
    reasons: Mapping[str, str] = field(default_factory=dict)  # the reason of each metric's score
    before: str = ""  # what was said before the question, in a conversation
    version: str = ""  # the version that gave the answer, where its source says it
    # what is the same of answers to one question, where its source says it; else the question's text is
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
    """The numbers of one source of scores or ratings."""

    name: str  # the file or run, for messages
    items: tuple[Item, ...]
    # metric or rater -> place of the item in `items` -> number; what is missing is left out
    columns: Mapping[str, Mapping[int, float]]
    judges: Mapping[str, str] = field(default_factory=dict)  # the judge that made a column, where one did
    scale: tuple[float, float] | None = None  # the scale of ratings, where the source says it
    read_columns: tuple[str, ...] = ()  # the columns of the source that were read
    offered: tuple[str, ...] = ()  # the metrics that could have been read
    # whether higher is better, by metric, where the source says it
    directions: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the reader should tell the user


def read_scores(
    rows: Sequence[Row], name: str, options: ReadOptions, *, other_columns: Collection[str] = ()
) -> ScoreSource:
    """Reads the metrics' scores in rows: long (columns metric and value) or wide (one column per metric).

    Wide, every column of numbers is a metric, unless its name says otherwise or it is in `other_columns`. A score whose
    status, error or reason says that the metric failed is missing. `name` is the file's, for messages.

    Raises:
        InputError: A cell is no number, an item stands twice, or there are no numbers at all.

    Examples:
        >>> rows = [Row(1, "line 2", {"id": "a", "bleu": 0.5, "note": "x"}), Row(2, "line 3", {"id": "b", "bleu": 1})]
        >>> read_scores(rows, "scores.csv", ReadOptions()).columns
        {'bleu': {0: 0.5, 1: 1.0}}
    """
    file = ScoreFile(rows, name, options)
    if file.is_long:
        items, columns = _read_long_rows(file, by=file.roles["metric"], value=file.roles["value"])
        offered = list(columns)
    else:
        excluded = {*other_columns, *options.labels}
        candidates = [
            column for column in file.names if not is_no_metric(column, file.roles) and column not in excluded
        ]
        requested = match_columns(options.metrics, candidates)
        items = _read_items(file)
        offered = [column for column in candidates if column in requested or file.holds_numbers(column)]
        columns = {column: file.scores(column) for column in (requested if options.metrics else offered)}
    if not offered:
        rated = [column for column in file.names if rater_of(column) or column.startswith("ratings.")]
        held = f", only the ratings {quote_names(rated)}" if rated else ""
        raise InputError(
            f"{name}: there are no scores in it{held}; write one column per metric, or the columns id, metric and "
            f"value (it has {quote_names(file.names)})"
        )
    selected = match_columns(options.metrics, columns) if options.metrics else offered
    scores = {short_name(metric): columns[metric] for metric in selected}
    read, notes = tuple(selected), tuple(file.notes)
    return ScoreSource(name, tuple(items), scores, read_columns=read, offered=tuple(offered), notes=notes)


def read_ratings(
    rows: Sequence[Row], name: str, options: ReadOptions, *, metrics: Collection[str] = (), has_scores: bool = False
) -> ScoreSource:
    """Reads people's ratings in rows: long (columns rater and rating), an object `ratings` by rater, a column `rating`,
    or one column per rater.

    The scores of `metrics` are nobody's ratings. In a file that has scores too, only what is named as ratings is.

    Raises:
        InputError: As `read_scores`, and where nothing says which columns are ratings.

    Examples:
        >>> rows = [Row(1, "line 2", {"id": "a", "ratings.ann": 4, "ratings.bob": 5})]
        >>> read_ratings(rows, "ratings.jsonl", ReadOptions()).columns
        {'ann': {0: 4.0}, 'bob': {0: 5.0}}
    """
    file = ScoreFile(rows, name, options)
    roles = file.roles
    value = roles.get("rating") or ("" if file.is_long else roles.get("value", ""))
    rating_columns: list[str] = []
    if "rater" in roles and value:
        items, columns = _read_long_rows(file, by=roles["rater"], value=value)
        if options.ratings:
            check_patterns(options.ratings, columns, "rater", name)
            columns = {rater: columns[rater] for rater in match_columns(options.ratings, columns)}
    else:
        rating_columns = _named_rating_columns(file, options)
        if not rating_columns and not has_scores:
            rating_columns = _guess_rating_columns(file, metrics)
            file.tell(
                f"the columns {quote_names(rating_columns)} are read as the ratings of "
                f"{count_of(len(rating_columns), 'rater')}"
            )
        if not rating_columns:
            raise _nobody_rated(file)
        items = _read_items(file)
        columns = _join_raters({column: file.ratings(column) for column in rating_columns}, name)
        if not options.ratings and len(columns) > 1 and roles.get("rating") in rating_columns:
            # beside the raters' own ratings, `rating` is their mean or says nothing new
            rated = {place for rater, numbers in columns.items() if rater != RATER for place in numbers}
            columns[RATER] = {place: rating for place, rating in columns[RATER].items() if place not in rated}
    columns = {rater: numbers for rater, numbers in columns.items() if numbers}
    if not columns:
        raise InputError(f"{name}: there are no ratings in it; {_HOW_TO_RATE} (it has {quote_names(file.names)})")
    scale, rescaled = _read_scale(file, columns)
    if rescaled is not columns:
        file.tell("its ratings are on several scales (rating_min, rating_max), and are brought to 1 to 5")
    scale = scale or file.scale_of([value] if "rater" in roles and value else rating_columns)
    read, notes = tuple(rating_columns), tuple(file.notes)
    return ScoreSource(name, tuple(items), rescaled, scale=scale, read_columns=read, notes=notes)


class ScoreFile:
    """The rows of one file, and what of its columns only all of them tell."""

    def __init__(self, rows: Sequence[Row], name: str, options: ReadOptions) -> None:
        self.name, self.notes = name, list[str]()
        self.names = list(dict.fromkeys(column for row in rows for column in row.values))
        self.labels = options.labels
        self.roles = find_roles(self.names, options.mapping)
        self.rows = self._without_totals(rows)
        self._cells: dict[str, ColumnCells] = {}
        self.beside = {
            column: columns for column in self.names if (columns := _columns_beside(column, self.names, self.roles))
        }
        self._failed_words = self._statuses_of_failure()
        search = VersionSearch({self.roles["id"]: "id"} if "id" in self.roles else {}, options.versions or "")
        for row in () if self.is_long or "rater" in self.roles else self.rows:
            search.add(row)
        self.version = search.result()  # the column that tells apart the answers of versions to the question of one id

    @property
    def is_long(self) -> bool:
        """Whether a row is one score, with the name of its metric."""
        return {"metric", "value"} <= self.roles.keys()

    def tell(self, note: str) -> None:
        """Notes what the user should know."""
        self.notes.append(f"{self.name}: {note}")

    def error(self, row: Row, column: str, problem: str) -> InputError:
        """The error of one cell: file, line, field, and what is wrong with its cure."""
        return InputError(f"{self.name}, {row.place}, field {column}: {problem}")

    def _without_totals(self, rows: Sequence[Row]) -> list[Row]:
        """The rows without those that sum up others, which their first cell names so."""
        texts = [column for role in ("user_input", "response") if (column := self.roles.get(role))]
        totals = {
            row.place: first
            for row in rows
            if is_total(first := next((cell for cell in row.values.values() if isinstance(cell, str) and cell), ""))
            and not (len(texts) > 1 and all(as_label(row.values.get(column)) for column in texts))
        }
        if totals:
            listed = list_first([f'{place} "{first}"' for place, first in totals.items()], 5)
            self.tell(f"{count_of(len(totals), 'row')} left out that sums up others: {listed}")
        return [row for row in rows if row.place not in totals]

    def rule(self, column: str) -> tuple[ColumnCells, NumberRule]:
        """The cells of a column, and how they are read as numbers."""
        if column not in self._cells:
            cells = self._cells[column] = ColumnCells()
            for row in self.rows:
                cells.add(row.values.get(column))
        return self._cells[column], self._cells[column].rule()

    def holds_numbers(self, column: str) -> bool:
        """Whether most of what stands in a column is a number: then what is none is a mistake, not a text."""
        cells, rule = self.rule(column)
        is_own = rule.labels and not ({*rule.labels} <= {"true", "false"})
        return not is_own and (len(cells.values()) > cells.count_unread() or bool(cells.find_unclear()))

    def number(self, row: Row, column: str) -> float | None:
        """The number in a cell; None where there is none. Raises `InputError` with the place of the cell."""
        try:
            number = self.rule(column)[1].read(row.values.get(column))
            if number is not None and abs(number) > LARGEST_NUMBER:
                raise ValueError(f"is larger than {LARGEST_NUMBER:g}; write it in a larger unit, or leave it empty")
        except ValueError as error:
            raise self.error(row, column, str(error)) from None
        return number

    def scores(self, column: str) -> dict[int, float]:
        """The scores of a metric by the place of their row, without those that are no measurements."""
        numbers, failed = dict[int, float](), list[str]()
        for place, row in enumerate(self.rows):
            number = self.number(row, column)
            if number is not None and self.is_failed(row, column, number):
                failed.append(row.place)
            elif number is not None:
                numbers[place] = number
        self.tell_failed(short_name(column), failed)
        return numbers

    def tell_failed(self, metric: str, places: Sequence[str]) -> None:
        """Notes the scores that count as missing because the metric failed."""
        if places:
            scores = count_of(len(places), "score")
            self.tell(f"{scores} of {metric} missing, as the metric failed there: {list_first(places, 5)}")

    def is_failed(self, row: Row, column: str, number: float) -> bool:
        """Whether a number stands for a metric that failed: by its status or error, or the reason of a 0."""
        beside = self.beside.get(column, {})
        is_row = "metric" not in self.roles
        for role in ("status", "error"):
            cell = as_label(row.values.get(beside.get(role, "")))
            says = (
                cell.casefold() in self._failed_words if role == "status" else cell.casefold() not in {"", "false", "0"}
            )
            if says and (number <= 0 or not (is_row and beside[role] == self.roles.get(role))):
                return True
        reason = row.values.get(beside.get("reason", ""))
        return number <= 0 and isinstance(reason, str) and says_failure(reason)

    def _statuses_of_failure(self) -> frozenset[str]:
        """The statuses in it that say that there is no score; `failed` beside `passed` is a verdict on one."""
        columns = {columns["status"] for columns in self.beside.values() if "status" in columns}
        words = {as_label(row.values.get(column)).casefold() for row in self.rows for column in columns}
        verdicts = {"failed", "fail"} if words & {"pass", "passed"} else set[str]()
        return frozenset(word for word in words - verdicts if is_failed_status(word))

    def ratings(self, column: str) -> dict[int, float]:
        """The ratings of a column by the place of their row."""
        without = [f'{row.place} "{row.values[column]}"' for row in self.rows if is_no_rating(row.values.get(column))]
        if without:
            self.tell(f"{count_of(len(without), 'cell')} of {column} without a rating: {list_first(without)}")
        if described := self.rule(column)[1].describe():
            self.tell(f"read {column} as ratings from 0 to 1, {described}")
        numbers = {place: self.number(row, column) for place, row in enumerate(self.rows)}
        return {place: number for place, number in numbers.items() if number is not None}

    def scale_of(self, columns: Sequence[str]) -> tuple[float, float] | None:
        """The scale that the names of the columns of ratings say, or the way in which they are written."""
        told = {scale_of_header(column) or scale_of_rule(self.rule(column)[0]) for column in columns}
        return told.pop() if len(told) == 1 else None


def _columns_beside(column: str, names: Collection[str], roles: Mapping[str, str]) -> dict[str, str]:
    """The columns that say why a score is what it is: those of the metric, else of the row."""
    by_name = {_plain(name): name for name in names}
    bases = [_plain(column), _plain(column).removesuffix("_score").removesuffix("_value")]
    if column.startswith("scores.") and (reason := f"reasons.{column.removeprefix('scores.')}") in names:
        by_name[f"{bases[0]}_reason"] = reason
    beside = {}
    for role in ("status", "error", "reason"):
        words = (role, *NAMES[role])
        named = [by_name[f"{base}_{word}"] for base in bases for word in words if f"{base}_{word}" in by_name]
        if named or role in roles:
            beside[role] = named[0] if named else roles[role]
    return beside


def _plain(column: str) -> str:
    return re.sub(r"[\s_.:-]+", "_", column.casefold())


def _nobody_rated(file: ScoreFile) -> InputError:
    return InputError(
        f"{file.name}: nobody rated in it; name a file of ratings (--ratings FILE), or {_HOW_TO_RATE} (it has "
        f"{quote_names(file.names)})"
    )


def _rater_name(column: str) -> str:
    if usual_name(column) in (*ROLES["rating"], "rating"):
        return RATER
    return rater_of(column) or short_name(column).removeprefix("ratings.")


def _join_raters(by_column: Mapping[str, dict[int, float]], name: str) -> dict[str, dict[int, float]]:
    """The ratings by rater; two columns of one rater are joined. Raises `InputError` where they differ."""
    columns: dict[str, tuple[str, str, dict[int, float]]] = {}
    for column, numbers in by_column.items():
        rater = _rater_name(column)
        first, known, joined = columns.setdefault(rater.casefold(), (column, rater, {}))
        if any(joined.get(place, number) != number for place, number in numbers.items()):
            raise InputError(
                f"{name}: `{first}` and `{column}` are both read as the ratings of {known}; rename one of them, or "
                f"choose one (--rating {quote_word(column)})"
            )
        joined.update(numbers)
    return {known: numbers for _, known, numbers in columns.values()}


def _named_rating_columns(file: ScoreFile, options: ReadOptions) -> list[str]:
    """The columns that the user or their names call ratings; none where neither does."""
    names, roles = file.names, file.roles
    if options.ratings:
        column_by_name = {column: column for column in names}
        column_by_name |= {rater_of(column) or column.removeprefix("ratings."): column for column in names}
        check_patterns(options.ratings, column_by_name, "column of ratings", file.name)
        return [column_by_name[match] for match in match_columns(options.ratings, column_by_name)]
    by_rater = [column for column in names if column.startswith("ratings.") or rater_of(column)]
    is_value = not file.is_long and "value" in roles
    return (
        by_rater + [roles[role] for role in ("rating", "value") if role in roles and (role == "rating" or is_value)][:1]
    )


def _guess_rating_columns(file: ScoreFile, metrics: Collection[str]) -> list[str]:
    """The columns of numbers, where all may be ratings. Raises `InputError` where one is none, or there are none."""
    numeric = [
        column
        for column in file.names
        if column not in file.labels and not is_no_metric(column, file.roles) and file.holds_numbers(column)
    ]
    candidates = [column for column in numeric if not is_known_metric(column) and short_name(column) not in metrics]
    if not candidates and (numeric or file.is_long):
        raise _nobody_rated(file)
    numbers_by_column = [numbers for column in candidates if (numbers := file.rule(column)[0].values())]
    if not numbers_by_column or any(max(numbers) - min(numbers) > _WIDEST_SCALE for numbers in numbers_by_column):
        raise InputError(
            f"{file.name}: which of its columns are ratings? {_HOW_TO_RATE} (it has {quote_names(file.names)})"
        )
    return candidates


def _read_items(file: ScoreFile) -> list[Item]:
    """One item per row. Raises `InputError` for an id that stands twice, and no column tells the versions apart."""
    items = []
    place_by_id: dict[str, str] = {}
    for row in file.rows:
        item = _read_item(row, file)
        if item.id:
            first = place_by_id.setdefault(item.id, row.place)
            if first != row.place:
                problem = (
                    f'"{item.id}" stands at {first} too; keep one of them, give each its own id, or say which column '
                    "names the version that gave the answer (--versions COLUMN)"
                )
                raise file.error(row, file.roles["id"], problem)
        items.append(item)
    return items


def _read_item(row: Row, file: ScoreFile) -> Item:
    roles = file.roles
    contexts: Any = row.values.get(roles.get("retrieved_contexts", ""))
    if isinstance(contexts, str):
        try:
            contexts = cell_values.parse_texts(contexts)
        except ValueError as error:
            raise file.error(row, roles["retrieved_contexts"], str(error)) from None
    name = as_label(row.values.get(roles.get("id", "")))
    version = as_label(row.values.get(file.version, "")) if file.version and name else ""
    question, answer = (row.values.get(roles.get(role, "")) for role in ("user_input", "response"))
    return Item(
        versioned_id(name, version) if version else name,
        row.place,
        question if isinstance(question, str) else "",
        answer if isinstance(answer, str) else "",
        contexts=tuple(str(context) for context in contexts or ()),
        values=row.values,
        reasons=_reasons(row, file),
        version=version,
        question=name if version else "",
    )


def _reasons(row: Row, file: ScoreFile) -> dict[str, str]:
    """The reasons that stand beside scores, by metric."""
    reasons = {
        short_name(metric): row.values.get(columns["reason"])
        for metric, columns in file.beside.items()
        if "reason" in columns and columns["reason"] != file.roles.get("reason")
    }
    return {metric: reason for metric, reason in reasons.items() if isinstance(reason, str) and reason}


def _read_long_rows(file: ScoreFile, *, by: str, value: str) -> tuple[list[Item], dict[str, dict[int, float]]]:
    """Items and columns of long rows. Rows of one item share its id, or where there are no ids its texts."""
    roles = file.roles
    items: list[Item] = []
    number_by_key: dict[str, int] = {}
    reasons: list[dict[str, str]] = []
    columns: dict[str, dict[int, float]] = {}
    place_by_cell: dict[tuple[int, str], str] = {}
    failed: dict[str, list[str]] = {}
    for row in file.rows:
        item = _read_item(row, file)
        key = item.id or f"{item.user_input}\0{item.response}"
        column = as_label(row.values.get(by))
        if key == "\0" or not column:
            missing = roles.get("id", "id") if key == "\0" else by
            raise file.error(row, missing, "is missing; without it nobody knows what was measured")
        number = number_by_key.setdefault(key, len(items))
        if number == len(items):
            items.append(item)
            reasons.append({})
        first = place_by_cell.get((number, column))
        place_by_cell[number, column] = row.place
        if first is not None:
            problem = f"{column} of {item.id or 'this item'} stands at {first} too; keep one of them"
            raise file.error(row, by, problem)
        score = file.number(row, value)
        columns.setdefault(column, {})
        if score is not None and by == roles.get("metric") and file.is_failed(row, value, score):
            failed.setdefault(column, []).append(row.place)
        elif score is not None:
            columns[column][number] = score
        if "reason" in roles and isinstance(reason := row.values.get(roles["reason"]), str):
            reasons[number][column] = reason
    for column, places in failed.items():
        file.tell_failed(column, places)
    return [replace(item, reasons=reason) for item, reason in zip(items, reasons, strict=True)], columns


def _read_scale(
    file: ScoreFile, columns: dict[str, dict[int, float]]
) -> tuple[tuple[float, float] | None, dict[str, dict[int, float]]]:
    """The scale that the rows name, and the ratings; ratings on several scales are brought to 1-5."""
    low_column, high_column = file.roles.get("rating_min"), file.roles.get("rating_max")
    if low_column is None and high_column is None:
        return None, columns
    scales: list[tuple[float, float]] = []
    for row in file.rows:
        low = file.number(row, low_column) if low_column else None
        high = file.number(row, high_column) if high_column else None
        scales.append((1.0 if low is None else low, 5.0 if high is None else high))
        if scales[-1][0] >= scales[-1][1]:
            problem = "is not below rating_max; give a scale such as 1 and 5"
            raise file.error(row, low_column or "rating_min", problem)
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
