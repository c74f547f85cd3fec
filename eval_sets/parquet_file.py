"""Rows from a Parquet file, streamed; and where Parquet files are, on this machine or by URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..installation import require_extra
from ..regular_files import check_regular
from ..value_messages import shorten
from .rows import BadRow, Repeatable, Row, Rows

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem
    from pyarrow.parquet import ParquetFile

ROWS_PER_BATCH = 256


def is_parquet_url(source: str | Path) -> bool:
    """Whether a source is a Parquet file by URL, as pyarrow reads them (`s3://BUCKET/FILE.parquet`)."""
    return "://" in str(source) and str(source).endswith(".parquet")


def open_parquet(source: Path | str, name: str) -> Rows:
    """Opens a Parquet file. Raises `InputError` when it is none, and `UsageError` when pyarrow is not installed."""
    path = Path(source)
    if not is_parquet_url(source):
        check_regular(path, name)
        if path.exists() and not path.stat().st_size:
            raise InputError(f"{name}: the file is empty; it should be a Parquet file with one row per sample")
    with read_parquet(source, name) as file:
        columns = tuple(str(column) for column in file.schema_arrow.names)

    def batches() -> Iterator[list[dict[str, Any]]]:
        with read_parquet(source, name, "the Parquet file is damaged ({cause}); write it again") as file:
            for batch in file.iter_batches(batch_size=ROWS_PER_BATCH):
                yield batch.to_pylist()

    return Rows(name, path.stem, Repeatable(lambda: number_rows(batches())), columns)


def open_parquet_files(pattern: str) -> Rows:
    """Opens the Parquet files of a folder or a pattern as one source, whose places name the file."""
    files = find_parquet_files(pattern)
    if not files:
        raise InputError(f"{pattern}: there is no Parquet file; correct the path")

    def rows() -> Iterator[Row | BadRow]:
        for file in files:
            for row in open_parquet(file, pattern if len(files) == 1 else file).rows:
                if isinstance(row, Row) and len(files) > 1:
                    yield row._replace(place=f"{Path(file).name}, {row.place}")
                else:
                    yield row

    return Rows(pattern, Path(pattern).stem, Repeatable(rows))


@contextmanager
def read_parquet(
    source: Path | str,
    name: str,
    problem: str = "is no readable Parquet file ({cause}); write it again from its source",
) -> "Iterator[ParquetFile]":
    """A Parquet file that is open in the block, whose errors say what is wrong with it."""
    with require_extra("tables", f"{name}: reading a Parquet file"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    try:
        files, path = find_file_system(source)
        with ParquetFile(path, filesystem=files) as file:
            yield file
    except (ArrowException, OSError) as error:
        said = problem.format(cause=describe_cause(error))
        raise InputError(f"{name}: {said}") from None


def find_file_system(place: Path | str) -> "tuple[FileSystem, str]":
    """pyarrow's file system of a path or a URL, and the path in it."""
    with require_extra("tables", f"{place}: a Parquet file"):
        from pyarrow.fs import FileSystem, LocalFileSystem
    if "://" not in str(place):
        return LocalFileSystem(), str(Path(place).expanduser().absolute())
    files, path = FileSystem.from_uri(str(place))
    return files, path


def find_parquet_files(pattern: str) -> list[str]:
    """The Parquet files of a pattern or a folder, sorted by name; none where it is not there.

    Only the last name may be a pattern.
    """
    if "://" not in pattern:
        path = Path(pattern).expanduser().absolute()
        if path.is_file():
            return [str(path)]
        matches = path.glob("*.parquet") if path.is_dir() else path.parent.glob(path.name)
        return [str(file) for file in sorted(matches) if file.is_file()]
    with require_extra("tables", f"{pattern}: reading Parquet files"):
        from pyarrow import ArrowException
        from pyarrow.fs import FileSelector
    folder, name = pattern.rsplit("/", 1) if pattern.endswith(".parquet") else (pattern.rstrip("/"), "*.parquet")
    try:
        files, inside = find_file_system(folder)
        listed = files.get_file_info(FileSelector(inside, allow_not_found=True))
    except (ArrowException, OSError) as error:
        raise InputError(f"{pattern}: the files cannot be listed ({describe_cause(error)})") from error
    names = (info.base_name for info in listed if info.is_file)
    return [f"{folder}/{match}" for match in sorted(names) if fnmatchcase(match, name)]


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
