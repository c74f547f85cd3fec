"""What a page of the documentation types, and what it says is printed.

A page is read from top to bottom:

- `    $ command` in an indented block is typed, and the lines below it are what it prints; a line `...` stands for any
  lines
- `<!-- run: command -->` is typed too, but not shown; several lines stand between `<!-- run` and `-->`, of which what
  is no `assay` is for a shell; `NAME = assay run ...` calls the run NAME in the commands below
- `<!-- file: NAME -->` writes the block in fences that follows to the file NAME
- `<!-- not run: REASON -->` excuses the indented block that follows
- `<!-- error -->` says that the commands of the indented block that follows end in an error; others may not
- any other indented block is of commands that the reader types, such as `assay run answers.csv`
"""

import difflib
import re
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from itertools import pairwise
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
PAGES = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "eval_sets" / "README.md")
ANY_LINES = "..."
_SAME_LINE = 0.6  # as like as this, a line is the same with other figures
_INDENT = "    "
_PROMPT = f"{_INDENT}$ "
_COMMENT = re.compile(r"<!-- (run|file|not run|error):? ?(.*?)\s*-->\n?", re.DOTALL)
_TYPED = re.compile(
    r"(?:\$ )?(?:assay|python|pip|pytest|export|eval|git|make|cd|docker|curl|cp|mkdir|\.|_ASSAY\w+=\S+|#)\s|eval|#"
)
_RUN = re.compile(r"\b\d{8}-\d{6}(-[0-9a-f]{4})?(-\d+)?\b")  # when a run was made
_SECONDS = re.compile(r"\b\d+\.\d s\b")
_LINK = re.compile(r"/enter/\S+")


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a page does: `hidden` or `typed` commands, or a `file` that is written."""

    kind: Literal["hidden", "file", "typed"]
    text: str
    name: str = ""
    lines: tuple[int, int] = (0, 0)
    output: tuple[str, ...] = ()
    shows_error: bool = False


class PageError(Exception):
    """A page shows output that no command of the page prints."""


def steps(page):
    """What a page does, in its order."""
    lines = page.splitlines()
    number, excused, shows_error = 0, False, False
    while number < len(lines):
        line = lines[number]
        if line.startswith("<!-- "):
            end = next(place for place in range(number, len(lines)) if "-->" in lines[place]) + 1
            match = _COMMENT.match("\n".join(lines[number:end]))
            number = end
            if match is None:
                continue
            if match[1] == "run":
                yield Step("hidden", match[2])
            elif match[1] == "file":
                end = lines.index("```", number + 1)
                yield Step("file", "\n".join(lines[number + 1 : end]) + "\n", match[2])
                number = end + 1
            excused, shows_error = match[1] == "not run", match[1] == "error"
        elif line.startswith("```"):
            number = lines.index("```", number + 1) + 1
        elif line.startswith(_INDENT) and (
            number == 0 or not lines[number - 1].strip() or lines[number - 1].startswith("<!--")
        ):
            end = number
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(_INDENT)):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            if not excused:
                yield from _block(lines, number, end, shows_error)
            number, excused, shows_error = end, False, False
        else:
            excused, shows_error = (mark and not line.strip() for mark in (excused, shows_error))
            number += 1


def _block(lines, first, last, shows_error):
    prompts = [number for number in range(first, last) if lines[number].startswith(_PROMPT)]
    for number in range(first, prompts[0] if prompts else last):
        before = lines[number - 1].rstrip()
        line = lines[number].strip()
        if line and not _TYPED.match(line) and not before.endswith("\\"):
            raise PageError(f"line {number + 1}: no command above it prints {line!r}")
    for start, stop in pairwise([*prompts, last]):
        end = next(number for number in range(stop, start, -1) if lines[number - 1].strip())
        output = tuple(line.removeprefix(_INDENT) for line in lines[start + 1 : end])
        yield Step("typed", lines[start].removeprefix(_PROMPT), "", (start + 1, end), output, shows_error)


def is_same(documented, printed):
    """Whether a page says what a command prints, but for the times and links that are others each time."""
    flags = ELLIPSIS | NORMALIZE_WHITESPACE
    return OutputChecker().check_output(_timeless("\n".join(documented)) + "\n", _timeless(printed) + "\n", flags)


def _timeless(text):
    return _LINK.sub("/enter/LINK", _SECONDS.sub("0.0 s", _RUN.sub("RUN", text)))


def refreshed(documented, printed):
    """The lines of `printed` that a page shows: the first and the last between two `...` are what is most like the old.

    A page that ended before the output's last line still does, and says so by `...`.
    """
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    parts = [[]]
    for line in documented:
        if line.strip() == ANY_LINES:
            parts.append([])
        else:
            parts[-1].append(line)
    shown, place = list[str](), 0
    for number, part in enumerate(parts):
        if not part:
            continue
        start = place if number == 0 else _most_like(part[0], lines, place)
        end = _most_like(part[-1], lines, start) + 1
        if number == len(parts) - 1 and _likeness(part[-1], lines[end - 1]) < _SAME_LINE:
            end = len(lines)
        shown += [ANY_LINES] * (start > place) + lines[start:end]
        place = end
    return shown + [ANY_LINES] * (place < len(lines))


def _most_like(line, lines, first):
    return max(range(first, len(lines)), key=lambda number: _likeness(line, lines[number]), default=first)


def _likeness(line, other):
    return difflib.SequenceMatcher(None, line, other).ratio()
