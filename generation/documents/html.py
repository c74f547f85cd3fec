"""HTML as blocks, without what surrounds a page's own text: navigation, header, footer, scripts."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError
from .block import Block, markdown_table

_HEADING = re.compile(r"h[1-6]")
_SURROUNDINGS = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg", "iframe")
_ARTICLES = ("article", "main", "section")
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins"),
        *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var"),
        "wbr",
    )
)
_MOST_LEVELS = 100  # of elements within elements; deeper ones are read as plain text


def html_blocks(path: Path) -> list[Block]:
    """Reads the blocks of an HTML file, of its `main` element where it has one.

    Returns:
        The blocks, in the page's order; at least one. Elements that are nested more than 100 deep become one paragraph.
    """
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML can be read as HTML
        soup = BeautifulSoup(path.read_bytes(), "lxml")
    for node in soup.find_all(_SURROUNDINGS):
        # the header of an article has its title; only the page's own header surrounds the text
        if node.name != "header" or node.find_parent(_ARTICLES) is None:
            node.decompose()
    body = soup.find("main") or soup.find(attrs={"role": "main"}) or soup.body or soup
    blocks = list(_blocks(body, 0))
    if not blocks:
        raise InputError(f"{path}: has no text; if a script fills the page, save it from the browser")
    return blocks


def _blocks(node: Any, level: int) -> Iterator[Block]:
    from bs4 import NavigableString
    from bs4.element import PreformattedString

    if level > _MOST_LEVELS:
        yield from _paragraph([_inline_text(node)])
        return
    inline: list[str] = []
    for child in node.children:
        if isinstance(child, PreformattedString):  # comments, doctypes
            continue
        if isinstance(child, NavigableString) or (child.name in _INLINE and not child.find(_is_block)):
            is_break = not isinstance(child, NavigableString) and child.name == "br"
            inline.append("\n" if is_break else _inline_text(child))
            continue
        yield from _paragraph(inline)
        inline = []
        yield from _element(child, level + 1)
    yield from _paragraph(inline)


def _element(node: Any, level: int) -> Iterator[Block]:
    if _HEADING.fullmatch(node.name):
        if text := _inline_text(node).strip():
            yield Block("heading", " ".join(text.split()), int(node.name[1]))
    elif node.name in ("ul", "ol"):
        yield from _items(node, "", level)
    elif node.name == "table":
        yield from _table(node, level)
    elif node.name == "pre":
        yield Block("paragraph", f"```\n{node.get_text().strip(chr(10))}\n```")
    else:
        yield from _blocks(node, level)


def _items(node: Any, indent: str, level: int) -> Iterator[Block]:
    if level > _MOST_LEVELS:
        yield from _paragraph([_inline_text(node)])
        return
    for number, item in enumerate(node.find_all("li", recursive=False), 1):
        mark = f"{number}." if node.name == "ol" else "-"
        lists = [inner for inner in item.find_all(("ul", "ol")) if inner.find_parent(("ul", "ol")) is node]
        for inner in lists:
            inner.extract()
        if text := " ".join(block.text for block in _blocks(item, level + 1)):
            yield Block("item", f"{indent}{mark} {text}")
        for inner in lists:
            yield from _items(inner, indent + "  ", level + 1)


def _table(node: Any, level: int) -> Iterator[Block]:
    if node.find("table"):  # a table that only lays out the page
        for cell in node.find_all(("td", "th")):
            if cell.find_parent("table") is node:
                yield from _blocks(cell, level + 1)
        return
    rows = [[_inline_text(cell) for cell in row.find_all(("td", "th"))] for row in node.find_all("tr")]
    if rows := [row for row in rows if any(cell.strip() for cell in row)]:
        yield Block("table", markdown_table(rows))


def _paragraph(inline: list[str]) -> Iterator[Block]:
    lines = [" ".join(line.split()) for line in "".join(inline).split("\n")]
    if text := "\n".join(line for line in lines if line):
        yield Block("paragraph", text)


def _inline_text(node: Any) -> str:
    """Returns the text of a node, with any white space as one space."""
    return re.sub(r"\s+", " ", node if isinstance(node, str) else node.get_text())


def _is_block(node: Any) -> bool:
    return node.name not in _INLINE
