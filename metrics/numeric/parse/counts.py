"""Constructions of counts: of values beyond a bound, of rows, of rows that are missing; always and never."""

import re
from dataclasses import dataclass, replace

from ..lexicon import Lexicon
from ..specification import ALL_ROWS, Condition, Direction, Hedge, Statistic
from ..tables.column_types import OUTCOME
from .checks import (
    bounds_of,
    check,
    counts_periods,
    counts_rows,
    is_counted,
    nearest_series,
    series_of,
    specify,
    value_fields,
)
from .clause import Clause
from .construction import ANY, ClauseReading, Construction, ConstructionMatch, Slot, number, places, series, words
from .marks import BOUNDS, Mark
from .places import is_one_named_row

_OPPOSITE = {"gt": Hedge.AT_MOST, "ge": Hedge.LESS_THAN, "lt": Hedge.AT_LEAST, "le": Hedge.MORE_THAN}


@dataclass(frozen=True)
class _Bound:
    """A number that bounds a series ("above 50"), and the test that it makes."""

    mark: Mark
    operator: str

    @property
    def is_up(self) -> bool:
        return self.operator in ("gt", "ge")

    @property
    def statistic(self) -> Statistic:
        """The statistic that counts the values beyond it."""
        return Statistic.COUNT_ABOVE if self.is_up else Statistic.COUNT_BELOW

    def fields(self) -> dict[str, object]:
        """The bound as the fields of a specification."""
        number = self.mark.number
        assert number is not None  # the mark of a number
        included = self.operator in ("ge", "le")
        return {"threshold": number.value, "threshold_unit": number.unit, "threshold_included": included}


def _bound(match: ConstructionMatch) -> _Bound:
    mark = match.one("bound")
    return _Bound(mark, BOUNDS[mark.hedge])


def _names(match: ConstructionMatch) -> list[str]:
    return series_of(match.clause, nearest_series(match.clause, match.one("bound")))


def _other_counts(clause: Clause) -> list[Mark]:
    bounds = bounds_of(clause)
    return [m for m in clause.numbers if m not in bounds and counts_rows(clause, m)]


def _value_count(match: ConstructionMatch) -> ClauseReading | None:
    clause, bound, names = match.clause, _bound(match), _names(match)
    windows = clause.windows(clause.times, clause.cells)
    means = clause.marks_of("mean")
    if not names or not windows or not all(_is_of_each_row(clause, m) for m in means):
        return None
    value = value_fields(match.one("count")) | {"unit": None, "decimals": 0}
    return ClauseReading((check(specify(bound.statistic, names, windows, **value, **bound.fields())),), tuple(means))


def _is_of_each_row(clause: Clause, mean: Mark) -> bool:
    """Whether the "average" of "in 6 weeks the average wait was above 15" is that of each week."""
    return any(s.start >= mean.end and not clause.text[mean.end : s.start].strip() for s in clause.series)


def _bound_check(match: ConstructionMatch) -> ClauseReading | None:
    """ "Was above 50" somewhere, "never above 50", "always above 50", "in May above 50 for the first time"."""
    clause, bound, names = match.clause, _bound(match), _names(match)
    windows = clause.windows(clause.times, clause.cells)
    if not names or not windows:
        return None
    value, quantifiers = value_fields(bound.mark), match["quantifier"]
    if quantifiers:
        never = any(mark.kinds & {"none", "not"} for mark in quantifiers)
        value |= {"hedge": _OPPOSITE[bound.operator]} if never else {}
        tiers = [specify(_outermost(up=bound.is_up is never), names, windows, **value)]
    elif _says_never(bound.mark, clause.words):
        tiers = [specify(_outermost(up=not bound.is_up), names, windows, **value)]
    elif match["first_time"] or clause.marks_of("some", "up", "down") or _says_crossing(bound.mark, clause.words):
        crossing = {"direction": Direction.UP if bound.is_up else Direction.DOWN, **bound.fields()}
        tiers = [specify(Statistic.CROSSING, names, windows, **crossing)]
        if match["first_time"]:
            tiers = [[replace(spec, window=ALL_ROWS, place=spec.window) for spec in tiers[0]]]
    else:
        ends = (specify(end, names, windows, **value) for end in (Statistic.MINIMUM, Statistic.MAXIMUM))
        tiers = [specify(Statistic.VALUE_AT, names, windows, **value), [spec for specs in ends for spec in specs]]
    return ClauseReading((check(*tiers),)) if clause.times or clause.cells or not match["first_time"] else None


