"""The reading order of a page: columns one after the other, rows from left to right."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from .pdf_page import Fragment

# A column of running text has at least so many lines, which fill so much of its width; cells of a table do not
_FEWEST_LINES = 3
_FILLED = 0.4
_MARK = re.compile(r"[^\w\s]{1,2}|\(?(\d{1,3}|[A-Za-z])[.)]|\d{1,2}")


class _Columns(NamedTuple):
    """Two columns of running text with what is above and below them; `gutter` is the right column's edge."""

    gutter: float
    above: list[Fragment]
    left: list[Fragment]
    right: list[Fragment]
    below: list[Fragment]


def find_gutters(fragments: Sequence[Fragment]) -> list[float]:
    """Finds where the right columns of a page begin, for pages of the same document with columns of a few lines.

    Returns:
        Distances in points from the page's left.
    """
    columns = _find_columns(fragments, ())
    if columns is None:
        return []
    return [columns.gutter, *(gutter for part in columns[1:] for gutter in find_gutters(part))]


def order_rows(fragments: Sequence[Fragment], gutters: Collection[float] = ()) -> list[list[Fragment]]:
    """Puts the fragments of a page in reading order.

    A fragment that crosses the space between two columns, such as a title over both, separates what is above it from
    what is below. Columns within columns are found too.

    Returns:
        Rows (fragments on one baseline, from left to right), column after column.
    """
    columns = _find_columns(fragments, gutters)
    if columns is None:
        return _rows(fragments)
    return [row for part in columns[1:] if part for row in order_rows(part, gutters)]


def _find_columns(fragments: Sequence[Fragment], gutters: Collection[float]) -> _Columns | None:
    """Returns the tallest two columns of running text among the fragments, None where there are none."""
    best: tuple[int, _Columns] | None = None
    ordered = sorted(fragments, key=lambda f: f.baseline)
    for edge in sorted({round(fragment.left) for fragment in fragments}):
        gutter = edge - 2.0
        fewest = 1 if any(abs(gutter - other) <= 3 for other in gutters) else _FEWEST_LINES
        crossing = [-1, *(i for i, f in enumerate(ordered) if f.left < gutter < f.right), len(ordered)]
        for start, end in pairwise(crossing):
            run = ordered[start + 1 : end]
            left = [f for f in run if f.right <= gutter]
            right = [f for f in run if f.left >= gutter]
            lines = min(len(left), len(right))
            if lines >= fewest and (best is None or lines > best[0]) and _are_columns(left, right, gutter):
                best = lines, _Columns(gutter, ordered[: start + 1], left, right, ordered[end:])
    return None if best is None else best[1]


def _are_columns(left: Sequence[Fragment], right: Sequence[Fragment], gutter: float) -> bool:
    inner = max(f.right for f in left)
    start, end = min(f.left for f in left), max(f.right for f in right)
    apart = min(f.left for f in right) - inner > 0.6 * min(left[0].size, right[0].size)
    return apart and _fills(left, inner - start) and _fills(right, end - gutter)


def _fills(column: Sequence[Fragment], width: float) -> bool:
    widths = [f.right - f.left for f in column if not _MARK.fullmatch(f.text)]
    return bool(widths) and fmean(widths) >= _FILLED * width


def _rows(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    rows: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda f: f.baseline):
        if rows and abs(rows[-1][0].baseline - fragment.baseline) <= 0.4 * min(rows[-1][0].size, fragment.size):
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return [_join_row(sorted(row, key=lambda f: f.left)) for row in rows]


def _join_row(row: list[Fragment]) -> list[Fragment]:
    """Joins a bullet or number with its text, and fragments that only a change of font had separated."""
    joined = row[:1]
    for fragment in row[1:]:
        last = joined[-1]
        gap = fragment.left - last.right
        if _MARK.fullmatch(last.text) or gap < 0.6 * fragment.size:
            joined[-1] = last.join(fragment, " " if gap > 0.1 * fragment.size else "")
        else:
            joined.append(fragment)
    return joined
