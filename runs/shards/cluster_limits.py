"""One limit of calls at once and one budget for the workers of a cluster, also when some of them die."""

import asyncio
import time
from dataclasses import dataclass, field

from ...errors import AssayError
from ...judges import Budget
from ...judges.budget import Reservation
from ...judges.limiter import AdaptiveLimiter
from ...judges.question import RawReply
from ...judges.request_size import RequestSize

LEASE_SECONDS = 60.0
"""A worker that gave no sign of life for so long counts as dead."""


@dataclass(frozen=True, slots=True)
class ClusterBudget:
    """The bounds of a budget, as they travel to a worker."""

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether there is any bound."""
        return any(bound is not None for bound in (self.usd, self.tokens, self.calls))


@dataclass(slots=True)
class _Lease:
    """What one worker holds: places of the limiter, and reservations by number."""

    last_sign: float
    places: int = 0
    reservations: dict[int, Reservation] = field(default_factory=dict)


class ClusterLimits:
    """Lends places and parts of the budget to workers. It lives in one process, whose event loop calls all methods.

    A worker that dies keeps nothing: its places become free after `lease_seconds`, and what its calls may have taken
    counts as spent, so that the budget is never exceeded.
    """

    def __init__(self, most_calls: int, bounds: ClusterBudget, lease_seconds: float = LEASE_SECONDS) -> None:
        self._limiter = AdaptiveLimiter(most_calls)
        self._budget = Budget(bounds.usd, bounds.tokens, bounds.calls)
        self._lease_seconds = lease_seconds
        self._leases: dict[str, _Lease] = {}
        self._count = 0
        self._watching: asyncio.Task[None] | None = None

    async def renew(self, worker: str) -> None:
        """A sign of life of a worker."""
        self._lease(worker)
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    async def take_place(self, worker: str) -> int:
        """Waits for a place; returns a ticket for `halve`."""
        self._lease(worker)
        ticket = await self._limiter.take_place()
        self._lease(worker).places += 1
        return ticket

    async def leave_place(self, worker: str) -> None:
        """Gives a place back; one that was taken from a worker that counted as dead is gone already."""
        lease = self._lease(worker)
        if lease.places:
            lease.places -= 1
            self._limiter.leave_place()

    async def count_success(self) -> None:
        """As `AdaptiveLimiter.count_success`."""
        self._limiter.count_success()

    async def halve(self, ticket: int) -> None:
        """As `AdaptiveLimiter.halve`."""
        self._limiter.halve(ticket)

    async def begin(self, worker: str, size: RequestSize) -> int | tuple[str, str]:
        """Reserves a part of the budget; as `Budget.begin`.

        Returns:
            The number of the reservation; or the class and the text of the error of a call that may not be made.
        """
        self._lease(worker)
        try:
            reservation = await self._budget.begin(size)
        except AssayError as error:
            return type(error).__name__, str(error)
        self._count += 1
        self._lease(worker).reservations[self._count] = reservation
        return self._count

    async def end(self, worker: str, number: int, reply: RawReply | None) -> None:
        """Settles a call; as `Budget.end`."""
        reservation = self._lease(worker).reservations.pop(number, None)
        if reservation is not None:
            self._budget.end(reservation, reply)

    async def release(self, worker: str, number: int) -> None:
        """Settles a call that surely cost nothing; as `Budget.release`."""
        reservation = self._lease(worker).reservations.pop(number, None)
        if reservation is not None:
            self._budget.release(reservation)

    async def spent(self) -> tuple[int, int, float]:
        """Returns the calls that began, and the tokens and USD that count as spent."""
        return self._budget.begun, self._budget.spent_tokens, self._budget.spent_usd

    def take_from_dead(self) -> None:
        """Takes everything from the workers that count as dead."""
        limit = time.monotonic() - self._lease_seconds
        for worker in [worker for worker, lease in self._leases.items() if lease.last_sign < limit]:
            lease = self._leases.pop(worker)
            for reservation in lease.reservations.values():
                self._budget.end(reservation, None)
            for _ in range(lease.places):
                self._limiter.leave_place()

    def _lease(self, worker: str) -> _Lease:
        lease = self._leases.setdefault(worker, _Lease(0.0))
        lease.last_sign = time.monotonic()
        return lease

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 4)
            self.take_from_dead()
