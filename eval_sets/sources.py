"""Where a set is (a file, a bundled set, a public one), and the format that it is in; flat rows of files of scores."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..regular_files import check_regular
from . import cell_values
from .columns import known_columns
from .excel_file import EXCEL_SUFFIXES, open_excel
from .parquet_file import open_parquet
from .public.set_facts import PREFIX, is_public, parse_name, public_sets
from .public.set_files import is_downloaded
from .public.set_rows import open_public
from .rows import BadRow, Row, Rows
from .text_files import open_csv, open_json, open_jsonl

_BUNDLED_SUFFIX = ".jsonl"
DELIMITED = (".csv", ".tsv", ".txt")


_OPENERS: Mapping[str, Callable[[Path, str], Rows]] = {
    ".jsonl": open_jsonl,
    ".ndjson": open_jsonl,
    ".json": open_json,
    ".parquet": open_parquet,
}
SUFFIXES = (*_OPENERS, *DELIMITED, *EXCEL_SUFFIXES)


def is_to_download(source: str) -> bool:
    """Whether a source is a public set that is not on this machine yet."""
    return is_public(source) and not Path(source).exists() and not is_downloaded(parse_name(source).facts)


def open_source(
    source: str | Path,
    *,
    sheet: str | None = None,
    header_row: int | None = None,
    known: Collection[str],
) -> Rows:
    """Opens what a source names: a file if there is one, else a bundled set or a public one."""
    name, path = str(source), Path(source).expanduser()
    try:
        if path.is_dir():
            if any(path.glob("*.parquet")):  # of `assay run --out FOLDER`
                _no_sheet(name, sheet)
                return open_parquet(path, name)
            listed = quote_names(sorted(entry.name for entry in path.iterdir()))
            raise InputError(f"{name}: is a folder; name a file in it: {listed}")
        if path.exists():
            if not path.is_file():
                check_regular(path, name)
            return _open_file(path, name, sheet, header_row, known)
    except OSError as error:
        raise cannot_read(name, error) from None
    if not isinstance(source, Path):
        if name in bundled_sets():
            # the package is installed as files, so that the path outlives the context
            with as_file(bundled_file(name)) as file:
                return open_jsonl(file, name)
        if is_public(name):
            return open_public(name)
    raise _not_found(name, path)


def cannot_read(name: str, error: OSError) -> InputError:
    """The system's refusal to read a file, as an error with its cure."""
    return InputError(f"{name}: cannot be read ({error.strerror or error}); check the name and the file's permissions")


def _open_file(path: Path, name: str, sheet: str | None, header_row: int | None, known: Collection[str]) -> Rows:
    suffix = path.suffix.lower()
    if header_row is not None and suffix not in (*DELIMITED, *EXCEL_SUFFIXES):
        raise InputError(f"{name}: only CSV and Excel files have a row of names; leave out the header row {header_row}")
    if suffix in EXCEL_SUFFIXES:
        opened = open_excel(path, name, sheet, header_row, known)
    else:
        _no_sheet(name, sheet)
        if suffix in DELIMITED:
            opened = open_csv(path, name, known, header_row)
        elif suffix in _OPENERS:
            opened = _OPENERS[suffix](path, name)
        else:
            raise InputError(
                f"{name}: files `{suffix}` are not supported; save the set as one of {quote_names(SUFFIXES)}"
            )
    return replace(opened, folder=path.parent)


def _no_sheet(name: str, sheet: str | None) -> None:
    if sheet is not None:
        raise InputError(f"{name}: has no sheets, only Excel files do; leave out the sheet `{sheet}`")


def _not_found(name: str, path: Path) -> InputError:
    folder = path.parent
    try:
        names_in_folder = [
            entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES or entry.is_dir()
        ]
    except OSError:
        return InputError(f"{name}: there is no such file, nor a folder `{folder}`; correct the path")
    suggestions = [str(folder / nearest) for nearest in nearest_names(path.name, names_in_folder, at_most=3)]
    suggestions += nearest_names(path.stem, bundled_sets(), at_most=2)
    suggestions += [f"{PREFIX}{name}"] if name in public_sets() else []
    cure = f"correct the path, or name a bundled set: {quote_names(bundled_sets())}"
    hint = f"did you mean {quote_names(suggestions)}?" if suggestions else cure
    return InputError(f"{name}: there is no such file or folder; {hint}")


_OBJECT_COLUMNS = ("ratings", "metadata", "scores")  # columns of CSV files whose cells may be JSON objects


def flat_rows(path: Path, sheet: str | None = None, header_row: int | None = None) -> list[Row]:
    """Reads the rows of a file (.csv, .tsv, .xlsx, .jsonl, .json, .parquet).

    Nested objects become dotted columns (`metadata.group`). A .json file may be a list, an object of columns (pandas),
    an export of DeepEval or promptfoo, or `assay show --json`. `header_row` names the columns of a CSV or Excel file,
    0 for none. Raises `InputError` with place and cure.
    """
    suffix = path.suffix.lower()
    opened = open_source(
        path,
        sheet=sheet if suffix in EXCEL_SUFFIXES else None,
        header_row=header_row if suffix in (*EXCEL_SUFFIXES, *DELIMITED) else None,
        known=known_columns({}),
    )
    rows = []
    for row in opened.rows:
        if isinstance(row, BadRow):
            raise row.error
        rows.append(row)
    if len(rows) == 1 and suffix == ".json":
        rows = _rows_within(rows[0])
    if not rows:
        raise InputError(f"{path}: the file holds no rows; it should hold one per item")
    return [row._replace(values=flatten(row.values)) for row in rows]


def _rows_within(row: Row) -> list[Row]:
    """The rows that one object holds, such as `assay show --json` writes; the row itself where it holds none."""
    lists = ((key, row.values.get(key)) for key in ("scores", "rows", "data"))
    for key, held in lists:
        if isinstance(held, list) and held and all(isinstance(values, dict) for values in held):
            return [Row(number, f"{key} {number}", values) for number, values in enumerate(held, 1)]
    return [row]


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turns nested objects of a row into dotted columns; lists stay as they are.

    Examples:
        >>> flatten({"id": "a", "metadata": {"group": "p1"}})
        {'id': 'a', 'metadata.group': 'p1'}
    """
    return dict(_flat(values, ""))


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        column = f"{prefix}{key}"
        held = cell_values.parse_nested_json(value) if key in _OBJECT_COLUMNS else value
        if isinstance(held, Mapping):
            yield from _flat(held, f"{column}.")
        else:
            yield column, value


def bundled_sets() -> tuple[str, ...]:
    """Lists the names of the bundled sets, which `load_set` takes."""
    names = (
        entry.name.removesuffix(_BUNDLED_SUFFIX)
        for entry in files(__package__).iterdir()
        if entry.name.endswith(_BUNDLED_SUFFIX)
    )
    return tuple(sorted(name for name in names if "." not in name))  # `leaflets.folds` is what `leaflets` was made from


def bundled_file(name: str) -> Traversable:
    """Returns the JSON Lines file of a bundled set."""
    return files(__package__) / f"{name}{_BUNDLED_SUFFIX}"
