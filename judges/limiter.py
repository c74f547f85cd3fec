"""How many calls are under way at once: bounded, halved when the provider says it is too many, grown slowly."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class AdaptiveLimiter:
    """Lets at most `limit` calls run at once; `limit` moves between 1 and `most`.

    `halve` is heard once for all calls that were under way at the last halving: a burst of 429s is one message.
    After `limit` calls that went well the limit grows by one.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = most
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._went_well = 0
        self._halvings = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Waits for a place and gives a ticket for `halve`; first come, first served."""
        while self.running >= self.limit:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake()  # this turn was given to a caller that is gone: the next one has it
                raise
        self.running += 1
        try:
            yield self._halvings
        finally:
            self.running -= 1
            self._wake()

    def went_well(self) -> None:
        """A call succeeded."""
        self._went_well += 1
        if self._went_well >= self.limit:
            self._went_well = 0
            self.limit = min(self.most, self.limit + 1)
            self._wake()

    def halve(self, ticket: int) -> None:
        """The provider said that there are too many calls, to one that began with this ticket."""
        if ticket == self._halvings:
            self._halvings += 1
            self._went_well = 0
            self.limit = max(1, self.limit // 2)

    def _wake(self) -> None:
        free = self.limit - self.running
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
