"""What a store remembers of nightly runs: the runs of each, how it ended, and which runs were accepted."""

import json
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, NamedTuple

from ...errors import UsageError
from ..store.database import explain_errors
from ..store.store import Store
from .suite_file import judge_identity

_COLUMNS = "id, suite, began, status, report"


class NightlyRunRow(NamedTuple):
    """A nightly run as the store lists it."""

    id: str
    suite: str
    began: str  # when it began: ISO 8601, UTC
    status: str  # `running` until it ends, then its verdict; `killed` where its process is gone and did not say why
    report: dict[str, Any] | None  # its report; None until it ends


class Baseline(NamedTuple):
    """The runs of a suite and a judge that were accepted last, together."""

    runs: tuple[str, ...]  # their ids, in the order in which they were accepted
    accepted_at: str  # when: ISO 8601, UTC


class Ledger:
    """The nightly runs and the accepted runs of a store.

    Every method raises `InputError` where the store cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._database = store, store.database

    def begin(self, suite: str) -> NightlyRunRow:
        """Begins a nightly run of a suite; this process is at work on it until `end`, or until the store is closed."""
        now = datetime.now(UTC)
        name, began = f"nightly-{now:%Y%m%d-%H%M%S}-{token_hex(2)}", now.isoformat(timespec="microseconds")
        row = NightlyRunRow(name, suite, began, "running", None)
        with self._writing():
            self._database.locks.take(name)
            with self._database.transaction():
                (last,) = self._database.execute("SELECT coalesce(max(number), 0) FROM nightly_runs").fetchone()
                self._database.execute(
                    f"INSERT INTO nightly_runs ({_COLUMNS}, number) VALUES (?, ?, ?, ?, ?, ?)", (*row, last + 1)
                )
        return row

    def add_run(self, nightly_run: str, judge: str, run: str) -> None:
        """Records that a run, by one of the suite's judges, belongs to a nightly run."""
        with self._writing(), self._database.transaction():
            self._database.execute("INSERT INTO runs_of_nightly_runs VALUES (?, ?, ?)", (nightly_run, judge, run))

    def resume(self, nightly_run: str) -> None:
        """Goes on with a nightly run, as `begin` begins one."""
        with self._writing():
            if not self._database.locks.take(nightly_run):
                raise UsageError(
                    f"{nightly_run} is running: another process is at work on it; wait until it has ended, or end it "
                    "first"
                )
            self._database.execute(
                "UPDATE nightly_runs SET status = 'running', report = NULL WHERE id = ?", (nightly_run,)
            )

    def end(self, nightly_run: str, status: str, report: dict[str, Any]) -> None:
        """Records how a nightly run ended, with its report; this process is no longer at work on it."""
        try:
            with self._writing(), self._database.transaction():
                self._database.execute(
                    "UPDATE nightly_runs SET status = ?, report = ? WHERE id = ?",
                    (status, json.dumps(report), nightly_run),
                )
        finally:
            with self._writing():
                self._database.locks.release(nightly_run)

    def nightly_runs(self, suite: str) -> list[NightlyRunRow]:
        """Returns all nightly runs of a suite, the newest first."""
        return self._list("suite = ?", suite)

    def _list(self, condition: str, value: str) -> list[NightlyRunRow]:
        with self._reading():
            rows = self._database.execute(
                f"SELECT {_COLUMNS} FROM nightly_runs WHERE {condition} ORDER BY number DESC", (value,)
            ).fetchall()
            listed = []
            for name, suite, began, status, report in rows:
                is_killed = status == "running" and not self._database.locks.is_held(name)
                read = None if report is None else json.loads(report)
                listed.append(NightlyRunRow(name, suite, began, "killed" if is_killed else status, read))
            return listed

    def suites(self) -> list[str]:
        """Returns the names of the suites that had a nightly run."""
        with self._reading():
            rows = self._database.execute("SELECT DISTINCT suite FROM nightly_runs ORDER BY suite").fetchall()
        return [str(suite) for (suite,) in rows]

    def nightly_run(self, name: str) -> NightlyRunRow:
        """Returns a nightly run. Raises `UsageError` where there is none of this name."""
        for row in self._list("id = ?", name):
            return row
        raise UsageError(f"{self._database.name}: no nightly run is called {name!r}")

    def accepted_runs(self, suite: str) -> set[str]:
        """Returns the runs of a suite that are accepted now, of every judge."""
        with self._reading():
            judges = self._database.execute("SELECT DISTINCT judge FROM accepted WHERE suite = ?", (suite,)).fetchall()
        baselines = [self.baseline(suite, judge) for (judge,) in judges]
        return {run for baseline in baselines if baseline for run in baseline.runs}

    def runs(self, nightly_run: str) -> dict[str, str]:
        """Returns the runs of a nightly run by judge."""
        with self._reading():
            rows = self._database.execute(
                "SELECT judge, run FROM runs_of_nightly_runs WHERE nightly_run = ?", (nightly_run,)
            ).fetchall()
        return dict(rows)

    def find_suite(self, run: str) -> str | None:
        """Returns the suite that a run was made for, or None."""
        with self._reading():
            row = self._database.execute(
                "SELECT suite FROM runs_of_nightly_runs JOIN nightly_runs ON nightly_runs.id = nightly_run "
                "WHERE run = ?",
                (run,),
            ).fetchone()
        return None if row is None else str(row[0])

    def last_two_runs(self) -> tuple[str, str]:
        """Returns the newest run, after the newest one before it of the same suite or the same sets, by the same judge.

        Raises:
            UsageError: There is none before it.
        """
        newest = self._store.run("last")
        suite = self.find_suite(newest.id)
        for name in self._store.run_ids()[1:]:
            row = self._store.run(name)
            if judge_identity(row.plan.judge) == judge_identity(newest.plan.judge) and (
                row.plan.sets == newest.plan.sets or (suite is not None and self.find_suite(name) == suite)
            ):
                return name, newest.id
        raise UsageError(f"no run before {newest.id} is of the same sets and by the same judge: name two runs")

    def accept(self, suite: str, judge: str, *runs: str) -> None:
        """Makes runs the baseline of the suite's next nightly runs; the earlier ones stay recorded."""
        now = datetime.now(UTC).isoformat(timespec="microseconds")  # what was accepted together has one time
        with self._writing(), self._database.transaction():
            (last,) = self._database.execute("SELECT coalesce(max(number), 0) FROM accepted").fetchone()
            for number, run in enumerate(runs, last + 1):
                self._database.execute("INSERT INTO accepted VALUES (?, ?, ?, ?, ?)", (suite, judge, run, now, number))

    def baseline(self, suite: str, judge: str) -> Baseline | None:
        """Returns the runs of a suite and a judge's identity that were accepted last, or None."""
        with self._reading():
            rows = self._database.execute(
                "SELECT run, at FROM accepted WHERE suite = ? AND judge = ? ORDER BY number", (suite, judge)
            ).fetchall()
        newest = rows[-1][1] if rows else None
        return Baseline(tuple(run for run, at in rows if at == newest), str(newest)) if newest else None

    def _reading(self) -> AbstractContextManager[None]:
        return explain_errors(self._database, "the nightly runs cannot be read")

    def _writing(self) -> AbstractContextManager[None]:
        return explain_errors(self._database, "the nightly run cannot be kept", ", then go on with --resume")
