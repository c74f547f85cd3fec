"""Markdown as blocks: its own headings, the text between them as it is written."""

import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from .block import Block

_FRONT_MATTER = re.compile(r"\A---\r?\n.*?^(?:---|\.\.\.)\s*$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def markdown_blocks(path: Path) -> list[Block]:
    """The blocks of a Markdown (or plain text) file; raises `InputError` where it is not UTF-8."""
    return blocks_of(read_text(path))


def read_text(path: Path) -> str:
    """The text of a file in UTF-8. Raises `InputError` with the cure where it is another encoding."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8, or convert it with "
            f"`iconv -f cp1252 -t utf-8 {path.name}`"
        ) from None


def blocks_of(text: str) -> list[Block]:
    """The blocks of a Markdown text. Headings in code or quotes are text; a front matter is left out."""
    from markdown_it import MarkdownIt

    blanked = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"), count=1)
    lines = blanked.split("\n")
    blocks: list[Block] = []
    end = 0
    tokens = MarkdownIt("commonmark").enable("table").parse(blanked)
    for place, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting == -1:
            continue
        first, last = token.map
        blocks += _text(lines[end:first])
        end = last
        if token.type == "heading_open":
            blocks.append(Block("heading", _inline(tokens[place + 1].content), int(token.tag[1])))
        else:
            blocks += _text(lines[first:last], table=token.type == "table_open")
    return blocks + _text(lines[end:])


def _text(lines: Sequence[str], *, table: bool = False) -> list[Block]:
    written = _COMMENT.sub("", "\n".join(lines)).strip()
    return [Block("table" if table else "paragraph", written)] if written else []


def _inline(heading: str) -> str:
    """A heading without the marks of bold, code and links."""
    plain = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    return " ".join(re.sub(r"(\*\*|__|`|(?<!\w)[*_]|[*_](?!\w))", "", plain).split())
