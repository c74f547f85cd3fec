"""Which series, columns and cells of a table a claim names: by name, synonym, inflection, part of a name."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from re import compile as expression
from typing import Literal

from .lexicon import LANGUAGES, Token, lexicon, stem_of, tokens
from .table import Table
from .written import known_unit

Kind = Literal["series", "column", "cell"]
Stems = tuple[str, ...]

_MOST_CELLS = 5000  # distinct texts of a column; a column with more is no list of names
_MOST_NAMES = 80  # ways to name one column
_BRACKETS = expression(r"[(\[][^)\]]*[)\]]")
_CAMEL = expression(r"(?<=[a-z])(?=[A-Z])|_")
_COMMON = 4.5  # Zipf frequency (log10 of occurrences in 10^9 words) from which a word is no name by itself
_SHORTEST_COMPOUND = 6
_SHORTEST_TYPO = 6
_TYPO_LIKENESS = 90


@dataclass(frozen=True, slots=True)
class Name:
    """One way to name something of a table. `rank`: 3 the full name or a synonym, 2 a part of it, 1 nearly so."""

    kind: Kind
    column: str
    rank: int
    cell: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """What `text[start:end]` names: the candidates of the best rank."""

    start: int
    end: int
    names: tuple[Name, ...]


class Names:
    """The names of a table's series, columns and cells, found by their first stem."""

    def __init__(self, table: Table, language: str) -> None:
        self.language = language
        self._harmless = lexicon(language).harmless_cell
        self._by_first: dict[str, list[tuple[Stems, Name]]] = defaultdict(list)
        seen: set[tuple[Stems, Name]] = set()
        columns = [*table.columns, *map(str, table.labels.columns)]
        self.column_stems = frozenset(word.stem for column in columns for word in _name_tokens(column, language))
        for stems, name in self._all(table):
            if stems and (stems, name) not in seen:
                seen.add((stems, name))
                self._by_first[stems[0]].append((stems, name))

    def _all(self, table: Table) -> Iterator[tuple[Stems, Name]]:
        series, columns = list(table.columns), [c for c in map(str, table.labels.columns) if c not in table.columns]
        if table.time_column and table.time_column not in columns:
            columns.append(table.time_column)
        yield from self._columns(series, "series")
        yield from self._unit_nouns(table)
        yield from self._columns(columns, "column")
        yield from self._cells(table)

    def _columns(self, columns: Sequence[str], kind: Kind) -> Iterator[tuple[Stems, Name]]:
        parts: dict[Stems, set[str]] = defaultdict(set)
        for column in columns:
            for stems in column_names(column, self.language):
                yield stems, Name(kind, column, 3)
            for stems in _parts(column, self.language):
                parts[stems].add(column)
        for stems, named in parts.items():
            if len(named) <= 2:
                yield from ((stems, Name(kind, column, 2)) for column in named)

    def _unit_nouns(self, table: Table) -> Iterator[tuple[Stems, Name]]:
        """What a series counts, where its unit says so ("calls"), as a part of its name."""
        named: dict[Stems, list[str]] = defaultdict(list)
        for column, unit in table.units.items():
            words = [word for word in tokens(unit, self.language) if word.is_word]
            common = {"count", "number", "aantal", "stuks", "index", "score"}
            if column in table.columns and words and known_unit(unit) is None and not {w.text for w in words} & common:
                named[tuple(word.stem for word in words)].append(column)
        for stems, columns in named.items():
            yield from ((stems, Name("series", column, 2)) for column in columns)

    def _cells(self, table: Table) -> Iterator[tuple[Stems, Name]]:
        rare: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for column in map(str, table.labels.columns):
            if column == table.time_column:
                continue
            cells = {str(cell) for cell in table.labels[column].dropna().unique()[: _MOST_CELLS + 1]}
            if len(cells) > _MOST_CELLS:
                continue
            for cell in cells:
                words = [token for token in tokens(cell, self.language) if token.is_word]
                stems = self._content(words)
                if not stems or (len(stems) == 1 and len(stems[0]) == 1 and stems[0].isalpha()):
                    continue
                yield stems, Name("cell", column, 3, cell)
                bare = self._content([t for t in tokens(_BRACKETS.sub(" ", cell), self.language) if t.is_word])
                if bare and bare != stems:
                    yield bare, Name("cell", column, 3, cell)
                for word in words:
                    if len(word.text) >= 4 and word.text.isalpha() and len(words) > 1 and self._is_rare(word.text):
                        rare[word.stem].add((column, cell))
        common = _common_words(self.language)
        for stem, cells_of in rare.items():
            if len(cells_of) == 1 and stem not in common:
                yield from (((stem,), Name("cell", column, 2, cell)) for column, cell in cells_of)

    def _is_rare(self, word: str) -> bool:
        """Whether a word alone may stand for a longer name: "ericsson" may, "january" and "home" may not."""
        from wordfreq import zipf_frequency

        return bool(zipf_frequency(word, self.language) < _COMMON)

    def _content(self, words: Iterable[Token]) -> Stems:
        every = tuple(word.stem for word in words)
        return tuple(word.stem for word in words if word.text not in self._harmless) or every

    def stems_of(self, text: str) -> frozenset[str]:
        """The stems of a name or a phrase."""
        return frozenset(word.stem for word in _name_tokens(text, self.language))

    def find(self, words: Sequence[Token]) -> list[Mention]:
        """What the words of a text name; may overlap. Typing errors count only where nothing else is named."""
        found = [mention for place in range(len(words)) for mention in self._at(words, place)]
        if not any(name.kind == "series" for mention in found for name in mention.names):
            found += self._nearly(words)
        return found

    def _at(self, words: Sequence[Token], place: int) -> Iterator[Mention]:
        by_end: dict[int, list[Name]] = defaultdict(list)
        for stems, name in self._by_first.get(words[place].stem, ()):
            if (end := self._match(stems, words, place)) is not None:
                by_end[end].append(name)
        for end, names in by_end.items():
            best = max(name.rank for name in names)
            yield Mention(words[place].start, words[end].end, tuple(name for name in names if name.rank == best))

    def _match(self, stems: Stems, words: Sequence[Token], place: int) -> int | None:
        at = place
        for stem in stems[1:]:
            at += 1
            while at < len(words) and words[at].stem != stem and words[at].text in self._harmless:
                at += 1
            if at >= len(words) or words[at].stem != stem:
                return None
        return at

    def _nearly(self, words: Sequence[Token]) -> Iterator[Mention]:
        from rapidfuzz.fuzz import ratio

        single = [
            (s[0], n) for named in self._by_first.values() for s, n in named if len(s) == 1 and n.kind == "series"
        ]
        for word in words:
            if len(word.text) < _SHORTEST_TYPO or not word.text.isalpha():
                continue
            near = {
                name.column
                for stem, name in single
                if (len(stem) >= _SHORTEST_COMPOUND and (word.stem.startswith(stem) or word.stem.endswith(stem)))
                or (len(stem) >= _SHORTEST_TYPO - 1 and ratio(word.stem, stem) >= _TYPO_LIKENESS)
            }
            if near:
                yield Mention(word.start, word.end, tuple(Name("series", column, 1) for column in sorted(near)))


