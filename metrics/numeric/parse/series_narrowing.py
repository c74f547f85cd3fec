"""Narrows a mention to the series that the words beside it leave: "parcels were late" names the late parcels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce

from ..lexicon import Lexicon, Token, lexicon, tokens
from ..names.column_names import (
    content_words,
    inflections,
    is_predicate,
    meanings,
    means,
    name_words,
    names_without_participles,
)
from ..names.mentions import Mention, Name
from ..quantities.units import counts_things
from ..tables.table import NumericTable
from .marks import Mark, as_aside, with_mark

_FAR = 4  # words between a noun and its predicate
_MOST_LINKS = 3  # words such as "zijn er" between a noun and its participle
_OF_TWO = ("than", "share", "ratio", "difference", "correlation", "double", "half", "times_as")


def with_narrowed(kept: list[Mark], text: str, words: Lexicon, table: NumericTable) -> list[Mark]:
    """The marks; each mention of series keeps the series that the words around it allow."""
    language = words.language
    every = [token for token in tokens(text, language) if token.is_word]
    stems = frozenset(stem for token in every for stem in inflections(token.text, language))
    kept = [left for m in kept if (left := _without_unnamed_series(m, stems, language)) is not None]
    kept = [as_aside(m) if _are_only_agents(m, kept) else m for m in kept]
    named = any(m.series and not is_hint(m) for m in kept)
    kept = [as_aside(m) if named and is_hint(m) and not _adds_to_noun(m, kept, table) else m for m in kept]
    kept = _with_narrower_series(kept, every, language)
    kept = [as_aside(m) if _has_predicate(m, kept, every, words) else m for m in kept]
    short = set(names_without_participles(list(table.columns), language).values())
    kept = [as_aside(m) if _is_only_a_verb(m, kept, short, table, language) else m for m in kept]
    return _with_directions(kept, text, words, table)


def is_hint(mark: Mark) -> bool:
    """Whether a mark only hints at series, with a verb ("joined") or a plain noun."""
    names = mark.mention.names if mark.mention else ()
    return bool(names) and all(name.kind == "series" and name.rank == 0 for name in names)


def with_earlier_series(kept: list[Mark], earlier_series: Sequence[str]) -> list[Mark]:
    """The marks; a hint is narrowed to the series of the question or the text before, or may mean those as well."""
    if not earlier_series:
        return kept

    def with_earlier(mark: Mark) -> Mark:
        assert mark.mention is not None  # a hint is a mention
        same = tuple(name for name in mark.mention.names if name.column in earlier_series)
        names = same or (*mark.mention.names, *(Name("series", column, 0) for column in earlier_series))
        return replace(mark, mention=replace(mark.mention, names=names))

    return [with_earlier(mark) if is_hint(mark) else mark for mark in kept]


@cache
def _content(column: str, language: str) -> frozenset[str]:
    return frozenset(token.stem for word in content_words(column, language) for token in word)


@cache
def _of_list(column: str, kind: str, language: str) -> frozenset[str]:
    listed = lexicon(language).data[kind]
    return frozenset(w.stem for word in name_words(column, language) for w in word if w.text in listed)


def _without_unnamed_series(mark: Mark, stems: frozenset[str], language: str) -> Mark | None:
    """A mark without series whose names have a required word that the clause lacks: "parcels" is not "late parcels"."""
    if not mark.series or mark.mention is None or max(name.rank for name in mark.mention.names) > 2:
        return mark
    left = tuple(
        name
        for name in mark.mention.names
        if name.kind != "series" or not name.rank or _required_stems(name.column, language) <= stems
    )
    if left == mark.mention.names:
        return mark
    return replace(mark, mention=replace(mark.mention, names=left)) if left else None


@cache
def _required_stems(column: str, language: str) -> frozenset[str]:
    """The words that a clause needs to name a column: "late", and participles before a noun ("uitgevallen ritten")."""
    data = lexicon(language).data
    never_narrowing = data["was_done"] | data["not_narrowing"]
    before = [word[-1] for word in name_words(column, language)[:-1]]
    participles = {w.stem for w in before if re.fullmatch(data["participle"], w.text) and w.text not in never_narrowing}
    return _of_list(column, "narrowing", language) | participles


def _with_narrower_series(kept: list[Mark], every: Sequence[Token], language: str) -> list[Mark]:
    """The marks; "130 parcels were late" names the late parcels, also where the table has all parcels as well."""
    numbers = [mark.number for mark in kept if mark.number]
    if len(numbers) != 1 or numbers[0].unit == "%" or any(mark.kinds & set(_OF_TWO) for mark in kept):
        return kept
    stems = frozenset(token.stem for token in every)
    whole = [c for c in {c for mark in kept for c in mark.series} if _content(c, language) <= stems]
    narrow = [c for c in whole if _of_list(c, "narrowing", language)]
    narrow = narrow or [c for c in whole if len(_content(c, language)) > 1]
    if len(narrow) != 1:
        return kept
    (narrower,) = narrow
    places = {token.start: place for place, token in enumerate(every)}

    def names_wider(mark: Mark) -> bool:
        if len(mark.series) != 1 or mark.series[0] == narrower or mark.start not in places:
            return False
        wide, content = _content(mark.series[0], language), _content(narrower, language)
        alike = bool(wide & content)
        only_so = wide - content <= _of_list(mark.series[0], "was_done", language)
        more = _of_list(narrower, "narrowing", language) or content - wide
        here = places[mark.start]
        near = any(here < place <= here + _FAR or place == here - 2 for place, t in enumerate(every) if t.stem in more)
        return alike and only_so and near

    return [_as_mention_of(mark, narrower) if names_wider(mark) else mark for mark in kept]


def _adds_to_noun(hint: Mark, kept: Sequence[Mark], table: NumericTable) -> bool:
    """Whether a hint says more than the noun beside it: "7.9% of the orders came back", "a parcel takes 19 hours"."""
    units = {mark.number.unit for mark in kept if mark.number and not mark.time}
    if len(units) != 1 or None in units or len(hint.series) != 1:
        return False
    (unit,) = units
    nouns = {c for mark in kept if not is_hint(mark) for c in mark.series}
    can_be = table.unit_of(hint.series[0]) is not None and table.can_be_in(hint.series[0], str(unit))
    level = unit == "%" or means(hint.series[0], "levels")
    return can_be and level and not any(table.can_be_in(noun, str(unit)) for noun in nouns)


def _are_only_agents(mark: Mark, kept: Sequence[Mark]) -> bool:
    """Whether a mention of people is only the subject of a verb that hints at a counted series: "60 members joined"."""
    if (
        len(mark.series) != 1
        or is_hint(mark)
        or not (means(mark.series[0], "people") or means(mark.series[0], "agents"))
    ):
        return False
    hints = [m.series[0] for m in kept if is_hint(m) and len(m.series) == 1]
    others = any(m.series and not is_hint(m) and m is not mark for m in kept)
    counted = all(name != mark.series[0] and counts_things(name) for name in hints)
    return bool(hints) and counted and not others


def _has_predicate(mark: Mark, kept: Sequence[Mark], every: Sequence[Token], words: Lexicon) -> bool:
    """Whether a mention is only the subject of another series' name: "120 pakketten (zijn) te laat bezorgd"."""
    after = next((m for m in kept if m.start >= mark.end), None)
    before = next((m for m in kept if m.end == mark.start - 1), None)
    if mark.series and before is not None and len(before.series) == 1 and before.series != mark.series:
        return is_predicate(before.series[0], words.language)  # "te late pakketten"
    if not mark.series or after is None or len(after.series) != 1 or after.series == mark.series:
        return False
    if any(m.number and m.number.unit == "%" for m in kept) or any(m.kinds & {"share", "correlation"} for m in kept):
        return False
    between = [token.text for token in every if mark.end <= token.start and token.end <= after.start]
    links = len(between) <= _MOST_LINKS and all(text in words.harmless | words.plain_verbs for text in between)
    language = words.language
    return links and is_predicate(after.series[0], language) and not is_predicate(mark.series[0], language)


