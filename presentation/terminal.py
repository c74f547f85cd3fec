"""Result tables and blocks in a terminal, where nothing that is shown is obeyed."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..text.wording import in_language_or_marked, in_reader_language
from .result_table import Column, Content, Paragraph, ReportBlock, ResultTable, TableCell, Tone
from .texts import one_line, terminal_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
    from rich.table import Table
    from rich.text import Text

WIDTH = 80
WIDE = 140
STYLES: dict[Tone, str] = {
    "": "",
    "better": "green",
    "worse": "red",
    "good": "green",
    "bad": "red",
    "baseline": "dim",
    "chosen": "",
    "warning": "yellow",
    "quiet": "dim",
    "strong": "bold",
}
"""The style of each tone, as rich writes it."""


class _SafeSegments:
    """What a renderable comes to, with every text in it made safe; styles are our own and stay."""

    def __init__(self, renderable: "ConsoleRenderable") -> None:
        self._renderable = renderable

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        for segment in console.render(self._renderable, options):
            yield segment if segment.control else segment._replace(text=terminal_text(segment.text))


def make_console(*, err: bool, width: int | None) -> "Console":
    """A console for tables and styled text. Nothing that it prints is read as markup, an emoji's name or an escape."""
    from rich.console import Console, RenderHook

    class SafeHook(RenderHook):
        """Makes everything safe that the console is about to print."""

        def process_renderables(self, renderables: "list[ConsoleRenderable]") -> "list[ConsoleRenderable]":
            return [_SafeSegments(renderable) for renderable in renderables]

    class PipedConsole(Console):
        """Leaves it to the caller what a reader that goes away means; rich would end the program."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = PipedConsole(stderr=err, width=width, markup=False, emoji=False, highlight=False)
    console.push_render_hook(SafeHook())
    return console


def draw_table(table: ResultTable, *, is_wide: bool) -> "Table":
    """A table that fits 80 columns. A text that has no room goes on in the next line; nothing is cut."""
    from rich.table import Table
    from rich.text import Text

    shown = [number for number, column in enumerate(table.columns) if _is_shown(column.detail, is_wide)]
    title = Text(one_line(in_reader_language(table.caption))) if table.caption else None
    drawn = Table(title=title, title_justify="left", title_style="bold")
    for number in shown:
        column = table.columns[number]
        drawn.add_column(
            Text(one_line(in_reader_language(column.head))),
            justify="right" if column.kind == "figure" else "left",
            overflow="fold",
            no_wrap=column.is_whole,
        )
    for number, row in enumerate(table.rows):
        drawn.add_row(*(_style(row[place], table.columns[place]) for place in shown), style=STYLES[table.tone(number)])
    return drawn


def _is_shown(detail: str, is_wide: bool) -> bool:
    return detail == "always" or (detail == "wide" and is_wide)


def _style(content: Content, column: Column) -> "Text":
    """A cell with its tone. A text that begins with spaces is indented, and stays so."""
    from rich.text import Text

    is_own = column.kind in {"figure", "estimate", "text"}
    text = in_language_or_marked(str(content)) if is_own else str(content)
    indent = " " * (len(text) - len(text.lstrip(" ")))
    return Text(indent + one_line(text), style=STYLES[content.tone] if isinstance(content, TableCell) else "")


def print_blocks(console: "Console", blocks: "Sequence[ReportBlock]", *, is_wide: bool) -> None:
    """Prints the blocks of a report, with an empty line between them."""
    for number, block in enumerate(block for block in blocks if _is_shown(block.detail, is_wide)):
        if number:
            console.print()
        for part in block.parts:
            if isinstance(part, Paragraph):
                _print_paragraph(console, part)
            else:
                print_table(console, part, is_wide=is_wide)


def print_table(console: "Console", table: ResultTable, *, is_wide: bool) -> None:
    """Prints a table with its note."""
    console.print(draw_table(table, is_wide=is_wide))
    if table.note:
        console.print(in_reader_language(table.note), style=STYLES["quiet"])


def _print_paragraph(console: "Console", paragraph: Paragraph) -> None:
    from rich.padding import Padding
    from rich.text import Text

    style = STYLES[paragraph.tone]
    if not paragraph.indent:  # what is indented are texts under test
        says, label = in_reader_language(paragraph.text), in_reader_language(paragraph.label)
        paragraph = replace(paragraph, text=says, label=label)
    if paragraph.label_width and console.is_terminal:  # in a pipe it stays on one line
        from rich.table import Table

        hanging = Table.grid(padding=(0, 2, 0, 0))
        hanging.add_column(width=paragraph.label_width)
        hanging.add_row(Text(one_line(paragraph.label), style=style), Text(one_line(paragraph.text)))
        console.print(hanging)
        return
    text = Text(one_line(paragraph.text), style="" if paragraph.label else style)
    if paragraph.label:
        label = one_line(paragraph.label)
        label = label.ljust(paragraph.label_width)
        text = Text(f"{label} " if label.endswith(":") else f"{label}  ", style=style).append_text(text)
    if paragraph.is_whole:
        indented = Text(" " * paragraph.indent).append_text(text)
        console.print(indented, no_wrap=True, overflow="ignore", crop=False)
    else:
        console.print(Padding(text, (0, 0, 0, paragraph.indent)) if paragraph.indent else text)
