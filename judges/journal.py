"""Replies that are recorded and not yet merged into their cassette: one append-only file per recording process.

A journal stands beside its cassette as `NAME.PID-RANDOM.recording`. Its process holds a lock (`….recording.lock`) while
it records: a journal whose lock is free was left by a process that was killed, and the next merge takes it over.
"""

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..atomic_files import check_space
from ..errors import InputError
from .sorted_lines import line_key


class Journal:
    """The journal of this process for one cassette.

    Raises:
        OSError: The journal cannot be created, or the disk is full.
    """

    def __init__(self, cassette: Path) -> None:
        cassette.parent.mkdir(parents=True, exist_ok=True)
        check_space(cassette.parent)
        path = cassette.with_name(f"{cassette.name}.{os.getpid()}-{secrets.token_hex(4)}.recording")
        with ExitStack() as opening:
            opening.enter_context(locked(path))  # first: a journal without a lock would be taken over
            self._file = opening.enter_context(path.open("xb", buffering=0))
            self._opened = opening.pop_all()

    def append(self, line: bytes) -> None:
        """Writes a line; a kill after this returns does not lose it.

        Raises:
            OSError: The line was not written, or only in part: close this journal, so that no line follows a torn one.
        """
        unwritten = memoryview(line)
        while unwritten:
            unwritten = unwritten[self._file.write(unwritten) :]

    def close(self) -> None:
        """Ends the recording and leaves the journal to the next merge."""
        self._opened.close()


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds a lock for a path that other processes respect; its file (`PATH.lock`) is gone afterwards.

    Raises:
        filelock.Timeout: The lock is held elsewhere and `wait` is False.
        OSError: The lock's file cannot be written.
    """
    from filelock import FileLock  # takes as long to import as this whole package

    file = path.with_name(f"{path.name}.lock")
    with FileLock(file, timeout=-1 if wait else 0, thread_local=False):
        try:
            yield
        finally:
            if os.name != "nt":  # Windows removes no open file; there filelock does so after the release
                file.unlink(missing_ok=True)


def find_journals(cassette: Path) -> list[Path]:
    """Returns the journals beside a cassette, those of living processes included."""
    return list(cassette.parent.glob(f"{glob.escape(cassette.name)}.*.recording"))


@contextmanager
def abandoned_journals(cassette: Path) -> Iterator[list[Path]]:
    """Locks the journals that no living process records into, and yields them, the oldest first."""
    from filelock import Timeout

    with ExitStack() as locks:
        abandoned = []
        lock_files = cassette.parent.glob(f"{glob.escape(cassette.name)}.*.recording.lock")  # all that a kill may leave
        for journal in {*find_journals(cassette), *(file.with_suffix("") for file in lock_files)}:
            try:
                locks.enter_context(locked(journal, wait=False))
            except Timeout:
                continue
            if journal.exists():
                abandoned.append(journal)
        yield sorted(abandoned, key=lambda journal: journal.stat().st_mtime_ns)


def read_journal(journal: Path) -> dict[str, bytes]:
    """Returns the lines of a journal by key, without a last one that a kill cut off: its reply was never returned.

    A journal that does not exist (any more) has no lines: another process has just merged it.
    """
    try:
        lines = journal.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    entries = {}
    for number, line in enumerate(lines, start=1):
        try:
            entries[line_key(line)] = line
        except ValueError as error:
            raise InputError(f"{journal}, line {number}: not a recording: {error}; remove that line") from error
    return entries
