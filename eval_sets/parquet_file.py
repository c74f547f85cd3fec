"""Rows from a Parquet file, streamed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..installation import require_extra
from ..regular_files import check_regular
from ..value_messages import shorten
from .rows import Repeatable, Row, Rows

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_ROWS_PER_BATCH = 256


def open_parquet(path: Path, name: str) -> Rows:
    """Opens a Parquet file, or those of a folder as one. Raises `InputError` when it is none, and `UsageError` without
    pyarrow."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    check_regular(files[0], name)
    if not files[0].stat().st_size:
        raise InputError(f"{name}: the file is empty; it should be a Parquet file with one row per sample")
    with read_parquet(files[0], name) as file:
        columns = tuple(str(column) for column in file.schema_arrow.names)

    def rows() -> Iterator[Row]:
        number = 0
        for part in files:
            with read_parquet(part, str(part)) as file:
                for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
                    for values in batch.to_pylist():
                        number += 1
                        yield Row(number, f"row {number}", values)

    return Rows(name, path.stem, Repeatable(rows), columns)


@contextmanager
def read_parquet(path: Path, name: str) -> "Iterator[ParquetFile]":
    """A Parquet file that is open in the block, whose errors say what is wrong with it."""
    with require_extra("tables", f"{name}: reading a Parquet file"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    try:
        with ParquetFile(path) as file:
            yield file
    except (ArrowException, OSError) as error:
        cause = f"{type(error).__name__}: {shorten(str(error).strip().partition(chr(10))[0], 200)}"
        raise InputError(f"{name}: is no readable Parquet file ({cause}); write it again from its source") from None
