"""DOCX as blocks: headings by Word's own styles, else bold lines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from ...errors import InputError
from .block import Block, markdown_table

_HEADING_STYLE = re.compile(r"(?:heading|kop|titre|überschrift)\s*(\d)", re.IGNORECASE)
_TITLE_STYLES = ("title", "titel")
_LIST_STYLE = re.compile(r"list|lijst|opsomming", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"toc\b|inhopg", re.IGNORECASE)
_NUMBERED_STYLE = re.compile(r"number|nummer", re.IGNORECASE)
_BOLD_HEADING = 90  # characters; a bold line this short is a heading below those with a style
_BOLD_LEVEL = 9
_MOST_BYTES = 500_000_000  # unpacked; a document with more is a zip bomb, or too large to be read as text


def docx_blocks(path: Path) -> list[Block]:
    """Reads the blocks of a DOCX file, without headers, footers and tables of contents."""
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    try:
        with ZipFile(path) as package:
            size = sum(entry.file_size for entry in package.infolist())
        if size > _MOST_BYTES:
            raise InputError(
                f"{path}: is {size / 1e6:,.0f} MB unpacked, more than the {_MOST_BYTES / 1e6:,.0f} MB that are read; "
                "split it, or save it without its pictures"
            )
        document = docx.Document(str(path))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read as DOCX ({error}); open it in Word and save it again as .docx"
        ) from error
    blocks = list(_blocks(document))
    if not blocks:
        raise InputError(f"{path}: has no text")
    return blocks


def _blocks(document: Any) -> Iterator[Block]:
    number = 0
    for part in document.iter_inner_content():
        if hasattr(part, "rows"):
            if rows := [
                [cell.text for cell in row.cells] for row in part.rows if any(c.text.strip() for c in row.cells)
            ]:
                yield Block("table", markdown_table(rows))
            continue
        text, style = part.text.strip(), _style_name(part)
        is_numbered = bool(_NUMBERED_STYLE.search(style))
        number = number + 1 if is_numbered and text else 0
        if not text or _CONTENTS_STYLE.match(style):
            continue
        if level := _heading_level(part, style, text):
            yield Block("heading", " ".join(text.split()), level)
        elif _LIST_STYLE.search(style) or (part._p.pPr is not None and part._p.pPr.numPr is not None):
            yield Block("item", f"{number}. {text}" if is_numbered else f"- {text}")
        else:
            yield Block("paragraph", text)


def _style_name(paragraph: Any) -> str:
    return str(paragraph.style.name) if paragraph.style is not None else ""


def _heading_level(paragraph: Any, style: str, text: str) -> int:
    """Returns the level of a heading, 0 for text."""
    if match := _HEADING_STYLE.match(style):
        return int(match[1]) + 1
    if style.casefold() in _TITLE_STYLES:
        return 1
    runs = [run for run in paragraph.runs if run.text.strip()]
    is_bold = bool(runs) and all(run.bold for run in runs)
    return _BOLD_LEVEL if is_bold and len(text) <= _BOLD_HEADING and text[-1] not in ".,;:" else 0
