"""What a benchmark measured, as a committed JSON file: its figures, and when, how and on what they were measured."""

import re
import subprocess
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self, cast, get_args

import checkout  # noqa: F401
from pydantic import BaseModel, ConfigDict, Field, model_validator

from assay.errors import InputError
from assay.languages import read_yaml
from assay.presentation import Column, Content, Figure, Kind, ResultTable
from assay.text import list_first

RESULTS = Path(__file__).with_name("results")
ROOT = Path(__file__).parent.parent
NOT_RECORDED = "not recorded"
Topic = Literal["people", "conversations", "decisions", "numbers", "constructed", "speed", "elsewhere"]
_ROUNDING = 1e-9  # an end that is printed like its value may lie beyond it by the last bit


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MeasuredFigure(_Form):
    """A figure of a table."""

    value: int | float  # the figure; with `of`, a count
    low: int | float | None = None  # the interval's lower end; None where there is no interval
    high: int | float | None = None  # its upper end
    n: int | None = None  # how many it is of, where the table's other figures are of another number
    of: int | None = None  # the total of a count; the interval is then of the share value / of
    note: str = ""  # a remark behind it

    @property
    def share(self) -> float:
        """What the interval is of: the share of a count, else the value."""
        return self.value / self.of if self.of else self.value

    @model_validator(mode="after")
    def _interval_holds_the_value(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has both ends: give low and high, or neither")
        if self.low is None or self.high is None:
            return self
        if not self.low - _ROUNDING <= self.share <= self.high + _ROUNDING:
            raise ValueError(f"the interval {self.low} to {self.high} does not hold {self.share:g}; correct one")
        return self


MeasuredCell = MeasuredFigure | int | float | str | None


class MeasuredColumn(_Form):
    """A column of a table."""

    head: str  # what stands above it
    # `text`; `number`, written as it stands in the file; or a kind of `Figure`
    kind: Literal["text", "number", "coefficient", "correlation", "value", "share", "rate"] = "text"


class MeasuredTable(_Form):
    """A table of figures."""

    caption: str = ""  # what stands above it; "" for nothing
    columns: list[MeasuredColumn] = Field(min_length=2)  # its columns; the first names the rows
    rows: list[list[MeasuredCell]] = Field(min_length=1)  # one cell per column

    @model_validator(mode="after")
    def _rows_are_whole(self) -> Self:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row[:1]} has {len(row)} cells, the table {len(self.columns)} columns")
            for column, cell in zip(self.columns, row, strict=True):
                if (column.kind == "text" or isinstance(cell, str)) and not isinstance(cell, str | None):
                    raise ValueError(
                        f"the column {column.head!r} is of texts; write {cell} in quotes, or give its kind"
                    )
        return self

    def find(self, row: str, column: str) -> tuple[MeasuredFigure, MeasuredColumn]:
        """The figure of the row with this name in the column with this head, and the column."""
        rows = [cells for cells in self.rows if cells[0] == row]
        places = [place for place, one in enumerate(self.columns) if one.head == column]
        if len(rows) != 1 or len(places) != 1:
            raise ValueError(
                f"{len(rows)} rows are named {row!r} and {len(places)} columns {column!r}; a finding names one of each"
            )
        cell = rows[0][places[0]]
        if cell is None or isinstance(cell, str):
            raise ValueError(f"the cell of the row {row!r} and the column {column!r} has no figure: {cell!r}")
        return as_figure(cell), self.columns[places[0]]

    def as_result_table(self) -> ResultTable:
        """The table as every report shows it."""
        columns = tuple(Column(one.head, "text" if one.kind == "text" else "figure") for one in self.columns)
        rows = tuple(
            tuple(write_cell(cell, column) for cell, column in zip(row, self.columns, strict=True)) for row in self.rows
        )
        return ResultTable(self.caption, columns, rows)


