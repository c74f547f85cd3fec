"""One database connection per server thread, opened again when the database was restarted."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_exponential

from ..errors import UsageError
from ..runs.store.database import Database, open_database

T = TypeVar("T")
_LONGEST_RESTART = 10.0  # seconds that a rater may wait for a database that restarts


class _DatabaseGoneError(UsageError):
    """A database that was open cannot be opened again."""


class Connections:
    """Runs work on a database connection of the calling thread.

    A piece of work that fails with the database's own error runs again on a new connection, for up to 10 s; so work
    must be one transaction, or change nothing.
    """

    def __init__(self, where: str | Path, wait: float = 5.0) -> None:
        self._where = where
        self._wait = wait
        self._of_thread = threading.local()

    def run(self, work: Callable[[Database], T]) -> T:
        """What the work gives on this thread's connection."""
        of_thread = self._of_thread
        for attempt in Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, getattr(of_thread, "errors", ()))),
            stop=stop_after_delay(_LONGEST_RESTART),
            wait=wait_exponential(0.05, max=1),
            reraise=True,
        ):
            with attempt:
                database = self._connection()
                try:
                    return work(database)
                except database.errors:
                    of_thread.database = None
                    with contextlib.suppress(Exception):  # it may be lost already
                        database.close()
                    raise
        raise AssertionError("a retry ends with a value or an error")

    def _connection(self) -> Database:
        of_thread = self._of_thread
        if getattr(of_thread, "database", None) is None:
            try:
                of_thread.database = open_database(self._where, self._wait)
            except UsageError as error:
                if hasattr(of_thread, "errors"):  # it was open before: the server restarts
                    raise _DatabaseGoneError(str(error)) from error
                raise
            of_thread.errors = (_DatabaseGoneError, of_thread.database.errors)
        database: Database = of_thread.database
        return database
