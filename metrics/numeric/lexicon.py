"""The words of numerical claims, from the language packs; how a column may be called, and what a text names."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import combinations, product
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ...languages import FALLBACK, find_language, load_language, packs_with, read_yaml
from ...languages.claim_sections import Links
from ...text.numbers import known_unit
from .table import NumericTable

_SECTIONS = ("claim_marks", "claim_times", "series_names", "plain_words", "notation")
LANGUAGES = tuple(sorted((pack.code for pack in packs_with(*_SECTIONS)), key=lambda code: (code != FALLBACK, code)))
"""The languages that claims are read in, the fallback first."""

_DOUBLED = re.compile(r"([aeou])\1([^aeiou])$")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of a text: `text[start:end]`, in lower case, with its stem."""

    text: str
    start: int
    end: int
    stem: str
    is_word: bool  # letters or digits, not a sign


@dataclass(frozen=True)
class Lexicon:
    """The words of one language: `kinds` matches each kind of mark, `data` is the rest of its pack.

    `plain` words, and those with `plain_stems`, state nothing that can be checked, unless a column has such a name.
    """

    language: str
    kinds: dict[str, re.Pattern[str]]
    harmless: frozenset[str]
    articles: frozenset[str]
    scope_prepositions: frozenset[str]
    restrictive: frozenset[str]
    plain: frozenset[str]
    plain_stems: frozenset[str]
    links: Links
    extremes_of: dict[str, re.Pattern[str]]  # adjectives by the one quantity that they describe
    except_before: re.Pattern[str]  # before what is left out
    data: dict[str, Any]


def why_unread(language: str) -> str | None:
    """Why claims in a language are not read, with the cure; None where they are."""
    pack = find_language(language)
    if pack is not None and pack.code in LANGUAGES:
        return None
    known = ", ".join(f"{load_language(code).name} ({code})" for code in LANGUAGES)
    files = ", ".join(f"{section}.yaml" for section in _SECTIONS)
    return f"numerical claims are read in {known}; a pack for {language} needs {files}"


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language; English where there are none in it."""
    pack = load_language(language if language in LANGUAGES else FALLBACK)
    marks, times, series, plain = pack.claim_marks, pack.claim_times, pack.series_names, pack.plain_words
    by_word: dict[str, Any] = {"weekdays": {weekday.lower(): number for number, weekday in enumerate(pack.weekdays)}}
    for field, named in (("periods", times.periods), ("periodic", times.periodic)):
        by_word[field] = {word: period for period, words in named.items() for word in words}
    kinds: dict[str, list[str]] = {"whole": [*marks.whole]}
    for kind, patterns in [*marks.marks.items(), *times.time_marks]:
        kinds.setdefault(kind, []).extend(patterns)
    inflected = participle_forms(pack.code)
    participles = {
        kind: frozenset(form for form, base in inflected.items() if base in dict(series)[kind])
        for kind in ("was_done", "was_ended", "narrowing")
    }
    for forms in marks.extremes_of.values():
        kinds.setdefault("maximum", []).extend(forms.most)
        kinds.setdefault("minimum", []).extend(forms.least)
    return Lexicon(
        pack.code,
        {kind: whole_words(patterns) for kind, patterns in kinds.items() if patterns},
        harmless=marks.harmless,
        articles=marks.articles,
        scope_prepositions=marks.scope_prepositions,
        restrictive=marks.restrictive | participles["narrowing"] | participles["was_ended"],
        plain=plain.words,
        plain_stems=frozenset(stem_of(word, pack.code) for word in plain.verbs | plain.everyone),
        links=marks.links,
        extremes_of={name: whole_words([*of.most, *of.least, *of.others]) for name, of in marks.extremes_of.items()},
        except_before=whole_words(marks.except_before),
        data={**dict(marks), **dict(times), **dict(series), **participles, **by_word},
    )


@cache
def participle_forms(language: str) -> dict[str, str]:
    """The forms of what columns are called after ("late", "delivered"), each with the one that the pack lists.

    "Gemiste" of "gemist", and "late" of "laat" where a vowel is doubled in a closed syllable.
    """
    pack = load_language(language)
    series = pack.series_names
    forms: dict[str, str] = {}
    for word in sorted(series.was_done | series.was_ended | series.narrowing):
        open_syllable = _DOUBLED.sub(r"\1\2", word) if pack.profile.doubled_vowels else word
        endings = product((word, open_syllable), series.adjective_endings)
        forms |= dict.fromkeys((word, *map("".join, endings)), word)
    return forms


def whole_words(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for any of the patterns as whole words, without case; the longest that fits first."""
    ordered = sorted(patterns, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{pattern})' for pattern in ordered)})(?!\w)", re.IGNORECASE)


