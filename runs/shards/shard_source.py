"""Where shards come from: Parquet files by a pattern, on this machine or wherever fsspec reaches."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ...errors import InputError
from ...eval_sets.parquet_file import describe_cause
from ...eval_sets.rating_column import RatingColumn, find_rating_columns
from ...eval_sets.rows import Row
from ...eval_sets.sample_columns import RATING_ALIASES, rater_of, usual_name
from ...installation import require_extra

if TYPE_CHECKING:
    import pyarrow

_MOST_PIECES = 16  # of a row group: whoever reads the last one decodes the whole group
_ORIGIN = b"assay.origin"


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one row group of a Parquet file: what one worker reads at a time, shard by shard.

    Attributes:
        path: The file, with its protocol where it is not on this machine.
        row_group: Which row group.
        start: The first of its rows.
        stop: The row after the last.
        row: How many rows of the file come before the first.
        place: How many rows of all files come before the first.
    """

    path: str
    row_group: int
    start: int
    stop: int
    row: int
    place: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the rows of a shard come from, which a shard carries as metadata of its schema.

    Attributes:
        name: The file, for messages.
        stem: What the ids of rows without one begin with.
        row: How many rows of the file come before the first.
        place: How many rows of all files come before the first.
    """

    name: str = "the shard"
    stem: str = "sample"
    row: int = 0
    place: int = 0

    @classmethod
    def read_from(cls, rows: "pyarrow.Table") -> Self:
        """The origin that a table carries; the default for a table of another source."""
        metadata = rows.schema.metadata or {}
        return cls(**json.loads(metadata[_ORIGIN])) if _ORIGIN in metadata else cls()

    def attach(self, rows: "pyarrow.Table") -> "pyarrow.Table":
        """The table with this origin in its metadata."""
        return rows.replace_schema_metadata({**(rows.schema.metadata or {}), _ORIGIN: json.dumps(asdict(self))})


def find_pieces(paths: Sequence[str], shard_rows: int, limit: int | None = None) -> list[Piece]:
    """Lists what there is to score; reads only the files' footers.

    Raises:
        InputError: A file cannot be read, or none has a row.
    """
    pieces: list[Piece] = []
    place = 0
    for path in paths:
        row = 0
        with _open_parquet(path) as file:
            counts = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
        for group, count in enumerate(counts):
            shards = -(-count // shard_rows)
            step = -(-shards // min(shards, _MOST_PIECES)) * shard_rows if shards else 1
            for start in range(0, count, step):
                stop = min(count, start + step, count if limit is None else start + limit - place)
                if stop > start:
                    pieces.append(Piece(path, group, start, stop, row + start, place))
                    place += stop - start
            row += count
    if not pieces:
        raise InputError(f"{paths[0]}: there are no rows to score here or in the files after it; check them")
    return pieces


def read_shards(piece: Piece, shard_rows: int) -> Iterator["pyarrow.Table"]:
    """Reads the shards of a piece, one after another.

    Raises:
        InputError: The file cannot be read.
    """
    import pyarrow

    stem, position = Path(piece.path).stem, 0
    with _open_parquet(piece.path) as file:
        for batch in file.iter_batches(batch_size=shard_rows, row_groups=[piece.row_group]):
            first, last = max(piece.start, position), min(piece.stop, position + batch.num_rows)
            if first < last:
                rows = pyarrow.Table.from_batches([batch.slice(first - position, last - first)])
                before = first - piece.start
                yield Origin(piece.path, stem, piece.row + before, piece.place + before).attach(rows)
            position += batch.num_rows
            if position >= piece.stop:
                return


def choose_rating_columns(paths: Sequence[str], mapping: Mapping[str, str]) -> tuple[RatingColumn, ...]:
    """Finds the columns of ratings with their scale, by all rows of all files, of which only such columns are read."""
    if "rating" in mapping.values():
        return ()
    names = {"rating", "ratings", *RATING_ALIASES}

    def rows() -> Iterator[Row]:
        for path in paths:
            with _open_parquet(path) as file:
                columns = [name for name in file.schema_arrow.names if usual_name(name) in names or rater_of(name)]
                scale = [name for name in ("rating_min", "rating_max") if name in file.schema_arrow.names]
                for batch in file.iter_batches(columns=[*columns, *scale]) if columns else ():
                    for number, values in enumerate(batch.to_pylist()):
                        yield Row(number, f"row {number}", values)

    return find_rating_columns(rows()).columns


def find_files(pattern: str) -> list[str]:
    """Lists Parquet files, sorted by name.

    Raises:
        InputError: There is no such file, or the name is not that of a Parquet file.
    """
    with require_extra("shards", f"{pattern}: reading shards"):
        import fsspec
        import pyarrow.parquet  # noqa: F401
    if not pattern.endswith((".parquet", ".pq")):
        raise InputError(
            f"{pattern}: shards are read from Parquet files; name them (answers/*.parquet), and convert other files, "
            'such as with pandas.read_csv("answers.csv").to_parquet("answers.parquet")'
        )
    pattern = pattern if "://" in pattern else str(Path(pattern).expanduser().absolute())
    try:
        files, _, paths = fsspec.get_fs_token_paths(pattern)
    except (OSError, ImportError, ValueError) as error:
        raise InputError(f"{pattern}: the files cannot be listed ({describe_cause(error)})") from error
    existing = sorted(path for path in paths if files.isfile(path))
    if not existing:
        raise InputError(f"{pattern}: there is no such file; correct the path or the pattern")
    return [files.unstrip_protocol(path) if "://" in pattern else path for path in existing]


@contextmanager
def _open_parquet(path: str) -> Iterator[Any]:
    import fsspec
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with fsspec.open(path, "rb") as opened, ParquetFile(opened) as file:
            yield file
    except (ArrowException, OSError) as error:
        raise InputError(
            f"{path}: is no readable Parquet file ({describe_cause(error)}); write it again from its source"
        ) from error
