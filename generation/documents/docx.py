"""DOCX as blocks: headings by Word's own styles, else by bold lines and outline levels."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from ...errors import InputError
from .block import Block
from .pdf_tables import as_markdown

_STYLE = re.compile(r"(?:heading|kop|titre|überschrift)\s*(\d)", re.IGNORECASE)
_TITLES = ("title", "titel")
_LISTED = re.compile(r"list|lijst|opsomming", re.IGNORECASE)
_CONTENTS = re.compile(r"toc\b|inhopg", re.IGNORECASE)
_NUMBERED = re.compile(r"number|nummer", re.IGNORECASE)
# A bold line this short with an ordinary style is a heading below those with a style
_BOLD_HEADING = 90
_BOLD_LEVEL = 9


def docx_blocks(path: Path) -> list[Block]:
    """The blocks of a DOCX file; headers, footers and tables of contents are left out. Raises `InputError`."""
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    try:
        document = docx.Document(str(path))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read as DOCX ({error}); open it in Word and save it again as .docx"
        ) from error
    blocks = list(_blocks(document))
    if not blocks:
        raise InputError(f"{path}: holds no text")
    return blocks


def _blocks(document: Any) -> Iterator[Block]:
    number = 0
    for part in document.iter_inner_content():
        if hasattr(part, "rows"):
            if rows := [
                [cell.text for cell in row.cells] for row in part.rows if any(c.text.strip() for c in row.cells)
            ]:
                yield Block("table", as_markdown(rows))
            continue
        text, style = part.text.strip(), _style_name(part)
        numbered = bool(_NUMBERED.search(style))
        number = number + 1 if numbered and text else 0
        if not text or _CONTENTS.match(style):
            continue
        if level := _level(part, style, text):
            yield Block("heading", " ".join(text.split()), level)
        elif _LISTED.search(style) or (part._p.pPr is not None and part._p.pPr.numPr is not None):
            yield Block("item", f"{number}. {text}" if numbered else f"- {text}")
        else:
            yield Block("paragraph", text)


def _style_name(paragraph: Any) -> str:
    return str(paragraph.style.name) if paragraph.style is not None else ""


def _level(paragraph: Any, style: str, text: str) -> int:
    """The heading's level, 0 for text."""
    if found := _STYLE.match(style):
        return int(found[1]) + 1
    if style.casefold() in _TITLES:
        return 1
    runs = [run for run in paragraph.runs if run.text.strip()]
    bold = bool(runs) and all(run.bold for run in runs)
    return _BOLD_LEVEL if bold and len(text) <= _BOLD_HEADING and text[-1] not in ".,;:" else 0
