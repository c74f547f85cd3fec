"""What is known in a clause: what a text names, what depends on other marks, and which series it is about."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from ...languages import load_language
from ...languages.claim_sections import Links
from ...text.numbers import Number, find_numbers, known_unit
from .lexicon import (
    PART,
    SYNONYM,
    Lexicon,
    Mention,
    Name,
    Names,
    any_of,
    is_predicate,
    lexicon,
    meanings,
    means,
    name_words,
    period_of_amounts,
    tokens,
    whole_words,
)
from .sample_tables import View
from .table import ALL_ROWS, DAY, LENGTHS, STEPS, Hedge, NamedTime, Period, Times, Window, is_currency
from .times import (
    WORD,
    count_of,
    find_times,
    is_vague,
    joined_spans,
    list_joint,
    listed_dates,
    listed_days,
    ordinal_of,
    place_in_cycle,
    span,
    times_by_name,
    with_units,
)

HEDGES_BY_WORD = {
    "about": Hedge.ABOUT,
    "nearly": Hedge.NEARLY,
    "just_over": Hedge.JUST_OVER,
    "at_least": Hedge.AT_LEAST,
    "at_most": Hedge.AT_MOST,
    "above": Hedge.MORE_THAN,
    "below": Hedge.LESS_THAN,
}
"""The hedges by the kind of words that say them; of a number with two the first here counts."""

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
    ends: "tuple[Mark, Mark] | None" = None  # of rows from one to another: its cells are meant together

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

    @cached_property
    def stated(self) -> Number:
        """The number of a mark that is one."""
        assert self.number is not None
        return self.number

    @cached_property
    def unit(self) -> str | None:
        """The unit of its number; None without one."""
        return self.number.unit if self.number else None

    @cached_property
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


@lru_cache(maxsize=256)  # of a clause that is read alone, in its sentence, and as a possible comment
def numbers_of(text: str, language: str) -> tuple[Number, ...]:
    """The numbers of a text."""
    return tuple(find_numbers(text, load_language(language)))


def is_count(number: Number) -> bool:
    """Whether a number may count things: whole, not below 0, without a unit or with one of time ("5 days")."""
    whole = number.value == int(number.value) and number.value >= 0 and number.decimals <= 0
    return whole and (number.unit is None or number.unit in _TIME_UNITS)


_DATA_RATES = ("kbps", "Mbps", "Gbps")
_RELATED = frozenset({"than", "correlation", "ratio", "difference", "outnumbers"})


@dataclass(frozen=True)
class _Draft:
    """A clause with the marks that it has by itself, and the times of the text before: others depend on both."""

    text: str
    words: Lexicon
    view: View
    marks: Sequence[Mark]
    context_windows: Sequence[Window]

    @property
    def times(self) -> Times:
        """The times of the table; what depends on other times is found where it has some."""
        assert self.view.times is not None
        return self.view.times

    def is_led(self, mark: Mark, pattern: str) -> bool:
        """Whether the words before a mark match a pattern of the language."""
        before = self.text[: mark.start]
        return re.search(rf"(?<!\w)(?:{self.words.data[pattern]})\s*$", before, re.IGNORECASE) is not None

    def matches(self, kind: str) -> Iterator[re.Match[str]]:
        """Where the forms of a kind of times stand."""
        for pattern in _patterns(self.words.language, kind):
            yield from pattern.finditer(self.text)

    def unit(self, match: re.Match[str]) -> str:
        """The unit of time that a form names; empty where it names none."""
        return str(self.words.data["periods"].get(match["unit"].lower(), ""))

    def other_times(self, start: int, end: int) -> list[Mark]:
        """The times that stand outside of a part of the clause, the nearest first and those before it first."""
        times = [m for m in self.marks if m.time and (m.end <= start or end <= m.start)]
        return sorted(times, key=lambda m: (m.end > start, abs(m.start - start)))

    def bases(self, start: int, end: int) -> list[Window]:
        """What the nearest time outside of a part means; without one, the windows of the text before."""
        nearest = next((m.time for m in self.other_times(start, end) if m.time), None)
        return list(nearest.windows) if nearest else [w for w in self.context_windows if w != ALL_ROWS]


def _roles(clause: _Draft) -> Iterator[Mark]:
    """Mentions of what the clause counts, and asides for series that the clause is not about."""
    settled = choose(_directions(clause), choose(_misfits(clause), choose(_rates(clause), clause.marks)))
    for has_role in _ROLES:
        beside = [mark for mark in settled if mark.series and has_role(mark, settled, clause)]
        aside = (replace(mark, mention=None, kinds=frozenset({"aside"})) for mark in beside)
        settled = choose(aside, settled)
    yield from (mark for mark in settled if mark not in clause.marks)


def _is_hint(mark: Mark) -> bool:
    """Whether a mark only hints at series, with a verb ("joined") or a plain noun."""
    return bool(mark.series) and _rank(mark) == 0


def _rank(mark: Mark) -> int:
    return max(name.rank for name in mark.mention.names) if mark.mention else 0


# --- what a mention cannot name ---


def _misfits(clause: _Draft) -> Iterator[Mark]:
    """Names right after a number that are only of series that are measured: "10,510 repairs", "repair time (days)"."""
    for number, mark in pairwise(clause.marks):
        counts = number.number and number.number.unit is None and not clause.text[number.end : mark.start].strip()
        units = [known_unit(clause.view.table.unit_of(name) or "") for name in mark.series]
        if counts and units and all(unit not in (None, "h") for unit in units):
            yield replace(mark, mention=None, kinds=frozenset({"unfit"}))


def without_unnamed_series(mark: Mark, stems: frozenset[str], language: str) -> Mark | None:
    """A mark without series whose names have a required word that the clause lacks: "parcels" is not "late parcels"."""
    if mark.mention is None or not mark.series or _rank(mark) > PART:
        return mark
    named = [
        n
        for n in mark.mention.names
        if n.kind != "series" or not n.rank or _required_stems(n.column, language) <= stems
    ]
    return replace(mark, mention=replace(mark.mention, names=tuple(named))) if named else None


@cache
def _required_stems(column: str, language: str) -> frozenset[str]:
    """The words that a clause needs to name a column: "late", and participles before a noun ("uitgevallen ritten")."""
    data = lexicon(language).data
    never_narrowing = data["was_done"] | data["not_narrowing"]
    name = name_words(column, language)
    narrowing = [word for word in name if word.text in data["narrowing"]]
    narrowing += [w for w in name[:-1] if re.fullmatch(data["participle"], w.text) and w.text not in never_narrowing]
    return frozenset(stem for word in narrowing for stem in word.stems)


# --- what a mention is besides the series that the clause is about ---


def _is_spare_hint(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether a hint stands beside a noun that names a series, not of people, who do what it says ("60 joined")."""
    nouns = [m for m in marks if m.series and not _is_hint(m)]
    return _is_hint(mark) and any(not all(means(name, "people", "agents") for name in m.series) for m in nouns)