@cache
def _common_words(language: str) -> frozenset[str]:
    words = lexicon(language)
    marked = " ".join(pattern.pattern for pattern in words.kinds.values())
    return frozenset(
        stem_of(word.text, language)
        for word in [*tokens(marked, language), *tokens(" ".join(words.harmless), language)]
    )


def _name_tokens(column: str, language: str) -> list[Token]:
    return [token for token in tokens(_CAMEL.sub(" ", column), language) if token.is_word]


@cache
def column_names(column: str, language: str) -> tuple[Stems, ...]:
    """The full names of a column as stems: as written, without brackets, without its unit, with synonyms."""
    drop = lexicon(language).harmless_cell

    def stems(words: list[Token]) -> Stems:
        return tuple(word.stem for word in words if word.text not in drop)

    every = _name_tokens(column, language)
    bare = _name_tokens(_BRACKETS.sub(" ", column), language)
    names = [stems(every), stems(bare)]
    unitless = [word for word in bare if not _is_unit(word.text)]
    if unitless:
        names += [stems(unitless), *islice(_synonymous(unitless, language), _MOST_NAMES)]
    return tuple(dict.fromkeys(name for name in names if name))


def _is_unit(word: str) -> bool:
    return known_unit(word) is not None and not word.isdigit() and word not in ("total",)


