"""Looking a key up in a sorted JSONL file without reading the file: the memory that it takes does not grow."""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

_START = b'{"key": "'
_KEY = re.compile(re.escape(_START) + rb"([0-9a-f]{32})")
# What was read of a file above this many bytes is let go now and then: the system counts it as this process's memory.
_LARGE = 16 << 20
_FINDS_BETWEEN = 128
_GUESSES = 8


def line_key(line: bytes) -> str:
    """The key that a line begins with. Raises ValueError where it begins otherwise."""
    found = _KEY.match(line)
    if not found:
        raise ValueError(f"a line begins with {_START.decode()} and 32 hexadecimal digits; this has {line[:60]!r}")
    return found[1].decode("ascii")


class SortedLines:
    """A file of lines sorted by key, opened for search.

    Raises `InputError` for a file that cannot be read, with the line's number when a line is malformed or out of order.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None
        self._finds = 0
        try:
            if path.exists() and path.stat().st_size:
                with path.open("rb") as file:
                    self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"{path}: the cassette cannot be read: {error}; name a file that can be") from error
        self._check_order()

    def __iter__(self) -> Iterator[bytes]:
        if self._map is not None:
            self._map.seek(0)
            read = 0
            for line in iter(self._map.readline, b""):
                yield line
                read += len(line)
                if read > _LARGE:
                    read = 0
                    self._let_go()

    def _check_order(self) -> None:
        before = ""
        for number, line in enumerate(self, start=1):
            try:
                key = line_key(line)
            except ValueError as error:
                raise InputError(f"{self._path}, line {number}: not a recording: {error}") from error
            if key <= before:
                raise InputError(
                    f"{self._path}, line {number}: key {key} does not come after {before}; the lines are sorted "
                    "by key, each key once: sort the file (LC_ALL=C sort -u)"
                )
            before = key
        self._let_go()

    def find(self, key: str) -> bytes | None:
        """The line with this key, or None."""
        place = self._place(key)
        return None if place is None or self._map is None else self._map[slice(*place)]

    def number(self, key: str) -> int | None:
        """The number of the line with this key, from 1, or None."""
        place = self._place(key)
        return None if place is None or self._map is None else self._map[: place[0]].count(b"\n") + 1

    def _place(self, key: str) -> tuple[int, int] | None:
        if self._map is None:
            return None
        self._finds += 1
        if self._finds % _FINDS_BETWEEN == 0:
            self._let_go()
        wanted, lines = _START + key.encode(), self._map
        low, high = 0, len(lines)
        sought, least, most = _beginning(wanted), 0, 1 << 32
        looks = 0
        while low < high:
            # keys are hashes, spread evenly: a guess by their size lands near; halving is for keys that are not
            between = (sought - least) / (most - least) if looks < _GUESSES and most > least else 0.5
            middle = min(low + int((high - low) * between), high - 1)
            start = lines.rfind(b"\n", low, middle) + 1 or low
            here = lines[start : start + len(wanted)]
            end = lines.find(b"\n", start) + 1 or len(lines)
            if here == wanted:
                return start, end
            if here < wanted:
                low, least = end, _beginning(here)
            else:
                high, most = start, _beginning(here)
            looks += 1
        return None

    def _let_go(self) -> None:
        if self._map is not None and len(self._map) > _LARGE:
            self._map.madvise(mmap.MADV_DONTNEED)

    def close(self) -> None:
        """Lets go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None


def _beginning(line: bytes) -> int:
    """The first 32 bits of the key that a line begins with."""
    return int(line[len(_START) : len(_START) + 8], 16)
