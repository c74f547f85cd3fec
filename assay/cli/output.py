"""The one way to the terminal: everything that Assay prints passes here.

Texts under test, file names, column names and replies of a judge may hold escape sequences, marks that turn the
direction of writing, or rich's markup. Here they become text that does nothing.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..interruption import INTERRUPTED
from ..presentation.texts import one_line, terminal_text
from ..text.wording import in_reader_language
from ..value_messages import join_words

if TYPE_CHECKING:
    from rich.console import Console

    from ..presentation.result_table import ReportBlock, ResultTable
    from ..runs import Progress

_LONGEST_OWN = 1000  # characters of a sentence of our own; longer texts are data
_READ_AS = "(change with --map)"  # stands in a line on what was read as what, which nobody has to act on


def echo(text: object = "", *, err: bool = False) -> None:
    """Prints a text and a line end, on standard output in the reader's language, or on standard error."""
    shown = str(text)
    is_own = not err and len(shown) < _LONGEST_OWN and "\n" not in shown.strip()
    click.echo(terminal_text(in_reader_language(shown) if is_own else shown), err=err)


def echo_notice(text: str) -> None:
    """Prints one line on standard error that begins with `assay:`; with `--quiet` not what was read as what."""
    if not (_READ_AS in text and is_quiet()):
        echo(f"assay: {one_line(text)}", err=True)


@contextmanager
def end_at_ctrl_c(explain: Callable[[], str]) -> Iterator[None]:
    """At Ctrl-C says what is kept and how to go on, and ends the command."""
    try:
        yield
    except KeyboardInterrupt:
        echo_notice(f"interrupted; {explain()}")
        raise SystemExit(INTERRUPTED) from None


def echo_json(value: Any) -> None:
    """Prints a value as one line of JSON."""
    from ..presentation.texts import json_text

    click.echo(json_text(value))


def is_json() -> bool:
    """Whether `--json` was typed: results are printed for programs."""
    return _typed_flag("as_json")


@contextmanager
def until_reader_leaves() -> Iterator[None]:
    """Prints as long as somebody reads it: a reader that goes away (`| head`) does not change how the command ends."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def print_result(value: Callable[[], Any], *shown: "str | ReportBlock | ResultTable | Callable[[], None]") -> None:
    """Prints a result: with `--json` its value as one JSON document, else what is shown of it, in this order.

    Args:
        value: Makes the value.
        *shown: Lines, blocks and tables, and what prints by itself.
    """
    with until_reader_leaves():
        if is_json():
            echo_json(value())
            return
        from ..presentation.result_table import ReportBlock, ResultTable

        for part in shown:
            if isinstance(part, str):
                echo(part)
            elif isinstance(part, ReportBlock):
                print_blocks(part)
            elif isinstance(part, ResultTable):
                print_table(part)
            else:
                part()


def is_wide() -> bool:
    """Whether `--wide` was typed: tables have all their columns."""
    return _typed_flag("wide")


def is_quiet() -> bool:
    """Whether `--quiet` was typed: no progress is shown."""
    return _typed_flag("quiet")


def _typed_flag(name: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(f"assay.{name}"))


def set_flag(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Remembers a flag about the output for all of a command: the callback of `--json`, `--wide` and `--quiet`."""
    context.meta[f"assay.{parameter.name}"] = value


def open_console(*, err: bool = False) -> "Console":
    """A console for tables and styled text. Nothing that it prints is read as markup, an emoji's name or an escape.

    Returns:
        A console as wide as the terminal, if there is one; else 80 columns wide, with `--wide` 140.
    """
    from ..presentation import terminal

    is_terminal = (sys.stderr if err else sys.stdout).isatty()
    width = None if is_terminal else terminal.WIDE if is_wide() else terminal.WIDTH
    return terminal.make_console(err=err, width=width)


def print_blocks(*blocks: "ReportBlock") -> None:
    """Prints the blocks of a report, with an empty line between them."""
    from ..presentation import terminal

    terminal.print_blocks(open_console(), blocks, is_wide=is_wide())


def print_table(table: "ResultTable") -> None:
    """Prints a table; a text that has no room goes on in the next line."""
    from ..presentation import terminal

    terminal.print_table(open_console(), table, is_wide=is_wide())


def print_command(console: "Console", command: str, purpose: str = "") -> None:
    """Prints a command that the user may copy: on one line, however narrow the terminal is."""
    from rich.text import Text

    line = Text(f"  {command}")
    if purpose:
        line.append(f"  {in_reader_language(purpose)}", style="dim")
    console.print(line, no_wrap=True, overflow="ignore", crop=False)


def typed_command(*words: str | Path, ids: Sequence[str] = (), store: str | Path | None = None) -> str:
    """A command of Assay that the user may copy: quoted for the shell, with the `--store` that was typed.

    Returns:
        The command. A password in a store's URL is left out.

    Example:
        >>> typed_command("show", "last", ids=["order (2)"]), typed_command("show", "last", ids=["-1"])
        ("assay show last 'order (2)'", 'assay show last -- -1')
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.get_parameter_source("store") is click.core.ParameterSource.COMMANDLINE:
        store = context.params["store"]
    option = []
    if store is not None:
        from ..runs.store.postgres import without_password

        option = ["--store", without_password(str(store))]
    if any(word.startswith("-") for word in ids):
        return join_words("assay", *words, *option, "--", *ids)
    return join_words("assay", *words, *ids, *option)


def live_progress() -> "AbstractContextManager[Callable[[Progress], None]]":
    """Shows samples, calls, tokens, cost, retries, failures and the time left, whenever what it yields is called."""
    from ..runs.score import progress_display

    return progress_display.live_progress(quiet=is_quiet())


def count_progress(things: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """Shows how many of `total` things are done, None for unknown; yields what is called with the number."""
    from ..runs.score import progress_display

    return progress_display.count_progress(things, total, quiet=is_quiet())


def show_status(work: str) -> AbstractContextManager[None]:
    """Shows what is being done while it takes long."""
    from ..runs.score import progress_display

    return progress_display.show_status(work, quiet=is_quiet())


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
