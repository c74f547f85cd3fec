"""Tables with ruled lines: PDFium says where lines are drawn, pdfplumber which cells they make."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from .block import markdown_table
from .pdf_fragments import SOFT_HYPHEN, Fragment

_FEWEST_RULES = 3  # across, and down: a table has two rows and two columns
_SHORTEST_RULE = 8.0
_STRAIGHT = 1.0
_TOLERANCE = 3.0
_CELLS_WITH_TEXT = 0.5

Point = tuple[float, float]
Cell = tuple[float, float, float, float]


class RuledTable(NamedTuple):
    """A table with ruled lines.

    Attributes:
        markdown: The table as Markdown.
        left: Its left edge in points from the page's left.
        top: Its upper edge in points from the page's top.
        right: Its right edge.
        bottom: Its lower edge.
    """

    markdown: str
    left: float
    top: float
    right: float
    bottom: float

    def contains(self, fragment: Fragment) -> bool:
        """Returns whether a fragment is inside."""
        middle = (fragment.left + fragment.right) / 2
        return self.left <= middle <= self.right and self.top <= fragment.baseline <= self.bottom + 1


def find_ruled_tables(page: Any, textpage: Any, height: float) -> list[RuledTable]:
    """Finds the tables with ruled lines on a page.

    Returns:
        The tables, from top to bottom.
    """
    edges = list(_edges(page, height))
    across = sum(edge["orientation"] == "h" for edge in edges)
    if across < _FEWEST_RULES or len(edges) - across < _FEWEST_RULES:
        return []
    from pdfplumber.table import (
        Table,
        cells_to_tables,
        edges_to_intersections,
        intersections_to_cells,
        merge_edges,
    )

    merged = merge_edges(edges, *[_TOLERANCE] * 4)
    cells = intersections_to_cells(edges_to_intersections(merged, _TOLERANCE, _TOLERANCE))
    tables = (_read_table(Table(None, cells), textpage, height) for cells in cells_to_tables(cells))
    return sorted((table for table in tables if table), key=lambda table: table.top)


def _edges(page: Any, height: float) -> Iterator[dict[str, Any]]:
    """Yields the straight lines drawn on a page, in pdfplumber's terms."""
    import pypdfium2.raw as pdfium

    for path_object in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_PATH,), max_depth=1):
        matrix = path_object.get_matrix()
        start: Point | None = None
        before: Point | None = None
        for index in range(pdfium.FPDFPath_CountSegments(path_object)):
            segment = pdfium.FPDFPath_GetPathSegment(path_object, index)
            x, y = ctypes.c_float(), ctypes.c_float()
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            point: Point = matrix.on_point(x.value, y.value)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                start = point
            elif kind == pdfium.FPDF_SEGMENT_LINETO and before is not None:
                yield from _edge(before, point, height)
            if pdfium.FPDFPathSegment_GetClose(segment) and start is not None:
                yield from _edge(point, start, height)
            before = point


def _edge(one: Point, other: Point, height: float) -> Iterator[dict[str, Any]]:
    wide, high = abs(one[0] - other[0]), abs(one[1] - other[1])
    if max(wide, high) < _SHORTEST_RULE or min(wide, high) > _STRAIGHT:
        return
    yield {
        "orientation": "h" if wide > high else "v",
        "object_type": "line",
        "x0": min(one[0], other[0]),
        "x1": max(one[0], other[0]),
        "top": height - max(one[1], other[1]),
        "bottom": height - min(one[1], other[1]),
        "width": wide,
        "height": high,
    }


def _read_table(table: Any, textpage: Any, height: float) -> RuledTable | None:
    left, top, right, bottom = table.bbox
    rows = [["" if cell is None else _text(textpage, cell, height) for cell in row.cells] for row in table.rows]
    rows = [row for row in rows if any(row)]
    cells = [cell for row in rows for cell in row]
    if len(rows) < 2 or max(map(len, rows)) < 2 or sum(map(bool, cells)) < _CELLS_WITH_TEXT * len(cells):
        return None
    return RuledTable(markdown_table(rows), left, top, right, bottom)


def _text(textpage: Any, cell: Cell, height: float) -> str:
    left, top, right, bottom = cell
    text: str = textpage.get_text_bounded(left, height - bottom, right, height - top)
    return text.replace("\ufffe\r\n", "").replace("\ufffe", "").replace(SOFT_HYPHEN, "").strip()
