"""Headers and footers: text at the edge of page after page that belongs to none of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from .pdf_page import Fragment

_EDGE = 0.12  # of the page's height
_DEEPEST = 3  # lines of a header or footer
_APART = 1.6  # leadings between a running head and the text
_SMALL = 0.9  # of the body's size
_PAGE_NUMBER = re.compile(r"\W*#\W*|.{0,10}\b#\s*(?:/|\||van|of)\s*#\b.{0,10}")
# When a browser printed a page: "11/29/26, 5:08 PM", "29-11-2026 17:08", with the figures masked
_PRINT_DATE = re.compile(r"#[-/.]#[-/.]#,?\s#:#(\s?[ap]\.?m\.?)?")


def remove_margins(pages: Mapping[int, Sequence[Fragment]], heights: Mapping[int, float]) -> dict[int, list[Fragment]]:
    """Removes header and footer from each page.

    These lines at the edge are removed: lines that, apart from figures, come back at
    one height on a quarter of the pages and at least three (two, in a document of two pages); page numbers; a first or
    last line apart from the text that is in small type, or at one height on most pages; and one in small type with the
    date and time at which a browser printed it.

    Returns:
        The fragments that are left of each page.
    """
    margins = _find_margin(pages, heights, top=True) | _find_margin(pages, heights, top=False)
    return {number: [fragment for fragment in page if fragment not in margins] for number, page in pages.items()}


def _find_margin(pages: Mapping[int, Sequence[Fragment]], heights: Mapping[int, float], *, top: bool) -> set[Fragment]:
    def from_edge(fragment: Fragment) -> float:
        return fragment.baseline if top else heights[fragment.page] - fragment.baseline

    rows = {number: _edge_rows(page, top=top) for number, page in pages.items() if page}
    near = {
        number: [row for row in page_rows[:_DEEPEST] if from_edge(row[0]) < _EDGE * heights[number]]
        for number, page_rows in rows.items()
    }
    often = min(len(rows), max(3, len(rows) // 4))

    def identity(row: list[Fragment]) -> tuple[str, int]:
        return _mask_figures(row), round(from_edge(row[0]) / 4)

    repeated = Counter(line for page_rows in near.values() for line in {identity(row) for row in page_rows})
    depths = {number: [from_edge(row[0]) for row in page_rows] for number, page_rows in rows.items()}
    leading = _leading(depths)
    running = _running_heights(depths, leading)
    body = _body_size(pages)
    margin = set[Fragment]()
    for number, page_rows in near.items():
        for place, row in enumerate(page_rows):
            is_repeated = repeated[identity(row)] >= often > 1
            is_number = place == 0 and len(rows) > 1 and _PAGE_NUMBER.fullmatch(_mask_figures(row))
            is_running = place == 0 and round(depths[number][0] / 3) in running
            is_dated = any(_PRINT_DATE.fullmatch(_mask_figures([fragment])) for fragment in row)
            is_small = (
                place == 0
                and max(f.size for f in row) < _SMALL * body
                and (is_dated or _is_apart(depths[number], leading))
            )
            if is_repeated or is_number or is_running or is_small:
                margin |= set(row)
    return margin


def _edge_rows(page: Sequence[Fragment], *, top: bool) -> list[list[Fragment]]:
    rows: dict[int, list[Fragment]] = defaultdict(list)
    for fragment in page:
        rows[round(fragment.baseline / 2)].append(fragment)
    return [sorted(rows[height], key=lambda f: f.left) for height in sorted(rows, reverse=not top)]


def _leading(depths: Mapping[int, list[float]]) -> float:
    steps = [second - first for page_depths in depths.values() for first, second in pairwise(page_depths)]
    return median(steps) if steps else 0.0


def _is_apart(depths: list[float], leading: float) -> bool:
    return len(depths) > 1 and depths[1] - depths[0] > _APART * leading


def _running_heights(depths: Mapping[int, list[float]], leading: float) -> set[int]:
    """Returns the heights (in 3 points) of first lines apart from the text that half of the pages have."""
    if len(depths) < 4:
        return set()
    apart = Counter(round(page_depths[0] / 3) for page_depths in depths.values() if _is_apart(page_depths, leading))
    return {height for height, pages in apart.items() if pages >= len(depths) / 2}


def _body_size(pages: Mapping[int, Sequence[Fragment]]) -> float:
    sizes = Counter[float]()
    for page in pages.values():
        for fragment in page:
            sizes[fragment.size] += len(fragment.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _mask_figures(row: list[Fragment]) -> str:
    return re.sub(r"\d+", "#", " ".join(fragment.text for fragment in row)).casefold()
