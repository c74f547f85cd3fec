"""A profile of the threads that the package computes in, which keep it no longer than they have to."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import checkout  # noqa: F401

from assay import worker_threads


@contextmanager
def profiled(note: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Has `note` called in this thread and in all that begin in the block."""
    with profiled_threads(note):
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)


@contextmanager
def profiled_threads(note: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Has `note` called in all threads that begin in the block, the package's own among them.

    A thread keeps its profile as long as it lives, and the package keeps its threads: those of before the block would
    have none, and those of the block would be slow for good. So both are left behind.
    """
    _leave_threads()
    threading.setprofile(note)
    try:
        yield
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
        _leave_threads()


def _leave_threads() -> None:
    for workers in (worker_threads._COMPUTATIONS, worker_threads._BLOCKING):
        while workers.is_busy():  # one that has given its result does not wait for more work yet
            time.sleep(0.001)
        workers._begin()
