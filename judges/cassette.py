"""Recorded replies: a line of JSON a reply, sorted by key, so that a set is judged again without a model."""

import fcntl
import glob
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, get_args

from ..errors import InputError, UsageError
from .recording import Recording, format_line, parse_line
from .sorted_lines import SortedLines, line_key

Mode = Literal["replay", "record", "auto", "off"]


class Cassette:
    """A file of recordings.

    `replay` answers from the file only. `record` asks anew and keeps what comes. `auto` answers from the file and asks
    for what is missing. `off` neither reads nor writes. New recordings go at once into a journal of this object beside
    the file (`NAME.PID-RANDOM.recording`), and `close` merges it into the sorted file; what a killed process left is
    merged by the next. Raises `UsageError` for an unknown mode, `InputError` for a file that is not a cassette.
    """

    def __init__(self, path: str | Path, mode: Mode = "replay") -> None:
        if mode not in get_args(Mode):
            raise UsageError(f"no cassette mode is called {mode!r}; the modes are {', '.join(get_args(Mode))}")
        self.path = Path(path)
        self.mode = mode
        self._new: dict[str, bytes] = {}
        self._journal: int | None = None
        if mode == "replay" and not self.path.exists() and not list(self._journals()):
            raise InputError(
                f"{self.path}: there is no such cassette; record it with --mode record, or name another with --cassette"
            )
        self._left = self._read_left()
        self._lines = SortedLines(self.path)

    def get(self, key: str) -> Recording | None:
        """The recording with this key that may be replayed in this mode, or None."""
        line = self._new.get(key)
        if line is None and self.mode in {"replay", "auto"}:
            line = self._left.get(key) or self._lines.find(key)
        return None if line is None else self._parsed(line)

    def put(self, recording: Recording) -> None:
        """Keeps a recording, on disk before this returns. Does nothing in the modes that do not write."""
        if self.mode not in {"record", "auto"}:
            return
        line = format_line(recording)
        try:
            if self._journal is None:
                self._journal = self._open_journal()
            unwritten = line
            while unwritten:
                unwritten = unwritten[os.write(self._journal, unwritten) :]
        except OSError as error:
            raise InputError(f"{self.path}: a reply cannot be recorded: {error}; make room, or name another") from error
        self._new[recording.key] = line

    def recordings(self) -> Iterator[Recording]:
        """Every recording, sorted by key, those of this session included."""
        fresh = {**self._left, **self._new}
        for line in self._lines:
            if line_key(line) not in fresh:
                yield self._parsed(line)
        for key in sorted(fresh):
            yield self._parsed(fresh[key])

    def drop(self, keys: set[str]) -> None:
        """Removes recordings from the file, atomically; what killed processes left is merged first."""
        self._merge(lambda entries: {key: line for key, line in entries.items() if key not in keys})
        for key in keys:
            self._new.pop(key, None)
            self._left.pop(key, None)

    def close(self) -> None:
        """Merges what was recorded (and what killed processes left) into the file, atomically."""
        if self.mode in {"record", "auto"}:
            if self._journal is not None:
                os.close(self._journal)
                self._journal = None
            if any(self._journals()):
                self._merge(lambda entries: entries)
        self._lines.close()

    def __enter__(self) -> "Cassette":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _journals(self) -> Iterator[Path]:
        return self.path.parent.glob(f"{glob.escape(self.path.name)}.*.recording")

    def _read_left(self) -> dict[str, bytes]:
        """What stands in journals, of killed processes and of others that record right now."""
        if self.mode not in {"replay", "auto"}:
            return {}
        return {key: line for journal in self._journals() for key, line in _read_journal(journal).items()}

    def _open_journal(self) -> int:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        own = self.path.with_name(f"{self.path.name}.{os.getpid()}-{secrets.token_hex(4)}.recording")
        with self._locked_folder():  # between its making and its own lock nobody takes it for one left over
            journal = os.open(own, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY, 0o644)
            fcntl.flock(journal, fcntl.LOCK_SH)  # held for as long as this process records
        return journal

    @contextmanager
    def _locked_folder(self) -> Iterator[None]:
        """One process at a time; the folder, not a lock file, so that nothing is left behind."""
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _merge(self, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> None:
        """Rewrites the file with what was left over, then changed."""
        with self._locked_folder():
            left = [journal for journal in self._journals() if _is_left(journal)]
            current = SortedLines(self.path)
            before = {line_key(line): line if line.endswith(b"\n") else line + b"\n" for line in current}
            current.close()
            after = dict(before)
            for journal in sorted(left, key=lambda journal: journal.stat().st_mtime):
                after |= _read_journal(journal)
            after = change(after)
            if after != before:
                self._replace(after)
            for journal in left:
                journal.unlink()
        self._left = self._read_left()
        self._lines.close()
        self._lines = SortedLines(self.path)

    def _replace(self, entries: dict[str, bytes]) -> None:
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        with unfinished.open("wb") as out:
            out.writelines(entries[key] for key in sorted(entries))
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(self.path)

    def _parsed(self, line: bytes) -> Recording:
        try:
            return parse_line(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            number = self._lines.number(line_key(line))
            place = f"{self.path}, line {number}" if number else f"{self.path}, a line not yet merged"
            raise InputError(
                f"{place}: the recording {line[:50].decode(errors='replace')}... cannot be read ({error!r}); "
                "remove that line and record it again"
            ) from error


def _read_journal(journal: Path) -> dict[str, bytes]:
    try:
        lines = journal.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:  # merged by another just now: the sorted file, opened after this, has it
        return {}
    whole = lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]  # a killed process can leave half a line
    entries = {}
    for number, line in enumerate(whole, start=1):
        try:
            entries[line_key(line)] = line
        except ValueError as error:
            raise InputError(f"{journal}, line {number}: not a recording: {error}; remove that line") from error
    return entries


def _is_left(journal: Path) -> bool:
    with journal.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
