"""A result table and a block of a report, as values: what is shown, not where."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from .figure import Figure, Kind

Tone = Literal["", "better", "worse", "good", "bad", "warning", "baseline", "chosen", "quiet", "strong"]
"""How a cell, a row or a sentence looks: better or worse than what it is compared with, good or bad in itself, ..."""

Detail = Literal["always", "wide", "page"]
"""Where a column or a block is shown: always; in a terminal with `--wide` only, and on pages; or on pages only."""


TextKind = Literal["name", "text", "prose", "markdown"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result table."""

    head: str
    # what its cells are: `figure`; `estimate`, a figure with its interval or why there is none, which stands at the
    # left; `name` of a metric, judge or file; `text`, a few words; `prose`, a long text; or `markdown`, a text under
    # test that a page renders
    kind: Literal["figure", "estimate", "name", "text", "prose", "markdown"] = "figure"
    detail: Detail = "always"
    is_whole: bool = False  # whether its cells stay on one line as long as the terminal has room


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell with its looks."""

    content: Figure | str
    tone: Tone = ""
    note: str = ""  # A remark after the content, in small print on a page; a terminal leaves it out
    link: str = ""

    def __str__(self) -> str:
        """The content in words."""
        return str(self.content)


Content = TableCell | Figure | str
"""What stands in a table: a figure, a text, or either with its looks."""

PLACE_TONES: dict[str, Tone] = {"above baseline": "better", "below baseline": "worse", "baseline": "baseline"}
"""How the place of a metric among the baselines looks."""

Rows = tuple[tuple[Content, ...], ...]
"""The rows of a table: one cell per column."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of results."""

    caption: str  # what stands above it; "" for nothing
    columns: tuple[Column, ...]
    rows: Rows  # one cell per column
    tones: tuple[Tone, ...] = ()  # how each row looks; none for plain rows
    note: str = ""  # what stands under it: what its heads mean; "" for nothing

    @property
    def title_column(self) -> int:
        """The number of the column that says what a row is about: the first with names, else the first."""
        return next((number for number, column in enumerate(self.columns) if column.kind == "name"), 0)

    def tone(self, number: int) -> Tone:
        """How a row looks."""
        return self.tones[number] if self.tones else ""

    def without_empty(self, *heads: str) -> "ResultTable":
        """The same table without those of the named columns that have nothing in any row.

        Example:
            >>> table = ResultTable("", (Column("n"), Column("p")), (("1", ""), ("2", Figure("p", None))))
            >>> [column.head for column in table.without_empty("n", "p").columns]
            ['n']
        """
        kept = [
            number
            for number, column in enumerate(self.columns)
            if column.head not in heads or any(not is_empty(row[number]) for row in self.rows)
        ]
        return ResultTable(
            self.caption,
            tuple(self.columns[number] for number in kept),
            tuple(tuple(row[number] for number in kept) for row in self.rows),
            self.tones,
            self.note,
        )


def is_empty(content: Content) -> bool:
    """Whether a cell shows nothing: an empty text, or a figure without a value or a reason."""
    inner = content.content if isinstance(content, TableCell) else content
    return inner.value is None and not inner.problem if isinstance(inner, Figure) else not inner


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table that is made from a list of results."""

    head: str
    kind: Kind | TextKind  # what it shows: a kind of figure, or a kind of text
    # what it shows of one result: a number or an estimate, which become figures; a text, a figure or a cell
    read: Callable[[Any], object]
    detail: Detail = "always"
    is_left: bool = False
    is_whole: bool = False  # whether its cells stay on one line as long as the terminal has room

    @property
    def column(self) -> Column:
        """The column."""
        if self.kind in get_args(TextKind):
            return Column(self.head, cast("TextKind", self.kind), self.detail, self.is_whole)
        return Column(self.head, "estimate" if self.is_left else "figure", self.detail, self.is_whole)

    def cell(self, result: object) -> Content:
        """What it shows of one result."""
        value = self.read(result)
        if isinstance(value, str | Figure | TableCell):
            return value
        kind = cast("Kind", self.kind)
        return (
            Figure(kind, value)
            if value is None or isinstance(value, int | float)
            else Figure.from_estimate(kind, cast("Any", value))
        )


def tabulate(
    caption: str,
    results: Iterable[object],
    fields: Sequence[Field],
    *,
    tone: Callable[[Any], Tone] | None = None,
    note: str = "",
) -> ResultTable:
    """A table with one row per result.

    Example:
        >>> table = tabulate("", [0.25, 0.5], [Field("share", "share", lambda value: value)])
        >>> [str(cell) for row in table.rows for cell in row]
        ['25%', '50%']
    """
    listed = list(results)
    rows = tuple(tuple(field.cell(result) for field in fields) for result in listed)
    tones = tuple(map(tone, listed)) if tone else ()
    return ResultTable(caption, tuple(field.column for field in fields), rows, tones, note)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a block."""

    text: str
    tone: Tone = ""
    label: str = ""  # its first words, where they alone have the tone
    label_width: int = 0  # the room that the label takes, where several stand below each other
    indent: int = 0
    is_whole: bool = False  # whether it stays on one line, however narrow the terminal is


@dataclass(frozen=True, slots=True)
class ReportBlock:
    """A block of a report: paragraphs and tables in their order."""

    parts: Sequence[Paragraph | ResultTable]
    heading: str = ""  # what stands above it on a page
    detail: Detail = "always"