def _has_predicate(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether a mention is only the subject of another series' name: "120 pakketten (zijn) te laat bezorgd"."""
    after = next((m for m in marks if m.start >= mark.end), None)
    before = next((m for m in marks if m.end == mark.start - 1), None)
    if before is not None and len(before.series) == 1 and before.series != mark.series:
        return is_predicate(before.series[0], clause.words.language)  # "te late pakketten"
    if after is None or after.series == mark.series or _is_predicate(mark, clause) or not _is_predicate(after, clause):
        return False
    between = tokens(clause.text[mark.end : after.start], clause.words.language)
    links = all(token.text in clause.words.harmless or token.stem in clause.words.plain_stems for token in between)
    return links and not any(m.kinds & {"share", "correlation"} or m.unit == "%" for m in marks)


def _is_predicate(mark: Mark, clause: _Draft) -> bool:
    """Whether a mention says what happened: by the name "te laat bezorgd", or as the "late" of late parcels."""
    words = [token.text for token in tokens(mark.text, clause.words.language)]
    narrows = all(word in clause.words.data["narrowing"] for word in words)
    return len(mark.series) == 1 and (narrows or is_predicate(mark.series[0], clause.words.language))


def _is_clarified(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether another mention decides between the series of an ambiguous one: "tickets" beside "closed"."""
    return len(mark.series) > 1 and any(len(m.series) == 1 and m.series[0] in mark.series for m in marks)


def _is_place(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether a part of a name only says where: "528 cars in the garage", beside a column "garage full (min)"."""
    named = any(m.series and _rank(m) > PART for m in marks)
    return named and _rank(mark) <= PART and clause.is_led(mark, "placed_in")


def _is_agent(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether people only do what another series counts: "employees worked 240 hours of overtime"."""
    if len(mark.series) != 1 or not means(mark.series[0], "people", "agents"):
        return False
    text, data = clause.text, clause.words.data
    others = [m for m in marks if m.series != mark.series and not all(means(name, "people") for name in m.series)]
    part_of = re.compile(rf"\s*|{data['part_of']}", re.IGNORECASE)  # "40 employees", "40% of the employees"
    number = any(m.number and part_of.fullmatch(text[m.end : mark.start]) for m in marks if m.end <= mark.start)
    number |= any(m.number and text[mark.end : m.start].strip() in ("", ":") for m in marks if m.start >= mark.end)
    related = any(m.kinds & _RELATED for m in marks)
    return bool(others) and not (number or related or clause.is_led(mark, "per"))


def _is_whole_of(mark: Mark, marks: Sequence[Mark], clause: _Draft) -> bool:
    """Whether a mention is the whole of a percentage of another series: "86.9% of its calls were resolved"."""
    unit_of = clause.view.table.unit_of
    shares = [m for m in marks if m.series and m is not mark and all(unit_of(s) == "%" for s in m.series)]
    percent = next((m for m in reversed(marks) if m.unit == "%" and m.end <= mark.start), None)
    if not shares or percent is None or len(mark.series) != 1 or unit_of(mark.series[0]) == "%":
        return False
    between = clause.text[percent.end : mark.start]
    return re.fullmatch(clause.words.data["part_of"], between, re.IGNORECASE) is not None


_Role = Callable[[Mark, Sequence[Mark], _Draft], bool]
_ROLES: tuple[_Role, ...] = (_is_spare_hint, _has_predicate, _is_clarified, _is_place, _is_agent, _is_whole_of)


def _directions(clause: _Draft) -> Iterator[Mark]:
    """The words "down" and "up" after data rates as the series that they are short for."""
    short, joins = clause.words.data["after_rates"], "|".join(clause.words.data["joins"])
    direction = re.compile(rf" ({'|'.join(short)})(?=\W*$|[^\w\s]| (?:{joins})\b)", re.IGNORECASE)
    for mark in clause.marks:
        if mark.unit in _DATA_RATES and (word := direction.match(clause.text, mark.end)):
            columns = [c for c in clause.view.table.columns if short[word[1].lower()] in meanings(c)]
            if len(columns) == 1:
                mention = Mention(*word.span(1), (Name("series", columns[0], SYNONYM),))
                yield Mark(*word.span(1), word[1], mention=mention)


_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_MOST_COUNTED = 10  # of the largest
_EXTREMES = frozenset({"maximum", "minimum", "best", "worst"})
_ANY_TIMES = Times(date(2000, 1, 1), date(2000, 12, 31), Period.DAY)  # for what reads times where none are known
_MOST_BETWEEN = 2  # words between "except" and what is left out


def find_marks(text: str, view: View, language: str, windows: Sequence[Window]) -> list[Mark]:
    """The marks of a clause, in order; none overlap, and a mark that depends on others goes before them."""
    marks = _independent_marks(text, view, language)
    draft = _Draft(text, lexicon(language), view, marks, windows)
    finders = (*(_OF_TIMES if view.times else ()), *_OF_MARKS)
    return choose([mark for find in finders for mark in find(draft)], marks)


@lru_cache(maxsize=64)
def names_of(view: View, language: str) -> Names:
    """The names of a view's table; of groups of rows, those of the rows."""
    return Names(view.whole or view.table, language)


@lru_cache(maxsize=256)  # a clause is read alone, after the text before it, and as a possible comment
def _independent_marks(text: str, view: View, language: str) -> tuple[Mark, ...]:
    """What a text names by itself: series, cells, numbers, times, and words of all kinds."""
    words = lexicon(language)
    mentions = list(_mentions(text, names_of(view, language)))
    numbers = list(_numbers(text, words, view, mentions))
    others = [*_words(text, words, mentions, numbers), *_clock_times(text, words, mentions)]
    return tuple(choose([*mentions, *numbers, *_times(text, words, view), *others]))


def _mentions(text: str, names: Names) -> Iterator[Mark]:
    """The names of the table; a number is a cell only where its column is named too."""
    every = [token for token in tokens(text, names.language) if token.is_word]
    stems = frozenset(token.stem for token in every)
    mentions = [Mark(m.start, m.end, text[m.start : m.end], mention=m) for m in names.find(every)]
    marks = [mark for m in mentions if (mark := without_unnamed_series(m, stems, names.language)) is not None]
    named = {column for mark in marks for column in (*mark.columns, *mark.series)}
    for mark in marks:
        if not (mark.text.isdigit() and mark.cells) or named & {column for column, _ in mark.cells}:
            yield mark


def _numbers(text: str, words: Lexicon, view: View, mentions: Sequence[Mark]) -> Iterator[Mark]:
    """The numbers; not an article ("een"), nor one of the table's title ("in the 2003 Lexmark Indy 300").

    "98 days" is 98 of the series "days", where the table has one.
    """
    title = f" {' '.join(re.findall(_WORD, view.table.name.lower()))} "
    every = [token for token in tokens(text, words.language) if token.is_word]
    titled = [(a.start, b.end) for a, b in pairwise(every) if f" {a.text} {b.text} " in title]
    for number in numbers_of(text, words.language):
        if number.spelled and number.value == 1 and number.text.lower().split()[0] in words.articles:
            continue
        if any(start <= number.start and number.end <= end for start, end in titled):
            continue
        series = [m for m in mentions if m.series and m.end == number.end and m.start > number.start]
        if number.unit is not None and series:
            end = number.start + len(text[number.start : series[0].start].rstrip())
            yield Mark(number.start, end, text[number.start : end], number=replace(number, unit=None, end=end))
        else:
            yield Mark(number.start, number.end, text[number.start : number.end], number=number)


def _times(text: str, words: Lexicon, view: View) -> Iterator[Mark]:
    """The times; no reading uses a vague part of a month ("the beginning of March")."""
    for time in find_times(text, words.language, view.times) if view.times else ():
        named = text[time.start : time.end]
        if view.times and is_vague(time.windows[0], view.times):
            yield Mark(time.start, time.end, named, frozenset({"undatable_time"}))
        else:
            yield Mark(time.start, time.end, named, time=time)


def _clock_times(text: str, words: Lexicon, mentions: Sequence[Mark]) -> Iterator[Mark]:
    """ "At 9, 10 and 11 am": hours of the day are no values, and no reading uses them; not where they name rows.

    Nor does one use days between their month and their year ("on March 2, 6 and 8, 2026").
    """
    for match in listed_days(words.language).finditer(text):
        if match["year"]:
            yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))
    for match in _clock_pattern(words.language).finditer(text):
        if not any(m.cells and m.overlaps(*match.span()) for m in mentions):
            yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))


