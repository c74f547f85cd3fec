"""Foreign Markdown as HTML that does nothing: no link leads anywhere, nothing loads. Stretches of it can be marked."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from .texts import make_readable, shorten

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markupsafe import Markup

LONGEST_MARKDOWN = 20_000
"""Characters: a longer text is shown as it was written, so that no page waits for it."""
_MOST_MARKS = 4_000  # of characters that may open something: a text with more is no text for people
_OPENERS = re.compile(r"[*_\[\]`~|>!&]")
_LINE_END = "\n"
_BEFORE_TEXT = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+[ \t>]*)*")  # the signs of quotations and list items
_NO_PLACE = -1
_PICTURE = "🖼"  # for an image without a description
_FORMATS = {"strong": "strong", "em": "em", "s": "s", "link": "span", "image": "span", "code": "code"}
_CLASSES = {"link": ' class="link"', "image": ' class="link"'}
_BLOCKS = {
    "bullet_list": ("<ul>", "</ul>"),
    "ordered_list": ("<ol>", "</ol>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
    "table": ('<div class="wide" role="region" tabindex="0" aria-label="Table"><table>', "</table></div>"),
    "thead": ("<thead>", "</thead>"),
    "tbody": ("<tbody>", "</tbody>"),
    "tr": ("<tr>", "</tr>"),
    "th": ("<th>", "</th>"),
    "td": ("<td>", "</td>"),
}


@dataclass(frozen=True, slots=True)
class TextMark:
    """A stretch of a text that is marked."""

    start: int  # its first character in the text
    end: int
    # HTML of inline elements before it. Where it spans several blocks (paragraphs, cells) it stands before each of its
    # parts.
    opening: "Markup"
    closing: "Markup"


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A text as HTML."""

    html: "Markup"  # blocks that stand in a `<div>`; nothing in them links, loads or runs anything
    source: "Markup"  # the text as it was written, with the marks; "" where `html` shows it as it was written already
    # the marks that are in no block: their words are not shown as they are in the text
    unplaced: tuple[TextMark, ...] = ()


def render_markdown(text: str, marks: Sequence[TextMark] = (), *, length: int | None = None) -> RenderedText:
    """Returns a text under test as the HTML of its Markdown.

    A heading is a paragraph, so that it is none of the page's own; a link is its text, an image its description. A text
    without Markdown keeps its spaces and line ends. So does one that is longer than 20,000 characters, or of which
    Markdown would leave something out (lists in lists in lists, cells without a column).

    Examples:
        >>> print(render_markdown("**Bold** <b>").html)
        <p><strong>Bold</strong> &lt;b&gt;</p>
        >>> from markupsafe import Markup
        >>> mark = TextMark(0, 12, Markup("<ins>"), Markup("</ins>"))
        >>> print(render_markdown("Press **OK** now", [mark]).html)
        <p><ins>Press <strong>OK</strong></ins> now</p>
        >>> print(render_markdown("2 * 3\\n = 6").html)
        <p class="text">2 * 3
         = 6</p>
    """
    from markupsafe import Markup

    shown = make_readable(text)
    if length is not None and len(shown) > length:
        shown = shown[: length - 1] + "…"
    ordered, apart = _apart(marks)
    writer = _Writer(ordered)
    as_written = Markup('<p class="text">{}</p>').format(Markup(writer.inline([_Piece(shown, 0, ())])))
    tokens = _parse(shown)
    if tokens is None or _is_plain(tokens):
        return RenderedText(as_written, Markup(""), (*writer.unplaced(), *apart))
    writer = _Writer(ordered)
    html = Markup("".join(_blocks(shown, tokens, writer)))
    return RenderedText(html, as_written, (*writer.unplaced(), *apart))


def _apart(marks: Sequence[TextMark]) -> tuple[list[TextMark], list[TextMark]]:
    """The marks in order that do not overlap, and the others."""
    ordered, apart, end = list[TextMark](), list[TextMark](), 0
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        if mark.start >= end and mark.end > mark.start:
            ordered.append(mark)
            end = mark.end
        else:
            apart.append(mark)
    return ordered, apart


