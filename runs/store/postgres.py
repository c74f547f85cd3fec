"""A store on a PostgreSQL server: what psycopg does in another way than SQLite."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from ...errors import UsageError
from ...installation import require_extra

UNREADABLE_URL = "postgresql://***"
_SHOWN_PARAMETERS = {"application_name", "connect_timeout", "dbname", "host", "port", "sslmode", "user"}

_MIGRATION_LOCK = 0x6173736179  # any number that is ours: one process at a time brings the tables up to date
_CONTENTS_LOCK = _MIGRATION_LOCK + 1
_TYPES = {"BLOB": "BYTEA", "REAL": "DOUBLE PRECISION"}  # its REAL would lose half of a number's digits
# So that the server soon sees that a client's machine has lost its power, and takes its locks.
_SIGNS_OF_LIFE = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 10, "tcp_keepalives_count": 3}
_CURES = {  # by class of SQLSTATE, PostgreSQL documentation, appendix A
    "08": "see that the server is there and the URL is right",
    "25006": "the server is read-only: name another --store",
    "42501": "see that the user may read and write the tables",
    "53100": "make room on the disk",
    "55P03": "wait until the process that holds it has ended",
    "57P": "see that the server is there and the URL is right",
}


class PostgresDatabase:
    """A connection to a server, with the methods of `SQLiteDatabase`; the tables stand in its first schema."""

    def __init__(self, url: str, wait: float) -> None:
        with require_extra("postgres", "a store on PostgreSQL"):
            import psycopg
        self.name = without_password(url)
        if self.name == UNREADABLE_URL:
            raise UsageError(
                f"{self.name}: the URL of the store cannot be read (and is not shown, since it may hold a password); "
                "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as %40 "
                "(@), %2F (/), %3A (:), %23 (#) or %3F (?)"
            )
        self.errors, self.duplicate_error = psycopg.Error, psycopg.errors.UniqueViolation
        try:
            self._connection: psycopg.Connection[Any] = psycopg.connect(
                url, autocommit=True, connect_timeout=max(2, int(wait)), application_name="assay"
            )
            for setting, seconds in _SIGNS_OF_LIFE.items():
                self._connection.execute(f"SET {setting} = {seconds}")
            self._connection.execute(f"SET lock_timeout = {max(1, int(wait * 1000))}")
        except psycopg.Error as error:
            reason = _withhold_password(url, str(error))
            raise UsageError(f"{self.name}: the store cannot be opened: {reason}; {self.cure(error)}") from None

        self.locks = _ServerLocks(self)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """As `SQLiteDatabase.execute`; the rows are fetched whole."""
        return self._connection.execute(_translate(sql), [_storable(value) for value in values] or None)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_translate(sql), [[_storable(value) for value in row] for row in rows])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._connection.transaction():
            yield

    def hold_contents(self) -> None:
        self.execute("SELECT pg_advisory_xact_lock(?)", (_CONTENTS_LOCK,))

    @contextmanager
    def migration(self) -> Iterator[None]:
        with self.transaction():
            self.execute("SELECT pg_advisory_xact_lock(?)", (_MIGRATION_LOCK,))
            self.execute("CREATE TABLE IF NOT EXISTS assay_version (version INTEGER NOT NULL)")
            yield

    def version(self) -> int | None:
        if self.execute("SELECT to_regclass('assay_version')").fetchone()[0] is None:
            return None
        row = self.execute("SELECT version FROM assay_version").fetchone()
        return int(row[0]) if row else None

    def set_version(self, version: int) -> None:
        self.execute("DELETE FROM assay_version")
        self.execute("INSERT INTO assay_version VALUES (?)", (version,))

    @property
    def is_read_only(self) -> bool:
        """As `SQLiteDatabase.is_read_only`: of a standby, or of a user whose transactions only read."""
        return bool(self.execute("SHOW transaction_read_only").fetchone()[0] == "on")

    def cure(self, error: Exception) -> str:
        state = getattr(error, "sqlstate", None) or "08"  # without one, the connection is what broke
        return next((cure for code, cure in _CURES.items() if state.startswith(code)), "name another --store")

    def close(self) -> None:
        self._connection.close()


class _ServerLocks:
    """As `FileLocks`: advisory locks of the connection, which the server takes back when the connection ends."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._held: set[str] = set()

    def take(self, name: str) -> bool:
        if name in self._held or not self._ask("SELECT pg_try_advisory_lock(?, ?)", name):
            return False
        self._held.add(name)
        return True

    def release(self, name: str) -> None:
        if name in self._held:
            self._held.remove(name)
            self._ask("SELECT pg_advisory_unlock(?, ?)", name)

    def is_held(self, name: str) -> bool:
        return self._ask(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
            "AND classid = ?::int::oid AND objid = ?::int::oid "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
            name,
        )

    def close(self) -> None:
        """As `FileLocks.close`; they end with the connection."""
        self._held.clear()

    def _ask(self, sql: str, name: str) -> bool:
        digest = hashlib.sha256(f"assay {name}".encode()).digest()
        numbers = [int.from_bytes(digest[start : start + 4], "big") >> 1 for start in (0, 4)]  # positive
        return bool(self._database.execute(sql, numbers).fetchone()[0])


def without_password(url: str) -> str:
    """Returns a URL as it may stand in a message or a log: user, host, port, database and harmless parameters.

    Returns:
        The URL without its password; `UNREADABLE_URL` where it cannot be told what in it is the password.

    Example:
        >>> without_password("postgresql://ann:secret@db.example.org:5432/assay?sslmode=require&password=secret")
        'postgresql://ann@db.example.org:5432/assay?sslmode=require'
        >>> without_password("postgresql://ann:sec/ret@db.example.org/assay")
        'postgresql://***'
    """
    if not url.startswith(("postgres://", "postgresql://")):
        return url
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return UNREADABLE_URL
    if url.count("@") > parts.netloc.count("@") or url.count("@") > 1 or parts.fragment:  # in a password: @, /, ?, #
        return UNREADABLE_URL
    user = f"{parts.username}@" if parts.username else ""
    shown = urlencode([(name, value) for name, value in parse_qsl(parts.query) if name in _SHOWN_PARAMETERS])
    return f"{parts.scheme}://{user}{parts.hostname or ''}{port}{parts.path}" + (f"?{shown}" if shown else "")


def _withhold_password(url: str, text: str) -> str:
    """A message of the library without what is secret in the URL, which it may repeat."""
    parts = urlsplit(url)
    secrets = [value for name, value in parse_qsl(parts.query) if name not in _SHOWN_PARAMETERS]
    secrets += [parts.password, unquote(parts.password)] if parts.password else []
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text


def _translate(sql: str) -> Any:
    if sql.lstrip().startswith(("CREATE TABLE", "ALTER TABLE")):
        for ours, theirs in _TYPES.items():
            sql = sql.replace(f" {ours}", f" {theirs}")
    return sql.replace("?", "%s")


def _storable(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value  # its texts hold no NUL
