"""What the ratings so far say, kept up to date beside the server: in a process of its own, so that no rater waits."""

import asyncio
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from ..runs.show.rating_meaning import RatingMeaning, interpret_ratings

_LEAST_SECONDS = 5.0  # between two computations


class MeaningOfRatings:
    """Works out the present meaning of a queue's ratings when they have changed, at most every five seconds."""

    def __init__(self, where: str | Path, queue: str) -> None:
        self._where = where
        self._queue = queue
        self._state: object = None
        self._meaning: RatingMeaning | None = None
        self._ended = float("-inf")
        self._under_way: asyncio.Task[None] | None = None
        self._process: ProcessPoolExecutor | None = None

    async def read(self, state: object) -> tuple[RatingMeaning | None, bool]:
        """The newest meaning that is worked out, and whether it is of this state; else begins a newer one.

        None before the first.
        """
        is_free = self._under_way is None or self._under_way.done()
        if is_free and state != self._state and time.monotonic() - self._ended > _LEAST_SECONDS:
            self._under_way = asyncio.create_task(self._compute(state))
        return self._meaning, state == self._state

    async def _compute(self, state: object) -> None:
        loop = asyncio.get_running_loop()
        if self._process is None:
            self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=_be_nice)
        try:
            self._meaning = await loop.run_in_executor(self._process, interpret_ratings, self._where, self._queue)
            self._state = state
        except Exception as error:  # the page says so, and tries again with the next rating
            self._meaning, self._state = RatingMeaning(None, f"This could not be worked out: {error}"), state
        finally:
            self._ended = time.monotonic()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)


def _be_nice() -> None:
    if hasattr(os, "nice"):
        os.nice(5)
