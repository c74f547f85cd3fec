"""One database connection per server thread, opened again when the database was restarted."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..runs.store.database import Database, open_database

T = TypeVar("T")


class Connections:
    """Runs work on a database connection of the calling thread.

    A piece of work that fails with the database's own error runs once more, on a new connection: the database may have
    been restarted, or have ended a connection that was idle. So work must be one transaction, or change nothing.
    """

    def __init__(self, where: str | Path, wait: float = 5.0) -> None:
        self._where = where
        self._wait = wait
        self._of_thread = threading.local()

    def run(self, work: Callable[[Database], T]) -> T:
        """What the work gives on this thread's connection."""
        database = self._connection()
        try:
            return work(database)
        except database.errors:
            self._of_thread.database = None
            with contextlib.suppress(Exception):  # it may be lost already
                database.close()
        return work(self._connection())

    def _connection(self) -> Database:
        if getattr(self._of_thread, "database", None) is None:
            self._of_thread.database = open_database(self._where, self._wait)
        database: Database = self._of_thread.database
        return database
