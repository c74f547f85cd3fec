"""Looking a key up in a sorted JSONL file without keeping the file: 16 bytes of memory a line."""

import mmap
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

_START = b'{"key": "'
_KEY = re.compile(re.escape(_START) + rb"([0-9a-f]{32})")
# What was read of a file above this many bytes is let go now and then: the system counts it as this process's memory.
_LARGE = 16 << 20
_FINDS_BETWEEN = 128


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
        self._beginnings = array("Q")  # of the keys: their first 64 bits
        self._starts = array("Q", [0])  # of the lines, and the end of the last
        try:
            if path.exists() and path.stat().st_size:
                with path.open("rb") as file:
                    self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"{path}: the cassette cannot be read: {error}; name a file that can be") from error
        self._index()

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

    def _index(self) -> None:
        """Where each line starts and its key's beginning; refuses a line that is malformed or out of order."""
        before, start = "", 0
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
            self._beginnings.append(int(key[:16], 16))
            start += len(line)
            self._starts.append(start)
            before = key
        self._let_go()

    def find(self, key: str) -> bytes | None:
        """The line with this key, or None."""
        number = self.number(key)
        if number is None or self._map is None:
            return None
        self._finds += 1
        if self._finds % _FINDS_BETWEEN == 0:
            self._let_go()
        return self._map[self._starts[number - 1] : self._starts[number]]

    def number(self, key: str) -> int | None:
        """The number of the line with this key, from 1, or None."""
        place = bisect_left(self._beginnings, int(key[:16], 16))
        wanted = _START + key.encode()
        for line in range(place, len(self._beginnings)):
            start = self._starts[line]
            if self._map is None or (here := self._map[start : start + len(wanted)]) > wanted:
                return None
            if here == wanted:
                return line + 1
        return None

    def _let_go(self) -> None:
        if self._map is not None and len(self._map) > _LARGE:
            self._map.madvise(mmap.MADV_DONTNEED)

    def close(self) -> None:
        """Lets go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None
