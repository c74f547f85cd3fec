"""Guides in a text: runs of numbered or bulleted steps."""

import re
from functools import cache, lru_cache
from itertools import pairwise

from ..languages import Language

FEWEST_STEPS = 2

_BULLETED = re.compile(r"^(\s*)[-*•–‣◦]\s+(\S.*)$")
_INLINE = re.compile(r"(?:^|(?<=[\s:;.]))(\d{1,2})[.)]\s+(?=\S)")


@lru_cache(maxsize=2048)  # contexts are shared by samples
def find_guides(text: str, language: Language) -> tuple[tuple[str, ...], ...]:
    """Finds the guides of a text, each its steps in order without their numbers; at least two steps make a guide.

    A blank line or a line of other text within a list belongs to the step before it when the numbering goes on.
    Bullets below a numbered step are not steps. Numbers within one line (`1. Open X. 2. Click Y.`) count as lines.
    """
    guides: list[list[str]] = []
    expected, bulleted, broken = 0, False, True
    for line in step_lines(text):
        if numbered := _numbered(language).match(line):
            number = int(numbered[1])
            if number != expected or number == 1 or bulleted:
                guides.append([])
            guides[-1].append(numbered[2].strip())
            expected, bulleted, broken = number + 1, False, False
        elif (bullet := _BULLETED.match(line)) and (expected == 0 or broken or not bullet[1]):
            if not bulleted or broken:
                guides.append([])
            guides[-1].append(bullet[2].strip())
            expected, bulleted, broken = 0, True, False
        elif line.strip() and not line.startswith((" ", "\t")):
            broken = True
    return tuple(tuple(steps) for steps in guides if len(steps) >= FEWEST_STEPS)


@cache
def _numbered(language: Language) -> re.Pattern[str]:
    words = "|".join(map(re.escape, language.words.step_words))
    return re.compile(
        rf"^\s*+(?:(?:\*\*|#{{1,6}})\s*+)?(?:(?:{words})\s*+)?(\d{{1,2}})\s*+[.):]\s*+(?:\*\*\s*+)?(\S.*)$",
        re.IGNORECASE,
    )


def step_lines(text: str) -> list[str]:
    """Splits a text into lines; steps that are numbered within one line become lines."""
    return [part for line in text.splitlines() for part in _split_inline(line)]


def _split_inline(line: str) -> list[str]:
    """Splits a line with `1. ... 2. ... 3. ...` in sequence into one line per step; returns any other line as it is."""
    starts: list[int] = []
    for match in _INLINE.finditer(line):
        if int(match[1]) == len(starts) + 1:
            starts.append(match.start())
    if len(starts) < FEWEST_STEPS:
        return [line]
    bounds = [*starts, len(line)]
    parts = [line[start:end] for start, end in pairwise(bounds)]
    return [line[: starts[0]], *parts] if line[: starts[0]].strip() else parts
