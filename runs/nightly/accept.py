"""Accepting runs: the next nightly runs of their suite are compared with them."""

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import UsageError
from ..store import Store
from .ledger import Ledger
from .suite import judge_identity


class AcceptedRuns(NamedTuple):
    """Runs that were accepted together: the suite's name, the judge's identity, and the runs' ids."""

    suite: str
    judge: str
    runs: tuple[str, ...]


def accept_runs(store: Store, runs: Sequence[str], suite: str | None = None) -> AcceptedRuns:
    """Accepts runs of one judge for their suite, as a new baseline; what was accepted before is remembered."""
    ledger, rows = Ledger(store), [store.run(run) for run in runs]
    names = set[tuple[str, str]]()
    for row in rows:
        if row.status != "done":
            raise UsageError(f"run {row.id} did not finish ({row.status}): resume it, then accept it")
        name = suite or ledger.find_suite(row.id)
        if name is None:
            raise UsageError(f"run {row.id} was not made by a suite; say which one it is for: --suite NAME")
        names.add((name, judge_identity(row.plan.judge)))
    if len(names) > 1:
        listed = " and ".join(f"{name} (judge: {judge})" for name, judge in sorted(names))
        raise UsageError(f"the runs are of {listed}: accept the runs of one suite and one judge at a time")
    ids = tuple(dict.fromkeys(row.id for row in sorted(rows, key=lambda row: row.created)))
    ((name, judge),) = names
    ledger.accept(name, judge, *ids)
    return AcceptedRuns(name, judge, ids)
