"""Rows from a Parquet file, streamed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..installation import require_extra
from ..regular_files import check_regular
from ..value_messages import shorten
from .rows import Row, Rows

ROWS_PER_BATCH = 256


def open_parquet(path: Path, name: str) -> Rows:
    """Opens a Parquet file. Raises `InputError` when it is none, and `UsageError` when pyarrow is not installed."""
    with require_extra("tables", f"{name}: reading a Parquet file"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    check_regular(path, name)
    if not path.stat().st_size:
        raise InputError(f"{name}: the file is empty; it should be a Parquet file with one row per sample")
    try:
        with ParquetFile(path) as file:
            columns = tuple(str(column) for column in file.schema_arrow.names)
    except (ArrowException, OSError) as error:
        raise InputError(
            f"{name}: is no readable Parquet file ({describe_cause(error)}); write it again from its source"
        ) from None

    def batches() -> Iterator[list[dict[str, Any]]]:
        try:
            with ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=ROWS_PER_BATCH):
                    yield batch.to_pylist()
        except (ArrowException, OSError) as error:
            raise InputError(f"{name}: the Parquet file is damaged ({describe_cause(error)}); write it again") from None

    return Rows(name, path.stem, number_rows(batches()), columns)


def number_rows(batches: Iterator[list[dict[str, Any]]]) -> Iterator[Row]:
    """Yields the rows of batches, numbered from 1."""
    number = 0
    for batch in batches:
        for values in batch:
            number += 1
            yield Row(number, f"row {number}", values)


def describe_cause(error: Exception) -> str:
    """Says the first line of an error and its type."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shorten(lines[0], 200)}" if lines else type(error).__name__
