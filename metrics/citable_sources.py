"""The sources that an answer can cite: its contexts, by number and by what names them."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
_LABEL = re.compile(r"\s*[\[(【](\^?[\w.-]{1,60})[\])】]")
_HEADING = re.compile(r"\s*#{1,6}\s+(\S.{0,199}?)[\s#]*$")
_ENDS_SENTENCE = re.compile(r"[.!?;:,]\s*$")
_HEAD_LINES = 5
_LONGEST_TITLE = 100  # characters of a first line that may be a title
_FEWEST_TOKENS = 2  # of a name of which a citation writes the first words only


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
        begun = [name for name in self._names if key.startswith(f"{name} ") and _is_long(name)]
        if begun:
            return SourceMatch(tuple(sorted(self._names[max(begun, key=len)])), "name")
        longer = [name for name in self._names if name.startswith(f"{key} ")] if _is_long(key) else []
        return SourceMatch(tuple(sorted(self._names[longer[0]])), "name") if len(longer) == 1 else None

    def _find_address(self, text: str) -> SourceMatch | None:
        key = address_key(text)
        contexts = self._addresses.get(key) or self._in_text.get(key)
        return SourceMatch(tuple(sorted(contexts)), "address") if contexts else None

    def _read_head(self, number: int, context: str, fields: set[str]) -> None:
        lines = [line for line in context[: _HEAD_LINES * 500].splitlines() if line.strip()][:_HEAD_LINES]
        if not lines:
            return
        if label := _LABEL.match(lines[0]):
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


def _is_long(name: str) -> bool:
    return name.count(" ") + 1 >= _FEWEST_TOKENS
