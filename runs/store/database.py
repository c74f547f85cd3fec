"""The database behind a store: one SQLite file, or a PostgreSQL server by URL; the same tables in both.

Also which process is at work on what is in it: a lock that the system takes from a process however it ends.
"""

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary, finalize

from ...errors import AssayError, InputError, UsageError, written_by_earlier_version

if TYPE_CHECKING:
    from .postgres import PostgresDatabase

URL = re.compile(r"postgres(?:ql)?://")
_MIGRATION = re.compile(r"(\d+)_\w+\.sql")
_SCHEMA = Path(__file__).with_name("schema")
_TRIES = 10  # to take a lock
_PAUSE = 0.02  # seconds between two attempts: who looks whether a lock is held has it for a moment
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


Database: TypeAlias = "SQLiteDatabase | PostgresDatabase"
"""What a store needs of its database: both have the same methods, described where they are SQLite's.

SQL has `?` for values, and `ON CONFLICT` for rows that may exist already.
"""


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


class FileLocks:
    """Locks by name on one machine, each on a file of its own.

    A process that is killed, and one whose machine loses its power, holds none any more.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, ExitStack] = {}

    def take(self, name: str) -> bool:
        """Takes a lock for this process; returns whether nobody held it."""
        from filelock import Timeout

        from ...judges.cassette import locked

        for _ in range(_TRIES):
            holding = ExitStack()
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                holding.enter_context(locked(self._folder / name, wait=False))
            except Timeout:
                time.sleep(_PAUSE)
                continue
            except OSError as error:
                raise InputError(
                    f"{self._folder / name}.lock: cannot be written: {error.strerror or error}; make room, see that "
                    "the folder can be written to, or name another --store"
                ) from error
            self._held[name] = holding
            return True
        return False

    def release(self, name: str) -> None:
        """Gives a lock back; one that is not held here stays as it is."""
        if (holding := self._held.pop(name, None)) is not None:
            holding.close()

    def is_held(self, name: str) -> bool:
        """Whether any process holds a lock; a file that is not there, or cannot be read, is locked by nobody."""
        if name in self._held:
            return True
        try:
            return _is_locked(self._folder / f"{name}.lock")
        except OSError:
            return False

    def close(self) -> None:
        """Gives all locks back."""
        for name in [*self._held]:
            self.release(name)


def _make_look() -> Callable[[Path], bool]:
    """Returns what looks whether a file is locked."""
    try:
        import fcntl
    except ImportError:  # on Windows
        return _look_by_taking

    def look(file: Path) -> bool:
        with file.open("rb") as opened:  # a file that cannot be written to can be looked at
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: those who look do not see each other
            except BlockingIOError:
                return True
        return False

    return look


def _look_by_taking(file: Path) -> bool:
    from filelock import FileLock, Timeout

    if not file.exists():
        return False
    try:
        with FileLock(file, timeout=0):
            return False
    except Timeout:
        return True


_is_locked = _make_look()


class SQLiteDatabase:
    """One file, safe to kill at any moment and to share between processes of one machine.

    Where file or folder cannot be written to, a copy is read: SQLite cannot read a file that another process may be
    writing without writing beside it.
    """

    errors = _ERRORS
    duplicate_error = sqlite3.IntegrityError  # where a row with the same key exists already

    def __init__(self, path: Path, wait: float) -> None:
        self.name = str(path)  # as it may stand in a message
        self._folder = path.parent
        self._copy: _Copy | None = None
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
        """Whether it can be read, and not written to."""
        return self._copy is not None

    @cached_property
    def locks(self) -> FileLocks:
        """Which processes are at work on what is in it."""
        return FileLocks(self._folder)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Runs a statement; its rows are iterated over, or fetched (`fetchone`, `fetchall`)."""
        return self._connection.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Runs a statement once per row of values."""
        self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Writes everything in the block, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def hold_contents(self) -> None:
        """Until the transaction ends, no other process writes contents or removes any: here none can write at all."""

    @contextmanager
    def migration(self) -> Iterator[None]:
        """A transaction that no other process can be in, also in a copy."""
        self.execute("PRAGMA query_only = OFF")
        try:
            with self.transaction():
                yield
        finally:
            self.execute(f"PRAGMA query_only = {'ON' if self.is_read_only else 'OFF'}")

    def version(self) -> int | None:
        """Returns the version of the tables; None where there are none yet."""
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return int(version) if tables else None

    def set_version(self, version: int) -> None:
        """Records the version of the tables."""
        self._connection.execute(f"PRAGMA user_version = {version}")

    def cure(self, error: Exception) -> str:
        """Returns what a person can do about an error of the library."""
        name = _error_name(error)
        cures = (cure for prefix, cure in _CURES.items() if name.startswith(prefix))
        return next(cures, _WRITABLE).format(name=self.name)

    def close(self) -> None:
        """Closes the file, and gives its locks back."""
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