def any_of(words: Iterable[str]) -> str:
    """One expression for any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


@lru_cache(maxsize=10_000)
def tokens(text: str, language: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a text, in order."""
    forms = participle_forms(language) if language in LANGUAGES else {}
    words = ((match[0].lower(), match.span()) for match in _TOKEN.finditer(text))
    return tuple(
        Token(word, *span, stem_of(forms.get(word, word), language), word[0].isalnum()) for word, span in words
    )


@lru_cache(maxsize=50_000)
def stem_of(word: str, language: str) -> str:
    """The stem of a word: alike for its inflections (`dropped`, `drops`; `medewerker`, `medewerkers`)."""
    stemmer = _stemmer(language) if word[0].isalpha() else None
    return word if stemmer is None else str(stemmer.stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    """The stemmer of a language; None where there is none, and words are their own stems."""
    import snowballstemmer

    name = load_language(language).name.lower()
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


Stems = tuple[str, ...]
FULL, SYNONYM, PART, NEARLY, HINT = 4, 3, 2, 1, 0
"""The ranks of names. A hint counts only where no other series is named."""

_BRACKETS = re.compile(r"[(\[][^)\]]{0,100}[)\]]")
_WORD = re.compile(r"\w+(?:[-.,]\w+)*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
OF_WORDS = 3.0  # Zipf frequency (log10 of occurrences in 10^9 words) from which a half of a compound is a word
_SHORTEST_HALF = 4
_SHORTEST_HEAD = 5


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a name, in lower case, with its stems: several of what hyphens join ("no-shows")."""

    text: str
    stems: Stems


class Concepts(BaseModel):
    """`concepts.yaml`: what the concepts of series mean, in any language; the file says it of each field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: frozenset[str]
    people: frozenset[str]
    levels: frozenset[str]
    flows: frozenset[str]
    spent: frozenset[str]
    counts: frozenset[str]
    better_up: frozenset[str]
    better_down: frozenset[str]


@cache
def concepts() -> Concepts:
    """What is known of the concepts."""
    return read_yaml(resources.files(__package__).joinpath("concepts.yaml"), Concepts)


def name_tokens(column: str, language: str) -> list[Token]:
    """The words of a column's name."""
    return [token for token in tokens(_CAMEL.sub(" ", column), language) if token.is_word]


def without_brackets(name: str) -> str:
    """A name without what stands in brackets."""
    return _BRACKETS.sub(" ", name)


@cache
def name_words(column: str, language: str) -> tuple[Word, ...]:
    """The words of a column's name without brackets; what hyphens join is one ("no-shows")."""
    texts = _WORD.findall(_CAMEL.sub(" ", without_brackets(column)).lower())
    return tuple(Word(text, tuple(t.stem for t in tokens(text, language) if t.is_word)) for text in texts)


def is_unit(word: str) -> bool:
    """Whether a word of a name is a unit."""
    return known_unit(word) is not None and not word.isdigit()


@cache
def content_words(column: str, language: str) -> tuple[Word, ...]:
    """The words of a name that say what the column is: those before "per", without units and articles."""
    words = lexicon(language)
    drop = words.harmless | words.data["name_fillers"]
    name = name_words(column, language)
    cut = next((place for place, word in enumerate(name) if place and word.text in words.data["rate_words"]), None)
    return tuple(w for w in name[:cut] if w.text not in drop and len(w.text) > 2 and not is_unit(w.text))


@cache
def column_names(column: str, language: str) -> tuple[tuple[Stems, int], ...]:
    """What a column may be called, with the rank of each name (as of `Name`); may repeat."""
    data = lexicon(language).data
    fillers = data["harmless_cell"]
    unitless = _without_units(column, language)
    undone = [w for w in unitless if w.text not in data["was_done"] | data["was_ended"]]  # of "parcels delivered"
    full = [tuple(word.stem for word in name_tokens(column, language) if word.text not in fillers)]
    full += [_stems(word for word in name_words(column, language) if word.text not in fillers)]
    alike = [_stems(word for word in words if word.text not in fillers) for words in (unitless, undone)]
    alike += [*_synonymous(unitless, language), *_synonymous(undone, language)]
    ranked: dict[int, Iterable[Stems]] = {
        FULL: full,
        SYNONYM: alike,
        PART: _part_names(column, language),
        HINT: _hints_of(column, language),
    }
    return tuple((name, rank) for rank, names in ranked.items() for name in names)


def _part_names(column: str, language: str) -> Iterator[Stems]:
    """The words and runs of words of a longer name, and their synonyms; the head of a compound."""
    words = content_words(column, language)
    for begin, end in combinations(range(len(words) + 1), 2):
        yield from (_stems(words[begin:end]), *_synonymous(words[begin:end], language))
    yield from (head_stems(word, language) for word in words)


def _without_units(column: str, language: str) -> list[Word]:
    return [word for word in name_words(column, language) if not is_unit(word.text)]


def _stems(words: Iterable[Word]) -> Stems:
    return tuple(stem for word in words for stem in word.stems)


@cache
def is_predicate(column: str, language: str) -> bool:
    """Whether a name only says what happened to the things that another column counts: "te laat bezorgd", "closed"."""
    words, data = lexicon(language), lexicon(language).data
    participles = data["was_done"] | data["was_ended"] | data["narrowing"]
    name = [word.text for word in name_words(column, language) if word.text not in words.articles]
    predicates = [word for word in name if word in participles or re.fullmatch(data["predicate"], word)]
    return bool(predicates) and all(word in predicates or word in words.harmless for word in name)


def _hints_of(column: str, language: str) -> list[Stems]:
    """Words that refer to a column where no other is named: verbs ("joined" for new members) and plain nouns."""
    data = lexicon(language).data
    words, every = content_words(column, language), _without_units(column, language)
    concepts = [_concept_of(run) for run in (every, words, [w for w in words if w.text not in data["was_done"]])]
    if words and not any(word.text in data["narrowing"] for word in every):
        concepts += [_concept_of(words[-1:]), _concepts().get(head_stems(words[-1], language))]
    phrases = {phrase for concept in concepts if concept for phrase in data["hints"].get(concept, ())}
    return sorted(_stems(name_words(phrase, language)) for phrase in phrases)


@cache
def head_stems(compound: Word, language: str) -> Stems:
    """The head of a compound: "meldingen" of "storingsmeldingen". Empty where a word is no compound."""
    words, word = lexicon(language), compound.text.rpartition("-")[2]
    prefixes, links = words.data["compound_prefixes"], words.data["compound_links"]
    heads: list[tuple[float, str]] = []
    for end in range(len(word) - _SHORTEST_HEAD + 1 if links else 0):
        start, head = word[:end], word[end:]
        if end < _SHORTEST_HALF and start not in words.data["periods"]:  # the "dag" of "dagprijs"
            continue
        first = max(frequency(start.removesuffix(link), language) for link in ("", *links))
        common = head in words.harmless or head in words.data["periods"] or is_unit(head)
        if start not in prefixes and not common:
            heads.append((min(first, frequency(head, language)), head))
    frequent, head = max(heads, default=(0.0, ""))
    return (stem_of(head, language),) if frequent >= OF_WORDS else ()


def frequency(word: str, language: str) -> float:
    """How frequent a word is (Zipf: log10 of its occurrences in 10^9 words); 0 in a language without frequencies."""
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, language)) if language in _counted_languages() else 0.0


