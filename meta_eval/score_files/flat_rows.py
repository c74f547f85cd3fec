"""Rows of any file with scores or ratings, their nested objects as dotted columns, and which of these is what."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...eval_sets import cell_values
from ...eval_sets.column_table import ALIASES, ID_ALIASES, NAMES, columns_by_usual_name, criterion_of, rater_of
from ...eval_sets.excel_file import EXCEL_SUFFIXES
from ...eval_sets.json_file import SEVERAL, json_document
from ...eval_sets.logs.test_runs import is_test_run, read_test_run
from ...eval_sets.number_rule import is_missing
from ...eval_sets.parquet_file import find_parquet_files, open_parquet
from ...eval_sets.rows import BadRow, Row
from ...eval_sets.sources import DELIMITED, cannot_read, open_source
from ...name_suggestions import nearest_names, quote_names

# our name -> the names that are read as it where ours is absent, the first of them that there is
ROLES: dict[str, tuple[str, ...]] = {
    "id": ("sample", "item", "item_id", "answer_id", *ID_ALIASES),
    "metric": NAMES["metric"],
    "value": NAMES["value"],
    "rater": NAMES["rater"],
    "rating": tuple(name for name in NAMES["rating"] if name not in {"score", "label"}),
    "rating_min": (),
    "rating_max": (),
    "reason": NAMES["reason"],
    "status": NAMES["status"],
    "error": NAMES["error"],
    **ALIASES,
}
_TEXTS = tuple(ALIASES)
# never a metric, though a number may stand in them
_NO_METRICS = ("id", "rating", "rating_min", "rating_max", *_TEXTS)
_BESIDE = frozenset(name for role in ("reason", "status", "error") for name in (role, *NAMES[role]))
_HOLDERS = ("metadata", "scores", "metrics")
KNOWN = frozenset((*ROLES, *(name for names in ROLES.values() for name in names)))
# metrics of other tools
_LOWER_IS_BETTER = frozenset(
    {
        *("noise_sensitivity", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant"),  # Ragas
        *("harmfulness", "maliciousness"),  # Ragas
        *("hallucination", "toxicity", "bias"),  # DeepEval, Phoenix
        *("hallucination_rate", "error_rate", "perplexity", "latency", "cost"),
        "declined",
    }
)


def find_roles(columns: Iterable[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Finds which column of a file has which role.

    Examples:
        >>> find_roles(["sample", "question", "score"], {})
        {'id': 'sample', 'value': 'score', 'user_input': 'question'}
    """
    present = dict.fromkeys(columns)
    by_name = columns_by_usual_name(present)
    roles: dict[str, str] = {}
    for theirs, ours in mapping.items():
        if ours not in ROLES:
            meant = nearest_names(ours, ROLES)
            raise UsageError(f"map {theirs}={ours}: write one of {quote_names(meant or ROLES)} after the =")
        if theirs in present:
            roles[ours] = theirs
    for role, names in ROLES.items():
        known = (by_name[name] for name in (role, *names) if name in by_name and by_name[name] not in roles.values())
        if role not in roles and (column := next(known, None)) is not None:
            roles[role] = column
    return roles


def short_name(column: str) -> str:
    """A column's name without the object that only holds it: `metadata.published.bleu` is `published.bleu`."""
    first, dot, rest = column.partition(".")
    return rest if dot and first in _HOLDERS else column


def is_no_metric(column: str, roles: Mapping[str, str]) -> bool:
    """Whether a numeric column is known to be something else than a metric's scores."""
    first = column.split(".", maxsplit=1)[0]
    return (
        column in {roles.get(role) for role in _NO_METRICS}
        or column in NAMES["time"]
        or first in {"ratings", "reasons"}
        or re.split(r"[\s_.]", column.casefold())[-1] in _BESIDE
        or bool(rater_of(column) or criterion_of(column))
        or column.startswith(("column ", "Unnamed:"))  # the index that pandas writes
    )


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


def check_patterns(patterns: Iterable[str], columns: Iterable[str], what: str, name: str) -> None:
    """Raises `UsageError` for a pattern that names none of the columns; `what` says what the columns are."""
    listed_columns = list(columns)
    for pattern in patterns:
        if not match_columns([pattern], listed_columns):
            listed = list(dict.fromkeys(map(short_name, listed_columns)))
            meant = nearest_names(pattern, listed)
            hint = f"did you mean {meant[0]}? It" if meant else "it"
            raise UsageError(f"{name}: unknown {what} `{pattern}`; {hint} has {quote_names(listed)}")


