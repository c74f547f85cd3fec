"""Which of the series that a clause mentions it is about: no agents, no wholes, no parts of other names."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from ....text.numbers import known_unit
from ..lexicon import Lexicon, lexicon, tokens
from ..names.column_names import PART, SYNONYM, is_predicate, meanings, means, name_words
from ..names.mentions import Mention, Name
from ..tables.table import NumericTable
from ..tables.views import View
from .marks import Mark, choose

_DATA_RATES = ("kbps", "Mbps", "Gbps")
_RELATED = frozenset({"than", "correlation", "ratio", "difference", "outnumbers"})


@dataclass(frozen=True)
class _Clause:
    """A clause whose mentions of series are being settled."""

    text: str
    words: Lexicon
    table: NumericTable

    def is_led(self, mark: Mark, pattern: str) -> bool:
        """Whether the words before a mark match a pattern of the language."""
        before = self.text[: mark.start]
        return re.search(rf"(?<!\w)(?:{self.words.data[pattern]})\s*$", before, re.IGNORECASE) is not None


def find_roles(text: str, words: Lexicon, view: View, marks: Sequence[Mark]) -> Iterator[Mark]:
    """Mentions of what the clause counts, and asides for series that the clause is not about."""
    clause = _Clause(text, words, view.table)
    settled = choose(_directions(marks, clause), choose(_misfits(marks, clause), marks))
    for has_role in _ROLES:
        beside = [mark for mark in settled if mark.series and has_role(mark, settled, clause)]
        aside = (replace(mark, mention=None, kinds=frozenset({"aside"})) for mark in beside)
        settled = choose(aside, settled)
    yield from (mark for mark in settled if mark not in marks)


def _is_hint(mark: Mark) -> bool:
    """Whether a mark only hints at series, with a verb ("joined") or a plain noun."""
    return bool(mark.series) and _rank(mark) == 0


def _rank(mark: Mark) -> int:
    return max(name.rank for name in mark.mention.names) if mark.mention else 0


# --- what a mention cannot name ---


def _misfits(marks: Sequence[Mark], clause: _Clause) -> Iterator[Mark]:
    """Names right after a number that are only of series that are measured: "10,510 repairs", "repair time (days)"."""
    for number, mark in pairwise(marks):
        counts = number.number and number.number.unit is None and not clause.text[number.end : mark.start].strip()
        units = [known_unit(clause.table.unit_of(name) or "") for name in mark.series]
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


def _is_spare_hint(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
    """Whether a hint stands beside a noun that names a series, not of people, who do what it says ("60 joined")."""
    nouns = [m for m in marks if m.series and not _is_hint(m)]
    return _is_hint(mark) and any(not all(means(name, "people", "agents") for name in m.series) for m in nouns)


def _has_predicate(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
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


def _is_predicate(mark: Mark, clause: _Clause) -> bool:
    """Whether a mention says what happened: by the name "te laat bezorgd", or as the "late" of late parcels."""
    words = [token.text for token in tokens(mark.text, clause.words.language)]
    narrows = all(word in clause.words.data["narrowing"] for word in words)
    return len(mark.series) == 1 and (narrows or is_predicate(mark.series[0], clause.words.language))


def _is_clarified(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
    """Whether another mention decides between the series of an ambiguous one: "tickets" beside "closed"."""
    return len(mark.series) > 1 and any(len(m.series) == 1 and m.series[0] in mark.series for m in marks)


def _is_place(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
    """Whether a part of a name only says where: "528 cars in the garage", beside a column "garage full (min)"."""
    named = any(m.series and _rank(m) > PART for m in marks)
    return named and _rank(mark) <= PART and clause.is_led(mark, "placed_in")


def _is_agent(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
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


def _is_whole_of(mark: Mark, marks: Sequence[Mark], clause: _Clause) -> bool:
    """Whether a mention is the whole of a percentage of another series: "86.9% of its calls were resolved"."""
    unit_of = clause.table.unit_of
    shares = [m for m in marks if m.series and m is not mark and all(unit_of(s) == "%" for s in m.series)]
    percent = next((m for m in reversed(marks) if m.unit == "%" and m.end <= mark.start), None)
    if not shares or percent is None or len(mark.series) != 1 or unit_of(mark.series[0]) == "%":
        return False
    between = clause.text[percent.end : mark.start]
    return re.fullmatch(clause.words.data["part_of"], between, re.IGNORECASE) is not None


_Role = Callable[[Mark, Sequence[Mark], _Clause], bool]
_ROLES: tuple[_Role, ...] = (_is_spare_hint, _has_predicate, _is_clarified, _is_place, _is_agent, _is_whole_of)


def _directions(marks: Sequence[Mark], clause: _Clause) -> Iterator[Mark]:
    """The words "down" and "up" after data rates as the series that they are short for."""
    short, joins = clause.words.data["after_rates"], "|".join(clause.words.data["joins"])
    direction = re.compile(rf" ({'|'.join(short)})(?=\W*$|[^\w\s]| (?:{joins})\b)", re.IGNORECASE)
    for mark in marks:
        if mark.unit in _DATA_RATES and (word := direction.match(clause.text, mark.end)):
            columns = [c for c in clause.table.columns if short[word[1].lower()] in meanings(c)]
            if len(columns) == 1:
                mention = Mention(*word.span(1), (Name("series", columns[0], SYNONYM),))
                yield Mark(*word.span(1), word[1], mention=mention)
