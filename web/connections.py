"""One database connection per server thread, opened again when the database was restarted."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_exponential

from ..errors import UsageError
from ..runs.database import Database, open_database

T = TypeVar("T")
_LONGEST_RESTART = 10.0  # seconds that a rater may wait for a database that restarts


class _DatabaseGoneError(UsageError):
    """A database that was open cannot be opened again."""


class Connections:
    """Runs work on a database connection of the calling thread.

    A piece of work that fails with the database's own error runs again on a new connection, for up to 10 s; so work
    must be one transaction, or change nothing. Of a database that cannot be written to, all threads read one `copy`.
    """

    def __init__(self, where: str | Path, wait: float = 5.0, *, copy: Path | None = None) -> None:
        self._where = where
        self._wait = wait
        self._copy = copy
        self._of_thread = threading.local()

    def run(self, work: Callable[[Database], T]) -> T:
        """What the work gives on this thread's connection."""
        for attempt in Retrying(
            retry=retry_if_exception(self._is_connection_lost),
            stop=stop_after_delay(_LONGEST_RESTART),
            wait=wait_exponential(0.05, max=1),
            reraise=True,
        ):
            with attempt:
                try:
                    return work(self._connection())
                except Exception as error:
                    if self._is_connection_lost(error):
                        self._drop()
                    raise
        raise AssertionError("a retry ends with a value or an error")

    def _connection(self) -> Database:
        if getattr(self._of_thread, "database", None) is None:
            try:
                self._of_thread.database = open_database(self._where, self._wait, self._copy)
            except UsageError as error:
                if hasattr(self._of_thread, "errors"):  # it was open before: the server restarts
                    raise _DatabaseGoneError(str(error)) from error
                raise
            self._of_thread.errors = self._of_thread.database.errors
        database: Database = self._of_thread.database
        return database

    def _is_connection_lost(self, error: BaseException) -> bool:
        return isinstance(error, (_DatabaseGoneError, *self._errors()))

    def _errors(self) -> tuple[type[Exception], ...]:
        errors = getattr(self._of_thread, "errors", None)
        return () if errors is None else (errors,)

    def _drop(self) -> None:
        database, self._of_thread.database = self._of_thread.database, None
        if database is not None:
            with contextlib.suppress(database.errors):  # it may be lost already
                database.close()
