"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .errors import InputError


@contextmanager
def replace_file(target: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Yields a draft that takes the target's place when the block ends without an error.

    The draft stands beside the target, because a file is put in the place of another in one step only within a file
    system. After an error the target is as it was, and the draft is gone.

    Args:
        target: The file to write, or to replace.
        binary: Whether bytes are written; else text in UTF-8, with line ends as they are written.

    Yields:
        The open draft.

    Raises:
        InputError: The file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replace_file(Path(folder, "scores.csv")) as file:
    ...         _ = file.write("sample,metric\\n")
    ...     [path.name for path in Path(folder).iterdir()]
    ['scores.csv']
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    mode, encoding, newline = ("wb", None, None) if binary else ("w", "utf-8", "")
    try:
        with draft.open(mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{target}: cannot be written ({reason}); check the folder and the space on its disk"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
