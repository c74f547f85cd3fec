"""The reading order of a page: columns one after the other, rows from left to right."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from .pdf_fragments import Fragment

# A column of running text has at least so many lines that fill so much of its width; cells of a table do not.
_LINES_OF_A_COLUMN = 3
_FILLED = 0.4
_MARK = re.compile(r"[^\w\s]{1,2}|\(?(\d{1,3}|[A-Za-z])[.)]|\d{1,2}")


class _Columns(NamedTuple):
    """Two columns of running text: what stands above, left, right and below; `gutter` is the right one's edge."""

    gutter: float
    above: list[Fragment]
    left: list[Fragment]
    right: list[Fragment]
    below: list[Fragment]


def gutters(fragments: Sequence[Fragment]) -> list[float]:
    """Where the right columns of a page begin: for pages of the same document whose columns are too short to tell."""
    found = _columns(fragments, ())
    if found is None:
        return []
    return [found.gutter, *(gutter for part in found[1:] for gutter in gutters(part))]


def in_reading_order(fragments: Sequence[Fragment], known: Collection[float] = ()) -> list[list[Fragment]]:
    """The page's fragments as rows (fragments on one baseline, left to right), column after column.

    A fragment that crosses the space between two columns (a title over both) parts what is above it from what is
    below. Columns within columns are found too. `known` are the document's gutters: there short columns are believed.
    """
    found = _columns(fragments, known)
    if found is None:
        return _rows(fragments)
    return [row for part in found[1:] if part for row in in_reading_order(part, known)]


def _columns(fragments: Sequence[Fragment], known: Collection[float]) -> _Columns | None:
    """The tallest two columns of running text among the fragments, or None."""
    best: tuple[int, _Columns] | None = None
    ordered = sorted(fragments, key=lambda f: f.baseline)
    for edge in sorted({round(fragment.left) for fragment in fragments}):
        gutter = edge - 2.0
        fewest = 1 if any(abs(gutter - other) <= 3 for other in known) else _LINES_OF_A_COLUMN
        crossing = [-1, *(i for i, f in enumerate(ordered) if f.left < gutter < f.right), len(ordered)]
        for start, end in pairwise(crossing):
            run = ordered[start + 1 : end]
            left = [f for f in run if f.right <= gutter]
            right = [f for f in run if f.left >= gutter]
            lines = min(len(left), len(right))
            if lines >= fewest and (best is None or lines > best[0]) and _runs_on(left, right, gutter):
                best = lines, _Columns(gutter, ordered[: start + 1], left, right, ordered[end:])
    return None if best is None else best[1]


def _runs_on(left: Sequence[Fragment], right: Sequence[Fragment], gutter: float) -> bool:
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
    return [_joined(sorted(row, key=lambda f: f.left)) for row in rows]


def _joined(row: list[Fragment]) -> list[Fragment]:
    """A row in which a bullet or number stands with its text, and what only a change of font had parted is whole."""
    joined = row[:1]
    for fragment in row[1:]:
        last = joined[-1]
        gap = fragment.left - last.right
        if _MARK.fullmatch(last.text) or gap < 0.6 * fragment.size:
            joined[-1] = last.joined(fragment, " " if gap > 0.1 * fragment.size else "")
        else:
            joined.append(fragment)
    return joined
