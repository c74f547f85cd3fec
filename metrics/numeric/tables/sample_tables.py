"""The tables that a sample's claims are computed from, and those of a file."""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ....errors import InputError
from ....eval_sets.sample import Sample
from ....eval_sets.sample import Table as GivenTable
from ....eval_sets.table_files import TABLE_SUFFIXES, read_table_file
from .column_types import table_of
from .grids import Grid, grids_in_text, unique_names
from .table import Table

TEXT_SUFFIXES = (".md", ".markdown")
_KEPT = 32
_typed: deque[tuple[GivenTable, str | None, Table]] = deque(maxlen=_KEPT)


def tables_of_sample(sample: Sample) -> list[Table]:
    """A sample's own tables, then those found in its contexts; each with a name of its own.

    A table in a context that shows no more than one of the sample's own (the same columns and number of rows) is left
    out: it is that table again, perhaps rounded.
    """
    own = [_table_of_given(table, sample.language) for table in sample.tables]
    context_tables = [
        table
        for number, text in enumerate(sample.retrieved_contexts, 1)
        for table in _tables_in_text(text, sample.language, f"context {number}")
    ]
    return _named_apart(
        [*own, *(table for table in context_tables if not any(_shows(own_table, table) for own_table in own))]
    )


def tables_of_file(path: Path, language: str | None = None) -> list[Table]:
    """The tables of a file: CSV, TSV, JSON, Parquet, Excel (a table a sheet), or those in a Markdown text.

    Raises `InputError` where the file cannot be read or holds none.
    """
    if path.suffix.lower() not in (*TEXT_SUFFIXES, *TABLE_SUFFIXES):
        raise InputError(
            f"{path}: no table is read from `{path.suffix}`; give CSV, TSV, JSON, Parquet, Excel or Markdown"
        )
    if path.suffix.lower() in TABLE_SUFFIXES and path.suffix.lower() != ".json":
        return _named_apart(_table_of_given(table, language) for table in read_table_file(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the name") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; save it as UTF-8") from None
    tables = _tables_in_text(text, language, path.stem)
    if not tables:
        raise InputError(f"{path}: holds no table that can be read: a header, and rows with numbers below it")
    return _named_apart(tables)


def _table_of_given(table: GivenTable, language: str | None) -> Table:
    """Kept, since the samples of a set are often about one large table: then it is one object."""
    for given, known, typed in tuple(_typed):  # other threads add to it
        if known == language and (given is table or given == table):
            return typed
    typed = table_of(Grid(table.name, table.columns, table.units, language=language))
    _typed.appendleft((table, language, typed))
    return typed


@lru_cache(maxsize=_KEPT)
def _tables_in_text(text: str, language: str | None, name: str) -> tuple[Table, ...]:
    return tuple(map(table_of, grids_in_text(text, language, name)))


def _shows(own: Table, other: Table) -> bool:
    return own.rows == other.rows and {*other.columns, *other.labels} <= {*own.columns, *own.labels}


def _named_apart(tables: Iterable[Table]) -> list[Table]:
    tables = list(tables)
    names = unique_names(table.name for table in tables)
    return [
        table
        if name == table.name
        else replace(table, name=name, others=tuple(replace(other, name=name) for other in table.others))
        for table, name in zip(tables, names, strict=True)
    ]
