"""What is known in a text: which series, columns and cells it names, and which of the marks that overlap counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ...text.numbers import Number
from .lexicon import (
    HINT,
    NEARLY,
    OF_WORDS,
    PART,
    SYNONYM,
    Stems,
    Token,
    column_names,
    frequency,
    head_stems,
    lexicon,
    name_tokens,
    name_words,
    stem_of,
    tokens,
    without_brackets,
)
from .specification import ALL_ROWS, HEDGES, Hedge, Window
from .table import NamedTime, NumericTable

Kind = Literal["series", "column", "cell"]
_MOST_CELLS = 5000  # distinct texts of a column; a column with more is no list of names
_COMMON = 4.5  # Zipf frequency (log10 of occurrences in 10^9 words) from which a word is no name by itself
_SHORTEST_WORD = 6  # that is compared with names for short, or with a typing error
_MOST_SHARING = {"series": 2, "column": 2, "cell": 1}  # that a part of a name may be of
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

    def __init__(self, table: NumericTable, language: str) -> None:
        self.language = language
        self._harmless = lexicon(language).data["harmless_cell"]
        self._particles = frozenset(stem_of(word, language) for word in lexicon(language).data["verb_particles"])
        labels = list(map(str, table.labels.columns))
        self.column_stems = shared_stems([*table.columns, *labels], language)
        names = dict.fromkeys([*self._columns(table, labels), *self._cells(table)])
        sharing = Counter((stems, name.kind, name.rank) for stems, name in names)
        self._by_first: dict[str, list[tuple[Stems, Name]]] = defaultdict(list)
        for stems, name in names:
            if stems and (name.rank > PART or sharing[stems, name.kind, name.rank] <= _MOST_SHARING[name.kind]):
                self._by_first[stems[0]].append((stems, name))

    def _columns(self, table: NumericTable, labels: Sequence[str]) -> Iterator[tuple[Stems, Name]]:
        for column in dict.fromkeys([*table.columns, *labels, *filter(None, [table.time_column])]):
            kind: Kind = "series" if column in table.columns else "column"
            for stems, rank in column_names(column, self.language):
                if rank != HINT or kind == "series":
                    yield stems, Name(kind, column, rank)

    def _cells(self, table: NumericTable) -> Iterator[tuple[Stems, Name]]:
        for column in map(str, table.labels.columns):
            cells = list(map(str, table.labels[column].dropna().unique()))
            if column == table.time_column or len(cells) > _MOST_CELLS:
                continue
            for cell in cells:
                words = [token for token in tokens(cell, self.language) if token.is_word]
                yield from (
                    (stems, Name("cell", column, SYNONYM, cell)) for stems in self._cell_names(cell, column, words)
                )
                rare = (word for word in words if len(word.text) >= 4 and word.text.isalpha())
                for word in rare if len(words) > 1 else ():
                    if frequency(word.text, self.language) < _COMMON:
                        yield (word.stem,), Name("cell", column, PART, cell)

    def _cell_names(self, cell: str, column: str, words: Sequence[Token]) -> Iterator[Stems]:
        """What a cell may be called: as it is written, without brackets."""
        stems = self._content(words)
        if len(stems) == 1 and len(stems[0]) == 1 and stems[0].isalpha():
            for word in name_words(column, self.language):  # only after its column: "label A", "energielabel A"
                yield from (name + stems for name in (word.stems, head_stems(word, self.language)) if name)
        elif stems:
            yield stems
            yield self._content([t for t in tokens(without_brackets(cell), self.language) if t.is_word])

    def _content(self, words: Iterable[Token]) -> Stems:
        every = tuple(word.stem for word in words)
        return tuple(word.stem for word in words if word.text not in self._harmless) or every

    def find(self, words: Sequence[Token]) -> list[Mention]:
        """What the words of a text name; may overlap. Typing errors count only where nothing else is named."""
        mentions = [mention for place in range(len(words)) for mention in self._mentions_at(words, place)]
        if not any(name.kind == "series" and name.rank for mention in mentions for name in mention.names):
            mentions += self._near_mentions(words)
        return mentions

    def _mentions_at(self, words: Sequence[Token], place: int) -> Iterator[Mention]:
        by_end: dict[int, list[Name]] = defaultdict(list)
        for stems, name in self._by_first.get(words[place].stem, ()):
            end = self._last_word(stems, words, place)
            if end is not None:
                by_end[end].append(name)
            elif particle := self._particle_of(stems, words[place + 1 :]):  # "zegden 12 leden op"
                by_end[place].append(name)
                if particle.text not in lexicon(self.language).harmless:
                    yield Mention(particle.start, particle.end, (name,))
        for end, names in by_end.items():
            best = max(name.rank for name in names)
            yield Mention(words[place].start, words[end].end, tuple(name for name in names if name.rank == best))

    def _last_word(self, stems: Stems, words: Sequence[Token], place: int) -> int | None:
        """The place of the last word of a name that begins at a place; words between that say nothing are left out."""
        for stem in stems[1:]:
            place += 1
            while place < len(words) and words[place].stem != stem and words[place].text in self._harmless:
                place += 1
            if place >= len(words) or words[place].stem != stem:
                return None
        return place

    def _particle_of(self, stems: Stems, after: Sequence[Token]) -> Token | None:
        """The particle of a verb that comes apart, later in the clause."""
        if len(stems) != 2 or stems[1] not in self._particles:
            return None
        return next((word for word in reversed(after) if word.stem == stems[1]), None)

    def _near_mentions(self, words: Sequence[Token]) -> Iterator[Mention]:
        names = [pair for named in self._by_first.values() for pair in named]
        single = [(stems[0], n.column) for stems, n in names if len(stems) == 1 and n.kind == "series" and n.rank]
        for word in words:
            if len(word.text) < _SHORTEST_WORD or not word.text.isalpha():
                continue
            near = sorted({column for stem, column in single if self._is_near(stem, word)})
            if near:
                yield Mention(word.start, word.end, tuple(Name("series", column, NEARLY) for column in near))

    def _is_near(self, stem: str, word: Token) -> bool:
        """Whether a word may mean a name: in a compound, with a typing error, or the name is short for it.

        "Won" of a column's name stands for "woningen"; not "huur" for "huurachterstand", whose end is a known word.
        """
        from rapidfuzz.fuzz import ratio

        in_compound = len(stem) >= _SHORTEST_WORD and (word.stem.startswith(stem) or word.stem.endswith(stem))
        mistyped = len(stem) >= _SHORTEST_WORD - 1 and ratio(word.stem, stem) >= _TYPO_LIKENESS
        rest = word.text.removeprefix(stem)
        is_short = len(stem) >= _SHORTEST_ABBREVIATION and _LEFT_OUT <= len(rest) < len(word.text)
        of_end, of_word = (frequency(text, self.language) if is_short else 0.0 for text in (rest, word.text))
        return in_compound or mistyped or (is_short and of_end < max(OF_WORDS, of_word))


def shared_stems(texts: Iterable[str], language: str) -> frozenset[str]:
    """The stems of texts that set the scene (a table's name, the question): naming them again says nothing new."""
    return frozenset(token.stem for text in texts for token in name_tokens(text, language))


HEDGES_BY_WORD = {entry.word: entry.hedge for entry in HEDGES.values() if entry.word}
"""The hedges by the kind of words that say them."""

BOUNDS = {entry.hedge: entry.bound for entry in HEDGES.values() if entry.bound}
"""The tests that hedges make of a value."""

_TIME_UNITS = frozenset({"day", "week", "month", "year", "h", "hour", "min", "s"})


@dataclass(frozen=True, eq=False)
class Mark:
    """Something known in a clause, `text[start:end]`; `kinds` are those of a word."""

    start: int
    end: int
    text: str
    kinds: frozenset[str] = frozenset()
    number: Number | None = None
    time: NamedTime | None = None
    mention: Mention | None = None
    hedge: Hedge = Hedge.EXACT
    hedge_mark: "Mark | None" = None
    excluded: bool = False  # a time or rows that the claim leaves out

    @cached_property
    def series(self) -> tuple[str, ...]:
        """The columns of numbers that it may name."""
        return self._columns_of_kind("series")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts or times that it may name."""
        return self._columns_of_kind("column")

    @cached_property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """The cells (column, text) that it may name; none where it names a series as well."""
        if self.mention is None or self.series:
            return ()
        return tuple((name.column, name.cell) for name in self.mention.names if name.kind == "cell")

    @property
    def stated(self) -> Number:
        """The number of a mark that is one."""
        assert self.number is not None
        return self.number

    @property
    def unit(self) -> str | None:
        """The unit of its number; None without one."""
        return self.number.unit if self.number else None

    @property
    def window(self) -> Window:
        """The time that it most likely means; all rows where it names none."""
        return self.time.windows[0] if self.time else ALL_ROWS

    @property
    def start_with_hedge(self) -> int:
        """Where a number begins, the hedge before it included."""
        return self.hedge_mark.start if self.hedge_mark and self.hedge_mark.end <= self.start else self.start

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it has a character of `text[start:end]`."""
        return self.start < end and start < self.end

    def _columns_of_kind(self, kind: str) -> tuple[str, ...]:
        names = self.mention.names if self.mention else ()
        return tuple(dict.fromkeys(name.column for name in names if name.kind == kind))


def choose(candidates: Iterable[Mark], marks: Sequence[Mark] = ()) -> list[Mark]:
    """The marks in order, with candidates in place of those that they overlap.

    Of candidates that overlap the longest counts; of equally long ones a name of the table, a time, a number, a word,
    and last a name that only its unit suggests.
    """

    def preference(mark: Mark) -> tuple[int, int, int]:
        is_weak = mark.mention is not None and max(name.rank for name in mark.mention.names) == 1
        kinds = (mark.mention and not is_weak, mark.time, mark.number, not is_weak)
        return (mark.start - mark.end, next((place for place, kind in enumerate(kinds) if kind), 4), mark.start)

    chosen: list[Mark] = []
    for mark in sorted(candidates, key=preference):
        if not any(other.overlaps(mark.start, mark.end) for other in chosen):
            chosen.append(mark)
    if chosen:
        marks = [mark for mark in marks if not any(other.overlaps(mark.start, mark.end) for other in chosen)]
    return sorted([*chosen, *marks], key=lambda mark: mark.start)


def is_count(number: Number) -> bool:
    """Whether a number may count things: whole, not below 0, without a unit or with one of time ("5 days")."""
    whole = number.value == int(number.value) and number.value >= 0 and number.decimals <= 0
    return whole and (number.unit is None or number.unit in _TIME_UNITS)
