"""Looking a key up in a sorted JSONL file without reading the file: the memory that it takes does not grow."""

import mmap
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

_START = b'{"key": "'
_KEY_LENGTH = 32


def line_key(line: bytes) -> str:
    """The key that a line begins with. Raises ValueError where it begins otherwise."""
    key = line[len(_START) : len(_START) + _KEY_LENGTH]
    if not line.startswith(_START) or len(key) < _KEY_LENGTH:
        raise ValueError(
            f"a line begins with {_START.decode()} and {_KEY_LENGTH} hexadecimal digits; this has {line[:60]!r}"
        )
    return key.decode("ascii")


class SortedLines:
    """A file of lines sorted by key, opened for binary search.

    Raises `InputError` for a file that cannot be read, with the line's number when a line is malformed or out of order.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None
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
            yield from iter(self._map.readline, b"")

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
        wanted, lines = _START + key.encode(), self._map
        low, high = 0, len(lines)
        while low < high:
            start = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
            here = lines[start : start + len(wanted)]
            end = lines.find(b"\n", start) + 1 or len(lines)
            if here == wanted:
                return start, end
            if here < wanted:
                low = end
            else:
                high = start
        return None

    def close(self) -> None:
        """Lets go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None
