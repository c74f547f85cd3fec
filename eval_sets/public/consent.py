"""Who is asked before a public set is downloaded; where nobody can be asked, nothing is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

DIALOG_KEY = "assay.download_dialog"
"""Under which the command line puts what makes the dialog, in the `meta` of click's context."""


class DownloadDialog(Protocol):
    """Asks a person before a download, and shows how far it is."""

    def confirm(self, offer: str) -> bool:
        """Whether what is offered may be downloaded."""
        ...

    def show_progress(self, size: int | None) -> AbstractContextManager[Callable[[int], None]]:
        """Shows the bytes that have come, of so many; what it yields is called with their number."""
        ...


def find_dialog() -> DownloadDialog | None:
    """The dialog of the command that runs in this thread; None in a program, and where nobody is at a terminal."""
    import click

    context = click.get_current_context(silent=True)
    make: Callable[[], DownloadDialog | None] | None = context.meta.get(DIALOG_KEY) if context else None
    return make() if make is not None else None
