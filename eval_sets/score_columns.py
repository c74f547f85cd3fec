"""The rows of a file of scores or ratings: its options, its items, and the numbers of its columns."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ..errors import InputError, UsageError
from ..name_suggestions import nearest_names, quote_names
from ..number_bounds import LARGEST_NUMBER
from ..text.wording import count_of, list_first
from . import cell_values
from .column_roles import RatingColumn, find_version
from .column_table import (
    ALIASES,
    GENERAL_NAMES,
    NAMES,
    ROLES,
    Raters,
    criterion_of,
    find_raters,
    find_roles,
    is_failed_status,
    is_known_metric,
    is_mean_rating,
    is_of_all_raters,
    is_of_raters,
    plain_name,
    rater_of,
    reason_rater,
    says_failure,
    split_failure_column,
    usual_name,
)
from .columns import check_names, describe_left_out, explain_no_item, is_rater, read_raters, reason_to_leave_out
from .items import RATER, Item, as_label, read_version, versioned_id
from .levels import RatedLevel
from .logs.score_rows import LongColumns, join_rows
from .number_rule import Bounds, ColumnCells, NumberRule
from .rows import BadRow, Row

REPEATED = (
    "keep one of them, give each its own id, or say which column names the version that gave the answer "
    "(--versions COLUMN), or who rated it (--map COLUMN=rater)"
)
# never a metric, though a number may stand in them
_NO_METRICS = {"rating", "rating_min", "rating_max", *ROLES["rating"], *NAMES["time"]}
_BESIDE = frozenset(name for role in ("reason", "status", "error") for name in (role, *NAMES[role]))
_HOLDERS = ("metadata", "scores", "metrics")
_OF_SCORES = {"evidence", "usage"}  # what `assay run --out FOLDER` keeps of each score


@dataclass(frozen=True)
class ReadOptions:
    """How files of scores and ratings are read: what a user may say where the columns' names do not."""

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
    scale: Bounds | None = None  # the lowest and the highest rating; None where the files say it
    sheet: str | None = None  # the sheet of Excel files
    header_row: int | None = None  # the row of CSV and Excel files that names the columns, 0 for none; None to find it
    level: RatedLevel | None = None  # whether runs are read by conversation or by turn; None for what is rated
    versions: str | None = None  # the attribute that says which version gave an answer; None for `system`

    @property
    def labels(self) -> frozenset[str]:
        """The columns that hold labels of items and so no scores, though the labels may be numbers."""
        names = {"group", "language", "message_type", *self.by, *filter(None, (self.group, self.versions))}
        return frozenset(names | {f"metadata.{name}" for name in names})


def short_name(column: str) -> str:
    """A column's name without the object that only holds it: `metadata.published.bleu` is `published.bleu`."""
    first, dot, rest = column.partition(".")
    return rest if dot and first in _HOLDERS else column


