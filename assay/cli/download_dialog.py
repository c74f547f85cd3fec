"""Asks at the terminal before a public set is downloaded, and shows how far it is."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ..errors import UsageError
from ..presentation.texts import terminal_text
from .output import echo_notice
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


def agree_to_download(name: str, offer: str, short_offer: str, *, yes: bool) -> None:
    """Asks whether something may be downloaded. Raises where nobody allows it.

    Args:
        name: What it is.
        offer: What is downloaded, from where and how large.
        short_offer: The same beside its name.
        yes: Whether it was allowed by `--yes`: it is only said.
    """
    dialog = find_dialog()
    if yes:
        echo_notice(offer)
    elif dialog is None:
        raise UsageError(f"{name}: nobody can be asked here; allow the download with --yes ({short_offer})")
    elif not dialog.confirm(offer):
        raise click.Abort


def find_dialog() -> TerminalDialog | None:
    """The dialog, where there is a person to ask: at a terminal."""
    return TerminalDialog() if os.isatty(0) and os.isatty(2) else None
