"""An answer's lines as Markdown has them: headings, list items, table rows, code; each with its place in the answer."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from operator import itemgetter
from typing import Literal, NamedTuple

from ..untrusted import SEEN_LETTERS, SEEN_WORD

Role = Literal["text", "heading", "label", "header_row", "row", "code", "image", "link"]
"""What a line is. `label`: a bold line, or an item with a list below it; `link`: a link's target, unseen by readers."""

LONGEST_LINE = 3000
"""A longer line is cut, at the end of a sentence where there is one: sentencex takes quadratic time for some."""
_SOME = f".{{1,{LONGEST_LINE}}}"
_PIECE = re.compile(rf"{_SOME}$|{_SOME}[.!?](?=\s)|{_SOME}(?=\s)|{_SOME}")
_LONGEST_COLUMN = 80  # characters of a column's name that every row repeats

# lines
_LETTER = re.compile(r"[^\W_]")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_ITEM = re.compile(r"\s*([-*+•–]|\d{1,9}[.)])(?:\s+|$)")
_HEADING = re.compile(r"\s*+(#{1,6})(?:\s+|$)")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(?:(=)+|-+)\s*$")
_FENCE = re.compile(r"[\s>]*(```+|~~~+)([^`]*)$")
_PROSE = re.compile(r"[A-ZÀ-Þ][^{}()\[\];=<>\\$|]*[.!?]$")
_FEWEST_PROSE = 4  # words of a line of code that is a sentence
_AMOUNT = re.compile(r"\s*(?:[€$£]\s*)?\d")
_DELIMITERS = re.compile(r"[\s>]*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+$")
_BEFORE_ROW = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*\|?")
_CELL_END = re.compile(r"(?<!\\)\|")

# marks within a line
_MARKS = re.compile(r"[*_`\[\]\\!<]")
_TICKS = re.compile(r"`+")
_TARGET = re.compile(
    r"""(?:<[^<>]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)"""
)
_AROUND_TARGET = " \t[]()!<>*_`\\"

