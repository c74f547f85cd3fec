"""The one way to the terminal: everything that Assay prints passes here.

Texts under test, file names, column names and replies of a judge may hold escape sequences, marks that turn the
direction of writing, or rich's markup. Here they become text that does nothing.
"""

import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..text.untrusted import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
    from rich.table import Table
    from rich.text import Text

WIDTH = 80
WIDE = 140
_UNSAFE = re.compile(f"[{UNSEEN}\r\u061c\u2028\u2029]")


def terminal_text(text: str) -> str:
    """The text without what a terminal would obey: control characters but tab and line end, and bidirectional marks.

    Example:
        >>> terminal_text("a\\x1b[31mb\\rc\\u202ed")
        'a[31mbcd'
    """
    return _UNSAFE.sub("", text)


def one_line(text: str, length: int | None = None) -> str:
    """Foreign text for the middle of a sentence or a table: one line, without what a terminal would obey.

    Args:
        text: Such as an answer, a file name or a judge's reply.
        length: Longer text is cut and ends in an ellipsis; None for no bound.

    Example:
        >>> one_line("two\\nlines", 5)
        'two …'
    """
    line = " ".join(terminal_text(text.replace("\r", " ").replace("\u2028", " ").replace("\u2029", " ")).split())
    return line if length is None or len(line) <= length else line[: length - 1] + "…"


def echo(text: object = "", *, err: bool = False) -> None:
    """Prints a text and a line end, on standard output or standard error."""
    click.echo(terminal_text(str(text)), err=err)


def echo_notice(text: str) -> None:
    """Prints one line on standard error that begins with `assay:`."""
    echo(f"assay: {one_line(text)}", err=True)


def echo_json(value: Any) -> None:
    """Prints a value as one line of JSON. What a terminal would obey is escaped, so that nothing is lost.

    A number that is not finite becomes null: JSON has no word for it.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False)
    click.echo(_UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _SafeSegments:
    """What a renderable comes to, with every text in it made safe; styles are our own and stay."""

    def __init__(self, renderable: "ConsoleRenderable") -> None:
        self._renderable = renderable

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        for segment in console.render(self._renderable, options):
            yield segment if segment.control else segment._replace(text=terminal_text(segment.text))


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
    """Remembers a flag about the output for all of a command: the callback of `--wide` and `--quiet`."""
    context.meta[f"assay.{parameter.name}"] = value


def open_console(*, err: bool = False) -> "Console":
    """A console for tables and styled text. Nothing that it prints is read as markup, an emoji's name or an escape.

    Args:
        err: Whether it prints on standard error.

    Returns:
        A console as wide as the terminal, if there is one; else 80 columns wide, with `--wide` 140.
    """
    from rich.console import Console, RenderHook

    class SafeHook(RenderHook):
        """Makes everything safe that the console is about to print."""

        def process_renderables(self, renderables: "list[ConsoleRenderable]") -> "list[ConsoleRenderable]":
            return [_SafeSegments(renderable) for renderable in renderables]

    is_terminal = (sys.stderr if err else sys.stdout).isatty()
    width = None if is_terminal else WIDE if is_wide() else WIDTH
    console = Console(stderr=err, width=width, markup=False, emoji=False, highlight=False)
    console.push_render_hook(SafeHook())
    return console


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        heading: What stands above it.
        is_text: Whether it holds words, which stand at the left; figures stand at the right.
        is_extra: Whether it is shown with `--wide` only.
        is_whole: Whether its cells stay on one line as long as the table has room.
    """

    heading: str
    is_text: bool = False
    is_extra: bool = False
    is_whole: bool = False


STYLES = {"better": "green", "worse": "red", "baseline": "dim"}
"""The colours of what is better or worse than what it is compared with, and of baselines."""


def make_table(
    title: str, columns: Sequence[Column], rows: "Iterable[Sequence[str | Text]]", styles: Sequence[str] = ()
) -> "Table":
    """Makes a table that fits 80 columns. A text that has no room goes on in the next line; nothing is cut.

    Args:
        title: What stands above it; "" for nothing.
        columns: All columns; those that are extra are left out unless `--wide` was typed.
        rows: One cell per column, the extra ones too.
        styles: One style per row, as rich writes them; none for plain rows.
    """
    from rich.table import Table
    from rich.text import Text

    shown = [number for number, column in enumerate(columns) if is_wide() or not column.is_extra]
    table = Table(title=Text(one_line(title)) if title else None, title_justify="left", title_style="bold")
    for number in shown:
        column = columns[number]
        table.add_column(
            Text(one_line(column.heading)),
            justify="left" if column.is_text else "right",
            overflow="fold",
            no_wrap=column.is_whole,
        )
    for number, row in enumerate(rows):
        cells = [cell if isinstance(cell, Text) else Text(one_line(cell)) for cell in row]
        table.add_row(*(cells[place] for place in shown), style=styles[number] if styles else "")
    return table


def print_command(console: "Console", command: str, purpose: str = "") -> None:
    """Prints a command that the user may copy: on one line, however narrow the terminal is."""
    from rich.text import Text

    line = Text(f"  {command}")
    if purpose:
        line.append(f"  {purpose}", style="dim")
    console.print(line, no_wrap=True, overflow="ignore", crop=False)
