"""The lines of a text file in UTF-8; any other encoding is an error that says which it may be."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def read_raw_lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, bytes with their line end), without a byte order mark. Raises `InputError` on UTF-16."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield number, strip_byte_order_mark(line, name) if number == 1 else line


def strip_byte_order_mark(start: bytes, name: str) -> bytes:
    """The beginning of a file without UTF-8's byte order mark. Raises `InputError` on UTF-16's."""
    if start.startswith(_UTF16):
        raise InputError(f"{name}, line 1: the file is UTF-16, not UTF-8; save it as UTF-8 (in Excel: 'CSV UTF-8')")
    return start.removeprefix(_BOM)


def decode_line(line: bytes, place: str, path: Path) -> str:
    """The text of a line. Raises `InputError` with the place of the first byte that is not UTF-8, and the cure."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = line[error.start : error.start + 1]
        guess = byte.decode("cp1252", errors="replace")
        raise InputError(
            f"{place}: byte 0x{byte.hex()} (the {error.start + 1}th of the line) is not UTF-8; in Windows-1252 it is "
            f"'{guess}': save the file as UTF-8 (in Excel: 'CSV UTF-8'), or convert it with "
            f"`iconv -f cp1252 -t utf-8 {path.name} > {path.stem}-utf8{path.suffix}`"
        ) from None
