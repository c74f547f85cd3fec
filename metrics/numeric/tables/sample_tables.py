"""The tables that a sample's claims are computed from, and those of a file."""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ....errors import InputError
from ....eval_sets.sample import Sample
from ....eval_sets.sample import Table as SampleTable
from ....eval_sets.table_files import TABLE_SUFFIXES, read_table_file
from ....regular_files import read_text_file
from .column_types import table_of
from .grids import Grid, grids_in_text, unique_names
from .table import NumericTable

TEXT_SUFFIXES = (".md", ".markdown")
_KEPT = 32
_MOST_BYTES = 100_000_000  # of one file of text or JSON, which is read whole
_recent_tables: deque[tuple[SampleTable, str | None, NumericTable]] = deque(maxlen=_KEPT)


def tables_of_sample(sample: Sample) -> list[NumericTable]:
    """A sample's own tables, then those found in its contexts; with different names.

    A table in a context that shows no more than one of the sample's own (the same columns and number of rows) is left
    out: it is that table again, perhaps rounded.
    """
    own = [_numeric_table(table, sample.language) for table in sample.tables]
    context_tables = [
        table
        for number, text in enumerate(sample.retrieved_contexts, 1)
        for table in _tables_in_text(text, sample.language, f"context {number}")
    ]
    return _with_unique_names(
        [*own, *(table for table in context_tables if not any(_covers(own_table, table) for own_table in own))]
    )


def tables_of_file(path: Path, language: str | None = None) -> list[NumericTable]:
    """The tables of a file: CSV, TSV, JSON, Parquet, Excel (one table per sheet), or those in a Markdown text.

    Raises `InputError` where the file cannot be read or holds none.
    """
    if path.suffix.lower() not in (*TEXT_SUFFIXES, *TABLE_SUFFIXES):
        raise InputError(
            f"{path}: no table is read from `{path.suffix}`; give CSV, TSV, JSON, Parquet, Excel or Markdown"
        )
    if path.suffix.lower() in TABLE_SUFFIXES and path.suffix.lower() != ".json":
        return _with_unique_names(_numeric_table(table, language) for table in read_table_file(path))
    text = read_text_file(path, "the table", _MOST_BYTES, cure="check the name, and save it as UTF-8")
    tables = _tables_in_text(text, language, path.stem)
    if not tables:
        raise InputError(f"{path}: holds no table that can be read: a header, and rows with numbers below it")
    return _with_unique_names(tables)


def _numeric_table(table: SampleTable, language: str | None) -> NumericTable:
    """A sample's table as a numeric table; recent tables are kept, since samples often share one large table."""
    for source, source_language, typed in tuple(_recent_tables):  # other threads add to it
        if source_language == language and (source is table or source == table):
            return typed
    typed = table_of(Grid(table.name, table.columns, table.units, language=language))
    _recent_tables.appendleft((table, language, typed))
    return typed


@lru_cache(maxsize=_KEPT)
def _tables_in_text(text: str, language: str | None, name: str) -> tuple[NumericTable, ...]:
    return tuple(map(table_of, grids_in_text(text, language, name)))


def _covers(own: NumericTable, other: NumericTable) -> bool:
    return own.rows == other.rows and {*other.columns, *other.labels} <= {*own.columns, *own.labels}


def _with_unique_names(tables: Iterable[NumericTable]) -> list[NumericTable]:
    tables = list(tables)
    names = unique_names(table.name for table in tables)
    return [
        table
        if name == table.name
        else replace(table, name=name, others=tuple(replace(other, name=name) for other in table.others))
        for table, name in zip(tables, names, strict=True)
    ]