def _is_only_a_verb(mark: Mark, kept: Sequence[Mark], short: set[str], table: NumericTable, language: str) -> bool:
    """Whether a word of a name is only a verb beside another series: "the couriers delivered 300 late parcels"."""
    if len(mark.series) != 1 or mark.series[0] not in short:
        return False
    stems = frozenset(token.stem for token in tokens(mark.text, language))
    others = [m for m in kept if m.series and m is not mark]
    alone = not any(mark.series[0] in m.series for m in others)
    units = {m.number.unit for m in kept if m.number and m.number.unit}
    misfit = len(units) == 1 and not any(table.can_be_in(mark.series[0], unit) for unit in units)
    return bool(others or misfit) and alone and stems <= _of_list(mark.series[0], "was_done", language)


def _with_directions(kept: list[Mark], text: str, words: Lexicon, table: NumericTable) -> list[Mark]:
    """The marks, and "down" and "up" after data rates as the series that they are short for."""
    short: Mapping[str, str] = words.data["after_rates"]
    joins = "|".join(words.data["joins"])
    direction_after_rate = re.compile(rf" ({'|'.join(short)})(?=\W*$|[^\w\s]| (?:{joins})\b)", re.IGNORECASE)
    directions = []
    for mark in kept:
        rate = mark.number is not None and mark.number.unit in ("kbps", "Mbps", "Gbps")
        word = direction_after_rate.match(text, mark.end) if rate else None
        columns = [c for c in table.columns if word and short[word[1].lower()] in meanings(c)]
        if word and len(columns) == 1:
            name = Name("series", columns[0], 3)
            directions.append(Mark(*word.span(1), word[1], mention=Mention(*word.span(1), (name,))))
    return reduce(with_mark, directions, kept)


def _as_mention_of(mark: Mark, column: str) -> Mark:
    return replace(mark, mention=Mention(mark.start, mark.end, (Name("series", column, 3),)))
