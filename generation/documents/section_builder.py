"""Blocks to sections: each heading with its text; headings without text and text without heading find a section."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...text.language_detection import detect_language
from ..section import Section
from .block import Block

PAGE_TOKENS = 842
"""The median size of an original page in the Twente paper (4.1)."""

_TOKEN = re.compile(r"\w+|[^\w\s]+")
_LETTERS_PER_TOKEN = 5


def build_sections(blocks: Iterable[Block], document: str, language: str | None = None) -> list[Section]:
    """Makes sections from the blocks of a document.

    As in Appendix A of the Twente paper, a heading without text becomes one of the headings above the next section; at
    the document's end it becomes text of the last section. Text before the first heading is a section with heading "".

    Example:
        >>> blocks = [Block("heading", "Diet", 1), Block("paragraph", "Eat less salt.")]
        >>> [(section.heading, section.text) for section in build_sections(blocks, "diet.md", "en")]
        [('Diet', 'Eat less salt.')]
    """
    drafts = _drafts(blocks)
    texts = [_join(draft.blocks) for draft in drafts]
    language = language or detect_language("\n".join(texts), "\n".join(draft.heading for draft in drafts))
    tokens = [estimate_tokens(f"{draft.heading}\n{text}") for draft, text in zip(drafts, texts, strict=True)]
    sections: list[Section] = []
    for position, (draft, text, emulated_page) in enumerate(zip(drafts, texts, emulate_pages(tokens), strict=True)):
        pages = [page for block in draft.blocks for page in (block.page, block.last_page) if page is not None]
        first = draft.page if draft.page is not None else min(pages, default=None)
        sections.append(
            Section(
                id=f"{document}#{position + 1:03d}",
                document=document,
                heading=draft.heading,
                text=text,
                page=first,
                last_page=max(pages, default=first),
                position=position,
                language=language,
                above=tuple(draft.above),
                tokens=tokens[position],
                emulated_page=emulated_page,
            )
        )
    return sections


def estimate_tokens(text: str) -> int:
    """Estimates the number of tokens of a text: one per five letters of a word begun, and one per run of signs.

    Within 5% of GPT-4o's tokenizer (o200k_base) in total over Dutch and English help pages.

    Example:
        >>> estimate_tokens("Eat less salt, please.")  # 1 + 1 + 1 + 1 + 2 + 1
        7
    """
    return sum(math.ceil(len(piece) / _LETTERS_PER_TOKEN) for piece in _TOKEN.findall(text))


def emulate_pages(tokens: Sequence[int], size: int = PAGE_TOKENS) -> list[int]:
    """Groups the sections of a document, in their order, into pages of about `size` tokens.

    No section is divided. A page ends where it is nearer to `size` than it would be with the next section.

    Returns:
        The page of each section, from 1.

    Example:
        >>> emulate_pages([500, 300, 400, 900], size=842)
        [1, 1, 2, 3]
    """
    pages: list[int] = []
    page, filled = 1, 0
    for count in tokens:
        if filled and filled + count - size > size - filled:
            page, filled = page + 1, 0
        pages.append(page)
        filled += count
    return pages


@dataclass
class _Draft:
    """A section that is being made."""

    heading: str
    above: list[str]
    page: int | None
    blocks: list[Block] = field(default_factory=list)


def _drafts(blocks: Iterable[Block]) -> list[_Draft]:
    drafts: list[_Draft] = []
    path: list[Block] = []  # the headings above the current text, outermost first
    pending: list[Block] = []  # the headings since the last text
    for block in blocks:
        if block.kind == "heading":
            pending.append(block)
            continue
        if pending:
            path = _extend_path(path, pending)
            drafts.append(_Draft(path[-1].text, [outer.text for outer in path[:-1]], pending[0].page))
            pending = []
        elif not drafts:
            drafts.append(_Draft("", [], block.page))
        drafts[-1].blocks.append(block)
    if pending:
        trailing = [Block("paragraph", heading.text, page=heading.page) for heading in pending]
        if drafts:
            drafts[-1].blocks += trailing
        else:
            drafts.append(_Draft("", [], pending[0].page, trailing))
    return drafts


def _extend_path(path: Sequence[Block], pending: Sequence[Block]) -> list[Block]:
    """Returns the headings above the text that follows consecutive headings: each of them is above the next.

    So a small line over a larger title ("Chapter 1") is above all sections of the title.
    """
    outermost = min(heading.level for heading in pending)
    extended = [outer for outer in path if outer.level < outermost]
    for place, heading in enumerate(pending):
        extended.append(heading._replace(level=min(later.level for later in pending[place:])))
    return extended


def _join(blocks: Sequence[Block]) -> str:
    text = ""
    for before, block in zip([None, *blocks], blocks, strict=False):
        if before is not None:
            text += "\n" if before.kind == block.kind == "item" else "\n\n"
        text += block.text
    return text
