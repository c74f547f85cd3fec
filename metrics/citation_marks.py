"""Where an answer cites, and the sources that it can cite: its contexts, by number and by what names them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..languages import FALLBACK, Language, load_language
from ..text.text_matching import tokens

MatchedBy = Literal["number", "label", "name", "address"]
"""What of a source a citation named."""

METADATA_KEYS = (
    *("sources", "source", "source_documents", "documents", "citations", "references", "links"),
    *("retrieved_context_ids", "context_ids", "document_ids", "doc_ids", "ids", "retrieved_context_titles"),
    *("context_titles", "titles", "context_urls", "urls", "context_sources"),
)
"""Columns that say where each context comes from: a list with one entry per context, texts or objects."""
_NAMING_KEYS = ("title", "name", "source", "file", "file_name", "filename", "url", "uri", "link", "id", "document_id")
_NESTED_KEYS = ("metadata", "document")

_ADDRESS = re.compile(r"https?://[^\s<>\"'\]})]{1,2000}", re.IGNORECASE)
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)
_CONTEXT_LABEL = re.compile(r"\s*[\[(【](\^?[\w.-]{1,60})[\])】]")
_HEADING = re.compile(r"\s*#{1,6}\s+(\S.{0,199}?)[\s#]*$")
_ENDS_SENTENCE = re.compile(r"[.!?;:,]\s*$")
_HEAD_LINES = 5
_LONGEST_TITLE = 100  # characters of a first line that may be a title


class SourceMatch(NamedTuple):
    """What a citation cites."""

    contexts: tuple[int, ...]  # the contexts, counted from 0: several where a document was retrieved in parts
    by: MatchedBy


def name_key(text: str) -> str:
    """A name in a form in which names are compared: its words, case folded.

    Example:
        >>> name_key("Returns_policy.pdf"), name_key(" Returns  Policy ")
        ('returns_policy pdf', 'returns policy')
    """
    return " ".join(tokens(text))


def address_key(text: str) -> str:
    """An address in a form in which addresses are compared: without scheme, `www.`, fragment and last slash.

    Example:
        >>> address_key("https://www.example.org/returns/#how")
        'example.org/returns'
    """
    return _SCHEME.sub("", text.strip().rstrip(".,;:!?")).partition("#")[0].rstrip("/").casefold()


def is_address(text: str) -> bool:
    """Whether a text is the address of a page."""
    return _SCHEME.match(text.strip()) is not None


class CitableSources:
    """The contexts of a sample, and the names, ids and addresses by which an answer may cite them.

    A context's names are those at its top (a heading, a short first line, "Title: ...", "URL: ...", a label such as
    "[doc3]") and those of the sample's metadata, where a column has one entry per context (`METADATA_KEYS`).

    Attributes:
        has_addresses: Whether the address of one is known: only then can a link be checked.

    Example:
        >>> contexts = ("Title: Returns\\nURL: https://example.org/r\\nReturns are free.", "# Shipping\\nTwo days.")
        >>> sources = CitableSources(contexts, {}, load_language("en"))
        >>> sources.find("shipping"), sources.find("https://example.org/r/"), sources.find("Prices")
        (SourceMatch(contexts=(1,), by='name'), SourceMatch(contexts=(0,), by='address'), None)
    """

    def __init__(self, contexts: Sequence[str], metadata: Mapping[str, Any], language: Language) -> None:
        self.count = len(contexts)
        self._names: dict[str, set[int]] = {}
        self._addresses: dict[str, set[int]] = {}
        self._labels: dict[str, set[int]] = {}
        packs = [load_language(FALLBACK), *([language] if language.has("citations") else [])]
        fields = {field for pack in packs for field in pack.citations.fields}
        for number, context in enumerate(contexts):
            self._read_head(number, context, fields)
        for key in METADATA_KEYS:
            entries = metadata.get(key)
            if isinstance(entries, list | tuple) and len(entries) == self.count:
                for number, entry in enumerate(entries):
                    self._read_entry(number, entry)
        self._in_text: dict[str, set[int]] = {}
        for number, context in enumerate(contexts):
            for match in _ADDRESS.finditer(context):
                self._in_text.setdefault(address_key(match[0]), set()).add(number)
        self.has_addresses = bool(self._addresses or self._in_text)
        self._is_labelled = len({label for label in self._labels if label.isdigit()}) == self.count

    def find_number(self, number: int, base: int) -> SourceMatch | None:
        """Finds the context of a number: that with this label where all are labelled so, else the one of this place."""
        if self._is_labelled:
            contexts = self._labels.get(str(number), set())
            return SourceMatch(tuple(sorted(contexts)), "label") if contexts else None
        if base <= number < self.count + base:
            return SourceMatch((number - base,), "number")
        labelled = self._labels.get(str(number))  # an id, such as a database has
        return SourceMatch(tuple(sorted(labelled)), "label") if labelled else None

    def find(self, text: str) -> SourceMatch | None:
        """Finds the contexts that a name, an id or an address is of; None where it is of none, or of several."""
        if is_address(text):
            return self._find_address(text)
        key = name_key(text)
        if not key:
            return None
        if label := self._labels.get(key):
            return SourceMatch(tuple(sorted(label)), "label")
        if name := self._names.get(key):
            return SourceMatch(tuple(sorted(name)), "name")
        return None

    def _find_address(self, text: str) -> SourceMatch | None:
        key = address_key(text)
        contexts = self._addresses.get(key) or self._in_text.get(key)
        return SourceMatch(tuple(sorted(contexts)), "address") if contexts else None

    def _read_head(self, number: int, context: str, fields: set[str]) -> None:
        lines = [line for line in context[: _HEAD_LINES * 500].splitlines() if line.strip()][:_HEAD_LINES]
        if not lines:
            return
        if label := _CONTEXT_LABEL.match(lines[0]):
            self._labels.setdefault(name_key(label[1]), set()).add(number)
            lines[0] = lines[0][label.end() :]
        for place, line in enumerate(lines):
            name, colon, value = line.strip(" *_#-").partition(":")
            if colon and name.strip(" *_").casefold() in fields and value.strip(" *_"):
                self._add(number, value.strip(" *_"))
            elif heading := _HEADING.match(line):
                self._add(number, heading[1])
            elif place == 0 and len(lines) > 1 and len(line) <= _LONGEST_TITLE and not _ENDS_SENTENCE.search(line):
                self._add(number, line)

    def _read_entry(self, number: int, entry: Any) -> None:
        if isinstance(entry, str | int) and not isinstance(entry, bool):
            self._add(number, str(entry))
        elif isinstance(entry, Mapping):
            for value in _named_values(entry):
                self._add(number, value)

    def _add(self, number: int, name: str) -> None:
        name = name.strip()
        if is_address(name):
            self._addresses.setdefault(address_key(name), set()).add(number)
        elif key := name_key(name):
            held = self._labels if key.isdigit() else self._names
            held.setdefault(key, set()).add(number)


def _named_values(entry: Mapping[str, Any]) -> Iterator[str]:
    for key in _NAMING_KEYS:
        value = entry.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value)
    for key in _NESTED_KEYS:
        nested = entry.get(key)
        if isinstance(nested, Mapping):
            yield from (str(nested[name]) for name in _NAMING_KEYS if isinstance(nested.get(name), str | int))


_MOST_NUMBERS = 100  # of a range: [1-1000000]
_LEAST_YEAR = 1000  # a number from here on that is of no context is a year or an amount, not a source
_CODE = re.compile(r"(?ms)^[ \t]{0,3}(?P<fence>```|~~~).*?(?:^[ \t]{0,3}(?P=fence)[ \t]*$|\Z)|`[^`\n]{1,500}`")
_IMAGE_OR_LINK = (
    r"(?P<image>!?)\[(?P<shown>[^\[\]\n]{0,300}|\[[^\[\]\n]{1,60}\])\]\(\s?<?(?P<target>[^\s()<>]{1,2000})>?\)"
)
_TOKENS = re.compile(rf"{_IMAGE_OR_LINK}|\[(?P<label>\^[\w.-]{{1,40}}|\^?\d[\d\s,;–-]{{0,200}})\]")
# "[1]: https://shop.example", "[^terms]: Terms of sale", "- [2] Shipping"
_LABELLED_LINE = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?\[(?P<label>\^[\w.-]{1,40}|\d{1,6})\](?P<colon>:?)[ \t]+(?P<rest>\S.*)$"
)
_PIECE = re.compile(r"(\d{1,6})(?:\s?[–-]\s?(\d{1,6}))?$")
_IDENTIFIER = re.compile(r"[\w$]{1,60}$")
_VARIABLE = re.compile(r"[a-z]|.*[_$].*")
_CODE_AFTER = re.compile(r"\s?(?:[-+*/|&]?=(?!=)|->)|\.[a-z_]|\(|\[\D")
_AFTER_SENTENCE = re.compile(r"[.!?][\"'”»)*_]{0,3}[ \t]+$|\n[ \t]*$")
_ENDS_LINE = re.compile(r"[ \t.]*(?:\n|$)")
_WORD = re.compile(r"\w")
_LABEL = re.compile(r"\W*\w+(?: \w+)?:\W*$")


class CitationMark(NamedTuple):
    """A place where an answer cites a source."""

    text: str  # it as the answer has it
    number: int | None  # the source's number; None where the answer has a name or an address
    name: str  # the source's name, id or address; "" where it has only a number
    position: int  # where it stood in the answer without marks
    stands_alone: bool = False  # whether its line has nothing but marks: it stands for the text above


class CitedAnswer(NamedTuple):
    """An answer read for its citations."""

    plain: str  # the answer without them
    marks: tuple[CitationMark, ...]  # the citations in their order, one per source


class _Target(NamedTuple):
    number: int | None
    name: str


class _Mark(NamedTuple):
    """A mark with its place in the answer, and what stays of it there."""

    start: int
    end: int
    targets: tuple[_Target, ...]
    kept: str = ""


def citation_pattern(pattern: str) -> re.Pattern[str]:
    """Compiles the user's pattern of further citations.

    Raises:
        ValueError: It is no regular expression, or has no group `number` or `name`.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"pattern is a regular expression, not {pattern!r}: {error}") from error
    if not {"number", "name"} & set(compiled.groupindex):
        raise ValueError(f"pattern has a group (?P<number>...) or (?P<name>...), which {pattern!r} has not")
    return compiled