class CellPlace(_Form):
    """Where a figure stands in its measurement."""

    row: str  # the name of the row
    column: str  # the head of the column
    label: str  # what it is, in the sentence that shows it
    table: int = 0  # the number of the table, from 0


class Claim(_Form):
    """What is claimed, in the words for each outcome."""

    subject: str  # what is claimed something of, as it stands inside a sentence
    holds: str  # what is said of it if the claim holds: "agrees better with people than token overlap"
    fails: str  # what is said of it if the opposite holds; the two leave no third
    # what nobody can tell yet if neither is shown: "agrees better or worse with people than token overlap"
    question: str
    where: str = ""  # on which answers; "" for nothing


class Finding(Claim):
    """A claim about figures of a measurement. Whether it holds is derived from them; see `finding.py`."""

    estimate: CellPlace | None = None  # the figure whose interval decides; None where none was recorded
    bound: float = 0.0  # what the interval is compared with: 0 for a difference or a correlation
    wanted: Literal["above", "below"] = "above"  # on which side of the bound the claim holds
    beside: list[CellPlace] = []  # figures that are shown too
    # how many answers; None for the total of the count, the row's column `n`, or what the measurement says
    n: int | None = None
    groups: int | None = None  # how many groups these form; None for what the measurement says

    @model_validator(mode="after")
    def _shows_a_figure(self) -> Self:
        if self.estimate is None and not self.beside:
            raise ValueError("a finding shows a figure: give estimate or beside")
        return self


class Quote(_Form):
    """Words of another page that have a figure of the measurement."""

    page: str  # the page's path
    text: Annotated[str, Field(min_length=8)]  # its words; the white space between them does not count


class Measurement(_Form):
    """What one command measured."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]  # its name, which is the file's
    # its heading, of words and digits, so that links to it are the same everywhere
    title: Annotated[str, Field(pattern=r"^[\w -]+$")]
    topic: Topic  # under which heading of the page it stands; `elsewhere` for figures that only other pages have
    order: int = 99  # where it stands among those of its topic; those without one come last, by name
    about: str = ""  # what was measured and how, in sentences (Markdown)
    command: str  # what measures it
    # the last commit that it is known to have been measured at; None where that was not recorded
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{7,40}$")] | None
    date: date | None  # the day of that commit
    machine: str | None = None  # what it ran on; None where that was not recorded
    code: list[str] = Field(min_length=1)  # files and folders that it measures
    set: str = ""  # the data
    # how many answers (or claims, conversations, ...); None where that was not recorded or the tables say it
    n: int | str | None = None
    groups: int | str | None = None  # how many groups these form
    interval: str | None = None  # what the intervals are; None where that was not recorded
    development: str = ""  # whether the data were used for development
    cards: list[str] = []  # the files in `results/cards` that it made
    tables: list[MeasuredTable] = []  # its figures
    findings: list[Finding] = []  # what they show
    quotes: list[Quote] = []  # where other pages have them

    @model_validator(mode="after")
    def _findings_have_their_figures(self) -> Self:
        for place in (place for one in self.findings for place in (one.estimate, *one.beside) if place):
            self.find(place)
        if not (self.tables or self.quotes or self.cards):
            raise ValueError("it has no figure: give tables, cards, or quotes of another page")
        return self

    def count(self, one: Finding) -> int | None:
        """How many answers a finding is about; None where that was not recorded."""
        place = one.estimate or one.beside[0]
        figure, table = self.find(place)[0], self.tables[place.table]
        heads = [column.head for column in table.columns]
        in_row = [row[heads.index("n")] for row in table.rows if row[0] == place.row] if "n" in heads else []
        known = (one.n, figure.of, figure.n, *in_row, self.n)
        return next((number for number in known if isinstance(number, int)), None)

    def find(self, place: CellPlace) -> tuple[MeasuredFigure, MeasuredColumn]:
        """The figure at a place, and its column."""
        if not 0 <= place.table < len(self.tables):
            raise ValueError(f"there is no table {place.table}; the tables count from 0 to {len(self.tables) - 1}")
        return self.tables[place.table].find(place.row, place.column)


def as_figure(cell: MeasuredFigure | float) -> MeasuredFigure:
    """A cell's figure: a plain number is one without an interval."""
    return cell if isinstance(cell, MeasuredFigure) else MeasuredFigure(value=cell)


