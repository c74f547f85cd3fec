"""Reads the files that people name: what may never end (a pipe, a device) or holds no bytes of its own is refused."""

import stat
from importlib.resources.abc import Traversable
from pathlib import Path

from .errors import InputError

MOST_BYTES = 10_000_000
"""Of a file of settings or texts that is read whole."""
_KINDS = (
    (stat.S_ISDIR, "a folder", "name a file in it"),
    (stat.S_ISFIFO, "a pipe", "a file may be read more than once: write what it gives to a file, and name that"),
    (stat.S_ISCHR, "a device", "name a file"),
    (stat.S_ISBLK, "a device", "name a file"),
    (stat.S_ISSOCK, "a socket", "name a file"),
)


def kind_of_no_file(path: Path) -> str:
    """Returns what a path leads to that is no regular file ("a pipe"); empty for a file, and where nothing is there.

    Example:
        >>> kind_of_no_file(Path("/dev/null"))
        'a device'
    """
    return _kind_and_cure(path)[0]


def kind_of_no_folder(path: Path) -> str:
    """Returns what a path leads to that is no folder ("a file"); empty for a folder, and where nothing is there."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "" if stat.S_ISDIR(mode) else kind_of_no_file(path) or "a file"


def check_regular(path: Path, name: str = "", most_bytes: int | None = None) -> None:
    """Checks that a path leads to a file, before it is opened: opening a pipe or reading a device may never end.

    Example:
        >>> check_regular(Path("/dev/null"))
        Traceback (most recent call last):
        assay.errors.InputError: /dev/null: is a device, not a file; name a file
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return
    name = name or str(path)
    kind, cure = _kind_and_cure(path)
    if kind:
        raise InputError(f"{name}: is {kind}, not a file; {cure}")
    if most_bytes is not None and status.st_size > most_bytes:
        raise InputError(f"{name}: is larger than {most_bytes / 1e6:g} MB; make it smaller")


def _kind_and_cure(path: Path) -> tuple[str, str]:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # a name with a NUL byte is a ValueError
        return "", ""
    return next(((kind, cure) for is_kind, kind, cure in _KINDS if is_kind(mode)), ("", ""))


def read_text_file(
    file: Traversable, what: str = "the file", most_bytes: int = MOST_BYTES, cure: str = "name a UTF-8 text file"
) -> str:
    r"""Reads a UTF-8 text file whole, without a byte order mark; all line ends become \n."""
    if isinstance(file, Path):
        check_regular(file, most_bytes=most_bytes)
    try:
        content = file.read_bytes()
    except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: {what} cannot be read: {reason}; {cure}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{file}, line {line}: {what} cannot be read: byte 0x{content[error.start]:02x} is not UTF-8; {cure}"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
