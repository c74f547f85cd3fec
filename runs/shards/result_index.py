"""The index of results: of every answer its place, values and statuses, in one file, without texts and evidence."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow
    from fsspec import AbstractFileSystem

from .shard_table import SENTENCE_FIELDS

INDEXED_FIELDS = ("status", "reason")
_SAMPLE_COLUMNS = ("id", "place", "language", "message_type", "source", "rating")
_FILES_AT_ONCE = 100
_READERS = 8  # at once: where the files are far away, most of the time is waiting


def write_index(files: "AbstractFileSystem", paths: Sequence[str], metrics: Sequence[str], target: Any) -> None:
    """Writes the index of some results, a hundred at a time, so that memory does not grow with their number.

    Its columns are `shard` (the number of the result, from 0), those of the sample but its texts, and for each metric
    its value, its status and, where it has no value, the reason.
    """
    from pyarrow import parquet

    writer: Any = None
    try:
        for table in _read_tables(files, paths, metrics):
            writer = writer or parquet.ParquetWriter(target, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _read_tables(
    files: "AbstractFileSystem", paths: Sequence[str], metrics: Sequence[str]
) -> Iterator["pyarrow.Table"]:
    import pyarrow
    import pyarrow.compute as pc
    from pyarrow import parquet

    columns = [*_SAMPLE_COLUMNS]
    for metric in metrics:
        columns += [metric, *(f"{metric}.{field}" for field in (*INDEXED_FIELDS, *SENTENCE_FIELDS))]

    def read(numbered: tuple[int, str]) -> "pyarrow.Table":
        number, path = numbered
        with files.open(path, "rb") as file:
            table = parquet.ParquetFile(file).read(columns=columns).replace_schema_metadata(None)
        for metric in metrics:  # of a score with a value the reason is shown with its texts alone
            name = f"{metric}.reason"
            reasons = pc.if_else(pc.is_null(table[metric]), table[name], pyarrow.scalar(None, pyarrow.string()))
            table = table.set_column(table.column_names.index(name), name, reasons)
        return table.append_column("shard", pyarrow.array([number] * len(table), pyarrow.int32()))

    with ThreadPoolExecutor(_READERS) as readers:
        for first in range(0, len(paths), _FILES_AT_ONCE):
            numbered = enumerate(paths[first : first + _FILES_AT_ONCE], first)
            tables = list(readers.map(read, numbered))
            yield pyarrow.concat_tables(tables, promote_options="default").combine_chunks()
