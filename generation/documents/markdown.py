"""Markdown as blocks: its own headings, and the text between them as it is written."""

import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ...value_messages import quote_word
from .block import Block

_FRONT_MATTER = re.compile(r"\A---\r?\n.*?^(?:---|\.\.\.)\s*$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"(?!.*@|.*\d{4})[^\W_a-z][^\n]{1,68}[^\W_][)\]\"'’”]?")  # one line, with no sign at its end
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)


def markdown_blocks(path: Path) -> list[Block]:
    """Reads the blocks of a Markdown file."""
    return parse_markdown(read_text(path))


def text_blocks(path: Path) -> list[Block]:
    """Reads the blocks of a plain text file: those of Markdown, else a short line of its own above a text heads it."""
    written = markdown_blocks(path)
    if any(block.kind == "heading" for block in written):
        return written
    blocks = [part for block in written for part in _part_title(block)]
    is_title = [_TITLE.fullmatch(block.text) is not None for block in blocks]
    heads = [title and not after for title, after in zip(is_title, [*is_title[1:], True], strict=False)]
    if any(heads[1:2]):  # the document's own title stands above that of its first section
        heads[0] = is_title[0]
    return [
        Block("heading", block.text, 2 if place else 1) if head else block
        for place, (block, head) in enumerate(zip(blocks, heads, strict=True))
    ]


def _part_title(block: Block) -> list[Block]:
    """A block without its first line, where that is no wrapped text: the word after it had room on it."""
    title, _, rest = block.text.partition("\n")
    room = max(map(len, rest.split("\n"))) - len(title)
    if not _TITLE.fullmatch(title) or not rest[:1].isupper() or room <= len(rest.split(maxsplit=1)[0]):
        return [block]
    return [Block("paragraph", title), block._replace(text=rest)]


def read_text(path: Path) -> str:
    """Reads a file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8, or convert it with "
            f"`iconv -f cp1252 -t utf-8 {quote_word(path)}`"
        ) from None


def parse_markdown(text: str) -> list[Block]:
    """Splits a Markdown text into blocks.

    Returns:
        Headings and text in order. Headings in code or quotes are text; front matter and comments are left out.

    Example:
        >>> [(block.kind, block.text, block.level) for block in parse_markdown("## Diet\\n\\nEat *less* salt.")]
        [('heading', 'Diet', 2), ('paragraph', 'Eat *less* salt.', 0)]
    """
    from markdown_it import MarkdownIt

    # blank lines in place of the front matter keep the line numbers
    body = _FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), text.replace("\r\n", "\n"), count=1)
    lines = body.split("\n")
    blocks: list[Block] = []
    end = 0
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    for place, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting == -1:
            continue
        first, last = token.map
        blocks += _text(lines[end:first])
        end = last
        if token.type == "heading_open":
            blocks.append(Block("heading", _plain_heading(tokens[place + 1].content), int(token.tag[1])))
        else:
            blocks += _text(lines[first:last], is_table=token.type == "table_open")
    return blocks + _text(lines[end:])


def _text(lines: Sequence[str], *, is_table: bool = False) -> list[Block]:
    text = _COMMENT.sub("", "\n".join(lines)).strip()
    return [Block("table" if is_table else "paragraph", text)] if text else []


def _plain_heading(heading: str) -> str:
    """Returns a heading without the marks of bold, code and links."""
    plain = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    return " ".join(re.sub(r"(\*\*|__|`|(?<!\w)[*_]|[*_](?!\w))", "", plain).split())