@dataclass(frozen=True)
class VisibleText:
    """What a reader sees of a text: the words without Markdown's marks, blocks on lines of their own."""

    text: str
    # where each of its characters stands in the text as it was written; -1 for one that stands nowhere
    places: Sequence[int]

    def begin(self, place: int) -> int:
        """The number of the first character that stands at a place of the text as it was written, or after it."""
        return bisect_left(self._furthest, place)

    @cached_property
    def _furthest(self) -> list[int]:
        return list(accumulate(self.places, max))

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The place in the text as it was written of a stretch of what is seen; None where it has none."""
        places = [place for place in self.places[start:end] if place != _NO_PLACE]
        return (places[0], places[-1] + 1) if places else None


def read_visible_text(text: str) -> VisibleText:
    """Returns what a reader sees of a text that `render_markdown` renders.

    Example:
        >>> seen = read_visible_text("- Press **OK** now")
        >>> seen.text, seen.span(6, 8)
        ('Press OK now', (10, 12))
    """
    shown = make_readable(text)
    tokens = _parse(shown)
    if tokens is None:
        return VisibleText(shown, range(len(shown)))
    source, seen, places = _Source(shown), list[str](), list[int]()
    for token in tokens:
        for piece in source.pieces(token):
            seen.append(piece.text)
            is_row = piece.start != _NO_PLACE and not piece.is_atom
            row = range(piece.start, piece.start + len(piece.text)) if is_row else [piece.start] * len(piece.text)
            places.extend(row)
        if token.type in ("inline", "fence"):
            seen.append(_LINE_END)
            places.append(_NO_PLACE)
    return VisibleText("".join(seen[:-1]), places[:-1])


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # an indented line of a mail is no code, dashes under a line are no heading, and a definition is not left out
    parser.disable(["code", "lheading", "reference", "autolink", "html_block", "html_inline"])
    parser.core.ruler.disable("text_join")  # an entity stays apart, so that places in the text can be counted
    return parser


@lru_cache(maxsize=128)
def _parse(text: str) -> "Sequence[Token] | None":
    """The blocks of a text; None where it should be shown as it was written."""
    if len(text) > LONGEST_MARKDOWN or len(_OPENERS.findall(text)) > _MOST_MARKS:
        return None
    tokens = _parser().parse(text)
    lines = text.split(_LINE_END)
    covered = set[int]()
    for token in tokens:
        if token.map and (token.type in ("inline", "fence", "hr") or token.type == "table_open"):
            covered.update(range(*token.map))
    if any(number not in covered and re.search(r"\w", line) for number, line in enumerate(lines)):
        return None  # the parser stops where blocks are nested too deeply
    return None if _has_cells_without_column(tokens, lines) else tokens


def _has_cells_without_column(tokens: "Sequence[Token]", lines: list[str]) -> bool:
    """Whether a table's row has more cells than its head: the parser leaves them out."""
    columns = 0
    for number, token in enumerate(tokens):
        if token.type == "thead_open":
            columns = sum(one.type == "th_open" for one in tokens[number : number + 3 * 200])
        if token.type == "tr_open" and token.map:
            bars = len(re.findall(r"(?<!\\)\|", lines[token.map[0]].strip().strip("|")))
            if bars >= columns > 0:
                return True
    return False


def _is_plain(tokens: "Sequence[Token]") -> bool:
    plain = {"paragraph_open", "paragraph_close", "inline"}
    return all(token.type in plain for token in tokens) and all(
        child.type in ("text", "softbreak") or (child.type == "text_special" and child.content == child.markup)
        for token in tokens
        for child in token.children or ()
    )


class _Piece(NamedTuple):
    """Text in one format, whose characters stand in a row in the source from `start` on; an atom is one there."""

    text: str
    start: int
    formats: tuple[str, ...]
    is_atom: bool = False


