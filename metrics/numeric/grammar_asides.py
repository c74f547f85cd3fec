"""Reading what refers to the check before it: "the lowest of the year", "more than any other", "(55 against 42)"."""

import re
from dataclasses import replace

from .check import Check, check, each, stated, values_of
from .clause import Clause
from .grammar_relations import difference_kind
from .specification import ALL_ROWS, Direction, Specification, Statistic

_OF_A_PLACE = (Statistic.VALUE_AT, Statistic.LATEST, Statistic.FIRST, Statistic.MEAN, Statistic.SUM)
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_RELATIONS = (Statistic.COMPARISON, Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE, Statistic.RATIO)


def apposed_extreme(clause: Clause) -> list[Check] | None:
    """ "On 5 May it was 180, the lowest of the year", "Central took 2,944 calls, more than any other region"."""
    words = clause.of("maximum", "minimum")
    any_other = clause.first("any_other")
    told = next((spec for spec in clause.told if spec.statistic in _OF_A_PLACE), None)
    if told is None or not clause.apposed or clause.numbers or clause.cells or told.window == ALL_ROWS:
        return None
    if len(words) + bool(any_other) != 1 or clause.of("mean", "median", "deviation", "anomaly", "none", "not"):
        return None
    if clause.series and told.series not in clause.series[0].series:
        return None
    if any_other:
        ways = clause.of("higher", "above"), clause.of("lower", "below")
        if bool(ways[0]) == bool(ways[1]):
            return None
        up = bool(ways[0])
        clause.use([*ways[0], *ways[1], any_other, *clause.of("than")])
    else:
        up = "maximum" in words[0].kinds
    windows = clause.windows(clause.times, []) if clause.times else [ALL_ROWS]
    clause.use([*words, *clause.times, *clause.series, *clause.of("all", "whole", "count", "others")])
    clause.use([mark for mark in clause.marks if mark.columns])
    when = Statistic.TIME_OF_MAXIMUM if up else Statistic.TIME_OF_MINIMUM
    return [check(each(when, [told.series], windows, place=told.window))] if windows else None


def both_sides(clause: Clause) -> list[Check] | None:
    """ "A was longer than B: 55 against 42 minutes": the values of the two sides just compared."""
    told = next((spec for spec in clause.told if spec.statistic in _RELATIONS), None)
    numbers = values_of(clause)
    if told is None or not clause.apposed or len(numbers) != 2 or clause.series or clause.times or clause.cells:
        return None
    first, second = numbers
    if first.number and second.number and first.number.unit is None and second.number.unit is not None:
        first.number = replace(first.number, unit=second.number.unit)  # "55 against 42 minutes"
    if clause.of("up", "down", "maximum", "minimum", "double", "half", "share"):
        return None
    clause.use([*numbers, *clause.of("than", "changed_to", "count", "mean", "sum")])
    given = [Statistic.MEAN] if clause.of("mean") else [Statistic.SUM] if clause.of("sum") else []
    ofs = given or ([told.of] if told.of else [Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM])
    other = told.compared_with or told.series
    compared = told.compared_window or told.window
    return [
        check(*[each(of, [told.series], [told.window], **stated(first)) for of in ofs]),
        check(*[each(of, [other], [compared], **stated(second)) for of in ofs]),
    ]


def ranked(clause: Clause) -> list[Check] | None:
    """ "South comes second with 2,210 calls": the place of a row from the highest, and its value."""
    ranks, names = clause.of("rank"), clause.series
    ordinals = [m for m in clause.numbers if m.number and m.number.ordinal]
    numbers = values_of(clause)
    placed = clause.cells or clause.times
    if (
        not ranks
        or len(ordinals) != 1
        or len(names) != 1
        or len(names[0].series) != 1
        or len(numbers) > 1
        or not placed
    ):
        return None
    if clause.of("maximum", "minimum", "than", "mean", "median", "sum", "up", "down", "lower"):
        return None
    places = clause.windows(clause.times, clause.cells)
    number = ordinals[0].number
    assert number is not None  # the mark of a number
    clause.use([*ranks, *ordinals, *numbers, *names, *clause.times, *clause.cells, *clause.of("count", "all")])
    clause.use([mark for mark in clause.marks if mark.columns])
    series: list[str | None] = list(names[0].series)
    checks = [
        check(
            [
                Specification(Statistic.RANK, s, ALL_ROWS, value=number.value, direction=Direction.DOWN, place=place)
                for s in series
                for place in places
            ]
        )
    ]
    if numbers:
        checks.append(check(each(Statistic.VALUE_AT, series, places, **stated(numbers[0]))))
    return checks


