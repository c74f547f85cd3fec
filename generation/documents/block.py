"""What every format's reader hands on: headings and the text between them, in reading order."""

from typing import Literal, NamedTuple


class Block(NamedTuple):
    """A heading, or a piece of text: a paragraph, list item, table or code, as Markdown.

    `level` is a heading's, from 1 (the outermost); 0 for text. `page` counts from 1, None where the format has none;
    `last_page` is the one that it ends on, where that is another.
    """

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str
    level: int = 0
    page: int | None = None
    last_page: int | None = None