@lru_cache
def _clock_pattern(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    led, unit = words["clock_led"], rf" ?(?:{words['clock_unit']})"
    time, joint = r"\d{1,2}(?:[.:]\d\d)?", list_joint(language)
    return re.compile(rf"(?<!\w)(?:{led}) (?:{time}(?:{unit})?{joint})*{time}{unit}(?!\w)", re.IGNORECASE)


def listed_times(text: str, language: str) -> list[tuple[int, int]]:
    """Where a text lists days or hours, and numbers beside them: it is not cut at their commas.

    The noun of the numbers may be repeated: "24 orders, 20 orders and 21 orders on 1, 2 and 3 March".
    """
    lists = (_clock_pattern, listed_days, listed_dates)
    found = [match.span() for find in lists for match in find(language).finditer(text)]
    numbers = numbers_of(text, language)
    found += _listed_values(text, language, numbers)
    if any(find(language).search(text) for find in (listed_days, listed_dates)):
        joint = re.compile(rf"(?P<noun>(?: \w+){{0,3}}?){list_joint(language)}", re.IGNORECASE)
        for a, b in pairwise(numbers):
            joined = joint.fullmatch(text, a.end, b.start)
            nouns = (tokens(part, language) for part in (joined["noun"], text[b.end :])) if joined else ()
            if joined and all(one.stem == other.stem for one, other in zip(*nouns, strict=False)):
                found.append((a.start, b.end))
    return found


def _listed_values(text: str, language: str, numbers: Sequence[Number]) -> Iterator[tuple[int, int]]:
    """Where numbers alone are listed: "410, 385 and 402", and "410 and 385" before what says of what, or when."""
    words = lexicon(language)
    last = re.compile(rf",? (?:{words.data['days_listed_by']}) ", re.IGNORECASE)
    dates = times_by_name(text, language, _ANY_TIMES)
    numbers = [n for n in numbers if not any(time.start < n.end and n.start < time.end for time in dates)]
    for place, (a, b) in enumerate(pairwise(numbers)):
        if last.fullmatch(text, a.end, b.start):
            first = place
            while first and text[numbers[first - 1].end : numbers[first].start] == ", ":
                first -= 1
            after = next(iter(tokens(text[b.end :], language)), None)
            ends = after is None or not after.is_word or after.text in words.scope_prepositions
            if first < place or (ends and text[a.end] != ","):
                yield numbers[first].start, b.end


def _words(text: str, words: Lexicon, mentions: Sequence[Mark], numbers: Sequence[Mark]) -> Iterator[Mark]:
    """The words of every kind; not "were received" where that only has the name of a series, "received".

    Nor "late in" of "5% of the parcels came late in January", where "late" names the part.
    """
    part_of = re.compile(words.data["part_of"], re.IGNORECASE)
    wholes = [m for n in numbers for m in mentions if m.series and part_of.fullmatch(text[n.end : m.start])]
    named = {"measured"} | ({"vague_time"} if wholes else set())
    for (start, end), kinds in _kinds_by_span(text, words.language).items():
        for number in numbers if kinds & _EXTREMES else ():
            if _counts_extremes(text, number, start, end):
                first, last = min(number.start, start), max(number.end, end)
                yield Mark(first, last, text[first:last], frozenset({"counted_extremes"}))
        if not kinds <= named or not any(m.series and start <= m.start and m.end <= end for m in mentions):
            yield Mark(start, end, text[start:end], frozenset(kinds))


def _counts_extremes(text: str, number: Mark, start: int, end: int) -> bool:
    """Whether a number says how many of the largest are meant: "the two largest", "de grootste twee"."""
    stated = number.stated
    if number.unit is not None or stated.ordinal or not is_count(stated) or not 1 < stated.value <= _MOST_COUNTED:
        return False
    is_before = number.end < start and not text[number.end : start].strip()
    return is_before or (stated.spelled and number.start > end and not text[end : number.start].strip())


@lru_cache(maxsize=256)  # a clause is read against each view of each table
def _kinds_by_span(text: str, language: str) -> dict[tuple[int, int], set[str]]:
    words = lexicon(language)
    spans: dict[tuple[int, int], set[str]] = {}
    for kind, pattern in words.kinds.items():
        for match in pattern.finditer(text):
            spans.setdefault(match.span(), set()).add(kind)
    return spans


def _whole_table(clause: _Draft) -> Iterator[Mark]:
    """Words for all rows by their number or length: "across the eight sites", "these three years"."""
    led = re.compile(rf"(?<!\w)(?:{clause.words.data['whole_led']})\s*$", re.IGNORECASE)
    for mark, after in zip(clause.marks, [*clause.marks[1:], None], strict=False):
        match = led.search(clause.text[: mark.start]) if mark.number or "all" in mark.kinds else None
        last = _last_of_whole(clause.text, clause.view, mark, after) if match else None
        if match and last:
            yield Mark(match.start(), last.end, clause.text[match.start() : last.end], frozenset({"whole", "all_rows"}))


def _last_of_whole(text: str, view: View, mark: Mark, noun: Mark | None) -> Mark | None:
    """The last mark of words that take in all rows, or all texts of a column; None where they do not.

    A length ("these three years") may differ from the table's by a twelfth.
    """
    table, number = view.whole or view.table, mark.number
    if number and number.unit is not None:
        times = View(table).times
        if times is None or number.unit not in LENGTHS:
            return None
        days = (times.last_day - times.start).days + 1
        return mark if abs(days - number.value * LENGTHS[number.unit]) <= days / 12 else None
    if noun is None or text[mark.end : noun.start].strip():  # "the seven branches", of seven rows
        names = [column for column in table.labels if column != table.time_column]
        counts = {table.rows, *(table.labels[column].nunique() for column in names)} if names else set()
        follows = re.match(r" [^\W\d_]{3,}", text[mark.end :])
        return mark if number and follows and number.value > 1 and number.value in counts else None
    if not noun.columns or noun.series:
        return None
    counts = {table.rows, *(table.labels[column].nunique() for column in noun.columns if column in table.labels)}
    return noun if number is None or number.value in counts else None


def place_joint(links: Links, conjunction: str | None = None) -> str:
    """What stands between two times or rows of one list, as a pattern: ", ", " and in "; or another `conjunction`."""
    return rf"(?i)\s*(?:,|&|(?:,\s*)?\b(?:{conjunction or links.conjunction})\b)\s*(?:(?:{links.led})+)?"


def _exclusions(clause: _Draft) -> Iterator[Mark]:
    """Times and rows that are left out ("except 14 April and 1 May"), and the words that say so."""
    for match in clause.words.except_before.finditer(clause.text):
        end, left_out = match.end(), 0
        for mark in clause.marks:
            if not (mark.time or mark.cells) or mark.start < match.end():
                continue
            between = clause.text[end : mark.start]
            if (
                not re.fullmatch(place_joint(clause.words.links), between)
                if left_out
                else len(between.split()) > _MOST_BETWEEN
            ):
                break
            yield replace(mark, excluded=True)
            end, left_out = mark.end, left_out + 1
        if left_out:
            yield Mark(*match.span(), match[0], frozenset({"whole"}))


def _ranges(clause: _Draft) -> Iterator[Mark]:
    """Rows called by months, weekdays or numbers, from one to another: "from March to May" has April, too."""
    by_start = {mark.start: mark for mark in clause.marks if mark.cells}
    spans = [(mark.start, mark.end) for mark in by_start.values()]
    for start, end, *starts in joined_spans(clause.text, clause.words.language, spans) if len(spans) > 1 else ():
        first, last = (by_start[place] for place in starts)
        (column, one), (other, two) = first.cells[0], last.cells[0]
        texts = clause.view.table.labels[column].dropna().unique() if column == other else []
        places = {text: place_in_cycle(text, clause.words.language) for text in texts}
        if not places or not all(place for place, _ in places.values()):
            continue
        if [*places].index(one) > [*places].index(two):
            yield Mark(start, end, clause.text[start:end], frozenset({"undatable_time"}))
            continue
        (begin, cycle), (until, _) = places[one], places[two]
        inside = [text for text, (place, _) in places.items() if (place - begin) % cycle <= (until - begin) % cycle]
        mention = Mention(start, end, tuple(Name("cell", column, SYNONYM, text) for text in inside))
        yield Mark(start, end, clause.text[start:end], mention=mention, ends=(first, last))


def _behind(clause: _Draft) -> Iterator[Mark]:
    """The "after" of "the most after Portside", which no reading uses: before a row it is no time."""
    rows = [mark for mark in clause.marks if mark.cells]
    if not rows:
        return
    joins = [form.partition("{a}")[0] for kind in ("after", "before") for form in clause.words.data[kind]]
    before_row = re.compile(rf"(?<!\w)(?:{any_of(joins)}){clause.words.data['article']}$", re.IGNORECASE)
    for mark in rows:
        if found := before_row.search(clause.text[: mark.start]):
            yield Mark(*found.span(), found[0], frozenset({"behind"}))


def _rates(clause: _Draft) -> Iterator[Mark]:
    """Rates such as "a day" and "per month": of one row, or of several rows, which no statistic has.

    Without regular rows they are those of amounts, where the name of a series says their period ("price per month").
    """
    table, found = clause.view.table, [*_patterns(clause.words.language, "rate")[0].finditer(clause.text)]
    if not found or not (table.step or any(period_of_amounts(table, name) for name in table.columns)):
        return
    is_amount = any(is_currency(mark.unit) for mark in clause.marks if mark.number)
    for match in found:
        data, word = clause.words.data, (match["unit"] or match["periodic"]).lower()
        period = data["periods"].get(word) or data["periodic"][word]
        if match["periodic"] and table.step:  # the "monthly average" of rows that are months
            continue
        others = (m for m in clause.marks if m.overlaps(*match.span()) and (m.time or m.series or m.cells or m.number))
        # the month of "40 euros per month" does not name the "monthly fee", whose period it is
        inside = ({period_of_amounts(table, n) for n in m.series} if m.start > match.start() else set() for m in others)
        if any(not is_amount or periods_named != {period} for periods_named in inside):
            continue
        kind = "per_row" if period == table.step else "per_other"
        if not table.step or any(match[0].lower() in header.lower() for header in table.columns):
            kind = "value_word"  # "EUR 25 a month", where the column is called so
        yield Mark(*match.span(), match[0], frozenset({kind, "rate"}))


def _hedged_numbers(clause: _Draft) -> Iterator[Mark]:
    """The numbers with a hedge that stands right before them ("more than 5") or after them ("5 or more")."""
    gap = re.compile(rf"\W*(?:(?:{clause.words.links.hedge_gap})\W+)?", re.IGNORECASE)
    for before, mark, after in zip([None, *clause.marks], clause.marks, [*clause.marks[1:], None], strict=False):
        for hedge_mark in (before, after) if mark.number else ():
            if hedge_mark is None:
                continue
            first, second = sorted((hedge_mark, mark), key=lambda m: m.start)
            hedges = [hedge for kind, hedge in HEDGES_BY_WORD.items() if kind in hedge_mark.kinds]
            follows = hedge_mark is not after or re.match(clause.words.links.hedge_after, hedge_mark.text)
            if hedges and follows and gap.fullmatch(clause.text[first.end : second.start]):
                yield replace(mark, hedge=hedges[0], hedge_mark=hedge_mark)
                break


def _multiples(clause: _Draft) -> Iterator[Mark]:
    """The "times" of "five times those in March", which are no occasions: only a ratio has them."""
    other = re.compile(
        rf"\S{{1,60}} (?:{clause.words.links.factor_of}|{clause.words.links.level_of})(?!\w)", re.IGNORECASE
    )
    for number, mark, after in zip(clause.marks, clause.marks[1:], [*clause.marks[2:], None], strict=False):
        is_factor = number.number and "times_as" in mark.kinds and not clause.text[number.end : mark.start].strip()
        of_other = after and (after.time or after.cells) and not clause.text[mark.end : after.start].strip()
        if is_factor and (of_other or other.match(clause.text, mark.start)):
            yield replace(mark, kinds=frozenset({"times_as", "times_of"}))


def _exclusive(clause: _Draft) -> Iterator[Mark]:
    """ "Only": before a number it says that this is little, else that all others are not so."""
    for place, mark in enumerate(clause.marks):
        if {"only", "exactly"} <= mark.kinds:
            bound = {"above", "below", "at_least", "at_most"}
            after = next(
                (m for m in clause.marks[place + 1 :] if m.number or m.time or m.mention or m.kinds & bound), None
            )
            yield replace(mark, kinds=frozenset({"exactly" if after and after.number else "only"}))


_SHARE_OF_UNIT = (0.8, 1.05)  # how much of a month the dates have to reach over to be "the month"


@cache
def _patterns(language: str, kind: str) -> list[re.Pattern[str]]:
    words, links = lexicon(language).data, lexicon(language).links
    year = rf" (?:(?:{links.year_led}) )?{words['article']}(?P<year>(?:19|20)\d\d)"
    rate = rf"(?:(?<!\w)(?:{words['rate']}) |/ ?)(?P<unit>{any_of(words['periods'])})(?! (?:{links.rate_not}))"
    rate = rf"(?:{rate}|(?<!\w)(?P<periodic>{any_of(words['periodic']) or '(?!)'}))"
    if kind == "rate":  # a slash may touch the word before
        return [re.compile(rf"{rate}(?!\w)", re.IGNORECASE)]
    same = f"(?:{words['same_words']}) (?P<unit>{any_of([*words['periods'], *words['same_units']])})(?:{year})?"
    last, after = any_of(words["last_n"]), any_of(words["after_elided"])
    elided = (
        rf"(?P<the>{links.the_word}) (?P<which>{last}|{WORD})(?: (?P<n>[a-z]+|\d{{1,2}}))?"
        rf"(?=\s*(?:[.,;:)]|$|(?:{after})\b))"
    )
    forms = {"same": [same], "elided": [elided]}.get(kind) or words[kind]
    return [re.compile(rf"(?<!\w)(?:{with_units(form, words)})(?!\w)", re.IGNORECASE) for form in forms]


def _whole_units(clause: _Draft) -> Iterator[Mark]:
    """ "Over the month", of a table that reaches over about a month: all rows."""
    times = clause.times
    for match in clause.matches("the_unit"):
        is_other = any(m.start <= match.start() < m.end for m in clause.marks if m.time or "others" in m.kinds)
        length = (times.last_day - times.start + DAY).days / LENGTHS.get(clause.unit(match), math.inf)
        if not is_other and _SHARE_OF_UNIT[0] <= length <= _SHARE_OF_UNIT[1]:
            yield Mark(*match.span(), match[0], frozenset({"whole", "trend", "all_rows"}))


def _same_periods(clause: _Draft) -> Iterator[Mark]:
    """ "The same quarter of 2023"; where the time is open ("the same period"), a mark that no reading uses."""
    for match in clause.matches("same"):
        unit, year, before = clause.unit(match), match["year"], clause.text[: match.start()]
        is_led = re.search(rf"(?<!\w)(?:{clause.words.data['same_led']}) $", before, re.IGNORECASE) is not None
        bases = [w for w in clause.bases(*match.span()) if _is_of(w, unit)]
        moved = [shifted(w, "year", int(year) - w.start.year) for w in bases if year and w.start]
        if any(window not in bases for window in moved):
            yield _time_mark(clause, *match.span(), moved)
        elif unit or is_led or year:  # not "at the same time"
            has_context = any(window != ALL_ROWS for window in clause.context_windows)
            alone = is_led and not year and has_context and not clause.other_times(*match.span())
            yield Mark(*match.span(), match[0], frozenset({"that_time" if alone else "same_time"}))


def _elided(clause: _Draft) -> Iterator[Mark]:
    """ "The last" after "in the first week", "in the fourth" after "in the first quarter"."""
    language, last = clause.words.language, any_of(clause.words.data["last_n"])

    def is_which(word: str) -> bool:
        return re.fullmatch(last, word, re.IGNORECASE) is not None or ordinal_of(word, language) is not None

    for match in clause.matches("elided"):
        full_forms = [w.text for w in clause.context_windows if w.text]
        full_forms += [m.text for m in clause.marks if m.time and m.end <= match.start()]
        known = any(m.time and m.overlaps(*match.span("which")) for m in clause.marks)
        if known or not full_forms or not is_which(match["which"]):
            continue
        places = (word.end() for word in re.finditer(rf"(?:{last}|{WORD})(?!\w)", full_forms[-1]) if is_which(word[0]))
        rest = full_forms[-1][next(places, len(full_forms[-1])) :]
        if match["n"]:  # "in the first two weeks and in the last two"
            unit = re.search(rf"(?<!\w)(?:{any_of(clause.words.data['periods'])})(?!\w)", full_forms[-1], re.I)
            rest = f" {match['n']} {unit[0]}" if unit and count_of(match["n"], language) else ""
        whole = f"{match['the']} {match['which']}{rest}"
        named = find_times(whole, language, clause.times) if rest and whole.lower() != full_forms[-1].lower() else []
        if len(named) == 1:
            yield _time_mark(clause, *match.span(), named[0].windows)


def _steps(clause: _Draft) -> Iterator[Mark]:
    """ "A day later", "the month before", "the same week a year earlier": a step from the nearest other time."""
    same = {match.end(): match.start() for match in clause.matches("same")}
    for kind, sign in (("step_after", 1), ("step_before", -1)):
        for match in clause.matches(kind):
            number, unit = (match.groupdict().get("n") or "").lower(), clause.unit(match)
            count = 1 if number in clause.words.articles else count_of(number, clause.words.language)
            inside = any(m.time and m.start < match.start() and match.end() <= m.end for m in clause.marks)
            if not unit or count is None or inside:
                continue
            start = same.get(match.start() - 1, match.start())
            bases = clause.bases(start, match.end())
            moved = [window for base in bases if (window := _stepped(base, unit, sign * count))]
            of_time = rf" (?:(?:{clause.words.data['of_or_in']}) )?"  # "in February of the previous year" is not read
            is_of_time = unit == "year" and any(
                m.time and re.fullmatch(of_time, clause.text[m.end : match.start()]) for m in clause.marks
            )
            is_free = not any(m.time and m.overlaps(*match.span()) for m in clause.marks)
            if moved and not is_of_time:
                yield _time_mark(clause, start, match.end(), moved)
            elif is_of_time or (is_free and not bases and not match[0].lower().endswith(" on")):  # "a day on average"
                yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))