def extremes_paired(clause: Clause) -> list[Check] | None:
    """ "The highest and lowest speeds were 93.3 and 31.2 Mbps"."""
    words = clause.of("maximum", "minimum", "mean", "median")
    numbers = values_of(clause)
    if len(words) != 2 or len(numbers) != 2 or len(clause.series) != 1 or clause.of("than", "up", "down", "difference"):
        return None
    if words[1].end > numbers[0].start or clause.text[words[0].end : words[1].start].strip().lower() not in _AND:
        return None
    if clause.text[numbers[0].end : numbers[1].start].strip().lower() not in _AND:
        return None
    windows = clause.windows(clause.times, clause.cells)
    first, second = numbers
    if first.number and second.number and first.number.unit is None:
        first.number = replace(first.number, unit=second.number.unit)
    clause.use([*words, *numbers, *clause.series, *clause.times, *clause.cells, *clause.of("count")])
    return [
        check(each(_of(word.kinds), clause.series[0].series, windows, **stated(number)))
        for word, number in zip(words, numbers, strict=True)
    ]


_AND = ("and", "en", "&", "and the", "en de", "en het")
_KINDS = {
    "maximum": Statistic.MAXIMUM,
    "minimum": Statistic.MINIMUM,
    "mean": Statistic.MEAN,
    "median": Statistic.MEDIAN,
}


def _of(kinds: frozenset[str]) -> Statistic:
    return next(statistic for kind, statistic in _KINDS.items() if kind in kinds)


def difference_told(clause: Clause) -> list[Check] | None:
    """ "The difference between the two is 8.5 Mbps": of the two values of one series that the text before tells."""
    numbers = values_of(clause)
    if not clause.of("the_two") or not clause.of("difference", "ratio") or len(numbers) != 1 or clause.times:
        return None
    sides = _two_told(clause)
    if sides is None or (clause.series and sides[0].series not in clause.series[0].series):
        return None
    first, second = sides
    statistic = Statistic.DIFFERENCE if clause.of("difference") else Statistic.RATIO
    clause.use([*clause.of("the_two", "difference", "ratio", "changed_to"), *numbers, *clause.series, *clause.cells])
    of = first.statistic if first.statistic in (Statistic.MEAN, Statistic.SUM, Statistic.MEDIAN) else None
    found = replace(
        first,
        statistic=statistic,
        of=of,
        compared_with=second.series,
        compared_window=second.window,
        direction=None,
        negated=False,
        place=None,
        threshold=None,
        **stated(numbers[0]),  # type: ignore[arg-type]
    )
    return [check([found])]


def _two_told(clause: Clause) -> tuple[Specification, Specification] | None:
    relation = next((spec for spec in clause.told if spec.statistic in _RELATIONS), None)
    if relation is not None:
        window = relation.compared_window or relation.window
        other = replace(relation, series=relation.compared_with or relation.series, window=window)
        of = relation.of or Statistic.VALUE_AT
        return replace(relation, statistic=of), replace(other, statistic=of)
    values: list[Specification] = []
    for spec in clause.told:
        known = [(each_value.series, each_value.window) for each_value in values]
        if spec.value is not None and spec.statistic in _OF_A_PLACE and (spec.series, spec.window) not in known:
            values.append(spec)
    return (values[1], values[0]) if len(values) == 2 and values[0].statistic is values[1].statistic else None


def changed_as_well(clause: Clause) -> list[Check] | None:
    """ "Costs rose by 31% and staff by 16%": another series' change in the same time, the same way."""
    told = next((spec for spec in clause.told if spec.statistic in _CHANGES and spec.direction), None)
    numbers, series = values_of(clause), clause.series
    if told is None or not clause.apposed or len(numbers) != 1 or len(series) != 1 or told.series in series[0].series:
        return None
    led = re.search(rf"(?:{clause.words.data['changed_by']})\s*$", clause.text[: numbers[0].said_from], re.IGNORECASE)
    if led is None or clause.times or clause.cells or clause.of("maximum", "minimum", "mean", "than", "up", "down"):
        return None
    clause.use([*numbers, *series, *clause.of("count", "when")])
    statistic = difference_kind(clause, numbers[0], list(series[0].series))
    size = {**stated(numbers[0]), "statistic": statistic}
    return [check([replace(told, series=name, **size) for name in series[0].series])]  # type: ignore[arg-type]