def read_citations(answer: str, sources: CitableSources, pattern: re.Pattern[str] | None = None) -> CitedAnswer:
    """Reads where an answer cites its sources, and the answer without these marks.

    A mark is a number in brackets ([1], [2, 3], [1-3]), a footnote ([^1]), or a Markdown link; further ones are what
    `pattern` matches. Links count where the address of any source is known, as only then they can be checked. Lines
    that say what a number stands for ("[1]: https://...") are read as that. Code, years, check boxes, list numbers and
    indices (`a[1]`) are no marks.

    Example:
        >>> from assay.languages import load_language
        >>> sources = CitableSources(("A", "B", "C"), {}, load_language("en"))
        >>> cited = read_citations("It is free [1]. So [2, 3].", sources)
        >>> cited.plain, [(mark.text, mark.number, mark.position) for mark in cited.marks]
        ('It is free. So.', [('[1]', 1, 10), ('[2, 3]', 2, 14), ('[2, 3]', 3, 14)])
    """
    return _CitationReader(answer, sources, pattern).read()


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

    def __init__(self, answer: str, sources: CitableSources, pattern: re.Pattern[str] | None) -> None:
        self._answer = answer
        self._sources = sources
        self._pattern = pattern
        self._entries: dict[str, str] = {}  # what a number or a footnote's label stands for
        self._marks: list[_Mark] = []
        self._closed = [match.span() for match in _CODE.finditer(answer)]  # spans in which nothing is read
        self._removed: list[tuple[int, int]] = []

    def read(self) -> CitedAnswer:
        self._read_lines()
        is_closed = _inside(self._closed)
        for match in self._pattern.finditer(self._answer) if self._pattern else ():
            if match[0] and not is_closed(match.start()):
                self._read_own(match)
        is_closed = _inside([*self._closed, *((mark.start, mark.end) for mark in self._marks)])
        for match in _TOKENS.finditer(self._answer):
            if match["image"] or is_closed(match.start()):
                continue
            if match["target"]:
                self._read_link(match)
            elif not self._is_index(match):
                self._add(match, self._label(match["label"]))
        return self._finish()

    def _read_lines(self) -> None:
        """Reads the lines that say what a label stands for, and those of lists whose numbers are no citations."""
        in_code = _inside(self._closed)
        start, labelled = 0, list[tuple[int, re.Match[str]]]()
        for line in self._answer.splitlines(keepends=True):
            if not in_code(start) and (match := _LABELLED_LINE.match(line.rstrip("\r\n"))):
                labelled.append((start, match))
            start += len(line)
        numbers = [int(match["label"]) for _, match in labelled if match["label"].isdecimal()]
        first = labelled[0][0] if labelled else 0
        before = {match["label"] for match in _TOKENS.finditer(self._answer, 0, first) if match["label"]}
        is_list = numbers == list(range(1, len(labelled) + 1)) and len(numbers) > 1
        for place, match in labelled:
            label = match["label"]
            if match["colon"] or label in before or (not is_list and self._sources.find(self._named(match["rest"]))):
                self._entries.setdefault(label.lstrip("^"), self._named(match["rest"]))
                self._removed.append((place, place + match.end()))
                self._closed.append(self._removed[-1])
            elif is_list:
                self._closed.append((place, place + match.start("rest")))

    def _named(self, text: str) -> str:
        """What of a line names a source: a link's or a written address, else all of it."""
        link = _TOKENS.search(text)
        addresses = [link["target"]] if link and link["target"] else []
        addresses += [word.strip("<>.,;") for word in text.split() if is_address(word.strip("<>"))]
        return next((address for address in addresses if self._sources.find(address)), text.strip())

    def _read_own(self, match: re.Match[str]) -> None:
        groups = match.groupdict()
        number = groups.get("number") or ""
        name = (groups.get("name") or "").strip()
        targets = self._label(number) if number else [_Target(None, name)] if name else []
        self._add(match, targets)

    def _label(self, label: str) -> list[_Target]:
        """The sources of "1, 3-5" or "^terms"; empty where it cites none, such as a year."""
        plain = label.lstrip("^").strip()
        if not plain[:1].isdecimal() or (label.startswith("^") and plain in self._entries):
            number = int(plain) if plain.isdecimal() else None
            return [_Target(number, self._entries[plain])] if plain in self._entries else []
        return list(self._numbers(plain))

    def _numbers(self, text: str) -> Iterator[_Target]:
        for piece in filter(None, re.split(r"[,;\s]+(?![–-])", re.sub(r"\s?([–-])\s?", r"\1", text))):
            match = _PIECE.match(piece)
            if match is None:
                continue
            first = int(match[1])
            last = max(first, int(match[2] or first))
            if self._is_year(first) or self._is_year(last) or (match[2] and first > self._sources.count):
                continue  # 9-17 hours
            kept = min(last, max(first, self._sources.count) + 1, first + _MOST_NUMBERS)  # one beyond stands for all
            yield from (_Target(number, self._entries.get(str(number), "")) for number in range(first, kept + 1))

    def _is_year(self, number: int) -> bool:
        return number >= _LEAST_YEAR and self._sources.find_number(number, 1) is None

    def _is_index(self, match: re.Match[str]) -> bool:
        """Whether a bracket is an index in code: `a[1]`, `row_names[2]`, `rows[0].name`."""
        before = _IDENTIFIER.search(self._answer[max(match.start() - 60, 0) : match.start()])
        if before is None:
            return self._answer.endswith("()", 0, match.start())
        return _VARIABLE.fullmatch(before[0]) is not None or _CODE_AFTER.match(self._answer, match.end()) is not None

    def _read_link(self, match: re.Match[str]) -> None:
        target, shown = match["target"], match["shown"]
        label = shown.strip("[]")
        numbers = self._label(label) if label.lstrip("^").isdecimal() else []
        if not is_address(target) and self._sources.find(target) is None:
            self._add(match, numbers)  # [1](#sources)
            return
        if not (numbers or self._sources.has_addresses or self._sources.find(target) or self._sources.find(shown)):
            return
        is_named = not self._sources.has_addresses and self._sources.find(shown) is not None
        number = numbers[0].number if numbers and not self._sources.has_addresses else None
        kept = "" if numbers or self._is_reference(match.start(), match.end()) else shown
        self._add(match, [_Target(number, shown if is_named else target)], kept)

    def _is_reference(self, start: int, end: int) -> bool:
        """Whether a link is no part of a sentence: the last of its line, after a full stop or a line break."""
        before = self._answer[max(start - 20, 0) : start]
        return _ENDS_LINE.match(self._answer, end) is not None and _AFTER_SENTENCE.search(before) is not None

    def _add(self, match: re.Match[str], targets: Sequence[_Target], kept: str = "") -> None:
        if targets:
            self._marks.append(_Mark(match.start(), match.end(), tuple(targets), kept))

    def _finish(self) -> CitedAnswer:
        alone = list(self._lines_of_marks())
        stands_alone = _inside(alone)
        spans = [(mark.start, mark.end, mark.kept) for mark in self._marks]
        spans += [(start, end, "") for start, end in (*alone, *self._removed)]
        parts, done, length = list[str](), 0, 0
        ends: dict[int, int] = {}  # where a mark stood in what is left
        for start, end, kept in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= done:
                piece = self._answer[done:start]
                if not kept and (end == len(self._answer) or not self._answer[end].isalnum()):
                    piece = piece.rstrip(" \t")
                parts += [piece, kept]
                length += len(piece) + len(kept)
                done = end
            ends[end] = length
        plain = "".join([*parts, self._answer[done:]])
        marks = [
            CitationMark(
                self._answer[mark.start : mark.end],
                target.number,
                target.name,
                ends[mark.end],
                stands_alone(mark.start),
            )
            for mark in sorted(self._marks)
            for target in mark.targets
        ]
        return CitedAnswer(plain, tuple(marks))

    def _lines_of_marks(self) -> Iterator[tuple[int, int]]:
        """The lines that have nothing but marks, with a label before them or none: "Sources: [1], [2]"."""
        places = sorted((mark.start, mark.end) for mark in self._marks if not mark.kept)
        start = 0
        for line in self._answer.splitlines(keepends=True):
            end = start + len(line.rstrip("\r\n"))
            inside = places[bisect_left(places, (start, 0)) : bisect_left(places, (end, 0))]
            rest = "".join(
                self._answer[one:other]
                for one, other in zip(
                    [start, *(last for _, last in inside)], [*(first for first, _ in inside), end], strict=True
                )
            )
            if inside and (_WORD.search(rest) is None or _LABEL.match(rest)):
                yield start, end
            start += len(line)
