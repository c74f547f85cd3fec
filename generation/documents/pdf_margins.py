"""Headers and footers: what stands at the edge of page after page and belongs to none of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from .pdf_fragments import Fragment

_EDGE = 0.12  # of the page's height
_DEEPEST = 3  # lines of a header or footer
_APART = 1.6  # leadings between a running head and the text
_SMALL = 0.9  # of the body's size
_PAGE_NUMBER = re.compile(r"\W*#\W*|.{0,10}\b#\s*(?:/|\||van|of)\s*#\b.{0,10}")


def without_margins(
    pages: Mapping[int, Sequence[Fragment]], heights: Mapping[int, float], header: float | None, footer: float | None
) -> dict[int, list[Fragment]]:
    """The fragments of each page (by its number) without header and footer.

    `header` and `footer` are the depths of these areas in points where they are set; else they are found: lines at the
    edge that come back at one height on a quarter of the pages and on three (two, in a document of two), figures aside,
    page numbers, and a first or last line apart from the text that is in small type or at one height on most pages.
    """
    dropped = _edge(pages, heights, header, top=True) | _edge(pages, heights, footer, top=False)
    return {number: [f for f in page if f not in dropped] for number, page in pages.items()}


def _edge(
    pages: Mapping[int, Sequence[Fragment]], heights: Mapping[int, float], depth: float | None, *, top: bool
) -> set[Fragment]:
    def from_edge(fragment: Fragment) -> float:
        return fragment.baseline if top else heights[fragment.page] - fragment.baseline

    if depth is not None:
        return {f for page in pages.values() for f in page if from_edge(f) < depth}
    rows = {number: _edge_rows(page, top=top) for number, page in pages.items() if page}
    near = {
        number: [row for row in found[:_DEEPEST] if from_edge(row[0]) < _EDGE * heights[number]]
        for number, found in rows.items()
    }
    often = min(len(rows), max(3, len(rows) // 4))

    def told(row: list[Fragment]) -> tuple[str, int]:
        return _masked(row), round(from_edge(row[0]) / 4)

    repeated = Counter(line for found in near.values() for line in {told(row) for row in found})
    depths = {number: [from_edge(row[0]) for row in found] for number, found in rows.items()}
    leading = _leading(depths)
    running = _running_heights(depths, leading)
    body = _body_size(pages)
    dropped = set[Fragment]()
    for number, found in near.items():
        for place, row in enumerate(found):
            comes_back = repeated[told(row)] >= often > 1
            is_number = place == 0 and len(rows) > 1 and _PAGE_NUMBER.fullmatch(_masked(row))
            runs = place == 0 and round(depths[number][0] / 3) in running
            small = place == 0 and max(f.size for f in row) < _SMALL * body and _stands_apart(depths[number], leading)
            if comes_back or is_number or runs or small:
                dropped |= set(row)
    return dropped


def _edge_rows(page: Sequence[Fragment], *, top: bool) -> list[list[Fragment]]:
    rows: dict[int, list[Fragment]] = defaultdict(list)
    for fragment in page:
        rows[round(fragment.baseline / 2)].append(fragment)
    return [sorted(rows[height], key=lambda f: f.left) for height in sorted(rows, reverse=not top)]


def _leading(depths: Mapping[int, list[float]]) -> float:
    steps = [second - first for found in depths.values() for first, second in pairwise(found)]
    return median(steps) if steps else 0.0


def _stands_apart(depths: list[float], leading: float) -> bool:
    return len(depths) > 1 and depths[1] - depths[0] > _APART * leading


def _running_heights(depths: Mapping[int, list[float]], leading: float) -> set[int]:
    """The heights (in 3 points) of first lines that stand apart from the text, at one height on half of the pages."""
    if len(depths) < 4:
        return set()
    apart = Counter(round(found[0] / 3) for found in depths.values() if _stands_apart(found, leading))
    return {height for height, pages in apart.items() if pages >= len(depths) / 2}


def _body_size(pages: Mapping[int, Sequence[Fragment]]) -> float:
    sizes = Counter[float]()
    for page in pages.values():
        for fragment in page:
            sizes[fragment.size] += len(fragment.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _masked(row: list[Fragment]) -> str:
    return re.sub(r"\d+", "#", " ".join(fragment.text for fragment in row)).casefold()
