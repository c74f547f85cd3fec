"""Asks at the terminal before a public set is downloaded."""

import os

import click

from ..errors import UsageError
from ..presentation.texts import terminal_text
from .output import echo_notice


def agree_to_download(name: str, offer: str, short_offer: str, *, yes: bool) -> None:
    """Asks whether something may be downloaded. Raises where nobody allows it.

    Args:
        offer: What is downloaded, from where and how large.
        short_offer: The same beside its name.
        yes: Whether it was allowed by `--yes`: it is only said.
    """
    if yes:
        echo_notice(offer)
    elif not (os.isatty(0) and os.isatty(2)):
        raise UsageError(f"{name}: nobody can be asked here; allow the download with --yes ({short_offer})")
    elif not click.confirm(terminal_text(f"{offer}.\nDownload it?"), err=True):  # the command's output stays as it is
        raise click.Abort