def _outermost(*, up: bool) -> Statistic:
    return Statistic.MAXIMUM if up else Statistic.MINIMUM


def _says_never(bound: Mark, words: Lexicon) -> bool:
    """Whether the bound's own words deny it: "not below 30"."""
    text = bound.hedge_mark.text.lower() if bound.hedge_mark else ""
    return text.startswith(tuple(words.data["never_led"]))


def _says_crossing(threshold: Mark, words: Lexicon) -> bool:
    text = threshold.hedge_mark.text.lower() if threshold.hedge_mark else ""
    return re.match(words.links.crossing, text) is not None


def _row_count(match: ConstructionMatch) -> ClauseReading | None:
    clause, count = match.clause, match.one("row_count")
    conditions = _conditions(clause, [mark for mark in clause.numbers if mark is not count])
    if conditions is None:
        return None
    tests, also = conditions
    windows = clause.windows(clause.times, clause.cells, tests)
    noun = next((m for m in clause.marks if m.start >= count.end and m.columns), None)
    value = value_fields(count) | {"unit": None, "decimals": 0}
    if noun is None and windows == [ALL_ROWS] and not clause.marks_of("count"):
        return None
    if re.match(clause.words.data["times_word"], clause.text[count.end :], re.IGNORECASE):
        return None  # "taken out 462 times", "that happened nine times": no row tells
    rows = specify(Statistic.COUNT, [None], windows, **value)
    if noun is None:
        return ClauseReading((check(rows),), tuple(also))
    columns: list[str | None] = [c for c in noun.columns if c in clause.table.labels.columns] or [None]
    apart = [s for c in columns for s in specify(Statistic.COUNT, [c], windows, distinct=c is not None, **value)]
    return ClauseReading((check(apart if clause.marks_of("distinct") else [*apart, *rows]),), tuple(also))


def _row_counts(clause: Clause) -> list[Mark]:
    """Numbers that count what follows them: "5 teams", "5 different teams", "5 days"; any beside "lost" and "won"."""
    nouns = [mark for mark in clause.marks if mark.columns or "days" in mark.kinds]
    outcomes = [mark for mark in clause.cells if any(column.startswith(OUTCOME) for column, _ in mark.cells)]

    def counts_noun(mark: Mark) -> bool:
        following = next((noun for noun in nouns if noun.start >= mark.end), None)
        near = following is not None and len(clause.text[mark.end : following.start].split()) <= 1
        return near or bool(outcomes) or (mark.number is not None and mark.number.unit is not None)

    return [mark for mark in clause.numbers if counts_rows(clause, mark) and counts_noun(mark)]


def _conditions(clause: Clause, others: list[Mark]) -> tuple[list[Condition], list[Mark]] | None:
    """The tests of numbers on series and their marks; None where a number belongs to no series."""
    pairs = _paired_with_series(clause, others)
    if pairs is None:
        return None
    if any(number.hedge not in BOUNDS for number, _ in pairs) and not clause.marks_of("when"):
        return None  # "the five weeks gave 226 reports" is no count of weeks with 226
    return _as_conditions(pairs), [mark for pair in pairs for mark in pair]


def _as_conditions(pairs: list[tuple[Mark, Mark]]) -> list[Condition]:
    return [Condition(s.series[0], BOUNDS.get(n.hedge, "eq"), n.number.value) for n, s in pairs if n.number]


