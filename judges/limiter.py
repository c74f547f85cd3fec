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
        await self._take_place()
        try:
            yield self._halvings
        finally:
            self._leave_place()

    async def _take_place(self) -> None:
        if self.running < self.limit:
            self.running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave_place()  # the place was given to a caller that is gone
            raise

    def _leave_place(self) -> None:
        self.running -= 1
        self._give_places()

    def _give_places(self) -> None:
        while self._waiting and self.running < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():  # one that is done was cancelled
                self.running += 1  # taken for the waiter here and now, so that no newcomer slips in before it
                turn.set_result(None)

    def went_well(self) -> None:
        """A call succeeded."""
        self._went_well += 1
        if self._went_well >= self.limit:
            self._went_well = 0
            self.limit = min(self.most, self.limit + 1)
            self._give_places()

    def halve(self, ticket: int) -> None:
        """The provider said that there are too many calls, to one that began with this ticket."""
        if ticket == self._halvings:
            self._halvings += 1
            self._went_well = 0
            self.limit = max(1, self.limit // 2)
