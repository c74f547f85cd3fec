"""A store in one SQLite file."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ...errors import InputError, UsageError
from ...regular_files import check_regular

if TYPE_CHECKING:
    from .process_locks import FileLocks

_PAUSE = 0.02  # seconds between two attempts
_TEXT_BUFFER = 16 * 2**20  # bytes of the full-text index that are gathered before they are written
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

    Where file or folder cannot be written to, a copy is opened: SQLite cannot read a file that another process may be
    writing without writing beside it. Several connections share the `copy` that the first of them made.
    """

    errors: type[Exception] | tuple[type[Exception], ...] = _ERRORS
    duplicate_error: type[Exception] = sqlite3.IntegrityError

    def __init__(self, path: Path, wait: float, copy: Path | None = None) -> None:
        self.name = str(path)
        self._folder = path.parent
        self._copy: TemporaryDirectory[str] | None = None
        self.copy = copy
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
        if self.copy is not None or _may_write(path):
            try:
                return _connect(self.copy or path, wait)
            except sqlite3.OperationalError as error:
                if not path.exists() or not _error_name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                    raise
        self._copy = TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
        self.copy = _copy_database(path, Path(self._copy.name))
        return _connect(self.copy, wait)

    @cached_property
    def locks(self) -> "FileLocks":
        """As `Database.locks`."""
        from .process_locks import FileLocks

        return FileLocks(self._folder)

    @property
    def is_read_only(self) -> bool:
        """As `Database.is_read_only`: the file cannot be written to, and this is a copy of it."""
        return self.copy is not None

    @contextmanager
    def changing_copy(self) -> Iterator[None]:
        """As `Database.changing_copy`."""
        self.execute("PRAGMA query_only = OFF")
        try:
            yield
        finally:
            self.execute(f"PRAGMA query_only = {'ON' if self.is_read_only else 'OFF'}")

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

    def make_text_index(self) -> None:
        """As `Database.make_text_index`."""
        if self.execute("SELECT 1 FROM sqlite_master WHERE name = 'answer_words'").fetchone():
            return
        # which answers have a word, not where in them; the beginnings of words, of which a short one has very many
        options = "content='', columnsize=0, detail=none, tokenize='ascii', prefix='1 2 3'"
        self.execute(f"CREATE VIRTUAL TABLE answer_words USING fts5(words, {options})")
        self.execute("INSERT INTO answer_words (answer_words, rank) VALUES ('hashsize', ?)", (_TEXT_BUFFER,))

    def add_texts(self, rows: Iterable[tuple[int, str]]) -> None:
        """As `Database.add_texts`."""
        self.executemany("INSERT INTO answer_words (rowid, words) VALUES (?, ?)", rows)

    def settle_texts(self) -> None:
        """As `Database.settle_texts`; FTS5 merges its parts as they are added."""

    def text_query(self, words: Sequence[str], first: int, last: int) -> tuple[str, list[Any]]:
        """As `Database.text_query`."""
        phrases = [*(f'"{word}"' for word in words[:-1]), *(f'"{word}" *' for word in words[-1:])]
        query = "SELECT rowid AS number FROM answer_words WHERE answer_words MATCH ? AND rowid BETWEEN ? AND ?"
        return query, [" AND ".join(phrases), first, last]

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
        if self._copy is not None:
            self._copy.cleanup()


def _error_name(error: Exception) -> str:
    """What SQLite calls an error; empty for one that is none of its own."""
    return "SQLITE_CORRUPT" if isinstance(error, UnicodeDecodeError) else getattr(error, "sqlite_errorname", "")


def _may_write(path: Path) -> bool:
    """Whether a database and its log can be written to.

    SQLite opens one whose log is there and may only be read, and refuses the first change.
    """
    files = [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))]
    return all(os.access(file, os.W_OK) for file in files if file.exists())


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


def _copy_database(path: Path, folder: Path) -> Path:
    """Copies a database with what its last writer has not merged into it (`-wal`); returns the copy."""
    for file in (path, path.with_name(f"{path.name}-wal")):
        if file.exists():
            (folder / file.name).write_bytes(
                b""
            )  # a file of our own: a copied one would be as read-only as the original
            shutil.copyfile(file, folder / file.name)
    return folder / path.name
