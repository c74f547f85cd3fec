"""What a claim leaves out: "except 14 April", "North excluded", "on the other days"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..lexicon import Lexicon, whole_words
from ..specification import ALL_ROWS, Window
from .marks import Mark


def with_exclusions(kept: list[Mark], text: str, words: Lexicon) -> list[Mark]:
    """The marks, with excluded times and rows flagged, and the words that exclude them marked as read."""
    before, after = whole_words(words.data["except_before"]), whole_words(words.data["except_after"])
    spans = [(match.span(), True) for match in before.finditer(text)]
    spans += [(match.span(), False) for match in after.finditer(text)]
    for (start, end), is_before in spans:
        things = [m for m in kept if m.time or m.cells]
        if is_before:
            run = _run(text, [m for m in things if m.start >= end], end, words)
        else:
            near = [m for m in things if m.end <= start and not text[m.end : start].strip(" ,(")]
            led = re.search(rf"(?:{words.data['except_led']})\s*$", text[: near[-1].start], re.I) if near else None
            run = near[-1:] if near and (led or text[start:end].lower() not in words.data["except_led_only"]) else []
        if not run:
            continue
        kept = [replace(mark, excluded=True) if mark in run else mark for mark in kept]
        word = Mark(start, end, text[start:end], frozenset({"whole"}))
        kept = [m for m in kept if m.excluded or m.end <= start or end <= m.start]
        kept = sorted([*kept, word], key=lambda m: m.start)
    return kept


def _run(text: str, things: Sequence[Mark], end: int, words: Lexicon) -> list[Mark]:
    """The first mark after a word, and the marks that "and" joins to it."""
    links = words.links
    joined = re.compile(rf"\s*(?:,|&|,?\s*(?:{links.conjunction}))\s*(?:(?:{links.led})+)?", re.IGNORECASE)
    run: list[Mark] = []
    for mark in things:
        between = text[end : mark.start]
        if run and not joined.fullmatch(between):
            break
        if not run and len(between.split()) > 2:
            break
        run.append(mark)
        end = mark.end
    return run


def exclude_windows(windows: Sequence[Window], left_out: Sequence[Window]) -> list[Window]:
    """The windows without the rows of other windows."""
    return [replace(w, without=(*w.without, *left_out), text="") for w in windows] if left_out else list(windows)


def earlier_windows(scope: Sequence[Window]) -> list[Window]:
    """The one window of the text before that "the other days" leaves out; none where there are several."""
    earlier = [window for window in scope if window != ALL_ROWS]
    return earlier if len(earlier) == 1 else []
