"""A store in one SQLite file."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError, UsageError
from ...regular_files import check_regular

if TYPE_CHECKING:
    from .process_locks import FileLocks

_PAUSE = 0.02  # seconds between two attempts
_WRITABLE = "see that the folder and the file can be written to, or copy the folder and name the copy (--store)"
_CURES = {
    "SQLITE_BUSY": "wait until the process that holds it has ended",
    "SQLITE_CANTOPEN": _WRITABLE,
    "SQLITE_CORRUPT": "the file is damaged: restore it from a backup, or save what can still be read with "
    "`sqlite3 {name} .recover | sqlite3 NEW/runs.sqlite`",
    "SQLITE_FULL": "make room on the disk",
    "SQLITE_IOERR": "make room on the disk, or check that it can be read and written",
    "SQLITE_LOCKED": "wait until the process that holds it has ended",
    "SQLITE_NOTADB": "it is not a store of runs: move it away, or name another --store",
    "SQLITE_READONLY": _WRITABLE,
}
# the message of an error quotes the file; where that is damaged, the module may fail to decode it
_ERRORS = (sqlite3.Error, UnicodeDecodeError)


class SQLiteDatabase:
    """One file, safe to kill at any moment and to share between processes of one machine.

    Also who only reads it must be able to write to file and folder: SQLite cannot read a file that another process may
    be writing without writing beside it.
    """

    errors: type[Exception] | tuple[type[Exception], ...] = _ERRORS
    duplicate_error: type[Exception] = sqlite3.IntegrityError

    def __init__(self, path: Path, wait: float) -> None:
        self.name = str(path)
        self._folder = path.parent
        try:
            check_regular(path)
        except InputError as error:
            problem = str(error).partition("; ")[0]
            raise UsageError(f"{problem}; move it away, or name another --store") from error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(path, wait)
        except (OSError, *_ERRORS) as error:
            raise UsageError(f"{self.name}: the store cannot be opened: {error}; {self.cure(error)}") from error

    @cached_property
    def locks(self) -> "FileLocks":
        """As `Database.locks`."""
        from .process_locks import FileLocks

        return FileLocks(self._folder)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """As `Database.execute`."""
        return self._connection.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """As `Database.executemany`."""
        self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """As `Database.transaction`."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    migration = transaction  # one process writes at a time

    def version(self) -> int | None:
        """As `Database.version`."""
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return int(version) if tables else None

    def set_version(self, version: int) -> None:
        """As `Database.set_version`."""
        self._connection.execute(f"PRAGMA user_version = {version}")

    def cure(self, error: Exception) -> str:
        """As `Database.cure`."""
        name = _error_name(error)
        cures = (cure for prefix, cure in _CURES.items() if name.startswith(prefix))
        return next(cures, _WRITABLE).format(name=self.name)

    def close(self) -> None:
        """As `Database.close`."""
        if "locks" in vars(self):
            self.locks.close()
        self._connection.close()


def _error_name(error: Exception) -> str:
    """What SQLite calls an error; empty for one that is none of its own."""
    return "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else getattr(error, "sqlite_errorname", "")


def _connect(path: Path, wait: float) -> sqlite3.Connection:
    # in a notebook a run is carried out on a loop in another thread, while the thread that opened the store waits
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        _begin_log(connection, wait)
        connection.execute("PRAGMA synchronous=NORMAL")
    except _ERRORS:
        connection.close()
        raise
    return connection


def _begin_log(connection: sqlite3.Connection, wait: float) -> None:
    """Has changes written to a log; SQLite itself does not wait for another process that begins one at that moment."""
    until = time.monotonic() + wait
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if not _error_name(error).startswith("SQLITE_BUSY") or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE)