@dataclass
class _Writer:
    """Writes pieces of text as HTML, with the marks."""

    marks: Sequence[TextMark]
    placed: set[int] = field(default_factory=set)

    def unplaced(self) -> tuple[TextMark, ...]:
        """The marks of which nothing was written."""
        return tuple(mark for number, mark in enumerate(self.marks) if number not in self.placed)

    def inline(self, pieces: Sequence[_Piece]) -> str:
        """The HTML of the pieces of one block."""
        html, of_mark = list[str](), list[_Piece]()
        current: int | None = None
        for number, piece in self._cut(pieces):
            if number != current and of_mark:
                html.append(self._marked(current, of_mark))
                of_mark = []
            current = number
            of_mark.append(piece)
        if of_mark:
            html.append(self._marked(current, of_mark))
        return "".join(html)

    def _cut(self, pieces: Sequence[_Piece]) -> Iterator[tuple[int | None, _Piece]]:
        """The pieces cut where marks begin and end, with the number of the mark."""
        at = 0  # marks and pieces stand in the text's order
        for piece in pieces:
            if piece.start == _NO_PLACE:
                yield None, piece
                continue
            place, end = piece.start, piece.start + (1 if piece.is_atom else len(piece.text))
            while place < end:
                while at < len(self.marks) and self.marks[at].end <= place:
                    at += 1
                mark = self.marks[at] if at < len(self.marks) else None
                is_in = mark is not None and mark.start <= place
                edge = end if mark is None else mark.end if is_in else mark.start
                stop = min(end, edge)
                text = piece.text if piece.is_atom else piece.text[place - piece.start : stop - piece.start]
                yield at if is_in else None, piece._replace(text=text, start=place)
                place = stop

    def _marked(self, number: int | None, pieces: Sequence[_Piece]) -> str:
        html, still_open = list[str](), tuple[str, ...]()
        for piece in pieces:
            common = 0
            while common < min(len(still_open), len(piece.formats)) and still_open[common] == piece.formats[common]:
                common += 1
            html += [f"</{_FORMATS[name]}>" for name in reversed(still_open[common:])]
            html += [f"<{_FORMATS[name]}{_CLASSES.get(name, '')}>" for name in piece.formats[common:]]
            still_open = piece.formats
            html.append("<br>" if piece.is_atom and piece.text == _LINE_END else escape(piece.text, quote=False))
        html += [f"</{_FORMATS[name]}>" for name in reversed(still_open)]
        if number is None or not any(piece.text.strip() for piece in pieces):
            return "".join(html)
        self.placed.add(number)
        return f"{self.marks[number].opening}{''.join(html)}{self.marks[number].closing}"


def _blocks(text: str, tokens: "Sequence[Token]", writer: _Writer) -> Iterator[str]:
    source = _Source(text)
    for token in tokens:
        name, _, side = token.type.rpartition("_")
        if token.type == "inline":
            yield writer.inline(source.pieces(token))
        elif token.type == "fence":
            info = writer.inline(source.info(token))
            yield f'<p class="small">{info}</p>' if info else ""
            yield f"<pre><code>{writer.inline(source.pieces(token))}</code></pre>"
        elif token.type == "hr":
            yield "<hr>"
        elif name == "heading":
            yield f'<p class="heading {token.tag}">' if side == "open" else "</p>"
        elif name == "paragraph":
            yield "" if token.hidden else "<p>" if side == "open" else "</p>"
        elif name == "list_item":
            number = f' value="{int(token.info)}"' if token.info.isdecimal() else ""
            yield f"<li{number}>" if side == "open" else "</li>"
        else:
            yield _BLOCKS[name][side == "close"]


