"""What has come of a file so far: it stands beside the place of the file, with the version that it is of."""

from pathlib import Path
from typing import NamedTuple

from .set_files import check_place


class Version(NamedTuple):
    """Of which version a part of a file is.

    Attributes:
        etag: The file's strong ETag; None where the server said none.
        total: The bytes of the whole file; None where the server did not say.
    """

    etag: str | None = None
    total: int | None = None


class PartFile:
    """A file that is downloaded into a place beside its own, which it takes when it is whole."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f"{target.name}.part")
        self._mark = target.with_name(f"{self.path.name}.etag")

    def prepare(self) -> None:
        """Makes the folder. Raises `InputError` where something else stands in place of what has come."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        check_place(self.path)
        check_place(self._mark)

    @property
    def size(self) -> int:
        """The bytes that have come."""
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> Version:
        """The version that was noted; without values where none was, or none that a request for a range can name."""
        try:
            etag, _, total = self._mark.read_text(encoding="utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            return Version()
        if not etag or etag.startswith("W/") or not (etag.isascii() and etag.isprintable()):
            return Version()
        return Version(etag, parse_length(total))

    def note_version(self, etag: str, total: int | None) -> None:
        """Notes the version of what comes."""
        self._mark.write_text(f"{etag}\n{'' if total is None else total}", encoding="utf-8")

    def discard(self) -> None:
        """Removes what has come."""
        self.path.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)

    def finish(self) -> None:
        """Puts the whole file in its place."""
        self.path.replace(self.target)
        self._mark.unlink(missing_ok=True)


def parse_length(text: str) -> int | None:
    """A number of bytes as HTTP writes it; None where it is none.

    Example:
        >>> parse_length("280"), parse_length("-1"), parse_length("9" * 19)
        (280, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
