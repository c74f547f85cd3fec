"""HTML as blocks, without what surrounds the page's own text: navigation, header, footer, scripts."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError
from .block import Block
from .pdf_tables import as_markdown

_HEADING = re.compile(r"h[1-6]")
_AROUND = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg", "iframe")
_HEADED = ("article", "main", "section")
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins"),
        *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var"),
        "wbr",
    )
)


def html_blocks(path: Path) -> list[Block]:
    """The blocks of an HTML file, of its `main` or `article` where it has one. Raises `InputError` without any text."""
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML is read as well as HTML
        soup = BeautifulSoup(path.read_bytes(), "lxml")
    for node in soup.find_all(_AROUND):
        # the header of an article holds its title; only the page's own is around the text
        if node.name != "header" or node.find_parent(_HEADED) is None:
            node.decompose()
    body = soup.find("main") or soup.find(attrs={"role": "main"}) or soup.body or soup
    blocks = list(_blocks(body))
    if not blocks:
        raise InputError(f"{path}: holds no text in HTML; a page that a script fills has to be saved by the browser")
    return blocks


def _blocks(node: Any) -> Iterator[Block]:
    from bs4 import NavigableString
    from bs4.element import PreformattedString

    inline: list[str] = []
    for child in node.children:
        if isinstance(child, PreformattedString):  # comments, doctypes
            continue
        if isinstance(child, NavigableString) or (child.name in _INLINE and not child.find(_is_block)):
            inline.append("\n" if not isinstance(child, NavigableString) and child.name == "br" else _flow(child))
            continue
        yield from _paragraph(inline)
        inline = []
        yield from _block(child)
    yield from _paragraph(inline)


def _block(node: Any) -> Iterator[Block]:
    if _HEADING.fullmatch(node.name):
        if text := _flow(node).strip():
            yield Block("heading", " ".join(text.split()), int(node.name[1]))
    elif node.name in ("ul", "ol"):
        yield from _items(node, "")
    elif node.name == "table":
        yield from _table(node)
    elif node.name == "pre":
        yield Block("paragraph", f"```\n{node.get_text().strip(chr(10))}\n```")
    else:
        yield from _blocks(node)


def _items(node: Any, indent: str) -> Iterator[Block]:
    for number, item in enumerate(node.find_all("li", recursive=False), 1):
        mark = f"{number}." if node.name == "ol" else "-"
        nested = item.find_all(("ul", "ol"))
        inner = [found.extract() for found in nested if found.find_parent(("ul", "ol")) is node]
        if text := " ".join(block.text for block in _blocks(item)):
            yield Block("item", f"{indent}{mark} {text}")
        for each in inner:
            yield from _items(each, indent + "  ")


def _table(node: Any) -> Iterator[Block]:
    if node.find("table"):  # a table that lays out the page
        for cell in node.find_all(("td", "th")):
            if cell.find_parent("table") is node:
                yield from _blocks(cell)
        return
    rows = [[_flow(cell) for cell in row.find_all(("td", "th"))] for row in node.find_all("tr")]
    if rows := [row for row in rows if any(cell.strip() for cell in row)]:
        yield Block("table", as_markdown(rows))


def _paragraph(inline: list[str]) -> Iterator[Block]:
    lines = [" ".join(line.split()) for line in "".join(inline).split("\n")]
    if text := "\n".join(line for line in lines if line):
        yield Block("paragraph", text)


def _flow(node: Any) -> str:
    """The text of inline nodes, white space as one space."""
    return re.sub(r"\s+", " ", node if isinstance(node, str) else node.get_text())


def _is_block(node: Any) -> bool:
    return node.name not in _INLINE
