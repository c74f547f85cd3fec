"""What a store remembers of nights: which runs belong to them, how they ended, and which runs were accepted."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...errors import InputError, UsageError
from ..store import Store

_PUT_REPORT = "UPDATE nights SET status = ?, report = ? WHERE id = ?"


class NightRow(NamedTuple):
    """A night as the store lists it. `status` is `running` until it ends: after a kill it stays so."""

    id: str
    suite: str
    began: str
    status: str
    report: dict[str, Any] | None


class Ledger:
    """The nights and accepted runs of a store. Raises `InputError` when it cannot be written."""

    def __init__(self, store: Store) -> None:
        self._db = store.database

    def begin(self, suite: str) -> NightRow:
        """Begins a night of a suite."""
        now = datetime.now(UTC)
        for attempt in range(100):
            night = f"night-{now:%Y%m%d-%H%M%S}" + (f"-{attempt}" if attempt else "")
            began = now.isoformat(timespec="seconds")
            try:
                with self._told(), self._db.writing():
                    self._db.execute("INSERT INTO nights VALUES (?, ?, ?, 'running', NULL)", (night, suite, began))
            except _Twice:
                continue
            return NightRow(night, suite, began, "running", None)
        raise UsageError(f"{self._db.name}: a hundred nights began in this second")

    def add_run(self, night: str, judge: str, run: str) -> None:
        """Says that a run belongs to a night."""
        with self._told(), self._db.writing():
            self._db.execute("INSERT INTO night_runs VALUES (?, ?, ?)", (night, judge, run))

    def end(self, night: str, status: str, report: dict[str, Any]) -> None:
        """Keeps a night's report."""
        with self._told(), self._db.writing():
            self._db.execute(_PUT_REPORT, (status, json.dumps(report), night))

    def nights(self, suite: str) -> list[NightRow]:
        """All nights of a suite, the newest first."""
        rows = self._db.execute(
            "SELECT id, suite, began, status, report FROM nights WHERE suite = ? ORDER BY began DESC, id DESC", (suite,)
        )
        return [
            NightRow(night, of, began, status, None if report is None else json.loads(report))
            for night, of, began, status, report in rows
        ]

    def runs(self, night: str) -> dict[str, str]:
        """The runs of a night by judge."""
        return dict(self._db.execute("SELECT judge, run FROM night_runs WHERE night = ?", (night,)).fetchall())

    def suite_of(self, run: str) -> str | None:
        """The suite that a run was made for, or None."""
        found = self._db.execute(
            "SELECT suite FROM night_runs JOIN nights ON nights.id = night_runs.night WHERE run = ?", (run,)
        ).fetchone()
        return None if found is None else str(found[0])

    def accept(self, suite: str, judge: str, run: str) -> None:
        """Makes a run the one that the suite's next nights are compared with; the earlier ones are remembered.

        `judge` is the judge's identity, as for `accepted`.
        """
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._told(), self._db.writing():
            (number,) = self._db.execute("SELECT coalesce(max(number), 0) + 1 FROM accepted").fetchone()
            self._db.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?)", (suite, judge, run, at, number))

    def accepted(self, suite: str, judge: str) -> str | None:
        """The run that was accepted last, or None."""
        found = self._db.execute(
            "SELECT run FROM accepted WHERE suite = ? AND judge = ? ORDER BY number DESC LIMIT 1", (suite, judge)
        ).fetchone()
        return None if found is None else str(found[0])

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except self._db.errors as error:
            if isinstance(error, self._db.twice):
                raise _Twice from error
            raise InputError(
                f"{self._db.name}: the night cannot be kept: {error}; see that the store can be written to and has "
                "room, then go on with --resume"
            ) from error


class _Twice(Exception):
    """A night of this name is there already."""
