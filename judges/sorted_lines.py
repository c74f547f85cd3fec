"""Looking up a key in a sorted JSONL file that stays on disk."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from ..errors import InputError
from ..regular_files import check_regular

_KEY = re.compile(rb'{"key": "([0-9a-f]{32})"')


def line_key(line: bytes) -> str:
    """Returns the key that a line begins with: 32 hexadecimal digits.

    Raises:
        ValueError: The line begins otherwise.

    Example:
        >>> line_key(b'{"key": "0123456789abcdef0123456789abcdef", "text": "Yes"}')
        '0123456789abcdef0123456789abcdef'
    """
    match = _KEY.match(line)
    if not match:
        raise ValueError(_complaint(line))
    return match[1].decode("ascii")


def _complaint(line: bytes) -> str:
    return f'a line begins with {{"key": " and 32 hexadecimal digits; this has {line[:60]!r}'


class SortedLines:
    """A file of lines that begin with their key and are sorted by it, each key once.

    Of each line only 16 bytes are kept in memory: the first 64 bits of its key and where it starts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key_heads = array("Q")
        self._starts = array("Q", [0])  # of each line, and the end of the last one
        self._reading = Lock()  # a position in a file belongs to one thread at a time
        check_regular(path)
        try:
            self._file = path.open("rb") if path.exists() else None
        except OSError as error:
            raise InputError(f"{path}: the cassette cannot be read: {error}; name a file that can be") from error
        self._index()

    def _index(self) -> None:
        earlier, end = b"", 0
        for number, line in enumerate(self._file or (), start=1):
            match = _KEY.match(line)
            if match is None:
                raise InputError(f"{self._path}, line {number}: not a recording: {_complaint(line)}")
            key = match[1]
            if key <= earlier:
                raise InputError(
                    f"{self._path}, line {number}: key {key.decode()} does not come after {earlier.decode()}; the "
                    "lines are sorted by key, each key once: sort the file (LC_ALL=C sort -u)"
                )
            end += len(line)
            self._key_heads.append(int(key[:16], 16))
            self._starts.append(end)
            earlier = key

    def __iter__(self) -> Iterator[bytes]:
        """Every line, in order, with a line end."""
        return map(self._line, range(len(self._key_heads)))

    def find(self, key: str) -> bytes | None:
        """Returns the line with this key, or None."""
        head, beginning = _head(key), f'{{"key": "{key}"'.encode()
        for place in range(bisect_left(self._key_heads, head), len(self._key_heads)):
            if self._key_heads[place] != head:
                break
            line = self._line(place)
            if line.startswith(beginning):
                return line
        return None

    def _line(self, place: int) -> bytes:
        assert self._file is not None, "a file without lines has no places"
        start, end = self._starts[place], self._starts[place + 1]
        with self._reading:
            self._file.seek(start)
            line = self._file.read(end - start)
        return line if line.endswith(b"\n") else line + b"\n"

    def close(self) -> None:
        """Closes the file; its lines can no longer be read."""
        if self._file is not None:
            self._file.close()


def _head(key: str) -> int:
    return int(key[:16], 16)
