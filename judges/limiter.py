"""How many calls run at once: bounded, halved when the provider says that there are too many, grown slowly."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class AdaptiveLimiter:
    """Lets a number of calls run at once that adapts to the provider.

    A burst of 429s halves the limit once: `halve` counts once for all calls that were under way at the last halving.
    After as many successful calls as the limit it grows by one.

    Attributes:
        limit: How many calls may run at once now, from 1 to `most`.
        running: How many run.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = most
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._successes = 0
        self._halvings = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Waits for a place, first come, first served; yields a ticket for `halve`."""
        ticket = await self.take_place()
        try:
            yield ticket
        finally:
            self.leave_place()

    async def take_place(self) -> int:
        """Waits for a place, for a caller that leaves it with `leave_place`; returns a ticket for `halve`."""
        if self.running < self.limit:
            self.running += 1
            return self._halvings
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave_place()  # the place was given to a caller that is gone
            raise
        return self._halvings

    def leave_place(self) -> None:
        """Gives a place to the next caller."""
        self.running -= 1
        self._give_places()

    def _give_places(self) -> None:
        while self._waiting and self.running < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():  # one that is done was cancelled
                self.running += 1  # taken for the waiter here and now, so that no newcomer slips in before it
                turn.set_result(None)

    def count_success(self) -> None:
        """Counts a call that succeeded."""
        self._successes += 1
        if self._successes >= self.limit:
            self._successes = 0
            self.limit = min(self.most, self.limit + 1)
            self._give_places()

    def halve(self, ticket: int) -> None:
        """Halves the limit after the provider said that there are too many calls."""
        if ticket == self._halvings:
            self._halvings += 1
            self._successes = 0
            self.limit = max(1, self.limit // 2)
