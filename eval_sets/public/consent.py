"""Who is asked before a public set is downloaded; where nobody can be asked, nothing is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Protocol


class DownloadDialog(Protocol):
    """Asks a person before a download, and shows how far it is."""

    def confirm(self, offer: str) -> bool:
        """Whether what is offered may be downloaded."""
        ...

    def show_progress(self, size: int | None) -> AbstractContextManager[Callable[[int], None]]:
        """Shows the bytes that have come, of so many; what it yields is called with their number."""
        ...


DIALOG: ContextVar[DownloadDialog | None] = ContextVar("DIALOG", default=None)
"""Who is asked: set by the command line on a terminal."""