def _row_with(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    if len(clause.series) + len(clause.cells) < 2:
        return None
    if not clause.marks_of("when", "none") and not any(mark.hedge in BOUNDS for mark in clause.numbers):
        return None
    pairs = _paired_with_series(clause, list(match["number"]))
    if pairs is None or any(number.hedge not in (Hedge.EXACT, *BOUNDS) for number, _ in pairs):
        return None
    if not clause.marks_of("none") and is_one_named_row(clause):
        return None  # "Breda had 60 parcels" is the value of that row, which may be rounded
    windows = clause.windows(clause.times, clause.cells, _as_conditions(pairs))
    count = {"value": 0.0} if clause.marks_of("none") else {"value": 1.0, "hedge": Hedge.AT_LEAST}
    return ClauseReading((check(specify(Statistic.COUNT, [None], windows, **count)),))


def _paired_with_series(clause: Clause, numbers: list[Mark]) -> list[tuple[Mark, Mark]] | None:
    """Each number with the series right beside it; the one that is left with the series that is left."""
    free = [s for s in clause.series if len(s.series) == 1]
    if len(free) != len(numbers) or len(free) != len(clause.series):
        return None
    if any(m.number and m.number.unit in ("day", "week", "month", "year") for m in numbers):
        return None  # so many rows
    pairs: list[tuple[Mark, Mark]] = []
    for mark in numbers:
        start = mark.start_with_hedge
        before = next(
            (s for s in free if s.end <= start and _only_links(clause.text[s.end : start], clause.words)), None
        )
        after = next((s for s in free if mark.end <= s.start and not clause.text[mark.end : s.start].strip()), None)
        near = before or after
        if near is not None:
            free.remove(near)
            pairs.append((mark, near))
    left = [mark for mark in numbers if mark not in [n for n, _ in pairs]]
    if len(left) > 1:
        return None
    pairs += zip(left, free, strict=True)
    return pairs if all(_fits(clause, mark, named) for mark, named in pairs) else None


def _fits(clause: Clause, number: Mark, series: Mark) -> bool:
    unit = number.number.unit if number.number else None
    return unit is None or all(clause.table.can_be_in(name, unit) for name in series.series)


_SIGNS = ("=", ":")


def _only_links(text: str, words: Lexicon) -> bool:
    return all(word in words.links.counted or word in _SIGNS for word in text.lower().split())


def _missing(match: ConstructionMatch) -> ClauseReading | None:
    clause, words, numbers = match.clause, match.clause.marks_of("missing"), match["number"]
    none, names = clause.marks_of("none", "not"), series_of(match.clause)
    absent = bool(words) or bool(none)
    if not names or not all(counts_rows(clause, m) and counts_periods(clause, m) for m in numbers):
        return None
    windows = clause.windows(clause.times, clause.cells)[:1]  # the likeliest: "voor 21 april" is of that day
    placed = bool(clause.times or clause.cells)
    # "no outages were reported" is a count of 0
    is_zero = bool(none) and not words and not numbers and all(is_counted(clause, name) for name in names)
    if is_zero or not windows or not (numbers or (absent and (placed or words))):
        return None
    also = (*words, *none, *clause.marks_of("measured"))
    if numbers:
        value: dict[str, object] = value_fields(numbers[0]) | {"decimals": 0, "unit": None}
        return ClauseReading(
            (check(specify(Statistic.MISSING if absent else Statistic.COUNT, names, windows, **value)),), also
        )
    if words and none:  # "no values are missing"
        return ClauseReading((check(specify(Statistic.MISSING, names, windows, value=0.0)),), also)
    if placed:
        return ClauseReading((check(specify(Statistic.COUNT, names, windows, value=0.0)),), also)
    return ClauseReading((check(specify(Statistic.MISSING, names, windows, value=1.0, hedge=Hedge.AT_LEAST)),), also)


_BOUND = Slot("bound", bounds_of)
_NO_COUNT = Slot("count", _other_counts, 0, 0)
_SAID_OF_BOUND = ("up", "down", "trend", "only", "count")

CONSTRUCTIONS = (
    Construction(
        "count_of_values",
        (_BOUND, Slot("count", _other_counts)),
        (series(), places()),
        (*_SAID_OF_BOUND, "some", "times_as", "distinct", "column"),
        _value_count,
    ),
    Construction(
        "bound",
        (_BOUND, words("none", "not", "all", least=0, most=ANY, name="quantifier"), words("first_time", least=0)),
        (_NO_COUNT, series(), places()),
        (*_SAID_OF_BOUND, "some"),
        _bound_check,
    ),
    Construction(
        "count_of_rows",
        (Slot("row_count", _row_counts),),
        (places(),),
        ("count", "distinct", "only", "column"),
        _row_count,
    ),
    Construction(
        "row_with", (), (number(most=ANY), series(most=ANY), places()), ("count", "none", "column"), _row_with
    ),
    Construction(
        "missing",
        (words("missing", "measured", most=ANY, name="missing"),),
        (number(0, 1), series(), places()),
        ("count", "some", "only", "distinct", "column"),
        _missing,
    ),
)
