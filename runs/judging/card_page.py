"""Judges' cards as one HTML file that opens from disk, and as Markdown; nothing in them is obeyed."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...atomic_files import replace_file
from ...presentation.markdown import as_text, table_lines
from ...presentation.page import render_page, write_page
from ...presentation.result_table import Paragraph, ResultTable
from .card_tables import card_blocks, card_title, describe_making
from .judge_card import JudgeCard

_LONGEST = 1000  # characters of a paragraph in Markdown


def write_card_page(path: Path, cards: Sequence[JudgeCard]) -> None:
    """Writes cards as an HTML file. Raises `UsageError` when it cannot be written."""
    write_page(path, render_card_page(cards))


def render_card_page(cards: Sequence[JudgeCard]) -> str:
    """Renders cards as HTML: no script, no network; names and reasons are escaped.

    Args:
        cards: One card, or several that stand beside each other.
    """
    sections = [
        (title, [(isinstance(part, Paragraph), part) for part in _without_empty(block.parts)])
        for title, block in card_blocks(cards, is_page=True)
    ]
    view = {
        "title": card_title(cards),
        "is_one": len(cards) == 1,
        "sections": sections,
        "making": [describe_making(card) for card in cards],
    }
    return render_page(__package__, "card.html", view)


def _without_empty(parts: Sequence[Paragraph | ResultTable]) -> list[Paragraph | ResultTable]:
    """Without the empty lines of a terminal."""
    return [part for part in parts if not isinstance(part, Paragraph) or part.text]


def write_card_markdown(path: Path, cards: Sequence[JudgeCard]) -> None:
    """Writes cards as Markdown. Raises `UsageError` when it cannot be written."""
    with replace_file(path) as file:
        file.write(render_card_markdown(cards))


def render_card_markdown(cards: Sequence[JudgeCard]) -> str:
    """Renders cards as Markdown; names and reasons format, link and mention nothing."""
    return "\n".join(_markdown_lines(cards)) + "\n"


def _markdown_lines(cards: Sequence[JudgeCard]) -> Iterator[str]:
    kind = "A judge's card" if len(cards) == 1 else "Judges' cards"
    yield f"# {kind}: {as_text(card_title(cards))}"
    for title, block in card_blocks(cards, is_page=True):
        yield from ("", f"## {as_text(title)}")
        for part in _without_empty(block.parts):
            yield ""
            if isinstance(part, Paragraph):
                label = f"**{part.label}** " if part.label else ""
                yield f"{label}{as_text(part.text, _LONGEST)}"
            elif part.rows:
                yield from table_lines(part)
                if part.note:
                    yield from ("", as_text(part.note, _LONGEST))
            else:
                yield "Nothing to show."
    yield from ("", "## How it was made")
    for card in cards:
        yield from ("", as_text(describe_making(card), _LONGEST))
