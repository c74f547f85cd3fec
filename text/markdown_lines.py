"""An answer's lines as Markdown has them: headings, list items, table rows, code; each with its place in the answer."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..untrusted import SEEN_WORD, UNSEEN

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Role = Literal["text", "heading", "label", "header_row", "row", "code", "image", "link"]
"""What a line is. `label`: a bold line, or an item with a list below it; `link`: a link's target, unseen by readers."""

LONGEST_LINE = 3000
"""A longer line is cut, at the end of a sentence where there is one: sentencex takes quadratic time for some."""
_SOME = f".{{1,{LONGEST_LINE}}}"
_PIECE = re.compile(rf"{_SOME}$|{_SOME}[.!?](?=\s)|{_SOME}(?=\s)|{_SOME}")
_MOST_BRACKETS = 60  # of a line whose links are read: the search for their ends is quadratic
_LONGEST_COLUMN = 80  # characters of a column's name that every row repeats

# A line of an answer that is paragraphs and lists of one level, each item begun by a letter or digit: no parser is
# needed. Its groups are the item's sign and the text.
_FLAT_LINE = re.compile(
    rf"(?:([-*+]|[0-9]{{1,9}}[.)]) )?((?:\*\*)?(?![0-9]{{1,9}}[.)](?:\s|$))[^\W_{UNSEEN}][^\0]*)| *"
)
_BLOCKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|^\s*(?:[-*+•–>#|~`]|\d{1,9}[.)])")
_MARKS = re.compile(r"[*_`\[\\!]")
_BOLD_WORDS = re.compile(r"(?:(?<!\w)\*\*(?=\w)[^*_`\[\\!]+(?<=[\w:.])\*\*(?!\w)|[^*_`\[\\!])*+")
_LETTER = re.compile(r"[^\W_]")
_BEFORE_TEXT = re.compile(r"\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))\s*)*")
_ITEM = re.compile(r"(?:[-*•–]|\d{1,2}[.)]|#{1,6})\s+")
_UNMARKED = re.compile(r"(?:[^*`]|\*(?!\*)|(?<=\d)\*\*(?=\d))*")  # what is left of a mark without its other half goes
_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE_END = re.compile(r"[\s>]*(?:```+|~~~+)\s*$")
_PROSE = re.compile(r"[A-ZÀ-Þ][^{}()\[\];=<>\\$|]*[.!?]$")
_FEWEST_PROSE = 4  # words of a line of code that is a sentence
_SIGNED = re.compile(r"[+>]\s*$")
_AMOUNT = re.compile(r"\s*(?:[€$£]\s*)?\d")
_ORDINAL = re.compile(r"\d{1,2}\.\s+$")
_TARGET = re.compile(r"\]\(\s*")
_TARGET_END = re.compile(r"""\s*(?:(?:"[^"]*"|'[^']*'|\([^)]*\))\s*)?\)""")
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


_Marks = tuple[tuple[int, int], ...]
"""Places in a line's text, each with its place in the answer: up to the next one, the characters are the same."""


class MarkdownLine(NamedTuple):
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
        (in_text, in_answer), *more = self.marks
        if more:
            in_text, in_answer = self.marks[bisect_right(self.marks, position, key=itemgetter(0)) - 1]
        place = in_answer + position - in_text
        return place if place < self.end else self.end

    def places(self, start: int, end: int) -> tuple[int, int]:
        """The places in the answer where a part of the text begins and ends."""
        (in_text, in_answer), *more = self.marks
        if more:
            return self.place(start), self.place(end - 1) + 1
        begin, last = in_answer + start - in_text, in_answer + end - 1 - in_text
        return (begin if begin < self.end else self.end), (last if last < self.end else self.end) + 1


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
    an end, a setext heading that is a sentence, and what the parser leaves out (levels too deep, cells too many) are
    read as plain lines.

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
    if not _BLOCKS.search(text):
        if len(text) <= LONGEST_LINE and not tags and not _MARKS.search(text):
            return [*unseen, MarkdownLine(text, ((0, 0),), len(text))] if SEEN_WORD.search(text) else unseen
        reader = _Reader(text, [(0, text)], after_ordinal, tags)
        reader.add_line(0, (0, len(text)))
        return unseen + reader.lines
    starts = accumulate(map(len, text.splitlines(keepends=True)), initial=0)
    reader = _Reader(text, [*zip(starts, text.splitlines(), strict=False)], after_ordinal, tags)
    reader.read()
    return unseen + _with_labels(reader.lines)


def _begins_with(text: str, words: Set[str]) -> bool:
    return bool(words) and (first := re.match(r"\w+", text)) is not None and first[0].lower() in words


@cache
def _load_parser(*, has_links: bool = True) -> "MarkdownIt":
    """The parser; without links for a line that has none: a bracket then takes no search for its end."""
    from markdown_it import MarkdownIt  # loaded late: many commands split nothing

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["code", "html_block", "reference", "entity", "autolink", "html_inline"])
    parser.core.ruler.enableOnly(["block"])  # one look at the blocks; a line with marks is read by itself
    if not has_links:
        parser.disable(["link", "image"])
    return parser


@dataclass
class _Reader:
    """Reads the lines of one answer; `source` is its lines, each with its place."""

    answer: str
    source: Sequence[tuple[int, str]]
    after_ordinal: Set[str]
    tags: Set[int]
    lines: list[MarkdownLine] = field(default_factory=list)
    _path: list[int] = field(default_factory=list)
    _last_number: int = 0
    _next: int = 0
    _begins_item: bool = False

    def read(self) -> None:
        """Reads all lines, block by block; those that belong to no block are text."""
        flat = [_FLAT_LINE.fullmatch(line) for _, line in self.source]
        if all(flat):
            self._read_flat([match for match in flat if match])
            return
        tokens = _load_parser().parse("\n".join(line for _, line in self.source).replace("\0", "\ufffd"))
        in_table = False
        for place, token in enumerate(tokens):
            if token.type in {"bullet_list_open", "ordered_list_open", "list_item_open"}:
                self._path.append(self._number())
                self._begins_item = token.type == "list_item_open"
            elif token.type in {"bullet_list_close", "ordered_list_close", "list_item_close"}:
                self._path.pop()
                self._begins_item = False
            elif token.type == "table_open" and token.map:
                self._add_left(token.map[0])
                self._add_table(*token.map)
                in_table = True
            elif token.type == "table_close":
                in_table = False
            elif token.map and not in_table and token.type in {"paragraph_open", "heading_open", "fence"}:
                self._add_left(token.map[0])
                self._add_block(token, tokens[place + 1] if token.nesting else token)
        self._add_left(len(self.source))

    def _read_flat(self, lines: Sequence[re.Match[str]]) -> None:
        """Reads paragraphs and lists of one level as the parser does; each line is the sign before it and its text."""
        is_open = False  # whether a paragraph is under way, which the next line may continue
        list_kind = ""  # the last character of the signs of the list under way
        for row, line in enumerate(lines):
            sign, text = line[1], line[2]
            if text is None:
                is_open = False
                continue
            if sign and is_open and not list_kind and sign[0].isdigit() and int(sign[:-1]) != 1:
                self._add_paragraph([row], [line[0]])  # no item for the parser, but for a reader
                continue
            start = line.start(2)
            end = start + len(text.rstrip())
            if sign:
                if sign[-1] != list_kind:
                    list_kind = sign[-1]
                    self._path = [self._number()]
                self._path = [self._path[0], self._number()]
                self._begins_item = True
                start = self._with_sign(line[0], start, text)
            elif not is_open:
                list_kind = ""
                self._path = []
            is_open = True
            self._add_text(row, (start, end))

    def _number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _add_block(self, token: "Token", inline: "Token") -> None:
        first, last = token.map or [0, 0]
        self._next = last
        if token.type == "fence":
            self._add_code(first, last)
        elif token.type == "heading_open":
            rows = [row for row in range(first, last) if SEEN_WORD.search(self.source[row][1])]
            if token.markup in {"=", "-"} and (len(rows) != 1 or self.source[rows[0]][1].rstrip()[-1:] in ".!?;,"):
                self._add_paragraph(rows, [])
            elif rows:
                start, end = self._span(rows[0], inline.content)
                self._add_text(rows[0], (start, end), "heading", level=int(token.tag[1]))
        else:
            self._add_paragraph(range(first, last), inline.content.split("\n"))

    def _add_paragraph(self, rows: Sequence[int], contents: Sequence[str]) -> None:
        aligned = len(contents) == len(rows)
        own_list: list[int] = []
        for place, row in enumerate(rows):
            start, end = self._span(row, contents[place] if aligned else "")
            line = self.source[row][1]
            match = _ITEM.match(line, start)
            if match is None or self._is_ordinal(line, start, match.end()):
                own_list = []
                self._add_text(row, (start, end))
                continue
            if not own_list:
                own_list = self._list_before() or [self._number()]
            kept_path, self._path = self._path, [*self._path, *own_list, self._number()]
            self._begins_item = True
            self._add_text(row, (match.end() if SEEN_WORD.search(line, match.end()) else start, end))
            self._path, self._begins_item = kept_path, False

    def _is_ordinal(self, line: str, start: int, end: int) -> bool:
        return line[start].isdigit() and _begins_with(line[end:], self.after_ordinal)

    def _list_before(self) -> list[int]:
        """The list of the line before, where it is one that the parser does not know ("• card") on this level."""
        level = len(self._path)
        before = self.lines[-1].path if self.lines else ()
        is_own = bool(before) and self.lines[-1].begins_item and len(before) == level + 2
        return [before[level]] if is_own and list(before[:level]) == self._path else []

    def _span(self, row: int, content: str) -> tuple[int, int]:
        """Where a block's text stands in its line."""
        line = self.source[row][1]
        if (text := content.strip()) and (start := line.rfind(text)) >= 0:
            end = start + len(text)
            return (self._with_sign(line, start, text) if start else start), end
        match = _BEFORE_TEXT.match(line)
        return match.end() if match else 0, len(line)

    def _with_sign(self, line: str, start: int, text: str) -> int:
        """Where a block's text begins in its line, with the sign before it where this is part of what it says."""
        if (sign := _SIGNED.search(line, 0, start)) and _AMOUNT.match(text):  # "> 5 days": no quotation
            return sign.start()
        if _begins_with(text, self.after_ordinal) and (ordinal := _ORDINAL.search(line, 0, start)):
            return ordinal.start()
        return start

    def _add_left(self, until: int) -> None:
        """Adds the lines that no block has: nested too deep, or a number alone."""
        for row in range(self._next, until):
            line = self.source[row][1]
            if SEEN_WORD.search(line):
                match = _BEFORE_TEXT.match(line)
                start = match.end() if match else 0
                self.add_line(row, (start if SEEN_WORD.search(line, start) else 0, len(line)))
        self._next = max(self._next, until)

    def _add_code(self, first: int, last: int) -> None:
        is_closed = last - first > 1 and _FENCE_END.match(self.source[last - 1][1])
        rows = [row for row in range(first, last) if SEEN_WORD.search(self.source[row][1])]
        code: list[int] = []
        for row in rows:
            line = self.source[row][1].strip()
            if is_closed and row == first and len(rows) > 1 and len(line.split()) == 1:
                code.append(row)  # the name of the language
                continue
            if is_closed and row != first and not (_PROSE.match(line) and len(line.split()) >= _FEWEST_PROSE):
                code.append(row)
                continue
            self._add_code_block(code, first)
            code = []
            self._add_paragraph([row], [])
        self._add_code_block(code, first)

    def _add_code_block(self, rows: Sequence[int], fence: int) -> None:
        if not rows:
            return
        parts = tuple(self.source[row][1].strip() for row in rows if row != fence or len(rows) == 1)
        place, line = self.source[rows[0]]
        end_place, end_line = self.source[rows[-1]]
        start = place + len(line) - len(line.lstrip())
        marks = ((0, start),)
        self.lines.append(
            MarkdownLine("\n".join(parts), marks, end_place + len(end_line), "code", tuple(self._path), parts=parts)
        )

    def _add_table(self, first: int, last: int) -> None:
        self._next = last
        rows = [row for row in range(first, last) if row != first + 1]
        columns: list[str] = []
        for row in rows:
            place, line = self.source[row]
            cells = list(_cells(line))
            texts = [_plain(self.answer, place + start, place + end, self.tags)[0].strip() for start, end in cells]
            if row == first:
                columns = texts
                text = "; ".join(filter(None, texts))
            else:
                text = "; ".join(_with_column(columns, number, cell) for number, cell in enumerate(texts) if cell)
            if not SEEN_WORD.search(text):
                continue
            role: Role = "header_row" if row == first else "row"
            start = place + cells[0][0] + len(line[cells[0][0] :]) - len(line[cells[0][0] :].lstrip())
            marks, end = ((0, start),), place + len(line.rstrip())
            pieces = _PIECE.findall(text)
            for piece in pieces:
                parts = tuple(filter(None, texts)) if len(pieces) == 1 else (piece,)
                self.lines.append(MarkdownLine(piece, marks, end, role, tuple(self._path), parts=parts))

    def add_line(self, row: int, span: tuple[int, int]) -> None:
        """Adds the part of a source line between two places, without the sign of an item before it."""
        start, end = span
        line = self.source[row][1]
        match = _ITEM.match(line, start)
        if match and SEEN_WORD.search(line, match.end()) and not self._is_ordinal(line, start, match.end()):
            start = match.end()
        self._add_text(row, (start, end))

    def _add_text(self, row: int, span: tuple[int, int], role: Role = "text", *, level: int = 0) -> None:
        """Adds a line of text, or its pieces: the part of a source line between two places."""
        place, line = self.source[row]
        start, end = span
        path, begins_item = tuple(self._path), self._begins_item
        self._begins_item = False
        pieces = [(start, end)]
        if end - start > LONGEST_LINE:
            pieces = [piece.span() for piece in _PIECE.finditer(line, start, end)]
        for first, last in pieces:
            text, marks, own_role, targets = _plain(self.answer, place + first, place + last, self.tags)
            if SEEN_WORD.search(text):
                shown = role if role != "text" else own_role
                self.lines.append(MarkdownLine(text, marks, place + last, shown, path, begins_item, level))
                begins_item = False
            self.lines += targets


_Plain = tuple[str, _Marks, Role, Sequence[MarkdownLine]]
"""A piece of a line as read: its text, where that stands, what it is, and the targets of its links."""


def _plain(answer: str, start: int, end: int, tags: Set[int] = frozenset()) -> _Plain:
    source = answer[start:end]
    if tags and "<" in source:
        return _without_tags(_plain(answer, start, end), end, tags)
    if not _MARKS.search(source) or source.count("[") > _MOST_BRACKETS:
        return source, ((0, start),), "text", ()
    if _BOLD_WORDS.fullmatch(source):
        return _plain_bold(source, start)
    tokens: list[Token] = []
    parser = _load_parser(has_links="](" in source)
    parser.inline.parse(source.replace("\0", "\ufffd"), parser, {}, tokens)
    parts, targets, place = list[tuple[int, str]](), list[MarkdownLine](), 0
    for token in tokens:
        if token.type == "image" and token.content:
            at = source.find(token.content, place)
            parts.append((at, token.content))
            place = at + len(token.content)
        if token.type in {"link_close", "image"}:
            end = _end_of_target(source, place)
            targets += _target(source, place, end, start)
            place = end
        if not token.content or token.type == "image":
            continue
        written = token.markup if token.type == "text_special" else token.content  # the character with its stroke
        at = source.find(written, place)
        if at < 0:
            return source, ((0, start),), "text", ()
        targets += _target(source, place, at, start)
        place = at + len(written)
        if token.type == "text":
            parts += [(at + match.start(), match[0]) for match in _UNMARKED.finditer(token.content) if match[0]]
        else:
            parts.append((at, token.content))
    targets += _target(source, place, len(source), start)
    marks, length = list[tuple[int, int]](), 0
    for at, part in parts:
        marks.append((length, start + at))
        length += len(part)
    text = "".join(part for _, part in parts)
    return text, tuple(marks) or ((0, start),), _inline_role(tokens), targets


def _plain_bold(source: str, start: int) -> _Plain:
    """A line with no other marks than bold words, which needs no parser."""
    parts = source.split("**")
    begins = accumulate(map(len, parts), initial=0)  # where each part begins in the text; two stars stand before it
    stars = range(0, 2 * len(parts), 2)
    marks = [(begin, start + begin + two) for begin, two, part in zip(begins, stars, parts, strict=False) if part]
    is_bold = len(parts) == 3 and not parts[0].strip() and parts[2].strip() in {"", ":"}
    return "".join(parts), tuple(marks), "label" if is_bold else "text", ()


def _without_tags(plain: _Plain, end: int, tags: Set[int]) -> _Plain:
    """A piece of a line without its tags of HTML; a semicolon parts two cells, and two lines of one."""
    text, marks, role, targets = plain
    line = MarkdownLine(text, marks, end)
    parts, new_marks, length, done = list[str](), list[tuple[int, int]](), 0, 0
    left_out = [match.span() for match in _TAG.finditer(text) if line.place(match.start()) in tags]
    for start, stop in [*left_out, (len(text), len(text))]:
        if start < done:
            continue
        new_marks.append((length, line.place(done)))
        between = slice(bisect_right(marks, done, key=itemgetter(0)), bisect_left(marks, start, key=itemgetter(0)))
        new_marks += [(length + at - done, place) for at, place in marks[between]]
        cells = _CELLS.match(text, start)
        parts.append(f"{text[done:start]}; " if cells else text[done:start])
        length += len(parts[-1])
        done = cells.end() if cells else stop
    return "".join(parts), tuple(new_marks), "label" if _BOLD_TAGS.fullmatch(text) else role, targets


def _end_of_target(source: str, start: int) -> int:
    """Where the target of a link ends, with its bracket; `start` is at the end of the link's text."""
    match = _TARGET.search(source, start)
    if match is None:
        return start
    target = _load_parser().helpers.parseLinkDestination(source, match.end(), len(source))
    end = _TARGET_END.match(source, target.pos if target.ok else match.end())
    return end.end() if end else match.end()


def _target(source: str, start: int, end: int, place: int) -> Iterator[MarkdownLine]:
    """What of a line is the target of a link or an image."""
    gap = source[start:end]
    if _LETTER.search(gap):
        target = gap.strip(_AROUND_TARGET)
        at = place + start + gap.find(target)
        yield MarkdownLine(target, ((0, at),), at + len(target), "link")


def _inline_role(tokens: Sequence["Token"]) -> Role:
    """Whether a line is all bold, or nothing but images."""
    seen = [token for token in tokens if token.type != "text" or token.content.strip()]
    if seen and all(token.type == "image" for token in seen):
        return "image"
    types = [token.type for token in seen if token.type != "text" or token.content.strip() != ":"]
    is_bold = types[:1] == ["strong_open"] and types[-1] == "strong_close" and types.count("strong_open") == 1
    return "label" if is_bold else "text"


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


_BEFORE_ROW = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*\|?")


def _with_column(columns: Sequence[str], number: int, cell: str) -> str:
    column = columns[number].rstrip(":") if number < len(columns) else ""
    return f"{column}: {cell}" if column and len(column) <= _LONGEST_COLUMN else cell


def _with_labels(lines: Sequence[MarkdownLine]) -> list[MarkdownLine]:
    """A bold item heads what is in it, and is text where that is nothing; so does a plain one with a list in it."""
    labelled = []
    for line, after in zip_longest(lines, lines[1:]):
        if line.begins_item and line.role in {"text", "label"}:
            path = after.path if after else ()
            heads = path[: len(line.path)] == line.path and (line.role == "label" or len(path) > len(line.path))
            role: Role = "label" if heads else "text"
            labelled.append(line if role == line.role else line._replace(role=role))
        else:
            labelled.append(line)
    return labelled
