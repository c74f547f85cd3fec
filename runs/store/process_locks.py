"""Which process is at work on a run: a lock that the system takes from a process however it ends."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from ...errors import InputError

_TRIES = 10
_PAUSE = 0.02  # seconds between them: who looks whether a lock is held has it for a moment


class ProcessLocks(Protocol):
    """Locks by name; a process that is killed, and one whose machine loses its power, holds none any more."""

    def take(self, name: str) -> bool:
        """Takes a lock for this process; returns whether nobody held it."""
        ...

    def release(self, name: str) -> None:
        """Gives a lock back; one that is not held here stays as it is."""
        ...

    def is_held(self, name: str) -> bool:
        """Whether any process, this one included, holds a lock."""
        ...

    def close(self) -> None:
        """Gives all locks back."""
        ...


class FileLocks:
    """Locks of one machine, each on a file of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, ExitStack] = {}

    def take(self, name: str) -> bool:
        """As `ProcessLocks.take`."""
        from filelock import Timeout

        from ...judges.cassette import locked

        for _ in range(_TRIES):
            holding = ExitStack()
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                holding.enter_context(locked(self._folder / name, wait=False))
            except Timeout:
                time.sleep(_PAUSE)
                continue
            except OSError as error:
                raise InputError(
                    f"{self._folder / name}.lock: cannot be written: {error.strerror or error}; make room, see that "
                    "the folder can be written to, or name another --store"
                ) from error
            self._held[name] = holding
            return True
        return False

    def release(self, name: str) -> None:
        """As `ProcessLocks.release`."""
        if (holding := self._held.pop(name, None)) is not None:
            holding.close()

    def is_held(self, name: str) -> bool:
        """As `ProcessLocks.is_held`; a file that is not there, or cannot be read, is locked by nobody."""
        if name in self._held:
            return True
        try:
            return _is_locked(self._folder / f"{name}.lock")
        except OSError:
            return False

    def close(self) -> None:
        """As `ProcessLocks.close`."""
        for name in [*self._held]:
            self.release(name)


def _make_look() -> Callable[[Path], bool]:
    """Returns what looks whether a file is locked."""
    try:
        import fcntl
    except ImportError:  # on Windows
        return _look_by_taking

    def look(file: Path) -> bool:
        with file.open("rb") as opened:  # a file that cannot be written to can be looked at
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: those who look do not see each other
            except BlockingIOError:
                return True
        return False

    return look


def _look_by_taking(file: Path) -> bool:
    from filelock import FileLock, Timeout

    if not file.exists():
        return False
    try:
        with FileLock(file, timeout=0):
            return False
    except Timeout:
        return True


_is_locked = _make_look()
