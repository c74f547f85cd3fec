"""Where an answer cites: the marks in its text, and the answer without them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..languages import Language
from .citable_sources import CitableSources, citation_words, is_address

_MOST_NUMBERS = 100  # of a range: [1-1000000]
_LONGEST_LEAD = 60  # characters before a mark in which its lead stands
_FEWEST_LETTERS = 3  # before a raised number that is no power
_LEAST_YEAR = 1000  # a number from here on that is of no context is a year or an amount, not a source
_LONGEST_NAME = 200
_MOST_NAMES = 1000  # that are looked for in running text
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGNS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_CODE = re.compile(r"(?ms)^[ \t]*(?P<fence>```|~~~).*?(?:^[ \t]*(?P=fence)[ \t]*$|\Z)|`[^`\n]{1,500}`")
_TOKENS = re.compile(
    r"(?P<image>!\[[^\]\n]{0,300}\]\([^)\n]{0,2000}\))"
    r"|(?P<link>\[(?P<shown>(?:[^\[\]\n]|\[[^\[\]\n]{0,60}\]){0,300})\]"
    r"\(\s*<?(?P<target>[^\s()<>]{1,2000})>?(?:\s+\"[^\"\n]{0,200}\")?\s*\))"
    r"|(?P<span>\[(?P<first>\^?\d{1,6})\]\s?[-–—]\s?\[\^?(?P<last>\d{1,6})\])"
    r"|(?P<bracket>\[{1,5}[^\[\]\n]{1,200}\]{1,5})"
    r"|(?P<lens>【[^【】\n]{1,200}】)"
    r"|(?P<raised><sup>\s*(?:<a[^<>\n]{0,200}>)?\s*\[?(?P<raised_text>[^<>\[\]\n]{1,60})\]?\s*(?:</a>)?\s*</sup>)"
    rf"|(?P<sign>[{_SIGNS}]+(?:,\s?[{_SIGNS}]+)*)"
    r"|(?P<parens>\((?:[^()\n\[\]]|\[[^\[\]\n]{1,60}\](?!\()){1,300}\))"
    r"|(?P<address><?https?://[^\s<>\"'\]})]{1,2000}>?)"
    r"|(?P<quoted>[\"“„«](?P<quoted_text>[^\"“”„«»\n]{3,200})[\"”“»])",
    re.IGNORECASE,
)
_LINE_LABEL = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?:\[(?P<label>\^[\w.-]{1,40}|\d{1,6})\](?P<colon>:?)|\((?P<round>\d{1,4})\)"
    rf"|(?P<raised>[{_SIGNS}]{{1,4}}))[ \t]+(?P<rest>\S.*)$"
)
_ITEM = re.compile(r"[ \t]*(?:[-*•]|(?P<number>\d{1,4})[.)])[ \t]+(?P<rest>\S.*)$")
_IDENTIFIER = re.compile(r"[\w$]{1,60}$")
_VARIABLE = re.compile(r"[a-z]|.*[_$].*")
_CODE_AFTER = re.compile(r"\s?(?:[-+*/|&]?=(?!=)|->)|\.[a-z_]|\(|\[\D")
_WORD = re.compile(r"\w")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n])[\s*_>#-]*$")
_AFTER_LEAD = re.compile(r"[ \t]*(?:[,:][ \t]*|[.!?](?=\s|$))")  # "According to [1], it is free. See [2]."
_AROUND_NAME = " \t\"“”„«»*_'"
_BETWEEN_NAMES = re.compile(r"[;|]|,(?!\d)")
_NUMBER_MARK = re.compile(rf"\[(\d{{1,6}})\]|([{_SIGNS}]{{1,4}})")
_AROUND_MARK = (("<sup>", "</sup>"), ("(", ")"))
_AFTER_SENTENCE = re.compile(r"[.!?][\"'”»)*_]{0,3}[ \t]+$|\n[ \t]*$")
_ENDS_LINE = re.compile(r"[ \t.]*(?:\n|$)")
_TOOL_NAME = re.compile(r"(?:\d+:)?(?P<number>\d+)(?:†(?P<name>[^†]*))?(?:†.*)?$")
_UNNAMED = {"source", ""}  # what the tools that write 【0†source】 put in the place of a name


class CitationMark(NamedTuple):
    """A place where an answer cites a source.

    Attributes:
        number: The source's number; None where the answer has a name or an address.
        name: The source's name, id or address; "" where it has only a number.
        covers_from: For a mark that stands alone, outside all sentences ("Source: Returns"), where the text begins that
            it stands for; else None.
        is_in_front: Whether it opens its sentence: "According to [1], it is free."
    """

    text: str
    number: int | None
    name: str
    position: int
    covers_from: int | None = None
    is_in_front: bool = False


class CitedAnswer(NamedTuple):
    """An answer read for its citations.

    Attributes:
        marks: The citations in their order, one per source.
        other_links: The addresses in it that cite nothing, as far as the sample's sources tell.
        cut: How many numbers of ranges such as [1-100000] were left out.
    """

    plain: str
    marks: tuple[CitationMark, ...]
    other_links: tuple[str, ...] = ()
    cut: int = 0


class _Target(NamedTuple):
    number: int | None
    name: str


class _Mark(NamedTuple):
    """A mark with its place in the answer, and what stays of it there."""

    start: int
    end: int
    text: str
    targets: tuple[_Target, ...]
    kept: str = ""
    covers_from: int | None = None
    is_in_front: bool = False


def read_citations(answer: str, sources: CitableSources, language: Language) -> CitedAnswer:
    """Reads where an answer cites its sources, and the answer without these marks.

    A mark is a number in brackets ([1], [2, 3], [1]-[3], [doc 1], [^1]), raised (¹, <sup>1</sup>), or in parentheses
    with a word before it (see source 1); the name, id or address of a source of the sample in brackets, parentheses,
    quotation marks or after words such as "according to"; and a line such as "Source: Returns policy". Links count
    where the address of any source is known, as only then they can be checked. Lines that say what a number stands for
    ("[1]: https://...", a list under "Sources") are read as that. Code, years, check boxes, list numbers and indices
    (`a[1]`) are no marks.

    Example:
        >>> from assay.languages import load_language
        >>> english = load_language("en")
        >>> cited = read_citations("It is free [1]. See [2, 3].", CitableSources(("A", "B", "C"), {}, english), english)
        >>> cited.plain, [(mark.text, mark.number, mark.position) for mark in cited.marks]
        ('It is free.', [('[1]', 1, 10), ('[2, 3]', 2, 11), ('[2, 3]', 3, 11)])
    """
    return _CitationReader(answer, sources, language).read()


class _Patterns(NamedTuple):
    """What the words of a language are looked for with."""

    lead: re.Pattern[str]
    lead_anywhere: re.Pattern[str]
    labelled: re.Pattern[str]
    tail: re.Pattern[str]
    lead_start: re.Pattern[str]
    heading: re.Pattern[str]
    trailer: re.Pattern[str]
    piece: re.Pattern[str]
    place: re.Pattern[str]
    joint: re.Pattern[str]
    name_marker: re.Pattern[str]


@lru_cache(maxsize=16)
def _patterns(language: Language) -> _Patterns:
    packs = citation_words(language)

    def any_of(key: str) -> str:
        return "(?:" + "|".join(word for pack in packs for word in getattr(pack, key)) + ")"

    labels, leads, headings = any_of("labels"), any_of("leads"), any_of("headings")
    number = r"(?P<{}>\d{{1,6}})"
    piece = (
        rf"(?:{labels}\s*[-_#:.]?\s*|[\^#]|n[o°]\.?\s*)?{number.format('first')}"
        rf"(?:\s*[-–—]\s*(?:{labels}\s*)?[\^#]?{number.format('last')})?"
    )
    caseless = re.IGNORECASE
    return _Patterns(
        lead=re.compile(rf"(?:(?:^|(?<=[\n.!?])|[\s,;–—-])+)(?<!\w){leads}\s*:?\s*$", caseless),
        lead_anywhere=re.compile(rf"(?<!\w){leads}\s*:?\s+", caseless),
        labelled=re.compile(rf"{labels}\s+(?P<number>\d{{1,4}})(?![\w.]\d|\w)", caseless),
        tail=re.compile(rf"\s+{any_of('tails')}(?!\w)", caseless),
        lead_start=re.compile(rf"\s*{leads}(?!\w)\s*(?P<colon>:?)\s*", caseless),
        heading=re.compile(rf"[\s#*_>-]{{0,12}}{headings}[\s#*_:]{{0,12}}$", caseless),
        trailer=re.compile(
            rf"(?:^|(?<=[.!?)\]*_])[ \t]+)[*_(\[>\- \t]{{0,8}}{headings}[*_]{{0,3}}\s?:[*_\s]{{0,6}}"
            r"(?P<rest>\S[^\n]{0,600})$",
            caseless | re.MULTILINE,
        ),
        piece=re.compile(piece, caseless),
        place=re.compile(rf"(?<!\w){any_of('places')}\s*\d[\d.,\s–—-]*[a-z]?", caseless),
        joint=re.compile(
            rf"\s*(?:[,;&/+]|(?<!\w){any_of('joins')}(?!\w))\s*|(?<=\d)\s+(?=\d|\^|{labels}\s*\d)", caseless
        ),
        name_marker=re.compile(rf"{labels}|{headings}", caseless),
    )


def _label_text(match: re.Match[str]) -> str:
    """The label of a line such as "[1] Returns"."""
    return match["label"] or match["round"] or match["raised"].translate(_SUPERSCRIPT)


def _number_of(text: str) -> int:
    return int(text.translate(_SUPERSCRIPT))


def _inside(spans: Sequence[tuple[int, int]]) -> Callable[[int], bool]:
    """Tells of places whether they stand in one of some spans."""
    ordered = sorted(spans)
    starts = [start for start, _ in ordered]

    def is_inside(place: int) -> bool:
        before = bisect_right(starts, place) - 1
        return before >= 0 and place < ordered[before][1]

    return is_inside


class _CitationReader:
    """Reads the citations of one answer."""

    def __init__(self, answer: str, sources: CitableSources, language: Language) -> None:
        self._answer = answer
        self._sources = sources
        self._patterns = _patterns(language)
        self._entries: dict[str, str] = {}  # what a number or a footnote's label stands for
        self._marks: list[_Mark] = []
        self._listed: list[_Mark] = []  # the entries of a list of sources
        self._closed: list[tuple[int, int]] = []  # spans in which nothing is read
        self._removed: list[tuple[int, int]] = []
        self._links: list[str] = []
        self._cut = 0
        self._first_places: dict[int, int] = {}

    def read(self) -> CitedAnswer:
        self._closed = [match.span() for match in _CODE.finditer(self._answer)]
        self._read_lists()
        self._read_trailers()
        is_closed = _inside(self._closed)
        for match in _TOKENS.finditer(self._answer):
            if not is_closed(match.start()):
                self._read_token(match)
        self._read_bare_names()
        if not self._marks:
            self._marks = self._listed
        return self._finish()

    # lists of sources

    def _lines(self) -> list[tuple[int, str]]:
        lines, start = [], 0
        for line in self._answer.splitlines(keepends=True):
            lines.append((start, line.rstrip("\r\n")))
            start += len(line)
        return lines

    def _read_lists(self) -> None:
        """Reads the lines that say what numbers stand for, and those of lists whose numbers are no citations."""
        lines = self._lines()
        in_code = _inside(self._closed)
        row, block = 0, list[tuple[int, str, re.Match[str]]]()
        while row < len(lines):
            start, line = lines[row]
            if in_code(start):
                row += 1
                continue
            if self._patterns.heading.match(line) and (count := self._count_entries(lines[row + 1 :])):
                self._read_section(lines[row : row + 1 + count])
                row += 1 + count
                continue
            label = _LINE_LABEL.match(line)
            if label and (label["label"] or "").startswith("^"):
                self._add_entry(label["label"], label["rest"], start, line)
                while row + 1 < len(lines) and lines[row + 1][1].strip() and lines[row + 1][1][:2].isspace():
                    row += 1  # a footnote's further lines are indented
                    self._close(lines[row][0], lines[row][0] + len(lines[row][1]), removed=True)
            elif label:
                block.append((start, line, label))
            elif line.strip() and block:
                self._end_block(block, is_last=False)
                block = []
            row += 1
        if block:
            self._end_block(block, is_last=True)

    def _count_entries(self, lines: Sequence[tuple[int, str]]) -> int:
        """How many of the lines below a heading are the list of sources; the first may be blank."""
        count, is_after_blank = 0, False
        for place, (_, line) in enumerate(lines):
            if not line.strip():
                is_after_blank = place > 0
                continue
            is_item = _ITEM.match(line) or _LINE_LABEL.match(line) or is_address(line.strip(" <>"))
            if is_after_blank and not is_item:
                break
            if not is_item and len(line) > _LONGEST_NAME:
                break
            count = place + 1
        return count

    def _read_section(self, lines: Sequence[tuple[int, str]]) -> None:
        for start, line in lines[1:]:
            if not line.strip():
                continue
            if label := _LINE_LABEL.match(line):
                self._add_entry(_label_text(label), label["rest"], start, line)
            elif item := _ITEM.match(line):
                self._add_entry(item["number"] or "", item["rest"], start, line)
            else:
                self._add_entry("", line.strip(), start, line)
        self._close(lines[0][0], lines[0][0] + len(lines[0][1]), removed=True)

    def _add_entry(self, label: str, rest: str, start: int, line: str) -> None:
        """Reads "[1]: Returns, https://..." as what 1 stands for."""
        name = self._known_name(rest)
        if label:
            self._entries.setdefault(label.lstrip("^"), name)
        plain = label.lstrip("^")
        target = _Target(int(plain), name) if plain.isdecimal() else _Target(None, name)
        self._listed.append(_Mark(start, start + len(line), line.strip(), (target,), covers_from=0))
        self._close(start, start + len(line), removed=True)

    def _known_name(self, text: str) -> str:
        """What of an entry names a source: an address in it, a link's text, else all of it."""
        links = [match for match in _TOKENS.finditer(text) if match["link"] or match["address"]]
        for match in links:
            address = match["target"] or match["address"].strip("<>")
            if self._sources.find(address):
                return address
        outside = _TOKENS.sub(
            lambda match: match["shown"] or "" if match["link"] or match["address"] else match[0], text
        )
        for name in (text, outside.strip(" \t,;:–—-.*_"), *(match["shown"] or "" for match in links)):
            if name and self._sources.find(name):
                return name
        return text.strip()

    def _end_block(self, block: Sequence[tuple[int, str, re.Match[str]]], *, is_last: bool) -> None:
        """Lines that begin with [1], [2], ...: what the numbers stand for, a numbered list, or citations."""
        if not self._first_places:
            for match in _NUMBER_MARK.finditer(self._answer):
                self._first_places.setdefault(_number_of(match[1] or match[2]), match.start())
        numbers = [_number_of(_label_text(label)) for _, _, label in block]
        is_list = is_last or all(label["colon"] for _, _, label in block)
        is_cited = is_list and any(self._first_places.get(number, block[0][0]) < block[0][0] for number in numbers)
        are_names = all(self._sources.find(self._known_name(label["rest"])) for _, _, label in block)
        if is_cited or are_names:
            for start, line, label in block:
                self._add_entry(_label_text(label), label["rest"], start, line)
        elif len(block) > 1 and numbers == list(range(1, len(numbers) + 1)):
            for start, _, label in block:
                self._close(start, start + label.start("rest"))

    def _close(self, start: int, end: int, *, removed: bool = False) -> None:
        self._closed.append((start, end))
        if removed:
            self._removed.append((start, end))

    # marks

    def _read_trailers(self) -> None:
        """Reads "Source: Returns policy" on a line of its own or at the end of one."""
        is_closed = _inside(self._closed)
        for match in self._patterns.trailer.finditer(self._answer):
            if is_closed(match.start("rest")):
                continue
            line_start = self._answer.rfind("\n", 0, match.start("rest")) + 1
            is_own_line = not _WORD.search(self._answer, line_start, match.start())
            rest = match["rest"].strip(" \t*_)]").rstrip(".")
            text = self._answer[match.start() : match.end()].strip()
            targets = self._targets_of_list(rest)
            covers = 0 if is_own_line else line_start
            self._marks.append(_Mark(match.start(), match.end(), text, tuple(targets), covers_from=covers))
            self._close(match.start(), match.end())

    def _targets_of_list(self, text: str) -> list[_Target]:
        """The sources of "Returns policy; Shipping" or "[1], [2]"."""
        if numbers := self._numbers(re.sub(r"[\[\]【】]+", " ", text)):
            return numbers
        text = self._patterns.place.sub("", text).strip(" \t,;:")
        names = [name.strip(_AROUND_NAME) for name in _BETWEEN_NAMES.split(text)]
        are_known = [bool(name and self._sources.find(name)) for name in names]
        if len(names) > 1 and all(are_known):
            return [_Target(None, name) for name in names]
        if self._sources.find(text):
            return [_Target(None, text)]
        targets = list[_Target]()
        for match in _TOKENS.finditer(text):
            if match["link"]:
                targets.append(_Target(None, self._link_name(match)))
            elif match["bracket"] or match["span"] or match["lens"]:
                targets += self._token_targets(match) or []
            elif match["address"]:
                targets.append(_Target(None, match["address"].strip("<>")))
        if targets:
            return targets
        return [_Target(None, name) for name in (names if any(are_known) else [text.strip(_AROUND_NAME)]) if name]

    def _read_token(self, match: re.Match[str]) -> None:
        if match["image"]:
            return
        if match["link"]:
            self._read_link(match)
            return
        if match["address"]:
            self._read_address(match)
            return
        targets = self._token_targets(match)
        if targets:
            self._add(match.start(), match.end(), targets)

    def _token_targets(self, match: re.Match[str]) -> list[_Target]:
        if match["raised"] or match["sign"]:
            return self._raised(match)
        if match["span"]:
            return self._range(int(match["first"].lstrip("^")), int(match["last"]))
        if match["bracket"]:
            return [] if self._is_index(match) else self._bracket(match["bracket"].strip("[]"))
        if match["lens"]:
            return self._lens(match["lens"].strip("【】"))
        return self._parens(match["parens"][1:-1]) if match["parens"] else self._quoted(match["quoted_text"])

    def _raised(self, match: re.Match[str]) -> list[_Target]:
        if "[" not in match[0] and self._is_power(match.start()):
            return []
        return self._numbers(match["raised_text"] or match["sign"].translate(_SUPERSCRIPT))

    def _quoted(self, text: str) -> list[_Target]:
        name = text.strip(" .,;:!?")
        return [_Target(None, name)] if self._sources.find(name) else []

    def _bracket(self, content: str) -> list[_Target]:
        content = content.strip()
        if not content.lstrip("^").isdecimal() and self._sources.find(content):
            return [_Target(None, content)]
        if content.startswith("^") and content[1:] in self._entries:
            return [self._numbered(content[1:])]
        if numbers := self._numbers(content):
            return numbers
        names = [name.strip(_AROUND_NAME) for name in _BETWEEN_NAMES.split(content)]
        if len(names) > 1 and all(name and self._sources.find(name) for name in names):
            return [_Target(None, name) for name in names]
        return self._named(content)

    def _named(self, content: str) -> list[_Target]:
        """The sources of "source: Returns" and "see Returns": after a colon any name, else a known one."""
        lead = self._patterns.lead_start.match(content)
        marker, colon, rest = content.partition(":")
        if colon and rest.strip() and (match := self._patterns.labelled.fullmatch(marker.strip())):
            return [_Target(int(match["number"]), rest.strip())]
        if (
            colon
            and rest.strip()
            and not rest.startswith("//")
            and self._patterns.name_marker.fullmatch(marker.strip())
        ):
            return self._targets_of_list(rest.strip())
        if lead is None:
            return []
        rest = content[lead.end() :].strip()
        if numbers := self._numbers(re.sub(r"[\[\]【】]+", " ", rest)):
            return numbers
        return self._targets_of_list(rest) if self._sources.find(rest) else []

    def _parens(self, content: str) -> list[_Target]:
        content = content.strip()
        if "[" in content or "【" in content:  # ([1], [2]), (see [1])
            lead = self._patterns.lead_start.match(content)
            return self._numbers(re.sub(r"[\[\]【】]+", " ", content[lead.end() :] if lead else content))
        if self._sources.find(content) and not content.isdecimal():
            return [_Target(None, content)]
        if not content.lstrip("#^").isdecimal() and self._patterns.name_marker.match(content):
            return self._numbers(content) or self._named(content)
        return self._named(content)

    def _lens(self, content: str) -> list[_Target]:
        if (match := _TOOL_NAME.match(content.strip())) is None:
            return self._bracket(content)
        name = (match["name"] or "").strip()
        number = int(match["number"])
        return [_Target(None, name)] if name.casefold() not in _UNNAMED else [_Target(number, self._entry(number))]

    def _is_power(self, start: int) -> bool:
        """Whether what is raised after this is a power: m², 10³, or stands alone."""
        before = _IDENTIFIER.search(self._answer[max(start - 60, 0) : start])
        if before is None:
            return start == 0 or self._answer[start - 1].isspace()
        return before[0][-1].isdigit() or len(before[0]) < _FEWEST_LETTERS

    def _numbers(self, content: str) -> list[_Target]:
        """The numbers of "1, 3-5", "doc 1 and doc 2" or "1, p. 3"; empty where anything else stands in it."""
        targets = list[_Target]()
        rest = self._patterns.place.sub(" ", content) if not content.strip().isdecimal() else content
        for piece in self._patterns.joint.split(rest.strip(" ,;")):
            if not piece.strip():
                continue
            match = self._patterns.piece.fullmatch(piece.strip())
            if match is None:
                return []
            first = int(match["first"])
            targets += self._range(first, int(match["last"])) if match["last"] else [_Target(first, self._entry(first))]
        return [target for target in targets if not self._is_year(target.number or 0)]

    def _range(self, first: int, last: int) -> list[_Target]:
        if self._is_year(first) or self._is_year(last) or first > self._sources.count:
            return []  # 9-17 hours
        last = max(first, last)
        kept = min(
            last, max(first, self._sources.count) + 1, first + _MOST_NUMBERS
        )  # one of those beyond stands for all
        self._cut += last - kept
        return [_Target(number, self._entry(number)) for number in range(first, kept + 1)]

    def _is_year(self, number: int) -> bool:
        return number >= _LEAST_YEAR and self._sources.find_number(number, 1) is None

    def _entry(self, number: int) -> str:
        return self._entries.get(str(number), "")

    def _numbered(self, label: str) -> _Target:
        return _Target(int(label) if label.isdecimal() else None, self._entries[label])

    def _is_index(self, match: re.Match[str]) -> bool:
        """Whether a bracket is an index in code: `a[1]`, `row_names[2]`, `rows[0].name`."""
        before = _IDENTIFIER.search(self._answer[max(match.start() - 60, 0) : match.start()])
        if before is None:
            return self._answer.endswith("()", 0, match.start())
        if _VARIABLE.fullmatch(before[0]):
            return True
        return _CODE_AFTER.match(self._answer, match.end()) is not None

    def _read_link(self, match: re.Match[str]) -> None:
        target, shown = match["target"], match["shown"]
        numbers = self._numbers(shown.strip("[]^ ")) if shown.strip() else []
        if not is_address(target) and self._sources.find(target) is None:
            if numbers:  # [1](#sources)
                self._add(match.start(), match.end(), numbers)
            return
        marker = numbers or self._patterns.name_marker.fullmatch(shown.strip("[]*_: "))
        if not (marker or self._sources.has_addresses or self._sources.find(shown) or self._sources.find(target)):
            self._links.append(target)
            return
        name = self._link_name(match)
        number = numbers[0].number if len(numbers) == 1 and not self._sources.has_addresses else None
        kept = "" if marker or self._is_reference(match.start(), match.end()) else shown
        self._add(match.start(), match.end(), [_Target(number, name)], kept)

    def _link_name(self, match: re.Match[str]) -> str:
        """A link's address, or its text where that names a source and no address is known."""
        if self._sources.has_addresses or not self._sources.find(match["shown"]):
            return match["target"]
        return match["shown"]

    def _read_address(self, match: re.Match[str]) -> None:
        address = match["address"].strip("<>").rstrip(".,;:!?")
        end = match.end() if match["address"].startswith("<") else match.start() + len(address)
        if self._sources.has_addresses:
            self._add(match.start(), end, [_Target(None, address)])
        else:
            self._links.append(address)

    def _read_bare_names(self) -> None:
        """Reads names of sources in running text, after a lead: "according to the returns policy"."""
        names = self._sources.names[:_MOST_NAMES]
        some = "|".join(r"[\W_]{1,3}".join(map(re.escape, name.split())) for name in names)
        name = re.compile(rf"(?:{some})(?!\w)" if names else r"(?!)", re.IGNORECASE)
        is_read = _inside([*self._closed, *((mark.start, mark.end) for mark in self._marks)])
        for lead in self._patterns.lead_anywhere.finditer(self._answer):
            if is_read(lead.end()):
                continue
            if match := self._patterns.labelled.match(self._answer, lead.end()):
                number = int(match["number"])
                self._add(match.start(), match.end(), [_Target(number, self._entry(number))])
            elif match := name.match(self._answer, lead.end()):
                self._add(match.start(), match.end(), [_Target(None, match[0])])

    def _find_lead(self, start: int) -> int | None:
        """Where the words before a mark begin that go with it: "according to"."""
        first = max(start - _LONGEST_LEAD, self._answer.rfind("\n", max(start - _LONGEST_LEAD, 0), start) + 1, 0)
        match = self._patterns.lead.search(self._answer[first:start])
        return first + match.start() if match else None

    def _add(self, start: int, end: int, targets: Sequence[_Target], kept: str = "") -> None:
        text = self._answer[start:end]
        for opening, closing in () if kept else _AROUND_MARK:
            if self._answer.endswith(opening, 0, start) and self._answer.startswith(closing, end):
                start, end = start - len(opening), end + len(closing)
        lead = None if kept else self._find_lead(start)
        is_in_front = False
        if lead is not None:
            start = lead
            if tail := self._patterns.tail.match(self._answer, end):
                end = tail.end()
            if _SENTENCE_START.search(self._answer[max(start - 20, 0) : start]):
                while self._answer[start] in " \t":
                    start += 1
                sign = _AFTER_LEAD.match(self._answer, end)
                end = sign.end() if sign else end
                is_in_front = _ENDS_LINE.match(self._answer, end) is None and not (sign and sign[0].strip() in ".!?")
        self._marks.append(_Mark(start, end, text, tuple(targets), kept, is_in_front=is_in_front))

    def _is_reference(self, start: int, end: int) -> bool:
        """Whether a link is no part of a sentence: the last of its line, after a full stop or a line break."""
        if _ENDS_LINE.match(self._answer, end) is None:
            return False
        return _AFTER_SENTENCE.search(self._answer[max(start - 20, 0) : start]) is not None

    # the answer without them

    def _finish(self) -> CitedAnswer:
        marks_in_text = () if self._marks is self._listed else self._marks
        spans = [(mark.start, mark.end, mark.kept) for mark in marks_in_text]
        spans += [(start, end, "") for start, end in self._removed]
        parts, done, length = list[str](), 0, 0
        places: list[tuple[int, int]] = [(0, 0)]  # from this place of the answer on, so much is gone before it
        ends: dict[int, int] = {}
        for start, end, kept in sorted(spans):
            if start < done:
                ends[end] = length
                continue
            piece = self._answer[done:start]
            if not kept and (end == len(self._answer) or not self._answer[end].isalnum()):
                piece = piece.rstrip(" \t")
            parts += [piece, kept]
            length += len(piece) + len(kept)
            done = end
            ends[end] = length
            places.append((end, length))
        parts.append(self._answer[done:])
        plain = "".join(parts)

        def place(position: int) -> int:
            at, kept_length = places[bisect_right(places, (position, len(self._answer))) - 1]
            return kept_length + position - at

        breaks = [match.start() for match in re.finditer("\n", plain)]
        has_words = [_WORD.search(line) is not None for line in plain.split("\n")]
        marks = []
        for mark in sorted(self._marks):
            covers = mark.covers_from if mark.covers_from is None else place(mark.covers_from)
            position = ends.get(mark.end, len(plain))
            if covers is None and not has_words[bisect_left(breaks, position)]:
                covers = 0  # its line has nothing but marks
            marks += [
                CitationMark(mark.text, target.number, target.name, position, covers, mark.is_in_front)
                for target in mark.targets
            ]
        return CitedAnswer(plain, tuple(marks), tuple(dict.fromkeys(self._links)), self._cut)
