"""Files that are written whole or not at all."""

import errno
import glob
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .errors import InputError, UsageError
from .regular_files import kind_of_no_file

_LEAST_SPACE = 1 << 20  # bytes
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
    """Finds out whether a file can be written, before there is anything to write; raises `UsageError`."""
    if not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}; make it first")
    check_replaceable(target)
    draft = _draft_path(target)
    try:
        check_space(target.parent)
        draft.touch(exist_ok=True)
        draft.unlink(missing_ok=True)
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
    remove_drafts(target)
    try:
        draft, opened = _open_draft(target, is_binary=binary)
        try:
            with opened as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if os.name == "posix":  # elsewhere an open file cannot be renamed, but neither can it be removed
                    draft.replace(target)
            if os.name != "posix":
                draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(_cannot_write(target, error)) from error


def remove_drafts(target: Path) -> None:
    """Removes the drafts of a file that killed processes left: nobody holds their lock any more."""
    for draft in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        with suppress(OSError):  # somebody writes it or removed it first, it is not ours, or nothing can be locked here
            if os.name == "posix":
                with draft.open("r+b") as file:
                    _lock(file, wait=False)
                    draft.unlink()
            else:  # an open file cannot be removed
                draft.unlink()


def _open_draft(target: Path, *, is_binary: bool) -> tuple[Path, IO[Any]]:
    """Opens a draft and locks it as long as it is open; another one if it was removed before it was locked."""
    mode, encoding, newline = ("wb", None, None) if is_binary else ("w", "utf-8", "")
    while True:
        draft = _draft_path(target)
        file: IO[Any] = draft.open(mode, encoding=encoding, newline=newline)
        with suppress(OSError):  # of a folder where nothing can be locked
            _lock(file, wait=True)
        if draft.exists():
            return draft, file
        file.close()


def _lock(file: IO[Any], *, wait: bool) -> None:
    try:
        import fcntl
    except ImportError:  # on Windows, where nobody can remove an open file
        return
    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _draft_path(target: Path) -> Path:
    """A name that no other process takes, also one of another machine with the same number."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.{os.getpid()}.part")


def _cannot_write(target: Path, error: OSError) -> str:
    return f"{target}: cannot be written ({error.strerror or error}); check the folder and the space on its disk"