def _on_periods(clause: _Draft) -> Iterator[Mark]:
    """ "Year on year": compared with the same part of the year before, of the nearest other time."""
    for unit, forms in clause.words.data["on_period"].items():
        for match in whole_words(forms).finditer(clause.text):
            bases = [b for b in clause.bases(*match.span()) if is_one_unit(b, unit) or is_shorter(b, unit)]
            if bases:
                before = _time_mark(clause, *match.span(), [shifted(base, unit, -1) for base in bases])
                yield replace(before, kinds=frozenset({"than"}))
            else:
                yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))


def _numbered(clause: _Draft) -> Iterator[Mark]:
    """ "In month 2", "in week 60 of 2025": a number of a period that is no time here is no value either."""
    led, units = clause.words.data["of_or_in"], any_of(clause.words.data["periods"])
    number = rf"(?<!\w)(?:{led}) (?P<time>(?:{units}) \d{{1,2}})(?![\w%]|[.,]\d)"
    for match in re.finditer(number, clause.text, re.IGNORECASE):
        if not any(m.time and m.overlaps(*match.span("time")) for m in clause.marks):
            yield Mark(*match.span("time"), match["time"], frozenset({"undatable_time"}))


def _time_mark(clause: _Draft, start: int, end: int, windows: Sequence[Window]) -> Mark:
    return Mark(start, end, clause.text[start:end], time=NamedTime(start, end, tuple(dict.fromkeys(windows))))