def as_label(value: Any) -> str:
    """Writes an id or an attribute as text; an empty text where there is none."""
    if is_missing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def is_known_lower_is_better(metric: str) -> bool:
    """Whether a metric's name says that its lower scores are better.

    Examples:
        >>> is_known_lower_is_better("noise_sensitivity(mode=relevant)"), is_known_lower_is_better("Hallucination")
        (True, True)
        >>> is_known_lower_is_better("faithfulness")
        False
    """
    name = re.split(r"[(\[@]", metric.strip().lower().rpartition(".")[2])[0]
    return name.strip().replace(" ", "_").replace("-", "_") in _LOWER_IS_BETTER


_OBJECT_COLUMNS = ("ratings", "metadata", "scores")  # columns of CSV files whose cells may be JSON objects
_BESIDE_SCORES = ("status", "reason", "evidence", "usage")


def flat_rows(path: Path, sheet: str | None = None, header_row: int | None = None) -> list[Row]:
    """Reads the rows of a file (.csv, .tsv, .xlsx, .jsonl, .json, .parquet) or of a folder or pattern of Parquet files.

    Nested objects become dotted columns (`metadata.group`). A .json file may be a list, an object of columns (pandas),
    an export of DeepEval, or `assay show --json`. `header_row` names the columns of a CSV or Excel file, 0 for none.
    Raises `InputError` with place and cure.
    """
    name = str(path)
    if path.is_dir() or (path.suffix == ".parquet" and (path.exists() or "*" in name)):
        return _parquet_rows(name)
    if path.suffix.lower() == ".json" and path.is_file():
        try:
            document = json_document(path, name)
        except OSError as error:
            raise cannot_read(name, error) from None
        if isinstance(document, dict) and (rows := _of_object(document, name)) is not None:
            return rows
        if document is not SEVERAL and not isinstance(document, list):
            raise InputError(f"{name}: holds no rows; write a list of objects, one per item")
    suffix = path.suffix.lower()
    opened = open_source(
        path,
        sheet=sheet if suffix in EXCEL_SUFFIXES else None,
        header_row=header_row if suffix in (*EXCEL_SUFFIXES, *DELIMITED) else None,
        known=KNOWN,
    )
    rows = []
    for row in opened.rows:
        if isinstance(row, BadRow):
            raise row.error
        rows.append(row._replace(values=flatten(row.values)))
    if not rows:
        raise InputError(f"{name}: the file holds no rows; it should hold one per item")
    return rows


def _parquet_rows(name: str) -> list[Row]:
    """The rows of one or several Parquet files, without what stands beside the scores of `assay run --out FOLDER`."""
    files = find_parquet_files(name) or [name]
    rows = []
    for file in files:
        for row in open_parquet(file, name if len(files) == 1 else file).rows:
            assert isinstance(row, Row)
            values = {column: value for column, value in row.values.items() if not _is_beside_score(column, row.values)}
            place = row.place if len(files) == 1 else f"{Path(file).name}, {row.place}"
            rows.append(Row(row.number, place, flatten(values)))
    if not rows:
        raise InputError(f"{name}: there are no rows in it; it should hold one per item")
    return rows


def _is_beside_score(column: str, values: Mapping[str, Any]) -> bool:
    metric, _, part = column.rpartition(".")
    return part in _BESIDE_SCORES and metric in values


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turns nested objects of a row into dotted columns; lists stay as they are.

    Examples:
        >>> flatten({"id": "a", "metadata": {"group": "p1"}})
        {'id': 'a', 'metadata.group': 'p1'}
    """
    return dict(_flat(values, ""))


def _of_object(document: dict[str, Any], name: str) -> list[Row] | None:
    """The rows of an object that is not a list of rows; None where its form is unknown."""
    if is_test_run(document):
        cases = list(read_test_run(document))
        if not any(case.get("scores") for case in cases):
            raise InputError(f"{name}: there are no metrics in its test cases; evaluate them first")
        return [Row(number, f"test case {number}", flatten(case)) for number, case in enumerate(cases, 1)]
    for key in ("scores", "samples", "rows", "data"):
        if isinstance(document.get(key), list) and all(isinstance(row, dict) for row in document[key]):
            return [Row(number, f"{key} {number}", flatten(row)) for number, row in enumerate(document[key], 1)]
    columns = [column for column in document.values() if isinstance(column, dict)]
    if not columns or len(columns) < len(document):
        return None
    keys = dict.fromkeys(key for column in columns for key in column)  # pandas: column -> index -> value
    return [
        Row(number, f"row {key}", flatten({title: column.get(key) for title, column in document.items()}))
        for number, key in enumerate(keys, 1)
    ]


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        column = f"{prefix}{key}"
        if isinstance(value, str) and key in _OBJECT_COLUMNS and value.lstrip().startswith("{"):
            with suppress(ValueError):
                value = cell_values.parse_structure(value)  # noqa: PLW2901
        if isinstance(value, Mapping):
            yield from _flat(value, f"{column}.")
        else:
            yield column, value
