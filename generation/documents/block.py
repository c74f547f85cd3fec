"""What every format's reader returns: headings and the text between them, in reading order."""

from typing import Literal, NamedTuple


class Block(NamedTuple):
    """A heading, or a piece of text as Markdown.

    Attributes:
        kind: `heading`, or what the text is. Code is a paragraph.
        text: The heading's words, or the Markdown.
        level: A heading's level, from 1 (the outermost); 0 for text.
        page: The page on which the block starts, from 1; None where the format has no pages.
        last_page: The page on which it ends, where that is another.
    """

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str
    level: int = 0
    page: int | None = None
    last_page: int | None = None