# HTML: tags that begin and end lines, and tags within a line. Others stay text, also those that change what is said
# (`<s>`, `<sup>`); so do tags in code, and those without the end that they need: "Enter <code> here".
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,9})(\s[^<>]*)?/?>", re.IGNORECASE)
_CODE = r"```(?:[^`]|`(?!``))*+(?:```)?|`[^`\n]*`"
_TAG_OR_CODE = re.compile(rf"{_CODE}|{_TAG.pattern}", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:(?!-->)[\s\S])*+(-->)?")
_HIDDEN_OR_CODE = re.compile(  # a comment, a script or a style, which no reader sees; one without its end stays text
    rf"{_CODE}|(?:<!--|<(?P<element>script|style)\b[^<>]*>)(?P<inside>(?:(?!(?(element)</(?P=element)|-->))[\s\S])*+)"
    r"(?P<end>(?(element)</(?P=element)\s*>|-->))?",
    re.IGNORECASE,
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BREAKS = {"p", "div", "br", "hr", "ul", "ol", "li", *_HEADINGS, "table", "thead", "tbody", "tfoot", "tr", "blockquote"}
_BREAKS |= {"section", "article", "header", "footer", "main", "center", "details", "summary", "figure", "form"}
_INLINE = {"b", "strong", "i", "em", "u", "a", "span", "font", "small", "mark", "code", "td", "th", "img"}
_INLINE |= {"button", "label", "abbr", "kbd", "big"}
_UNCLOSED = {"p", "br", "hr", "li", "tr", "td", "th", "img"}
_LINE_SIGNS = dict.fromkeys(_HEADINGS, "## ") | {"li": "- ", "h1": "# "}
_CELLS = re.compile(r"</t[dh]>\s*<t[dh](?:\s[^<>]*)?>|<br\s*/?>", re.IGNORECASE)  # of a row; no line ends there
_ROW = re.compile(r"^[ \t>]*\|.*", re.MULTILINE)
_ITEM_PARAGRAPH = re.compile(r"(?<=>)\s*<p(?:\s[^<>]*)?>", re.IGNORECASE)
_BOLD_TAGS = re.compile(r"\s*<(b|strong)>[^<>]*</\1>(?:\s*:)?\s*", re.IGNORECASE)
_EMPTY = re.compile(r"(?<=>)&nbsp;(?=<)", re.IGNORECASE)
_ATTRIBUTE_PART = re.compile(r"[^\"'=]+")
_MARK = re.compile(
    r"(?=[*_`\[\]\\!<])(?:(?P<bold>(?<!\w)\*\*(?=\w)[^*_`\[\\<]+(?<=[\w:.])\*\*(?!\w))|\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<ticks>`+)"
    rf"|(?P<run>\*+|_+)|(?P<open>!?\[)|(?P<close>\])(?P<target>\(\s*)?|(?P<cells>{_CELLS.pattern})|(?P<tag>{_TAG.pattern}))",
    re.IGNORECASE,
)


_Marks = tuple[tuple[int, int], ...]
"""Places in a line's text, each with its place in the answer: up to the next one, the characters are the same."""


@dataclass(slots=True)  # made for every line: not frozen, which takes three times as long
class MarkdownLine:
    """A line of an answer."""

    text: str  # what a reader sees of it: without marks, escapes and link targets. A table's row has its header in it.
    marks: _Marks
    end: int
    role: Role = "text"
    path: tuple[int, ...] = ()  # the numbers of the lists and items that it stands in, outermost first
    begins_item: bool = False  # whether it is the first line of its item
    level: int = 0  # of a heading: 1 to 6
    parts: tuple[str, ...] = ()

    def place(self, position: int) -> int:
        """The place in the answer of a character of the text."""
        mark = bisect_right(self.marks, position, key=itemgetter(0)) - 1 if self.marks[1:] else 0
        in_text, in_answer = self.marks[mark]
        place = in_answer + position - in_text
        return place if place < self.end else self.end


def blank_comments(text: str) -> str:
    """Writes spaces for HTML comments, which no reader sees; one without an end stays.

    Example:
        >>> blank_comments("Hi<!-- x -->.")
        'Hi          .'
    """
    return _COMMENT.sub(lambda comment: " " * len(comment[0]) if comment[1] else comment[0], text)


def _read_html(text: str) -> tuple[str, frozenset[int], list[MarkdownLine]]:
    """Reads the tags of HTML that end lines, begin items and begin headings as Markdown's signs for that.

    Returns:
        The text, as long as it was; where its other tags stand; and the values of attributes, comments, scripts and
        styles: unseen as a link's target is, which may speak to a judge.
    """
    hidden = [match for match in _HIDDEN_OR_CODE.finditer(text) if match["end"]]
    insides = [(match["inside"], *match.span("inside")) for match in hidden if _LETTER.search(match["inside"])]
    unseen = [MarkdownLine(inside, ((0, start),), end, "link") for inside, start, end in insides]
    text = _HIDDEN_OR_CODE.sub(lambda match: " " * len(match[0]) if match["end"] else match[0], text)
    text = _EMPTY.sub(lambda blank: " " * len(blank[0]), text)
    matches = [match for match in _TAG_OR_CODE.finditer(text) if match[2]]
    closed = {match[2].lower() for match in matches if match[1]} | _UNCLOSED
    rows = [place for row in _ROW.finditer(text) for place in row.span()] if "|" in text else []
    parts, tags, done, in_head = list[str](), set[int](), 0, False
    for match in matches:
        (start, end), name = match.span(), match[2].lower()
        if name not in closed or name not in _BREAKS | _INLINE:
            continue
        unseen += [
            MarkdownLine(value[0], ((0, value.start()),), value.end(), "link")
            for value in (_ATTRIBUTE_PART.finditer(text, *match.span(3)) if match[3] else ())
            if _LETTER.search(value[0]) and text[value.end()] != "="
        ]
        if start < done:
            continue
        if name in _INLINE or bisect_right(rows, start) % 2:
            tags.add(start)
            if name in _INLINE and (cells := _CELLS.match(text, start)):  # on one line
                parts += [text[done:start], *("\t" if sign.isspace() else sign for sign in cells[0])]
                done = cells.end()
            continue
        in_head = not match[1] if name == "thead" else in_head
        sign = "" if match[1] else _LINE_SIGNS.get("h2" if in_head and name == "tr" else name, "")
        if name == "li" and (paragraph := _ITEM_PARAGRAPH.match(text, end)):
            end = paragraph.end()
        parts += [text[done:start], " " * (end - start - 1 - len(sign)), "\n", sign]
        done = end
    return "".join([*parts, text[done:]]), frozenset(tags), unseen


def read_lines(text: str, after_ordinal: Set[str] = frozenset()) -> list[MarkdownLine]:
    """Reads an answer's lines. Whatever the text is, each of its words stands in one of them.

    Lines stay lines: nothing is joined, but a table's row with its header. Text is never code because of spaces before
    it. Common tags of HTML end lines, begin items and headings, or are left out; other tags are text. A fence without
    an end and an underlined heading that is a sentence are read as plain lines.

    Returns:
        The lines in order; of a longer one than 3,000 characters its pieces.

    Example:
        >>> lines = read_lines("## Plans\\n| Plan | Price |\\n|-|-|\\n| **Pro** | 5 euros |")
        >>> [(line.role, line.text) for line in lines]
        [('heading', 'Plans'), ('header_row', 'Plan; Price'), ('row', 'Plan: Pro; Price: 5 euros')]
    """
    tags, unseen = frozenset[int](), list[MarkdownLine]()
    if "<" in text:
        text, tags, unseen = _read_html(text)
    source = text.splitlines(keepends=True)
    end = len(text)
    if source and not source[1:] and end <= LONGEST_LINE and text[0].isalpha():  # nearly half of all answers
        seen, marks, role, targets = _read_marks(text, 0, end, tags)
        return [*unseen, MarkdownLine(seen.rstrip(), marks, end, role), *targets]
    starts = accumulate(map(len, source), initial=0)
    reader = _Reader(text, [*zip(starts, text.splitlines(), strict=False)], after_ordinal, tags)
    reader.read()
    _mark_labels(reader.lines)
    return unseen + reader.lines


class _Item(NamedTuple):
    """An item of a list that is open: what stands as far right as its text belongs to it."""

    column: int  # where its text begins
    sign: str  # the last character of its sign: a list has one
    path: tuple[int, int]  # the number of its list, and its own


class _Reader:
    """Reads the lines of one answer; `source` is its lines, each with its place."""

    def __init__(self, answer: str, source: Sequence[tuple[int, str]], after_ordinal: Set[str], tags: Set[int]) -> None:
        self._answer = answer
        self._source = source
        self._after_ordinal = after_ordinal
        self._tags = tags
        self.lines: list[MarkdownLine] = []
        self._items: list[_Item] = []
        self._last_number = 0
        self._step = 0  # the number before the item under way: "2."
        self._begins_item = False
        self._is_open = False  # whether a paragraph is under way, which the next line continues
        self._fence_ends: dict[str, list[int]] = {}
        for row, (_, line) in enumerate(source) if "```" in answer or "~~~" in answer else ():
            if (fence := _FENCE.match(line)) and not fence[2].strip():
                self._fence_ends.setdefault(fence[1], []).append(row)

    def read(self) -> None:
        """Reads all lines."""
        row = 0
        while row < len(self._source):
            row = self._read_row(row)

    def _read_row(self, row: int) -> int:
        """Reads a line, or the code or table that begins with it; returns the number of the line after that."""
        line = self._source[row][1]
        if line[:1].isalpha() and "|" not in line:  # no sign of Markdown
            return self._read_paragraph(row, 0)
        if not line.strip(" \t>") or _RULE.match(line):
            self._is_open = False
            if line.strip():
                self._close(0)
            return row + 1
        start = self._begin_items(line, self._after_quote(line) if ">" in line else 0)
        column = len(line) - len(line[start:].lstrip()) if line[start : start + 1].isspace() else start
        sign = line[column : column + 1]
        if sign.isalpha() and "|" not in line:
            return self._read_paragraph(row, column)
        if (fence := _FENCE.match(line, start)) and (end := self._fence_end(fence[1], row)):
            self._close(column)
            self._add_code(row, fence, end)
            after = end + 1
        elif heading := _HEADING.match(line, start):
            self._close(column)
            bare = line.rstrip().rstrip("#")
            end = len(bare) if bare[-1:].isspace() else len(line)  # not of "# C#"
            self._add_text(row, heading.end(), end, "heading", len(heading[1]))
            after = row + 1
        elif "|" in line and (end := self._table_end(row)):
            self._close(column)
            self._add_table(row, end)
            after = end
        else:
            return self._read_paragraph(row, column)
        self._is_open = False
        return after

    def _read_paragraph(self, row: int, start: int) -> int:
        """Reads a line of a paragraph, or a heading with its underline."""
        line, after, level = self._source[row][1], row + 1, 0
        if not (self._is_open or self._begins_item):
            self._close(start)
            below = _UNDERLINE.match(self._source[after][1]) if after < len(self._source) else None
            if below and line.rstrip()[-1] not in ".!?;,":
                level, after = (1 if below[1] else 2), row + 2
        self._add_text(row, start, len(line), "heading" if level else "text", level)
        self._is_open = not level
        return after

    def _after_quote(self, line: str) -> int:
        """Where the text of a line begins, after the signs of a quotation; "> 5 days" is none."""
        quote = _QUOTE.match(line)
        return quote.end() if quote and not _AMOUNT.match(line, quote.end()) else 0

    def _begin_items(self, line: str, start: int) -> int:
        """Begins the items whose signs stand at a place of a line; returns where the text after these begins."""
        while sign := _ITEM.match(line, start):
            number, after = int(sign[1][:-1]) if sign[1][0].isdigit() else 0, sign.end()
            is_alone = after == len(line)  # "30." may be the answer
            if number and (self._is_ordinal(line, after) or (is_alone and number != self._step + 1)):
                break
            if is_alone and not number:
                return len(line)
            closed = self._close(sign.start(1))
            path = self._number() if closed is None or closed.sign != sign[1][-1] else closed.path[0], self._number()
            self._items += [_Item(after, sign[1][-1], path)]
            self._step, self._begins_item, self._is_open = number, True, False
            if sign[1] == "+" and _AMOUNT.match(line, after):  # "+ 5 euros"
                return sign.start(1)
            start = after
        return start

    def _is_ordinal(self, line: str, after: int) -> bool:
        word = re.compile(r"\w+").match(line, after) if self._after_ordinal else None
        return word is not None and word[0].lower() in self._after_ordinal

    def _number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _close(self, column: int) -> _Item | None:
        """Closes the items that what begins at a column does not belong to; returns the outermost of them."""
        closed = None
        while self._items and self._items[-1].column > column:
            closed = self._items.pop()
        return closed

    def _fence_end(self, sign: str, row: int) -> int:
        """The line that ends the code that a line begins; 0 where none does."""
        ends = self._fence_ends.get(sign, [])
        place = bisect_right(ends, row)
        return ends[place] if place < len(ends) else 0

    def _add_code(self, first: int, fence: re.Match[str], last: int) -> None:
        rows = [row for row in range(first + 1, last) if SEEN_WORD.search(self._source[row][1])]
        if len(fence[2].split()) > 1 or not rows:  # not only the name of the language
            self._add_text(first, fence.start(2), fence.end(2))
        code: list[int] = []
        for row in rows:
            line = self._source[row][1].strip()
            if _PROSE.match(line) and len(line.split()) >= _FEWEST_PROSE:
                self._add_code_lines(code)
                code = []
                self._add_text(row, 0, len(self._source[row][1]))
            else:
                code.append(row)
        self._add_code_lines(code)

    def _add_code_lines(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        parts = tuple(self._source[row][1].strip() for row in rows)
        place, line = self._source[rows[0]]
        end_place, end_line = self._source[rows[-1]]
        marks = ((0, place + len(line) - len(line.lstrip())),)
        end = end_place + len(end_line)
        self.lines.append(MarkdownLine("\n".join(parts), marks, end, "code", self._path(), parts=parts))

    def _table_end(self, row: int) -> int:
        """The line after the table that begins with a line; 0 where none does."""
        end = row + 1
        below = self._source[end][1] if end < len(self._source) else ""
        if not _DELIMITERS.match(below) or len([*_cells(below)]) != len([*_cells(self._source[row][1])]):
            return 0
        while (end := end + 1) < len(self._source):
            line = self._source[end][1]
            if not line.strip(" \t>") or _ITEM.match(line) or _HEADING.match(line) or _FENCE.match(line):
                break
        return end

    def _add_table(self, first: int, end: int) -> None:
        columns: list[str] = []
        for row in (first, *range(first + 2, end)):
            place, line = self._source[row]
            cells = list(_cells(line))
            texts = [
                _read_marks(self._answer, place + start, place + end, self._tags)[0].strip() for start, end in cells
            ]
            if row == first:
                columns = texts
                text = "; ".join(filter(None, texts))
            else:
                text = "; ".join(_with_column(columns, number, cell) for number, cell in enumerate(texts) if cell)
            if not SEEN_WORD.search(text):
                continue
            role: Role = "header_row" if row == first else "row"
            start = place + cells[0][0] + len(line[cells[0][0] :]) - len(line[cells[0][0] :].lstrip())
            pieces = _PIECE.findall(text)
            for piece in pieces:
                parts = tuple(filter(None, texts)) if len(pieces) == 1 else (piece,)
                line_end = place + len(line.rstrip())
                self.lines.append(MarkdownLine(piece, ((0, start),), line_end, role, self._path(), parts=parts))

    def _path(self) -> tuple[int, ...]:
        return tuple([number for item in self._items for number in item.path])

    def _add_text(self, row: int, start: int, end: int, role: Role = "text", level: int = 0) -> None:
        """Adds a line of text, or its pieces: the part of a source line between two places."""
        place, line = self._source[row]
        part = line[start:end].strip()
        start = line.index(part, start)
        end = start + len(part)
        path, begins_item = self._path() if self._items else (), self._begins_item
        pieces = [(start, end)]
        if end - start > LONGEST_LINE:
            pieces = [piece.span() for piece in _PIECE.finditer(line, start, end)]
        for first, last in pieces:
            text, marks, own_role, targets = _read_marks(self._answer, place + first, place + last, self._tags)
            if text[:1] in SEEN_LETTERS or SEEN_WORD.search(text):
                shown = role if role != "text" else own_role
                self.lines += [MarkdownLine(text, marks, place + last, shown, path, begins_item, level)]
                begins_item = self._begins_item = False
            self.lines += targets


_Plain = tuple[str, _Marks, Role, Sequence[MarkdownLine]]
"""A piece of a line as read: its text, where that stands, what it is, and the targets of its links."""


def _read_marks(answer: str, start: int, end: int, tags: Set[int]) -> _Plain:
    """Reads the marks and tags in a part of a line."""
    source = answer[start:end]
    if _MARKS.search(source):
        return _Marked(source, start, tags).read()
    return source, ((0, start),), "text", ()


class _Marked:
    """A part of a line with marks or tags in it, which begins at `start` in the answer."""

    def __init__(self, source: str, start: int, tags: Set[int]) -> None:
        self._source = source
        self._start = start
        self._tags = tags
        self._cuts: list[tuple[int, int, str]] = []  # what goes, and what stands in place of it
        self._targets: list[MarkdownLine] = []
        self._brackets: list[tuple[int, int]] = []
        self._bold: list[tuple[int, int]] = []
        self._images: list[tuple[int, int]] = []
        self._emphasis: dict[str, list[int]] = {}  # where each kind of mark begins something
        self._done = 0

    def read(self) -> _Plain:
        """Reads all of it."""
        for mark in _MARK.finditer(self._source):
            at, stop = mark.span()
            if at < self._done:
                continue
            kind = mark.lastgroup
            if kind == "bold":
                self._cuts += ((at, at + 2, ""), (stop - 2, stop, ""))
                self._bold += [(at, stop)]
            elif kind == "escaped":
                self._cuts.append((at, at + 1, ""))
            elif kind == "run":
                self._read_run(at, stop)
            elif kind == "ticks":
                self._read_code(at, stop)
            elif kind in {"tag", "cells"}:
                if self._start + at in self._tags:  # a semicolon parts two cells, or lines of one
                    self._cuts.append((at, stop, "; " if kind == "cells" else ""))
            else:
                self._read_bracket(str(kind), at, stop)
        for place in self._emphasis.get("**", ()):  # without their other half they go too
            self._cuts.append((place, place + 2, ""))
        role: Role = "text"
        if (self._bold and self._is_all(self._bold[:1])) or (self._tags and _BOLD_TAGS.fullmatch(self._source)):
            role = "label"
        elif self._images and self._is_all(self._images):
            role = "image"
        return *self._cut(), role, self._targets

    def _read_run(self, at: int, stop: int) -> None:
        """Reads a run of stars or bars, which begin and end something by CommonMark's rule, but not between digits."""
        sign, before, after = self._source[at], self._source[at - 1 : at] or " ", self._source[stop : stop + 1] or " "
        if before.isdigit() and after.isdigit():
            return
        begins = not after.isspace() and (after.isalnum() or not before.isalnum())
        ends = not before.isspace() and (before.isalnum() or not after.isalnum())
        if sign == "_":
            begins, ends = begins and not (ends and before.isalnum()), ends and not (begins and after.isalnum())
        single = (stop - at) % 2
        for place in (*range(at, at + single), *range(at + single, stop, 2)):
            part = sign if single and place == at else 2 * sign
            if ends and (begun := self._emphasis.get(part)):
                first = begun.pop()
                self._cuts += ((first, first + len(part), ""), (place, place + len(part), ""))
                self._bold += [(first, place + 2)] if len(part) == 2 else []
            elif begins:
                self._emphasis.setdefault(part, []).append(place)
            elif ends and part == "**":
                self._cuts.append((place, place + 2, ""))

    def _read_code(self, at: int, stop: int) -> None:
        """Reads code; without their other half its marks go too."""
        ticks = self._source[at:stop]
        ends = (tick.span() for tick in _TICKS.finditer(self._source, stop) if tick[0] == ticks)
        end, self._done = next(ends, (stop, stop))
        code = self._source[stop:end]
        apart = int(bool(code.strip()) and code[0] == code[-1] == " ")  # "`` ` ``"
        self._cuts += ((at, stop + apart, ""), (end - apart, self._done, ""))

    def _read_bracket(self, kind: str, at: int, stop: int) -> None:
        """Reads a bracket of a link or an image, with its target."""
        if kind == "open":
            self._brackets.append((at, stop))
        elif self._brackets:
            opened = self._brackets.pop()
            if kind == "target" and (match := _TARGET.match(self._source, stop)):
                self._done = match.end()
                self._cuts += ((*opened, ""), (at, self._done, ""))
                self._images += [(opened[0], self._done)] if self._source[opened[0]] == "!" else []
                target = self._source[stop : self._done].strip(_AROUND_TARGET)
                if _LETTER.search(target):
                    place = self._start + self._source.find(target, stop)
                    self._targets.append(MarkdownLine(target, ((0, place),), place + len(target), "link"))

    def _is_all(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether there is at most a colon beside some parts."""
        beside, done = "", 0
        for start, end in spans:
            beside += self._source[done:start]
            done = end
        return (beside + self._source[done:]).strip() in {"", ":"}

    def _cut(self) -> tuple[str, _Marks]:
        """What is left, and where it stands in the answer."""
        text, marks, length, done = "", list[tuple[int, int]](), 0, 0
        for first, last, instead in [*sorted(self._cuts), (len(self._source), len(self._source), "")]:
            if first > done:
                text += self._source[done:first]
                marks += [(length, self._start + done)]
                length += first - done
            if instead:
                text += instead
                length += len(instead)
            done = last if last > done else done
        return text, tuple(marks) or ((0, self._start),)


def _cells(line: str) -> Iterator[tuple[int, int]]:
    """Where the cells of a table's row stand; also those that have no column."""
    bare = line.rstrip()
    match = _BEFORE_ROW.match(bare)
    start = match.end() if match else 0
    for end in _CELL_END.finditer(bare, start):
        yield start, end.start()
        start = end.end()
    if start < len(bare) or start == 0:
        yield start, len(bare)


def _with_column(columns: Sequence[str], number: int, cell: str) -> str:
    column = columns[number].rstrip(":") if number < len(columns) else ""
    return f"{column}: {cell}" if column and len(column) <= _LONGEST_COLUMN else cell


def _mark_labels(lines: Sequence[MarkdownLine]) -> None:
    """A bold item heads what is in it, and is text where that is nothing; so does a plain one with a list in it."""
    for line, after in zip_longest(lines, lines[1:]):
        if line.begins_item and line.role in {"text", "label"}:
            path = after.path if after else ()
            heads = path[: len(line.path)] == line.path and (line.role == "label" or len(path) > len(line.path))
            line.role = "label" if heads else "text"
