"""Accepting a run: the next nightly runs of its suite are compared with it."""

from typing import NamedTuple

from ...errors import UsageError
from ..store import Store
from .ledger import Ledger
from .suite import judge_identity


class AcceptedRun(NamedTuple):
    """A run that was accepted: the suite's name, the judge's identity, and the run's id."""

    suite: str
    judge: str
    run: str


def accept_run(store: Store, run: str, suite: str | None = None) -> AcceptedRun:
    """Accepts a run for its suite; earlier accepted runs are remembered.

    Args:
        store: Where the run is.
        run: Its id, the beginning of its id, or `last`.
        suite: The suite's name; needed for a run that was not made by a suite.

    Raises:
        UsageError: The run did not finish, or it is unknown which suite it is for.
    """
    ledger, row = Ledger(store), store.run(run)
    if row.status != "done":
        raise UsageError(f"run {row.id} did not finish ({row.status}): resume it, then accept it")
    name = suite or ledger.find_suite(row.id)
    if name is None:
        raise UsageError(f"run {row.id} was not made by a suite; say which one it is for: --suite NAME")
    accepted = AcceptedRun(name, judge_identity(row.plan.judge), row.id)
    ledger.accept(*accepted)
    return accepted
