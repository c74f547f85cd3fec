"""Asks at the terminal before a public set is downloaded, and shows how far it is."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ..presentation.texts import terminal_text
from .progress import count_progress


class TerminalDialog:
    """Asks whether files may be downloaded, and shows their progress."""

    def confirm(self, offer: str) -> bool:
        """Asks on standard error, so that the output of the command stays as it is."""
        return click.confirm(terminal_text(f"{offer}.\nDownload it?"), err=True)

    @contextmanager
    def show_progress(self, size: int | None) -> Iterator[Callable[[int], None]]:
        """Shows the kilobytes that have come."""
        with count_progress("kB", None if size is None else size // 1000) as show:
            yield lambda received: show(received // 1000)


def find_dialog() -> TerminalDialog | None:
    """The dialog, where there is a person to ask: at a terminal."""
    return TerminalDialog() if os.isatty(0) and os.isatty(2) else None
