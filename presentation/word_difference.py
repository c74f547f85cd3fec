"""Two versions of a text word by word: what only the one has, and what only the other has, as marks in their HTML."""

import difflib
import re

from .rendered_markdown import LONGEST_MARKDOWN, RenderedText, TextMark, render_markdown

_LONGEST_DIFF = 4000  # characters of a text that is compared word by word
_TAGS = {"-": "del", "+": "ins"}
_PART = re.compile(r"\s+|[^\W_]+|.")


def render_difference(before: str, after: str) -> tuple[RenderedText, RenderedText]:
    """Renders the Markdown of two versions of a text; `<del>` is only in the first, `<ins>` only in the second."""
    removed, added = word_difference(before, after)
    return _render_parts(removed), _render_parts(added)


def _render_parts(parts: tuple[tuple[str, str], ...]) -> RenderedText:
    from markupsafe import Markup

    marks, start = list[TextMark](), 0
    for sign, text in parts:
        if tag := _TAGS.get(sign):
            marks.append(TextMark(start, start + len(text), Markup(f"<{tag}>"), Markup(f"</{tag}>")))
        start += len(text)
    return render_markdown("".join(text for _, text in parts), marks, length=LONGEST_MARKDOWN)


def word_difference(before: str, after: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Two texts cut into parts: `=` what both have, `-` what only the first has, `+` what only the second has.

    Long texts are not compared: each is one part.

    Example:
        >>> word_difference("Press OK.", "Press Save.")
        ((('=', 'Press '), ('-', 'OK'), ('=', '.')), (('=', 'Press '), ('+', 'Save'), ('=', '.')))
    """
    if before == after:
        return (("=", before),), (("=", after),)
    if max(len(before), len(after)) > _LONGEST_DIFF:
        return (("-", before),), (("+", after),)
    first, second = _PART.findall(before), _PART.findall(after)
    removed, added = [], []
    for tag, start, end, other_start, other_end in difflib.SequenceMatcher(None, first, second, False).get_opcodes():
        sign = "=" if tag == "equal" else ""
        if start < end:
            removed.append((sign or "-", "".join(first[start:end])))
        if other_start < other_end:
            added.append((sign or "+", "".join(second[other_start:other_end])))
    return tuple(removed), tuple(added)
