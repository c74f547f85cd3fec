"""Files that are written whole or not at all."""

import errno
import glob
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .errors import InputError, UsageError
from .regular_files import kind_of_no_file

_LEAST_SPACE = 1 << 20  # bytes
_ABANDONED_AFTER = 86_400.0  # seconds
_OF_THE_SYSTEM = re.compile(r"/dev/(?!shm/).*|/proc/.*")  # /dev/stdout may lead to a regular file


def check_space(folder: Path) -> None:
    """Raises `OSError` where less than 1 MB is free on a folder's disk: what is paid for next could not be kept."""
    if shutil.disk_usage(folder).free < _LEAST_SPACE:
        raise OSError(errno.ENOSPC, "less than 1 MB is free on the disk", str(folder))


def check_replaceable(target: Path, optional: str = "") -> None:
    """Checks that a draft may take the place of a target: of a regular file, or of nothing.

    A device, a pipe, a socket or a folder would be gone for everybody who uses it.

    Example:
        >>> check_replaceable(Path("/dev/null"), "--out")
        Traceback (most recent call last):
        ...
        assay.errors.UsageError: /dev/null: is a device, not a file; name a file, or leave out --out
    """
    kind = kind_of_no_file(target) or ("a device" if _OF_THE_SYSTEM.fullmatch(str(target)) else "")
    if kind:
        cure = "name a file in it" if kind == "a folder" else "name a file"
        raise UsageError(f"{target}: is {kind}, not a file; {cure}{f', or leave out {optional}' if optional else ''}")


def check_writable(target: Path) -> None:
    """Finds out whether a file can be written, before there is anything to write.

    Example:
        >>> check_writable(Path("/nowhere/scores.csv"))
        Traceback (most recent call last):
        ...
        assay.errors.UsageError: /nowhere/scores.csv: there is no folder /nowhere; make it first
    """
    if not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}; make it first")
    check_replaceable(target)
    draft = _draft_path(target)
    try:
        check_space(target.parent)
        draft.touch(exist_ok=True)
        draft.unlink()
    except OSError as error:
        raise UsageError(_cannot_write(target, error)) from error


@contextmanager
def replace_file(target: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Yields a draft that takes the target's place when the block ends without an error.

    The draft stands beside the target, because a file is put in the place of another in one step only within a file
    system. After an error the target is as it was, and the draft is gone. A draft that a killed process left is removed
    when the same file is written again.

    Yields:
        The open draft.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replace_file(Path(folder, "scores.csv")) as file:
        ...         _ = file.write("sample,metric\\n")
        ...     [path.name for path in Path(folder).iterdir()]
        ['scores.csv']
    """
    try:
        check_replaceable(target)
    except UsageError as error:
        raise InputError(str(error)) from error
    _remove_abandoned_drafts(target)
    draft = _draft_path(target)
    mode, encoding, newline = ("wb", None, None) if binary else ("w", "utf-8", "")
    try:
        with draft.open(mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name == "posix":  # elsewhere an open file cannot be renamed, but neither can it be removed
                draft.replace(target)
        if os.name != "posix":
            draft.replace(target)
    except OSError as error:
        raise InputError(_cannot_write(target, error)) from error
    finally:
        draft.unlink(missing_ok=True)


def remove_drafts(target: Path) -> None:
    """Removes the drafts that killed processes left; only for a caller whom nobody else can be writing beside."""
    for draft in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        draft.unlink(missing_ok=True)


def _remove_abandoned_drafts(target: Path) -> None:
    """Removes the drafts of a file that nobody writes any more: unchanged for a day."""
    for draft in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        with suppress(OSError):  # another process removed it first, or has it open (Windows), or it is not ours
            if time.time() - draft.stat().st_mtime > _ABANDONED_AFTER:
                draft.unlink()


def _draft_path(target: Path) -> Path:
    """A name that no other process takes, also one of another machine with the same number."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.{os.getpid()}.part")


def _cannot_write(target: Path, error: OSError) -> str:
    return f"{target}: cannot be written ({error.strerror or error}); check the folder and the space on its disk"