def _parts(column: str, language: str) -> Iterator[Stems]:
    """The words and pairs of words of a longer name, and their synonyms."""
    drop = lexicon(language).harmless | {"per", "total", "number", "totaal", "aantal"}
    words = [w for w in _name_tokens(_BRACKETS.sub(" ", column), language) if w.text not in drop and len(w.text) > 2]
    words = [word for word in words if not _is_unit(word.text)]
    if len(words) < 2:
        return
    for length in range(1, len(words)):
        for begin in range(len(words) - length + 1):
            run = words[begin : begin + length]
            yield tuple(word.stem for word in run)
            yield from islice(_synonymous(run, language), 20)


@cache
def _concepts() -> dict[Stems, str]:
    """What a phrase of either language means, by its stems in each language."""
    known: dict[Stems, str] = {}
    for language in LANGUAGES:
        for concept, phrases in lexicon(language).data["synonyms"].items():
            for phrase in [concept.replace("_", " "), *phrases]:
                for stemmed in LANGUAGES:
                    known.setdefault(tuple(token.stem for token in tokens(phrase, stemmed) if token.is_word), concept)
    return known


@cache
def polarity(column: str) -> str | None:
    """Which way a series is better, "up" or "down", by what its name means; None where that is not known."""
    better = {way for way, known in lexicon("en").data["better"].items() if _meanings(column) & set(known)}
    return better.pop() if len(better) == 1 else None


@cache
def means(column: str, kind: str) -> bool:
    """Whether a series' name means something of a kind: `levels`, that stand at a value, or `flows`, that add up."""
    return bool(_meanings(column) & set(lexicon("en").data[kind]))


@cache
def _meanings(column: str) -> frozenset[str]:
    words = [word for word in _name_tokens(_BRACKETS.sub(" ", column), "en") if not _is_unit(word.text)]
    return frozenset(
        concept
        for begin in range(len(words))
        for end in range(begin + 1, len(words) + 1)
        for stems in (tuple(stem_of(w.text, language) for w in words[begin:end]) for language in LANGUAGES)
        if (concept := _concepts().get(stems))
    )


def _synonymous(words: Sequence[Token], language: str) -> Iterator[Stems]:
    """The words with every run that has synonyms replaced by each of them, in the language."""
    choices: list[list[Stems]] = []
    place, replaced = 0, False
    while place < len(words):
        for end in range(len(words), place, -1):
            concept = _concepts().get(tuple(word.stem for word in words[place:end]))
            if concept:
                phrases = lexicon(language).data["synonyms"][concept]
                choices.append([tuple(t.stem for t in tokens(phrase, language) if t.is_word) for phrase in phrases])
                place, replaced = end, True
                break
        else:
            choices.append([(words[place].stem,)])
            place += 1
    if replaced:
        yield from (tuple(stem for part in combined for stem in part) for combined in product(*choices))


def shared_stems(texts: Iterable[str], language: str) -> frozenset[str]:
    """The stems of texts that set the scene (a table's name, the question): naming them again says nothing new."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(token.stem for token in tokens(_CAMEL.sub(" ", text), language) if token.is_word)
    return frozenset(counted)