def write_cell(cell: MeasuredCell, column: MeasuredColumn) -> Content:
    """A cell as a table or a sentence shows it: a `Figure` where it is no more than that.

    Examples:
        >>> write_cell(MeasuredFigure(value=0, of=306, low=0.0, high=0.012), MeasuredColumn(head="wrong", kind="rate"))
        '0 of 306 (0.0% to 1.2%)'
        >>> column = MeasuredColumn(head="rho", kind="coefficient")
        >>> str(write_cell(MeasuredFigure(value=0.7, low=0.53, high=0.8), column))
        '0.70 [0.53, 0.80]'
        >>> write_cell(10420, MeasuredColumn(head="tokens", kind="number"))
        '10,420'
    """
    if cell is None or isinstance(cell, str):
        return cell or ""
    figure = as_figure(cell)
    if column.kind not in {"text", "number"} and figure.of is None and figure.n is None and not figure.note:
        return Figure(cast("Kind", column.kind), figure.value, figure.low, figure.high)
    text = _write_number(figure.value, "number" if figure.of else column.kind) + (
        f" of {figure.of:,}" if figure.of else ""
    )
    if figure.low is not None and figure.high is not None:
        kind = "rate" if figure.of else column.kind
        text += f" ({_write_number(figure.low, kind)} to {_write_number(figure.high, kind)})"
    return text + (f" of {figure.n:,}" if figure.n else "") + (f" ({figure.note})" if figure.note else "")


def _write_number(value: float, kind: str) -> str:
    return f"{value:,}" if kind in {"text", "number"} else str(Figure(cast("Kind", kind), value))


def read_measurements(folder: Path = RESULTS) -> list[Measurement]:
    """Reads the measurements of a folder, in the order of the page."""
    measurements = []
    for file in sorted(folder.glob("*.json")):
        measurement = read_yaml(file, Measurement)  # JSON is YAML, whose reader names the line of each mistake
        if measurement.id != file.stem:
            raise InputError(f"{file}, id: {measurement.id!r} is not the file's name; rename one of the two")
        measurements.append(measurement)
    return sorted(measurements, key=lambda one: (get_args(Topic).index(one.topic), one.order, one.id))


def anchor(title: str) -> str:
    """The address of a heading, on the site and on GitHub.

    Example:
        >>> anchor("Faithfulness on begin_wow")
        'faithfulness-on-begin_wow'
    """
    return re.sub(r"\s+", "-", title.lower())


def find_changed_code(measurement: Measurement, root: Path = ROOT) -> list[str]:
    """The measured code that has changed since the measurement: files and folders as the measurement names them."""
    if measurement.commit is None:
        return []
    changed = _changed_files(measurement.commit, root)
    return [path for path in measurement.code if any(f"{file}/".startswith(f"{path}/") for file in changed)]


def describe_age(measurement: Measurement, root: Path = ROOT) -> str:
    """Says that a figure is older than its code, or that nobody knows; "" where it is current."""
    if measurement.commit is None:
        return f"measured at a commit that was {NOT_RECORDED}"
    changed = [f"`{path}`" for path in find_changed_code(measurement, root)]
    return f"measured at `{measurement.commit}`, before {list_first(changed, 2)} changed" if changed else ""


@lru_cache(maxsize=128)
def _changed_files(commit: str, root: Path) -> list[str]:
    """The files that differ between a commit and the checkout as it is."""
    command = ["git", "diff", "--name-only", "--no-renames", commit, "--"]
    log = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if log.returncode:
        raise InputError(f"the history here lacks the commit {commit}: git fetch --unshallow, or correct the commit")
    return log.stdout.splitlines()
