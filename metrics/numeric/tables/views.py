"""The ways to look at a table: as it stands, and with rows and columns exchanged where its columns are times."""

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ....text.numbers.notation import notation_words
from ....text.wording import count_of
from ..lexicon import LANGUAGES, lexicon
from ..quantities.units import unit_and_power
from ..specification import ALL_ROWS, Window
from .column_types import table_of
from .grids import Grid, unique_names
from .table import DAY, NumericTable, Period, Times

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ROWS = 200  # of a table whose rows may be series


@cache
def _year() -> re.Pattern[str]:
    marks = "|".join(sorted(notation_words("year_marks")))
    return re.compile(rf"(?<!\d)(?:(q[1-4])\s*)?(?:(?:{marks})\s*)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE)


@dataclass(frozen=True)
class View:
    """A table that claims can be read against; `times` is what its times reach over, None without times.

    `heads` stand above rows that are series here: naming one besides its row says nothing new. `grouping` is "sum" or
    "mean" where each row stands for a group of those of the `whole` table.
    """

    table: NumericTable
    times: Times | None
    transposed: bool = False
    heads: tuple[str, ...] = ()
    grouping: str = ""
    whole: NumericTable | None = None

    def window_of_all(self, windows: "Sequence[Window]") -> Window | None:
        """The rows of several dates together ("in 2018 and 2019"); None where that is no list of rows."""
        if self.table.times is None:
            return None
        if all(w.weekdays and replace(w, weekdays=(), text="") == ALL_ROWS for w in windows):
            return Window(weekdays=tuple(sorted({day for w in windows for day in w.weekdays})))
        if not all(w.start and w.end and not w.weekdays for w in windows):
            return None
        from pandas import Timedelta, Timestamp

        ordered = sorted(windows, key=lambda w: str(w.start))
        if all(a.end and a.end + DAY == b.start for a, b in pairwise(ordered)):
            return Window(start=ordered[0].start, end=ordered[-1].end)
        spans = [(Timestamp(w.start), Timestamp(w.end) + Timedelta(days=1)) for w in windows]
        inside = [p for p, when in enumerate(self.table.times) if any(a <= when < b for a, b in spans)]
        return Window(positions=tuple(inside)) if inside and len(inside) <= _MOST_ROWS else None


def views(table: NumericTable) -> list[View]:
    """The table as it stands and, where its columns are times ("2019", "2018"), with its rows as series."""
    dated = _without_totals(table)
    turned = transpose(table)
    exchanged = [replace(view_of(turned), transposed=True, heads=_heads(table))] if turned else []
    return [view_of(dated), *exchanged]


def view_of(table: NumericTable) -> View:
    """A table as it stands."""
    return View(table, _times(table))


def _heads(table: NumericTable) -> tuple[str, ...]:
    """The texts of the first column that stand beside no number."""
    empty = table.frame.isna().all(axis=1)
    return tuple(str(label) for label, alone in zip(table.labels.iloc[:, 0], empty, strict=True) if label and alone)


def _times(table: NumericTable) -> Times | None:
    if table.times is None:
        return None
    known = table.times.dropna()
    if not len(known):
        return None
    period = Period(table.step) if table.period is Period.DAY and table.step else table.period
    return Times(known.min().date(), known.max().date(), period or Period.DAY)


def _without_totals(table: NumericTable) -> NumericTable:
    """The table without rows that have a word for "in total" in the place of a time."""
    if table.times is None or not table.times.hasnans or table.time_column not in table.labels.columns:
        return table
    import numpy as np

    cells = table.labels[table.time_column]
    totals = [bool(nat) and _is_total(cell) for cell, nat in zip(cells, table.times.isna(), strict=True)]
    if not any(totals):
        return table
    kept = np.flatnonzero(~np.array(totals))
    place = {int(old): new for new, old in enumerate(kept)}
    return replace(
        table,
        frame=table.frame.iloc[kept].reset_index(drop=True),
        labels=table.labels.iloc[kept].reset_index(drop=True),
        times=table.times[kept],
        unreadable={c: tuple(place[p] for p in rows if p in place) for c, rows in table.unreadable.items()},
        notes=(*table.notes, f"left out as totals: {count_of(sum(totals), 'row')}"),
        others=tuple(_without_totals(other) for other in table.others),
    )


def _is_total(cell: object) -> bool:
    return str(cell).strip().lower().rstrip("s") in _words_for_totals()


@cache
def _words_for_totals() -> frozenset[str]:
    """The words that stand for "in total" in a column of times, in all languages."""
    return frozenset(word for language in LANGUAGES for word in lexicon(language).data["total_rows"])


def transpose(table: NumericTable) -> NumericTable | None:
    """The table with its rows as series and its columns as times; None where its columns are no times."""
    import numpy as np

    periods = {column: period for column in table.columns if (period := _period_of(column))}
    if table.rows > _MOST_ROWS or not len(table.labels.columns) or len(periods) < 2:
        return None
    dated = table.frame[list(periods)].to_numpy()
    labelled = zip(table.labels.iloc[:, 0], dated.tolist(), ~np.isnan(dated).all(axis=1), strict=True)
    rows = [(str(label), values) for label, values, filled in labelled if label is not None and filled]
    headings = [_rest(column) for column in periods]
    names = unique_names(["period", "heading", *(label for label, _ in rows)])
    columns = dict(zip(names, [list(periods.values()), headings, *(values for _, values in rows)], strict=True))
    if not any(headings):
        del columns["heading"]
    turned = table_of(Grid(table.name, columns))
    return replace(turned, power=table.power) if turned.times is not None and len(turned.columns) else None


def _period_of(column: str) -> str | None:
    times = _year().findall(column)
    if len(set(times)) != 1:
        return None
    quarter, year = times[0]
    return f"{quarter} {year}".strip()


def _rest(column: str) -> str | None:
    """A column's name without its time: "Financial assets" of "Financial assets 2019"."""
    words = _year().sub(" ", column).split()
    rest = " ".join(word for word in words if not unit_and_power(word)[1]).strip(" ,.$€£%-")
    return rest or None