class _Source:
    """Finds where what is shown stands in the text: it comes in the text's order, and between it are marks alone.

    So the next place at which some words stand is theirs, once the targets of links have been passed.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split(_LINE_END))]
        self._at = self._end = 0  # where the next words may begin, and where their block ends

    def pieces(self, token: "Token") -> list[_Piece]:
        """The pieces of a block's text; none of one that has no text of its own."""
        if token.type not in ("inline", "fence") or token.map is None:
            return []
        first, last = token.map
        self._end = self._lines[last]
        if token.type == "fence":
            self._at = self._lines[first + 1]
            lines = token.content.removesuffix(_LINE_END).split(_LINE_END)
            return [piece for number, line in enumerate(lines) for piece in self._code_line(line, number > 0)]
        if self._at <= self._lines[first]:  # else a cell beside others
            self._at = _BEFORE_TEXT.match(self._text, self._lines[first], self._end).end()  # type: ignore[union-attr]
        return list(self._inline(token.children or (), ()))

    def info(self, fence: "Token") -> list[_Piece]:
        """The words after a fence, such as the language of the code."""
        assert fence.map is not None
        self._at, self._end = self._lines[fence.map[0]], self._lines[fence.map[0] + 1]
        return list(self._words(make_readable(fence.info.strip()), ()))

    def _code_line(self, line: str, has_line_before: bool) -> Iterator[_Piece]:
        if has_line_before:
            yield self._line_end(())._replace(is_atom=False)
        yield from self._words(line, ())

    def _inline(self, tokens: "Sequence[Token]", around: tuple[str, ...]) -> Iterator[_Piece]:
        formats = around
        for token in tokens:
            name, _, side = token.type.rpartition("_")
            if token.type == "text":
                yield from self._words(token.content, formats)
            elif token.type == "text_special":  # an entity, or a character after a backslash
                place = self._find(token.markup)
                is_atom = token.content != token.markup
                yield _Piece(make_readable(token.content) if is_atom else token.content, place, formats, is_atom)
            elif token.type in ("softbreak", "hardbreak"):
                yield self._line_end(formats)
            elif token.type == "code_inline":
                yield from self._words(token.content, (*formats, "code"))
            elif token.type == "image":
                label = token.children or ()
                if any(one.content.strip() for one in label):
                    yield from self._inline(label, (*formats, "image"))
                else:
                    yield _Piece(_PICTURE, self._find("!["), (*formats, "image"), is_atom=True)
                self._pass_target()
            elif side == "open":
                formats = (*formats, name)
            else:
                formats = formats[:-1]
                if name == "link":
                    self._pass_target()

    def _find(self, words: str) -> int:
        """Where some words stand next; what follows stands after them."""
        place = self._text.find(words, self._at, self._end)
        if place >= 0:
            self._at = place + len(words)
        return place

    def _line_end(self, formats: tuple[str, ...]) -> _Piece:
        return _Piece(_LINE_END, self._find(_LINE_END), formats, is_atom=True)

    def _words(self, words: str, formats: tuple[str, ...]) -> Iterator[_Piece]:
        """A text as pieces whose characters stand in a row: mostly one."""
        if not words:
            return
        if (place := self._find(words)) >= 0:
            yield _Piece(words, place, formats)
            return
        for character in words:  # a bar after a backslash, code that goes on in the next line of a quotation
            yield _Piece(character, self._find(character), formats)

    def _pass_target(self) -> None:
        """Passes a link's or an image's `](target "title")`."""
        if self._find("](") < 0:
            return
        helpers = _parser().helpers
        target = helpers.parseLinkDestination(self._text, self._after_space(self._at), self._end)
        at = self._after_space(target.pos if target.ok else self._at)
        title = helpers.parseLinkTitle(self._text, at, self._end)
        self._at = self._after_space(title.pos if title.ok else at) + len(")")

    def _after_space(self, at: int) -> int:
        while at < self._end and self._text[at] in " \t\n":
            at += 1
        return at


def shorten_seen(text: str, length: int) -> str:
    """The beginning of what a reader sees of a text with Markdown."""
    return shorten(read_visible_text(text[: 10 * length]).text, length)