@cache
def _counted_languages() -> frozenset[str]:
    """The languages with word frequencies; wordfreq would take a relative's for another one, and print so."""
    from wordfreq import available_languages

    return frozenset(available_languages())


@cache
def _concepts() -> dict[Stems, str]:
    """What a phrase of any language means, by its stems in each language.

    A language's own stems go first: a stemmer of another one makes "work" of "workers".
    """
    own: dict[Stems, str] = {}
    crossed: dict[Stems, str] = {}
    for language in LANGUAGES:
        for concept, phrases in lexicon(language).data["synonyms"].items():
            for phrase in [concept.replace("_", " "), *phrases]:
                for stemmed in LANGUAGES:
                    known = own if stemmed == language else crossed
                    known.setdefault(tuple(token.stem for token in tokens(phrase, stemmed) if token.is_word), concept)
    return crossed | own


def _concept_of(words: Sequence[Word]) -> str | None:
    """What words mean; not "rate", whose stem is that of "rating"."""
    if len(words) == 1 and any(words[0].text in lexicon(code).data["false_friends"] for code in LANGUAGES):
        return None
    return _concepts().get(_stems(words))


@cache
def polarity(column: str) -> str | None:
    """The direction, "up" or "down", in which a series gets better, by the meaning of its name; None if unknown."""
    ways = [way for way in ("up", "down") if means(column, f"better_{way}")]
    return ways[0] if len(ways) == 1 else None


