"""The database behind a store: one SQLite file, or a PostgreSQL server by URL; the same tables in both."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import AssayError, InputError, UsageError, written_by_earlier_version
from .sqlite import SQLiteDatabase

if TYPE_CHECKING:
    from .process_locks import ProcessLocks

URL = re.compile(r"postgres(?:ql)?://")
_MIGRATION = re.compile(r"(\d+)_\w+\.sql")
_SCHEMA = Path(__file__).with_name("schema")


class Database(Protocol):
    """What a store needs of its database.

    SQL has `?` for values, and `ON CONFLICT` for rows that may exist already.
    """

    name: str  # where the database is, as it may stand in a message: without a password
    errors: type[Exception] | tuple[type[Exception], ...]
    duplicate_error: type[Exception]  # what its library raises where a row with the same key exists already

    @property
    def is_read_only(self) -> bool:
        """Whether it can be read, and not written to."""
        ...

    @property
    def locks(self) -> "ProcessLocks":
        """Which processes are at work on what is in it."""
        ...

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Runs a statement; its rows are iterated over, or fetched (`fetchone`, `fetchall`)."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Runs a statement once per row of values."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Writes everything in the block, or nothing."""
        ...

    def migration(self) -> AbstractContextManager[None]:
        """A transaction that no other process can be in."""
        ...

    def version(self) -> int | None:
        """Returns the version of the tables; None where there are none yet."""
        ...

    def set_version(self, version: int) -> None:
        """Records the version of the tables."""
        ...

    def cure(self, error: Exception) -> str:
        """Returns what a person can do about an error of the library."""
        ...

    def close(self) -> None:
        """Closes the file or the connection."""
        ...


def open_database(where: str | Path, wait: float) -> Database:
    """Opens the database of a store and brings its tables up to date."""
    if URL.match(str(where)):
        from .postgres import PostgresDatabase

        database: Database = PostgresDatabase(str(where), wait)
    else:
        database = SQLiteDatabase(Path(where) / "runs.sqlite", wait)
    with explain_errors(database, "the store cannot be opened", error_type=UsageError):
        migrate(database)
    return database


@contextmanager
def explain_errors(
    database: Database, problem: str, then: str = "", error_type: type[AssayError] = InputError
) -> Iterator[None]:
    """Turns the errors of a database's library into errors that say what cannot be done, why, and what to do."""
    try:
        yield
    except database.errors as error:
        raise error_type(f"{database.name}: {problem}: {error}; {database.cure(error)}{then}") from error


def migrate(database: Database, folder: Path = _SCHEMA) -> None:
    """Brings the tables up to date, all of it or nothing; two processes may open a new store at once."""
    files = _migration_files(folder)
    newest = max(files)
    if database.version() == newest:
        return
    from .earlier_stores import STEPS

    with database.migration():
        version = database.version()
        if version and version < min(files):
            raise UsageError(f"{written_by_earlier_version(database.name)} with another --store")
        if version is not None and version not in files:
            cure = "update assay" if version > newest else "move it away, or name another --store, and run again"
            raise UsageError(
                f"{database.name}: not a store of runs that this version of assay can read: its tables are of version "
                f"{version}, those of this assay of version {newest}; {cure}"
            )
        for number in sorted(files):
            if version is None or number > version:
                for statement in files[number].read_text(encoding="utf-8").split(";"):
                    if statement.strip():
                        database.execute(statement)
                if version is not None and number in STEPS:  # a new store has nothing to bring up to date
                    STEPS[number](database)
                database.set_version(number)


@cache
def _migration_files(folder: Path) -> Mapping[int, Path]:
    """The SQL files by their version; listed once, since every store that is opened asks for them."""
    return {int(match[1]): file for file in folder.iterdir() if (match := _MIGRATION.fullmatch(file.name))}
