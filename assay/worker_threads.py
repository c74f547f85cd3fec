"""Work beside the event loop: judge calls, progress and Ctrl-C go on while it lasts.

A worker is a daemon thread. `asyncio.to_thread` would not do: at the end of a run, and after Ctrl-C, Python waits for
its threads. All computations share one thread, because Python runs one of them at a time anyway; functions that may
wait for something else (a server, a disk) have as many threads as they need, up to 32.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class _Workers:
    """Daemon threads that take work from one queue; a thread is started when work comes and none is idle."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)  # a forked process has none of its parent's threads

    def _begin(self) -> None:
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._queue = deque[Callable[[], None]]()
        self._changed = threading.Condition()

    def include_this_thread(self) -> bool:
        """Whether the caller runs on one of these threads: waiting for another result of theirs might never end."""
        return threading.current_thread() in self._threads

    def is_busy(self) -> bool:
        """Whether a thread is at work."""
        with self._changed:
            return self._idle < len(self._threads)

    def submit(self, work: Callable[[], None]) -> None:
        with self._changed:
            self._queue.append(work)
            if self._idle < len(self._queue) and len(self._threads) < self._most:
                thread = threading.Thread(target=self._work, name="assay-worker", daemon=True)
                self._threads.add(thread)
                thread.start()
            else:
                self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._queue:
                    self._changed.wait()
                self._idle -= 1
                work = self._queue.popleft()
            work()


_COMPUTATIONS = _Workers(1)
_BLOCKING = _Workers(32)


async def compute_beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of a computation, made in the thread that all computations share.

    When the task that waits is cancelled, what is queued is dropped and what has begun is left to end by itself;
    nothing waits for it.
    """
    return await _await_result(_COMPUTATIONS, partial(function, *args, **kwargs))


def is_computing() -> bool:
    """Whether a computation is under way that nothing waits for any more, or has not ended yet."""
    return _COMPUTATIONS.is_busy()


async def call_beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of a function that may block, such as a metric or a judge of the user's own; up to 32 run at once."""
    return await _await_result(_BLOCKING, partial(function, *args, **kwargs))


async def _await_result(workers: _Workers, function: Callable[[], T]) -> T:
    if workers.include_this_thread():
        return function()
    future: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = context.run(function)
        except StopIteration as error:  # asyncio cannot pass it on: a coroutine that awaits would seem to be at its end
            future.set_exception(RuntimeError(f"a StopIteration left {function}").with_traceback(error.__traceback__))
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    workers.submit(work)
    return await asyncio.wrap_future(future)
