"""The database behind a store: one SQLite file, or a PostgreSQL server by URL; the same tables in both."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Protocol

from ..errors import InputError, UsageError

URL = re.compile(r"postgres(?:ql)?://")
_MIGRATION = re.compile(r"(\d+)_\w+\.sql")
_PASSWORD = re.compile(r"(?<=:)[^:@/]*(?=@)|(?<=password=)[^&]*")


class Database(Protocol):
    """What a store asks of its database. SQL has `?` for values, and `ON CONFLICT` for what may be there already.

    `name` stands in messages, without a password; `errors` is what its library raises.
    """

    name: str
    errors: type[Exception]
    twice: type[Exception]

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Runs a statement; the rows are iterated over, or fetched (`fetchone`, `fetchall`)."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Runs a statement for each row."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all that is written within, or nothing."""
        ...

    def migrating(self) -> AbstractContextManager[int | None]:
        """A transaction that no other process can be in, with the version of the tables (None: there are none yet)."""
        ...

    def set_version(self, version: int) -> None:
        """Remembers the version of the tables."""
        ...

    def close(self) -> None:
        """Lets go of the file or the connection."""
        ...


def open_database(where: str | Path, wait: float) -> Database:
    """The database of a folder (`runs.sqlite` in it) or URL, with its tables brought up to date.

    `wait` seconds at most for another process to let it go. Raises `UsageError` for what is no store, cannot be
    reached, or is of a version that this one cannot bring up to date.
    """
    if URL.match(str(where)):
        from .postgres import PostgresDatabase

        database: Database = PostgresDatabase(str(where), wait)
    else:
        database = SQLiteDatabase(Path(where) / "runs.sqlite", wait)
    migrate(database)
    return database


def without_password(url: str) -> str:
    """A URL as it may stand in a message or a log."""
    return _PASSWORD.sub("***", url)


class SQLiteDatabase:
    """One file, safe to kill at any moment and to share between processes of one machine."""

    errors: type[Exception] = sqlite3.Error
    twice: type[Exception] = sqlite3.IntegrityError

    def __init__(self, path: Path, wait: float) -> None:
        self.name = str(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
        except (OSError, sqlite3.Error) as error:
            raise not_a_store(self.name, error) from error

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """As `Database.execute`."""
        return self._connection.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """As `Database.executemany`."""
        self._connection.executemany(sql, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """As `Database.writing`."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def migrating(self) -> Iterator[int | None]:
        """As `Database.migrating`."""
        with self.writing():
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield version if tables else None

    def set_version(self, version: int) -> None:
        """As `Database.set_version`."""
        self._connection.execute(f"PRAGMA user_version = {version}")

    def close(self) -> None:
        """As `Database.close`."""
        self._connection.close()


def migrate(database: Database) -> None:
    """Brings the tables up to date, all of it or nothing; two processes may open a new store at once.

    Raises `UsageError` for tables of a version that no migration begins at.
    """
    files = {int(found[1]): file for file in _migrations().iterdir() if (found := _MIGRATION.fullmatch(file.name))}
    try:
        with database.migrating() as version:
            if version is not None and version not in files:
                newer = "; update assay" if version > max(files) else ""
                raise UsageError(
                    f"{database.name}: not a store of runs that can be read: its tables are of version {version}, "
                    f"these of {max(files)}{newer}; move it away, or name another --store"
                )
            for number in sorted(files):
                if version is None or number > version:
                    for statement in files[number].read_text(encoding="utf-8").split(";"):
                        if statement.strip():
                            database.execute(statement)
                    database.set_version(number)
    except database.errors as error:
        raise not_a_store(database.name, error) from error


def _migrations() -> Traversable:
    return resources.files(__package__) / "migrations"


def not_a_store(name: str, error: Exception) -> UsageError:
    """What to say where a store cannot be opened."""
    if cure := _cure(error):
        return UsageError(f"{name}: the store cannot be opened: {error}; {cure}")
    return UsageError(f"{name}: not a store of runs ({error}); move it away, or name another --store")


def not_kept(name: str, error: Exception, run: str) -> InputError:
    """What to say where a run cannot be written."""
    cure = _cure(error) or "make room"
    return InputError(f"{name}: the run cannot be kept: {error}; {cure}, then go on with --resume {run}")


def _cure(error: Exception) -> str:
    told = str(error).lower()
    if "locked" in told or "lock timeout" in told:
        return "wait until the process that holds it has ended"
    if "disk" in told or "no space" in told or "full" in told:
        return "make room on the disk"
    if "connection" in told or "connect" in told:
        return "see that the server is there and the URL is right"
    return ""
