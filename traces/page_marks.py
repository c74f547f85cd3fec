"""Pages that a server sends again: reading them would never end, or leave the others out."""

from collections.abc import Hashable

from ..errors import InputError


class PageMarks:
    """Remembers the pages of one listing.

    Args:
        server: The server, as errors name it.

    Example:
        >>> marks = PageMarks("the server")
        >>> marks.add("cursor-1"), marks.add("cursor-2")
        (None, None)
        >>> marks.add("cursor-1")
        Traceback (most recent call last):
        ...
        assay.errors.InputError: the server sends a page again that it sent before, so that what comes after it cannot \
be read; look into its log, or update it
    """

    def __init__(self, server: object) -> None:
        self._server = server
        self._marks: set[int] = set()  # hashes: a listing may be long

    def add(self, mark: Hashable) -> None:
        """Notes a page by what no other page has, such as its cursor.

        Raises:
            InputError: It was there before.
        """
        if hash(mark) in self._marks:
            raise InputError(
                f"{self._server} sends a page again that it sent before, so that what comes after it cannot be read; "
                "look into its log, or update it"
            )
        self._marks.add(hash(mark))
