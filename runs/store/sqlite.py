"""A store in one SQLite file."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, finalize

from ...errors import InputError, UsageError
from ...regular_files import check_regular

if TYPE_CHECKING:
    from .process_locks import FileLocks

_PAUSE = 0.02  # seconds between two attempts
_WRITABLE = "see that the folder and the file can be written to, or name another --store"
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

    Where file or folder cannot be written to, a copy is read: SQLite cannot read a file that another process may be
    writing without writing beside it.
    """

    errors: type[Exception] | tuple[type[Exception], ...] = _ERRORS
    duplicate_error: type[Exception] = sqlite3.IntegrityError

    def __init__(self, path: Path, wait: float) -> None:
        self.name = str(path)
        self._folder = path.parent
        self._copy: _Copy | None = None
        try:
            check_regular(path)
        except InputError as error:
            problem = str(error).partition("; ")[0]
            raise UsageError(f"{problem}; move it away, or name another --store") from error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._open(path, wait)
        except (OSError, *_ERRORS) as error:
            raise UsageError(f"{self.name}: the store cannot be opened: {error}; {self.cure(error)}") from error

    def _open(self, path: Path, wait: float) -> sqlite3.Connection:
        if _may_write(path):
            try:
                return _connect(path, wait)
            except sqlite3.OperationalError as error:
                if not path.exists() or not _error_name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                    raise
        self._copy = _COPIES.get(path) or _Copy(path)
        _COPIES[path] = self._copy
        connection = _connect(self._copy.path, wait)
        connection.execute("PRAGMA query_only = ON")
        return connection

    @property
    def is_read_only(self) -> bool:
        """As `Database.is_read_only`."""
        return self._copy is not None

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

    @contextmanager
    def migration(self) -> Iterator[None]:
        """As `Database.migration`, also in a copy; one process writes at a time."""
        self.execute("PRAGMA query_only = OFF")
        try:
            with self.transaction():
                yield
        finally:
            self.execute(f"PRAGMA query_only = {'ON' if self.is_read_only else 'OFF'}")

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
        self._copy = None


class _Copy:
    """A copy of a file with what its last writer has not merged into it (`-wal`), as long as a connection reads it."""

    def __init__(self, path: Path) -> None:
        folder = Path(mkdtemp(prefix="assay-"))
        finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = folder / path.name
        for file in (path, path.with_name(f"{path.name}-wal")):
            if file.exists():
                shutil.copyfile(file, folder / file.name)


_COPIES: WeakValueDictionary[Path, _Copy] = WeakValueDictionary()


def _may_write(path: Path) -> bool:
    """Whether a database and its log can be written to.

    SQLite opens one whose log is there and may only be read, and refuses the first change.
    """
    files = [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))]
    return all(os.access(file, os.W_OK) for file in files if file.exists())


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