def _stepped(base: Window, unit: str, step: int) -> Window | None:
    """The time so many units after a time, or before it; None where the time is no such unit."""
    if base.start is None or base.end is None:
        return None
    if unit == "year" and is_shorter(base, unit):
        return shifted(base, unit, step)  # "in March ... than a year earlier"
    if unit == "day":
        return span((base.end if step > 0 else base.start) + step * DAY, "day")
    return span(base.start + STEPS[unit] * step, unit) if is_one_unit(base, unit) else None


def is_one_unit(window: Window, unit: str) -> bool:
    """Whether a window is one such unit ("March" is a month)."""
    return window.start is not None and window.end == window.start + STEPS[unit] - DAY


def is_shorter(window: Window, unit: str) -> bool:
    """Whether a window has both ends and is shorter than a unit of time."""
    return bool(window.start and window.end and window.end < window.start + STEPS[unit] - DAY)


def _is_of(window: Window, unit: str) -> bool:
    """Whether a window is one unit of time below a year; without a unit ("the same period"), any part of a year."""
    if window.weekdays or window.first or window.last:
        return False
    return (not unit or is_one_unit(window, unit)) and is_shorter(window, "year")


def shifted(window: Window, unit: str, count: int) -> Window:
    """The same days so many units of time later; a month that ends with its last day still does."""
    assert window.start is not None and window.end is not None  # dated windows are shifted
    step = STEPS[unit] * count
    return Window(start=window.start + step, end=window.end + DAY + step - DAY)


_OF_TIMES = (_whole_units, _same_periods, _elided, _steps, _on_periods, _numbered)
"""What finds marks of times that another time, the text before or the table tells."""
_OF_MARKS = (_whole_table, _exclusions, _ranges, _behind, _roles, _hedged_numbers, _multiples, _exclusive)
"""What finds marks that depend on others. They may overlap: the longest counts, and of equally long ones these."""