@cache
def means(column: str, *kinds: str) -> bool:
    """Whether a series' name means something of these kinds of `Concepts`: "levels", "flows"."""
    return any(meanings(column) & getattr(concepts(), kind) for kind in kinds)


@cache
def is_of_things(column: str) -> bool:
    """Whether the whole of a column's name means things that are counted: "orders", not "order_value"."""
    names = ((_without_units(column, code), lexicon(code).data["name_fillers"]) for code in LANGUAGES)
    return any(_concept_of([w for w in name if w.text not in fillers]) in concepts().counts for name, fillers in names)


@cache
def says_mean(column: str) -> bool:
    """Whether a column's name says that its values are means: "avg_wait", "gem_kale_huur"."""
    words = " ".join(token.text for token in name_tokens(column, FALLBACK))
    return any(lexicon(language).kinds["mean"].search(words) is not None for language in LANGUAGES)


def period_of_amounts(table: NumericTable, series: str) -> str | None:
    """The period that the amounts of a series are of, by its name and unit: month of "price per month (EUR)"."""
    return _period_in_name(f"{series} {table.units.get(series, '')}")


@cache
def _period_in_name(name: str) -> str | None:
    """Month of "price per month", "monthly fee" and "maandprijs", once of "one-time fee"; else None."""
    text = _CAMEL.sub(" ", name).replace("_", " ").lower()
    for language in LANGUAGES:
        words = lexicon(language).data
        periods = words["periods"]
        if rate := re.search(rf"(?:\b(?:{words['rate']})\s|/)\s?({any_of(periods)})\b", text):
            return str(periods[rate[1]])
        compounds = [token.text for token in tokens(text, language) if token.text not in periods]
        for word, period in (words["periodic"] | periods).items():
            if not word.isalpha() and re.search(rf"\b{word}\b", text):  # "one-time", which is several tokens
                return str(period)
            for rest in (compound.removeprefix(word) for compound in compounds if compound.startswith(word)):
                if len(word) >= _SHORTEST_HALF or (rest and _concept_of(name_words(rest, language))):
                    return str(period)
    return None


@cache
def meanings(column: str) -> frozenset[str]:
    """The concepts that a column's name names."""
    names = [_without_units(column.replace("-", " "), language) for language in LANGUAGES]
    runs = (name[begin:end] for name in names for begin, end in combinations(range(len(name) + 1), 2))
    return frozenset(concept for run in runs if (concept := _concept_of(run)))


def _synonymous(words: Sequence[Word], language: str) -> Iterator[Stems]:
    """Names with a run of words that has synonyms replaced by each of them, in the language."""
    for begin, end in combinations(range(len(words) + 1), 2):
        if concept := _concept_of(words[begin:end]):
            for phrase in lexicon(language).data["synonyms"].get(concept, ()):
                synonym = _stems(name_words(phrase, language))
                yield (*_stems(words[:begin]), *synonym, *_stems(words[end:]))


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
    """What `text[start:end]` names: the candidates of the best rank. `rest` is the "upload" of "uploaddoorvoer"."""

    start: int
    end: int
    names: tuple[Name, ...]
    rest: str = ""


class Names:
    """The names of a table's series, columns and cells, found by their first stem."""

    def __init__(self, table: NumericTable, language: str) -> None:
        self.language = language
        self._unit_of = table.unit_of
        self._verbs = frozenset(phrase for hints in lexicon(language).data["hints"].values() for phrase in hints)
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
            named = tuple(name for name in names if name.rank == best)
            # a price's verb "kost" beside "aansluitkosten" of one unit: a hint is as good as a name, not as all of it
            units = {self._unit_of(name.column) for name in named if name.kind == "series"}
            if best <= PART or words[place].text in self._verbs:
                named += tuple(n for n in names if n.rank == HINT < best and self._unit_of(n.column) in units)
            yield Mention(words[place].start, words[end].end, named)

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
                stems = (s for s, column in single if column in near and len(s) >= _SHORTEST_WORD and s in word.stem)
                starts = {s: word.stem.startswith(s) for s in stems}
                rests = (word.text.removeprefix(s) if led else word.stem.removesuffix(s) for s, led in starts.items())
                rest = min(rests, key=len, default="")
                yield Mention(word.start, word.end, tuple(Name("series", column, NEARLY) for column in near), rest)

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
