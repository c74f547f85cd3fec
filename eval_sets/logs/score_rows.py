"""Rows of scores or ratings, several of one answer: the answers, each once, with what was given to it by name."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import InputError
from ...text.wording import count_of, list_first
from ..column_roles import find_version
from ..column_table import (
    JUDGES,
    NAMES,
    columns_by_usual_name,
    find_roles,
    is_known_metric,
    is_missing,
    is_of_program,
    plain_name,
    sums_up_raters,
)
from ..columns import is_no_answer
from ..items import as_label, read_version
from ..rows import BadRow, Repeatable, Row, Rows, group_rows
from ..sample import FILE

_OF_SCORES = ("metric", "value", "reason", "status", "error")
_BESIDE_SCORES = {"evidence", "usage"}  # of `Results.save`
_REPEATED = "keep one of them, or if these are several answers give each its own id"
_OF_PROGRAMS = "program_ratings"  # the key of the metadata with what programs gave where people are raters
_OF_SEVERAL = "summed_ratings"  # that with what rows say that sum up the raters
_NO_PEOPLE: dict[
    str, tuple[Callable[[str], bool], str]
] = {  # whose ratings are no person's, by the key that they are kept under, and what is said of them
    _OF_PROGRAMS: (lambda name: is_of_program(name) or is_known_metric(name), "of a program"),
    _OF_SEVERAL: (sums_up_raters, "summing up the raters"),
}


class LongColumns(NamedTuple):
    """The columns of rows that are one score, or one rating, each."""

    field: str  # what becomes of them: `scores` by metric, or `ratings` by rater
    name: str  # the column that names the metric or the rater
    value: str
    used: frozenset[str]  # all columns that are no answer's
    id: str = ""  # the column `sample`, which names the answer here; in rows of samples it may be anything
    version: str = ""  # the column that tells apart the answers of versions to the question of one id
    group: str = ""  # the column that names the conversation of several answers


def find_long_columns(opened: Rows, first: Mapping[str, Any], mapping: Mapping[str, str]) -> LongColumns | None:
    """Finds the columns of rows that are a score of a metric, or a rating of a rater where answers have several, or
    where some rater is a program. Where all raters, or judges, are called as metrics, their ratings are scores.

    `first` has the columns of the first rows, for a file that does not name them before its rows.
    """
    names: Iterable[str] = opened.columns or first
    columns = find_roles(names, mapping)
    if opened.columns is None and "rater" in columns and not {"rating", "value"} & columns.keys():
        # JSON may leave out what is null: the first rows then may have no rating
        names = dict.fromkeys(column for row in opened.rows if isinstance(row, Row) for column in row.values)
        columns = find_roles(names, mapping)
    if {"metric", "value"} <= columns.keys() and "rater" not in columns:
        name = "sample" if columns.get("id") == "sample" and "sample" not in mapping else ""
        used = frozenset(columns[role] for role in _OF_SCORES if role in columns)
        if name:
            used |= _BESIDE_SCORES - mapping.keys()
        version = find_version(opened.rows, names, columns.get("id", "id"), columns["metric"])
        return LongColumns("scores", columns["metric"], columns["value"], used, name, version)
    value = columns.get("rating") or columns.get("value")
    judge = next((column for column in names if plain_name(column) in JUDGES and column not in mapping), "")
    rater = columns.get("rater") or judge
    if not (rater and value) or "metric" in columns or "ratings" in names:
        return None
    version = find_version(opened.rows, names, columns.get("id", "id"), rater)
    has_groups = "group" in {*names, *mapping.values()}
    conversation = "" if has_groups else find_roles(names, mapping, "turns").get("conversation", "")
    answers: dict[int, str] = {}  # the first of each conversation, by the hash of its name
    keys, labels, is_repeated, group = set[str](), set[str](), False, ""
    for row in opened.rows:
        if not isinstance(row, Row) or not (label := as_label(row.values.get(rater))):
            continue
        labels.add(label)
        key = _key(row.values, mapping, version)
        is_repeated |= key in keys
        if key is not None:
            keys.add(key)
            name = as_label(row.values.get(conversation))
            group = conversation if name and answers.setdefault(hash(name), key) != key else group
    used = frozenset((rater, value))
    if labels and rater not in mapping and all(map(is_known_metric, labels)):
        return LongColumns("scores", rater, value, used, version=version)
    are_people = [not any(is_kind(label) for is_kind, _ in _NO_PEOPLE.values()) for label in labels]
    if "rater" in columns and (is_repeated or any(map(is_of_program, labels)) or {*are_people} == {True, False}):
        return LongColumns("ratings", rater, value, used, version=version, group=group)
    return None


def join_rows(
    rows: Iterable[Row | BadRow],
    long: LongColumns,
    key: Callable[[Mapping[str, Any]], str | None],
    name: str,
    cure: str,
    *,
    sizes: Counter[int] | None = None,
) -> Iterator[Row | BadRow]:
    """Yields one row per answer, in the order of their first rows, with what was given to it by name.

    `key` is what the rows of one answer have in common, `name` the file's, and `cure` what to do about a metric or a
    rater that stands twice with one answer; `sizes` as for `group_rows`. The `parts` of a row are those of
    `scores.METRIC`, or of `ratings.RATER`, and of columns that are empty in the first row.
    """
    spelled: dict[str, str] = {}
    for group in group_rows(rows, key, sizes):
        if isinstance(group, BadRow):
            yield group
            continue
        by_name: dict[str, Any] = {}
        parts: dict[str, Row] = {}
        for row in group:
            label = as_label(row.values.get(long.name))
            if long.field == "ratings":  # a rater is one person, in whatever letters
                label = label or ("" if is_missing(row.values.get(long.value)) else FILE)
                label = spelled.setdefault(label.casefold(), label)
            if not label:
                continue
            if (first := parts.setdefault(f"{long.field}.{label}", row)) is row:
                by_name[label] = row.values.get(long.value)
            else:
                problem = f"{label} stands at {first.place} too, with this answer; {cure}"
                yield BadRow(row.number, InputError(f"{name}, {row.place}, field {long.name}: {problem}"))
        own = {column: value for column, value in group[0].values.items() if column not in long.used}
        for row in group[1:]:
            for column, value in row.values.items():
                if column not in long.used and is_missing(own.get(column)) and not is_missing(value):
                    own[column], parts[column] = value, row
        yield group[0]._replace(values=own | {long.field: by_name}, parts=parts)


def join_long_rows(opened: Rows, long: LongColumns, mapping: Mapping[str, str]) -> Rows:
    """Joins the rows of each answer; its scores are kept in the metadata, its ratings are those of its raters."""
    names: dict[str, None] = {}
    differing, places, sizes = Counter[str](), list[str](), Counter[int]()
    no_people = {kind: Counter[str]() for kind in _NO_PEOPLE}
    counts = {"answers": 0, "rows": 0}
    ids = {theirs: ours for theirs, ours in ((long.id, "id"), (long.group, "group")) if theirs}

    def key(values: Mapping[str, Any]) -> str | None:
        return _key(values, mapping, long.version)

    def rows() -> Iterator[Row | BadRow]:
        counts.update(answers=0, rows=0)
        places.clear()
        for counted in (*no_people.values(), differing):
            counted.clear()
        for row in join_rows(opened.rows, long, key, opened.name, _REPEATED, sizes=sizes):
            if not isinstance(row, Row):
                yield row
                continue
            values, given = row.values, row.values[long.field]
            if not is_no_answer(values, mapping):
                counts.update(answers=counts["answers"] + 1, rows=counts["rows"] + len(given))
            for kind, (is_kind, _) in _NO_PEOPLE.items() if long.field == "ratings" else ():
                if theirs := {name: given.pop(name) for name in list(given) if is_kind(name)}:
                    no_people[kind].update(theirs.keys())
                    values[kind] = theirs
            names.update(dict.fromkeys(row.values[long.field]))
            others = _find_others(row, long)
            rating = find_roles(row.values, mapping).get("rating", "") if long.field == "scores" else ""
            if rating in others:
                problem = f"differs from that of the same answer at {row.part(rating).place}; correct one of them"
                place = f"{others[rating].place}, field {rating}"
                yield BadRow(row.number, InputError(f"{opened.name}, {place}: {problem}"))
                continue
            differing.update(others.keys())
            places.extend(other.place for other in list(others.values())[:1])
            yield row._replace(values={ids.get(name, name): value for name, value in row.values.items()})

    def notes() -> list[str]:
        answers, read = count_of(counts["answers"], "answer"), count_of(counts["rows"], "row")
        listed = list_first(list(names), 5) or "no person"
        what = (
            f"{read} with one rating each, of {answers}: {long.value} as ratings by {long.name} ({listed})"
            if long.field == "ratings"
            else f"{read} with one score each, of {answers}: {listed} are the scores of metrics and not ratings, kept "
            "in the metadata; assay meta --scores compares them with ratings"
        )
        left_out = [
            f"{_NO_PEOPLE[kind][1]}, and kept in the metadata as {kind} (give a person another name): "
            + list_first([f"{name} ({count:,})" for name, count in counted.items()])
            for kind, counted in no_people.items()
            if counted
        ]
        listed = list_first([f"{name} ({count_of(count, 'answer')})" for name, count in differing.items()])
        first = f"rows of one answer differ in {listed}, and its first row's is kept: {list_first(places, 5)}"
        notes = [what, *left_out, *([first] if differing else [])]
        return [f"{opened.name}: {note}" for note in notes]

    renamed = {theirs: ours for theirs, ours in mapping.items() if theirs in long.used} | ids
    columns = None
    if opened.columns is not None:
        columns = (*(ids.get(column, column) for column in opened.columns if column not in long.used), long.field)
    return replace(
        opened,
        rows=Repeatable(rows),
        columns=columns,
        made=frozenset((long.field, *_NO_PEOPLE)),
        origins={**opened.origins, **{ours: theirs for theirs, ours in renamed.items()}, long.field: long.value},
        late_notes=notes,
    )


def _find_others(joined: Row, long: LongColumns) -> dict[str, Row]:
    """The columns in which a row of an answer differs from what the joined row says, each with the first such row."""
    others: dict[str, Row] = {}
    for row in {part.number: part for part in joined.parts.values() if part.number != joined.number}.values():
        for column in row.values.keys() - long.used - others.keys():
            value, kept = row.values[column], joined.values[column]
            if value != kept and not is_missing(value) and not _is_same_number(value, kept):
                others[column] = row
    return {column: others[column] for column in joined.values if column in others}


def _is_same_number(*values: Any) -> bool:
    with suppress(ValueError, TypeError):
        return len({float(value) for value in values}) == 1
    return False


def _key(values: Mapping[str, Any], mapping: Mapping[str, str], version: str) -> str | None:
    """What the rows of one answer have in common: its id, its texts, and the version that gave it.

    `version` is the column that tells versions apart where rows have ids; without an id each of a usual name does.
    """
    roles = find_roles(values, mapping)
    cells = [values.get(roles.get(role, "")) for role in ("id", "user_input", "response")]
    name, question, answer = ["" if is_missing(cell) else str(cell).strip() for cell in cells]
    if not name:
        by_name = columns_by_usual_name(values)
        version = next((by_name[name] for name in NAMES["version"] if name in by_name), "")
    label = read_version(values, version) if version else ""
    return "\0".join([name, question, answer, label]) if question or answer else None
