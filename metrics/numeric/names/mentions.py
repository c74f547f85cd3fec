"""Which series, columns and cells of a table a claim names: by name, synonym, inflection, part of a name."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ....text.numbers import known_unit
from ....text.numbers.notation import notation_words
from ..lexicon import LANGUAGES, Token, lexicon, stem_of, tokens
from ..tables.table import NumericTable
from .column_names import (
    Stems,
    column_names,
    counted_compounds,
    halves,
    hints_of,
    is_head,
    name_tokens,
    name_words,
    names_without_participles,
    parts_of,
    without_brackets,
    written_names,
)

Kind = Literal["series", "column", "cell"]
_MOST_CELLS = 5000  # distinct texts of a column; a column with more is no list of names
_COMMON = 4.5  # Zipf frequency (log10 of occurrences in 10^9 words) from which a word is no name by itself
_SHORTEST_COMPOUND = 6
_SHORTEST_TYPO = 6
_MOST_SHARING = 2  # columns that a part of a name may be of
_SHORTEST_ABBREVIATION = 3  # of a column's name: "hrs", "won"
_LEFT_OUT = 3  # letters, at least
_TYPO_LIKENESS = 90


@dataclass(frozen=True, slots=True)
class Name:
    """One way to name something of a table. `rank`: 4 the full name, 3 a synonym of it, 2 a part, 1 nearly so, 0 a
    hint, which counts only where no other series is named.
    """

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

    def __init__(self, table: NumericTable, language: str, heads: Sequence[str] = ()) -> None:
        self.language = language
        self._step = table.step
        self._harmless = lexicon(language).harmless_cell
        particles = lexicon(language).data["verb_particles"]
        self._particles = {stem_of(word, language): word in lexicon(language).harmless for word in particles}
        self._by_first: dict[str, list[tuple[Stems, Name]]] = defaultdict(list)
        seen: set[tuple[Stems, Name]] = set()
        columns = [*table.columns, *map(str, table.labels.columns)]
        self.column_stems = frozenset(word.stem for column in columns for word in name_tokens(column, language))
        self.head_stems = shared_stems(heads, language)
        for stems, name in self._stems_and_names(table):
            if stems and (stems, name) not in seen:
                seen.add((stems, name))
                self._by_first[stems[0]].append((stems, name))

    def _stems_and_names(self, table: NumericTable) -> Iterator[tuple[Stems, Name]]:
        series, columns = list(table.columns), [c for c in map(str, table.labels.columns) if c not in table.columns]
        if table.time_column and table.time_column not in columns:
            columns.append(table.time_column)
        yield from self._columns(series, "series")
        yield from self._unit_nouns(table)
        hinted: dict[Stems, list[str]] = defaultdict(list)
        for column in series:
            for stems in hints_of(column, self.language):
                hinted[stems].append(column)
        for stems, named in hinted.items():
            yield from ((stems, Name("series", column, 0)) for column in named if len(named) <= _MOST_SHARING)
        yield from self._columns(columns, "column")
        yield from self._cells(table)

    def _columns(self, columns: Sequence[str], kind: Kind) -> Iterator[tuple[Stems, Name]]:
        parts: dict[Stems, dict[str, None]] = defaultdict(dict)  # in the table's order, not in that of a set
        for column in columns:
            written = written_names(column, self.language)
            for stems in column_names(column, self.language):
                yield stems, Name(kind, column, 4 if stems in written else 3)
            for stems in counted_compounds(column, self._step, self.language):
                yield stems, Name(kind, column, 3)
            for stems in parts_of(column, self.language):
                parts[stems][column] = None
        for stems, column in names_without_participles(columns, self.language).items():
            yield stems, Name(kind, column, 3)
        for stems, named in parts.items():
            if len(named) <= _MOST_SHARING:
                yield from ((stems, Name(kind, column, 2)) for column in named)

    def _unit_nouns(self, table: NumericTable) -> Iterator[tuple[Stems, Name]]:
        """What a series counts, where its unit says so ("calls"), as a part of its name."""
        named: dict[Stems, list[str]] = defaultdict(list)
        fillers = notation_words("counts").union(*(lexicon(code).data["no_nouns"] for code in LANGUAGES))
        for column, unit in table.units.items():
            words = [word for word in tokens(unit, self.language) if word.is_word]
            if column in table.columns and words and known_unit(unit) is None and not {w.text for w in words} & fillers:
                named[tuple(word.stem for word in words)].append(column)
        for stems, columns in named.items():
            yield from ((stems, Name("series", column, 2)) for column in columns)

    def _cells(self, table: NumericTable) -> Iterator[tuple[Stems, Name]]:
        rare: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for column in map(str, table.labels.columns):
            if column == table.time_column:
                continue
            cells = dict.fromkeys(map(str, table.labels[column].dropna().unique()[: _MOST_CELLS + 1]))
            if len(cells) > _MOST_CELLS:
                continue
            for cell in cells:
                words = [token for token in tokens(cell, self.language) if token.is_word]
                for stems in self._cell_names(cell, column, words):
                    yield stems, Name("cell", column, 3, cell)
                for word in words:
                    if len(word.text) >= 4 and word.text.isalpha() and len(words) > 1 and self._is_rare(word.text):
                        rare[word.stem].add((column, cell))
        common = _common_words(self.language)
        for stem, cells_of in rare.items():
            if len(cells_of) == 1 and stem not in common:
                yield from (((stem,), Name("cell", column, 2, cell)) for column, cell in cells_of)

    def _cell_names(self, cell: str, column: str, words: Sequence[Token]) -> Iterator[Stems]:
        """What a cell may be called: as it is written, without brackets, by what an outcome is called ("won" of W)."""
        stems = self._content(words)
        if len(stems) == 1 and len(stems[0]) == 1 and stems[0].isalpha():
            yield from (name + stems for name in self._short_names(column))
        elif stems:
            yield stems
            outcomes = lexicon(self.language).data["outcomes"].get(cell, ())
            yield from ((stem_of(word, self.language),) for word in outcomes if len(word) > 1)
            bare = self._content([t for t in tokens(without_brackets(cell), self.language) if t.is_word])
            yield from [bare] if bare and bare != stems else []

    def _short_names(self, column: str) -> Iterator[Stems]:
        """The words before a cell of one letter: "label A" and "energielabel A" of the column energielabel."""
        yield from column_names(column, self.language)
        for word in name_words(column, self.language):
            yield from ((stem_of(half, self.language),) for half in halves(word[-1].text, self.language))

    def _is_rare(self, word: str) -> bool:
        """Whether a word alone may stand for a longer name: "ericsson" may, "january" and "home" may not."""
        from wordfreq import zipf_frequency

        return bool(zipf_frequency(word, self.language) < _COMMON)

    def _content(self, words: Iterable[Token]) -> Stems:
        every = tuple(word.stem for word in words)
        return tuple(word.stem for word in words if word.text not in self._harmless) or every

    def stems_of(self, text: str) -> frozenset[str]:
        """The stems of a name or a phrase."""
        return frozenset(word.stem for word in name_tokens(text, self.language))

    def find(self, words: Sequence[Token]) -> list[Mention]:
        """What the words of a text name; may overlap. Typing errors count only where nothing else is named."""
        mentions = [mention for place in range(len(words)) for mention in self._mentions_at(words, place)]
        if not any(name.kind == "series" and name.rank for mention in mentions for name in mention.names):
            mentions += self._near_mentions(words)
        return mentions

    def _mentions_at(self, words: Sequence[Token], place: int) -> Iterator[Mention]:
        by_end: dict[int, list[Name]] = defaultdict(list)
        for stems, name in self._by_first.get(words[place].stem, ()):
            if (end := self._match(stems, words, place)) is not None:
                by_end[end].append(name)
        if place + 1 < len(words) and len(joined := words[place].text + words[place + 1].text) >= _SHORTEST_COMPOUND:
            for stems, name in self._by_first.get(stem_of(joined, self.language), ()):  # "e-mails" of "emails"
                if len(stems) == 1 and name.kind == "series":
                    by_end[place + 1].append(name)
        for end, names in by_end.items():
            best = max(name.rank for name in names)
            left = tuple(name for name in names if name.rank == best)
            yield Mention(words[place].start, words[end].end, left)
        for stems, name in self._by_first.get(words[place].stem, ()):
            if self._match(stems, words, place) == place and len(stems) == 2 and not self._particles[stems[1]]:
                particle = next(word for word in reversed(words) if word.stem == stems[1])
                yield Mention(particle.start, particle.end, (name,))

    def _match(self, stems: Stems, words: Sequence[Token], place: int) -> int | None:
        at = place
        for stem in stems[1:]:
            at += 1
            while at < len(words) and words[at].stem != stem and words[at].text in self._harmless:
                at += 1
            if at >= len(words) or words[at].stem != stem:
                return place if self._comes_apart(stems, words[place + 1 :]) else None
        return at

    def _comes_apart(self, stems: Stems, after: Sequence[Token]) -> bool:
        """Whether a verb's particle comes later: "zegden 12 leden op"."""
        return len(stems) == 2 and stems[1] in self._particles and any(word.stem == stems[1] for word in after)

    def _near_mentions(self, words: Sequence[Token]) -> Iterator[Mention]:
        from rapidfuzz.fuzz import ratio

        single = [
            (s[0], n)
            for named in self._by_first.values()
            for s, n in named
            if len(s) == 1 and n.kind == "series" and n.rank
        ]
        for word in words:
            if len(word.text) < _SHORTEST_TYPO or not word.text.isalpha():
                continue
            near = {
                name.column
                for stem, name in single
                if (len(stem) >= _SHORTEST_COMPOUND and (word.stem.startswith(stem) or word.stem.endswith(stem)))
                or (len(stem) >= _SHORTEST_TYPO - 1 and ratio(word.stem, stem) >= _TYPO_LIKENESS)
                or self._is_short_for(stem, word.text)
            }
            if near:
                yield Mention(word.start, word.end, tuple(Name("series", column, 1) for column in sorted(near)))

    def _is_short_for(self, stem: str, word: str) -> bool:
        """Whether "won" of a column's name stands for "woningen"; not "huur" for "huurachterstand", a compound."""
        rest = word.removeprefix(stem)
        long_enough = len(stem) >= _SHORTEST_ABBREVIATION and _LEFT_OUT <= len(rest) < len(word)
        return long_enough and not is_head(rest, word, self.language)


@cache
def _common_words(language: str) -> frozenset[str]:
    words = lexicon(language)
    marked = " ".join(pattern.pattern for pattern in words.kinds.values())
    return frozenset(
        stem_of(word.text, language)
        for word in [*tokens(marked, language), *tokens(" ".join(words.harmless), language)]
    )


def shared_stems(texts: Iterable[str], language: str) -> frozenset[str]:
    """The stems of texts that set the scene (a table's name, the question): naming them again says nothing new."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(token.stem for token in name_tokens(text, language))
    return frozenset(counted)