def match_columns(patterns: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Returns the columns that the patterns name, in the patterns' order.

    Examples:
        >>> match_columns(["bleu", "scores.*"], ["scores.a", "scores.b", "metadata.bleu"])
        ['metadata.bleu', 'scores.a', 'scores.b']
    """
    listed = list(columns)
    matches: dict[str, None] = {}
    for pattern in patterns:
        if pattern in listed:  # a name may hold a bracket or a star
            matches[pattern] = None
        else:
            named = [
                column for column in listed if any(fnmatchcase(name, pattern) for name in (column, short_name(column)))
            ]
            matches |= dict.fromkeys(named)
    return list(matches)


def check_patterns(
    patterns: Iterable[str], columns: Iterable[str], what: str, name: str, likely: Collection[str] = ()
) -> None:
    """Raises `UsageError` for a pattern that names none of the columns; `what` says what the columns are.

    Where there are `likely` ones, the message lists only these.
    """
    listed_columns = list(columns)
    for pattern in patterns:
        if not match_columns([pattern], listed_columns):
            listed = list(dict.fromkeys(map(short_name, likely or listed_columns)))
            meant = nearest_names(pattern, listed)
            hint = f"did you mean {meant[0]}? It" if meant else "it"
            raise UsageError(f"{name}: unknown {what} `{pattern}`; {hint} has {quote_names(listed)}")


class ScoreFile:
    """The rows of one file, and what of its columns only all of them tell."""

    def __init__(self, rows: Sequence[Row], name: str, options: ReadOptions, repeated: str = REPEATED) -> None:
        self.name, self.repeated, self.notes = name, repeated, list[str]()
        mapping = read_raters(options.mapping)
        if raters := {theirs: ours for theirs, ours in mapping.items() if is_rater(ours)}:
            mapping = {theirs: ours for theirs, ours in mapping.items() if theirs not in raters}
            rows = [
                row._replace(values={raters.get(column, column): cell for column, cell in row.values.items()})
                for row in rows
            ]
        self.names = list(dict.fromkeys(column for row in rows for column in row.values))
        self.labels, self.mapping = options.labels, mapping
        check_names(mapping, ROLES)
        self.roles = find_roles(self.names, mapping)
        self.rows = self._of_items(rows)
        self._rules: dict[str, ColumnCells] = {}
        self.items: list[Item] = []  # one per row
        # the columns of scores or ratings that were joined, by metric or rater, and the column that they were in
        self.joined, self.value = dict[str, str](), ""
        self.reasons: dict[int, dict[str, str]] = {}  # of the scores of each item, by metric
        self._failed_words = self._statuses_of_failure()
        self.has_raters = "rater" in self.roles and bool({"rating", "value"} & self.roles.keys())
        part = self.roles.get("metric" if self.is_long else "rater" if self.has_raters else "", "")
        self.version = find_version(self.rows, self.names, self.roles.get("id", "id"), part, options.versions or "")

    @property
    def is_long(self) -> bool:
        """Whether a row is one score, with the name of its metric."""
        return {"metric", "value"} <= self.roles.keys()

    @property
    def raters(self) -> Raters:
        """The columns that are called as those of raters."""
        return find_raters(tuple(self.names))

    def tell(self, note: str) -> None:
        """Notes what the user should know."""
        self.notes.append(f"{self.name}: {note}")

    def error(self, row: Row, column: str, problem: str) -> InputError:
        """The error of one cell: file, line, field, and what is wrong with its cure."""
        place = row.part(column).place
        return InputError(f"{self.name}, {place}, field {self.origin(column)}: {problem}")

    def _of_items(self, rows: Sequence[Row]) -> list[Row]:
        """The rows without those that are of no item; where none has a name they are told apart by their order."""
        texts = {role: self.roles.get(role, "") for role in ("user_input", "response")}
        names = [self.roles[role] for role in ("id", "user_input", "response", "metric", "rater") if role in self.roles]
        reasons = dict[str, str]()
        for row in rows:
            fields = {role: row.values.get(text) or "" for role, text in texts.items()}
            is_of_set = texts.keys() <= self.roles.keys() and str(fields["response"]).strip()  # else its id names it
            reasons[row.place] = (reason_to_leave_out if is_of_set else explain_no_item)(row.values, fields)
        of_items = [row for row in rows if not reasons[row.place]]
        unnamed = [row.place for row in of_items if not any(as_label(row.values.get(column)) for column in names)]
        reasons |= dict.fromkeys(unnamed, "names no item") if len(unnamed) < len(of_items) else {}
        for reason in dict.fromkeys(filter(None, reasons.values())):
            self.tell(describe_left_out([place for place, why in reasons.items() if why == reason], reason))
        return [row for row in rows if not reasons[row.place]]

    def rule(self, column: str) -> tuple[ColumnCells, NumberRule]:
        """The cells of a column, and how they are read as numbers."""
        if column not in self._rules:
            cells = self._rules[column] = ColumnCells()
            for row in self.rows:
                cells.add(row.values.get(column), row.part(column).place)
        return self._rules[column], self._rules[column].rule()

    def holds_numbers(self, column: str) -> bool:
        """Whether most of what stands in a column is a number: then what is none is a mistake, not a text."""
        cells, rule = self.rule(column)
        is_own = rule.labels and not ({*rule.labels} <= {"true", "false"})
        return not is_own and (len(cells.values()) > cells.count_unread() or bool(cells.find_unclear()))

    def number(self, row: Row, column: str, rule: NumberRule | None = None) -> float | None:
        """The number in a cell; None where there is none. Raises `InputError` with the place of the cell."""
        try:
            number = (rule or self.rule(column)[1]).read(row.values.get(column))
            if number is not None and abs(number) > LARGEST_NUMBER:
                raise ValueError(f"is larger than {LARGEST_NUMBER:g}; write it in a larger unit, or leave it empty")
        except ValueError as error:
            raise self.error(row, column, str(error)) from None
        return number

    def join_rows(self, role: str, value: str) -> None:
        """Joins the rows with one score of a metric, or one rating of a rater, each: one column per metric or rater.

        Raises `InputError` for a row that does not say what was measured, or says it twice.
        """
        by = self.roles[role]
        for row in self.rows:
            if not (name := as_label(row.values.get(by))) or self._key(row.values) is None:
                missing = self.roles.get("id", "id") if name else by
                raise self.error(row, missing, "is missing; without it nobody knows what was measured")
        long = LongColumns("ratings" if role == "rater" else "scores", by, value, frozenset((by, value)))
        rows = list[Row]()
        for joined in join_rows(self.rows, long, self._key, self.name, self.repeated):
            if isinstance(joined, BadRow):
                raise joined.error
            by_name = joined.values.pop(long.field)
            self.joined |= {name: f"{long.field}.{name}" for name in by_name}
            joined.values.update({self.joined[name]: value for name, value in by_name.items()})
            rows.append(joined)
        self.rows, self.value = sorted(rows, key=lambda row: row.number), value
        self.names = list(dict.fromkeys(column for row in rows for column in row.values))

    def _key(self, values: Mapping[str, Any]) -> str | None:
        """What the rows of one item have in common: its id, else its texts; None where it has neither."""
        if name := as_label(values.get(self.roles.get("id", ""))):
            return f"{name}\0{self._version(values)}"
        cells = (values.get(self.roles.get(role, "")) for role in ("user_input", "response"))
        texts = [cell if isinstance(cell, str) else "" for cell in cells]
        return "\0\0".join(texts) if any(texts) else None

    def _version(self, values: Mapping[str, Any]) -> str:
        return as_label(read_version(values, self.version)) if self.version else ""

    def origin(self, column: str) -> str:
        """The column of the file that a column was read from."""
        return self.value if column in self.joined.values() else column

    def read_items(self) -> None:
        """Reads the items, one per row. Raises `InputError` where two have one id."""
        places: dict[str, str] = {}
        for row in self.rows:
            item = self._item(row)
            if item.id and (first := places.setdefault(item.id, row.place)) != row.place:
                raise self.error(row, self.roles["id"], f'"{item.id}" stands at {first} too; {self.repeated}')
            self.items.append(item)

    def _item(self, row: Row) -> Item:
        roles = self.roles
        contexts: Any = row.values.get(roles.get("retrieved_contexts", ""))
        if isinstance(contexts, str):
            try:
                contexts = cell_values.parse_texts(contexts)
            except ValueError as error:
                raise self.error(row, roles["retrieved_contexts"], str(error)) from None
        name = as_label(row.values.get(roles.get("id", "")))
        version = self._version(row.values) if name else ""
        question, answer = (row.values.get(roles.get(role, "")) for role in ("user_input", "response"))
        return Item(
            versioned_id(name, version) if version else name,
            row.place,
            question if isinstance(question, str) else "",
            answer if isinstance(answer, str) else "",
            contexts=tuple(str(context) for context in contexts or ()),
            values=row.values,
            version=version,
            question=name if version else "",
        )

    def keep_one_row(self, rules: Mapping[str, NumberRule]) -> None:
        """Keeps one row per item, where each row is one score or one rating of it, with the item's numbers in other
        columns, by their rules.

        Raises `InputError` for an item whose rows have different numbers there.
        """
        kept: dict[str, Row] = {}
        for row in self.rows:
            key = self._key(row.values) or row.place
            first = kept.setdefault(key, row)
            for column, rule in rules.items():
                number, known = (self.number(one, column, rule) for one in (row, first))
                if number is not None and known is None:
                    values = first.values | {column: row.values[column]}
                    first = kept[key] = first._replace(values=values, parts={**first.parts, column: row})
                elif number is not None and number != known:
                    other = f"and of the same answer {known:g} at {first.part(column).place}; correct one of them"
                    raise self.error(row, column, f"is {number:g}, {other}")
        self.rows = list(kept.values())

    def numbers(self, column: str, rule: NumberRule) -> dict[int, float]:
        """The numbers of a column by item."""
        cells = ((number, self.number(row, column, rule)) for number, row in enumerate(self.rows))
        return {number: value for number, value in cells if value is not None}

    def scores(self, metric: str) -> dict[int, float]:
        """The scores of a metric by item, without those that are no measurements; and their reasons."""
        column = self.joined.get(metric, metric)
        signs = self._find_signs(self.origin(column))
        reason = next((name for name, role, is_of_metric in signs if role == "reason" and is_of_metric), "")
        scores, failed = dict[int, float](), list[str]()
        for number, row in enumerate(self.rows):
            if metric in self.joined and column not in row.parts:
                continue
            part, score = row.part(column), self.number(row, column)
            if score is not None and self._is_failed(part, signs, score):
                failed.append(part.place)
            elif score is not None:
                scores[number] = score
            if isinstance(text := part.values.get(reason), str) and text:
                self.reasons.setdefault(number, {})[short_name(metric)] = text
        if failed:
            count = count_of(len(failed), "score")
            self.tell(f"{count} of {short_name(metric)} missing, as the metric failed there: {list_first(failed, 5)}")
        return scores

    def _find_signs(self, column: str) -> list[tuple[str, str, bool]]:
        """The columns that may say that a metric failed, each with its role, and whether it is of this metric alone.

        Those of a row are of no column alone, and of no person's ratings; in rows of one score each they are of that.
        """
        base = plain_name(column)
        bases = {base, base.removesuffix("_score"), base.removesuffix("_value")}
        taken = {self.roles.get(role) for role in ("id", "metric", "rater", *ALIASES)}
        columns = {plain_name(name).removesuffix("_score") for name in self.names}
        is_rated = "rating" in self.roles or bool(self.raters.names)
        signs = []
        for name in self.names:
            base, word = split_failure_column(name)
            role = next((role for role in ("status", "error") if word in (role, *NAMES[role])), "reason")
            is_own = base in bases or name == f"reasons.{column.removeprefix('scores.')}"
            is_of_row = self.roles.get(role) == name
            is_of_another = base in columns or is_known_metric(base) or base in _NO_METRICS
            is_of_another = is_of_another or (is_rated and reason_rater(name) is not None)
            if (word or is_own) and name not in taken and (is_own or is_of_row or not is_of_another):
                kind = role if is_own or is_of_row else "reason"
                signs.append((name, kind, is_own or (is_of_row and "metric" in self.roles)))
        own = {role for _, role, is_own in signs if is_own and role != "reason"}
        return [sign for sign in signs if sign[2] or sign[1] not in own]

    def _is_failed(self, row: Row, signs: Sequence[tuple[str, str, bool]], number: float) -> bool:
        """Whether a number stands for a metric that failed: by its status or error, or the reason of a 0."""
        for name, role, is_of_metric in signs:
            if role == "reason":
                says = number <= 0 and says_failure(as_label(row.values.get(name)))
            else:
                cell = as_label(row.values.get(name)).casefold()
                says = cell in self._failed_words if role == "status" else cell not in {"", "false", "0"}
            if says and (number <= 0 or is_of_metric):
                return True
        return False

    def _statuses_of_failure(self) -> frozenset[str]:
        """The statuses in it that say that there is no score; `failed` beside `passed` is a verdict on one."""
        columns = [column for column in self.names if split_failure_column(column)[1] == "status"]
        words = {as_label(row.values.get(column)).casefold() for row in self.rows for column in columns}
        verdicts = {"failed", "fail"} if words & {"pass", "passed"} else set[str]()
        return frozenset(word for word in words - verdicts if is_failed_status(word))

    def is_no_metric(self, column: str) -> bool:
        """Whether a numeric column is known to be something else than a metric's scores."""
        parts = column.split(".")
        return (
            column in {self.roles.get(role) for role in ("id", "rating", "rating_min", "rating_max", *ALIASES)}
            or usual_name(column.removeprefix("metadata.")) in _NO_METRICS
            or parts[0] in {"ratings", "reasons"}
            or not _OF_SCORES.isdisjoint(parts)
            or re.split(r"[\s_.]", column.casefold())[-1] in _BESIDE
            or (bool(rater_of(column)) and column not in self.raters.programs)
            or bool(criterion_of(column) or is_of_raters(column) or is_mean_rating(column))
            or (bool(self.raters.names) and is_of_all_raters(column))
            or column.startswith(("column ", "Unnamed:"))  # the index that pandas writes
        )

    def metric_candidates(self, excluded: Collection[str]) -> list[str]:
        """The columns that may be metrics' by their names, but for the excluded."""
        names = (column for column in self.names if not self.is_no_metric(column) and column not in excluded)
        return list(self.joined) or list(names)

    def metrics_beside(self, read: Collection[str]) -> list[str]:
        """The columns of numbers that are metrics' where others are read as ratings."""
        return [column for column in self.metric_candidates({*read, *self.labels}) if self.holds_numbers(column)]

    def tell_reading(self, raters: Mapping[str, str], metrics: Sequence[str]) -> None:
        """Notes which columns are read as ratings, of whom, and which as metrics, where a name does not say it."""
        by = self.roles.get("rater", "rater")
        fields = {self.value: "rating", by: "rater"} if self.joined else {}
        fields |= {
            column: "rating" if rater == RATER or usual_name(column) in GENERAL_NAMES else f"ratings.{rater}"
            for column, rater in raters.items()
            if column not in self.joined.values()
        }
        if renamed := [f"{column} as {name}" for column, name in fields.items() if name != column]:
            of_metrics = f"; as metrics {list_first(metrics)}" if metrics else ""
            self.tell(f"read {list_first(renamed)} (change with --map){of_metrics}")

    def tell_ratings(self, read: Sequence[RatingColumn], unused: Mapping[str, str]) -> None:
        """Notes which cells of the columns hold no rating, how labels are read, and what other ratings there are."""
        by_origin: dict[str, list[RatingColumn]] = {}
        for column in read:
            by_origin.setdefault(self.origin(column.name), []).append(column)
        for origin, columns in by_origin.items():
            empty = [
                (row.part(column.name), row.values[column.name])
                for column in columns
                for row in self.rows
                if column.rule.says_none(row.values.get(column.name))
            ]
            if empty:
                cells = [f'{row.place} "{cell}"' for row, cell in sorted(empty, key=lambda found: found[0].number)]
                self.tell(f"{count_of(len(cells), 'cell')} of {origin} without a rating: {list_first(cells)}")
            for (low, high), described in dict.fromkeys((one.scale[:2], one.rule.describe()) for one in columns):
                if described:
                    self.tell(f"read {origin} as ratings from {low:g} to {high:g}, {described}")
        if others := [f"{column} ({why})" for column, why in unused.items() if self.holds_numbers(column)]:
            self.tell(f"not read as ratings: {', '.join(others)}")
