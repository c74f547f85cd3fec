"""A store on a PostgreSQL server: what psycopg needs told differently from SQLite."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..installation import require_extra
from .database import not_a_store, without_password

_LOCK = 0x6173736179  # any number that is ours: one process brings the tables up to date
_TYPES = {"BLOB": "BYTEA", "REAL": "DOUBLE PRECISION"}  # its REAL would lose half of a number's digits


class PostgresDatabase:
    """A connection to a server, `postgresql://USER@HOST/DATABASE`; the tables stand in its search path's first schema.

    Raises `UsageError` when psycopg is not installed or the server cannot be reached.
    """

    errors: type[Exception]
    twice: type[Exception]

    def __init__(self, url: str, wait: float) -> None:
        with require_extra("postgres", "a store on PostgreSQL"):
            import psycopg
        self.name = without_password(url)
        self.errors, self.twice = psycopg.Error, psycopg.errors.UniqueViolation
        try:
            self._connection: psycopg.Connection[Any] = psycopg.connect(
                url, autocommit=True, connect_timeout=max(2, int(wait)), application_name="assay"
            )
            self._connection.execute(f"SET lock_timeout = {max(1, int(wait * 1000))}")
        except psycopg.Error as error:
            raise not_a_store(self.name, error) from error

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """As `Database.execute`; the rows are fetched whole."""
        return self._connection.execute(_translated(sql), [_held(value) for value in values] or None)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """As `Database.executemany`."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(sql), [[_held(value) for value in row] for row in rows])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """As `Database.writing`."""
        with self._connection.transaction():
            yield

    @contextmanager
    def migrating(self) -> Iterator[int | None]:
        """As `Database.migrating`."""
        with self.writing():
            self.execute("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
            self.execute("CREATE TABLE IF NOT EXISTS assay_version (version INTEGER NOT NULL)")
            row = self.execute("SELECT version FROM assay_version").fetchone()
            yield row[0] if row else None

    def set_version(self, version: int) -> None:
        """As `Database.set_version`."""
        self.execute("DELETE FROM assay_version")
        self.execute("INSERT INTO assay_version VALUES (?)", (version,))

    def close(self) -> None:
        """As `Database.close`."""
        self._connection.close()


def _translated(sql: str) -> Any:
    if sql.lstrip().startswith("CREATE"):
        for ours, theirs in _TYPES.items():
            sql = sql.replace(f" {ours}", f" {theirs}")
    return sql.replace("?", "%s")


def _held(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value  # its texts hold no NUL
