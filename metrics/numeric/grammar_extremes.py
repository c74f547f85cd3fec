"""Reading extremes and ranks: the highest, where it was, the second highest."""

from .check import (
    CHANGES,
    Check,
    check,
    each,
    is_flow,
    is_year_besides,
    marks_after,
    series_of,
    stated,
    use_columns,
    values_of,
)
from .clause import Clause, within
from .grammar_adjectives import is_busy, is_money
from .marks import Mark
from .names import polarity
from .specification import ALL_ROWS, Direction, Specification, Statistic, Window
from .tables import Times


def extreme(clause: Clause) -> list[Check] | None:
    """ "The highest throughput was 55 Mbps, on 5 March", "Ajax has the most wins", "the second highest crowd"."""
    names = series_of(clause)
    words = clause.of("maximum", "minimum", *(["best", "worst"] if len(names) == 1 and polarity(names[0]) else []))
    others = clause.of(*CHANGES, "than", "mean", "median", "sum", "deviation", "none")
    if (
        len(words) != 1
        or not names
        or len(clause.series) > 1
        or others
        or _is_of_something_else(clause, words[0], names)
    ):
        return None
    word = words[0]
    up = "maximum" in word.kinds or ("best" in word.kinds and polarity(names[0]) == "up")
    up = up or ("worst" in word.kinds and polarity(names[0]) == "down")
    numbers = values_of(clause)
    years = any(is_year_besides(clause, names, mark) for mark in numbers)
    if len(numbers) > 1 or years or _of_texts(clause, word):
        return None
    place_number, ordinal_mark = _ordinal(clause, word)
    placed, inside = _places(clause, word, numbers[0] if numbers else None)
    windows = clause.windows([m for m in inside if m.time], [m for m in inside if m.cells])
    places = clause.windows([m for m in placed if m.time], [m for m in placed if m.cells]) if placed else []
    if not windows or (not numbers and not places):
        return None
    if not inside and any(place.start and not any(holds_window(w, place) for w in windows) for place in places):
        windows = [ALL_ROWS]  # the text before is about another time
    checks = []
    if place_number > 1:
        if not places:
            return None
        direction = Direction.DOWN if up else Direction.UP
        checks.append(
            check(
                [
                    Specification(Statistic.RANK, n, w, value=place_number, direction=direction, place=p)
                    for n in names
                    for w in windows
                    for p in places
                ]
            )
        )
        if numbers:
            checks.append(check(each(Statistic.VALUE_AT, names, places, **stated(numbers[0]))))
    else:
        if numbers:
            statistic = Statistic.MAXIMUM if up else Statistic.MINIMUM
            checks.append(check(each(statistic, names, windows, **stated(numbers[0]))))
        when = Statistic.TIME_OF_MAXIMUM if up else Statistic.TIME_OF_MINIMUM
        if places:
            checks.append(check([s for p in places for s in each(when, names, windows, place=p)]))
    clause.use([word, ordinal_mark, *numbers, *placed, *inside, *clause.series])
    clause.use(clause.of("first", "all", "count", "per_row"))
    use_columns(clause)
    return checks


def _is_of_something_else(clause: Clause, word: Mark, names: list[str]) -> bool:
    """Whether "the busiest day" is one by something else than the series: only of amounts is the most the busiest."""
    said = word.text.lower()
    busy, priced = said in clause.words.data["busy"], said in clause.words.data["priced"]
    if said in clause.words.data["strong"]:
        return not all(is_flow(clause, name) for name in names)
    return (busy and not all(is_busy(clause, name) for name in names)) or (
        priced and not all(is_money(clause, name) for name in names)
    )


def _of_texts(clause: Clause, word: Mark) -> bool:
    """Whether the extreme is of a column of texts ("the most points", where they are written as "Jones (35)")."""
    following = marks_after(clause, word)
    if not following or not following[0].columns or following[0].series:
        return False
    rows = {clause.table.time_column, *map(str, clause.table.labels.columns[:1])}
    return not rows & set(following[0].columns)  # "the worst month", "the smallest department"


def _ordinal(clause: Clause, word: Mark) -> tuple[int, Mark | None]:
    before = clause.text[: word.start].rstrip().lower()
    for article in clause.words.articles:  # "op één na de beste"
        before = before.removesuffix(f" {article}")
    for text, number in clause.words.data["last_but"].items():
        if before.endswith(text):
            return number, next((m for m in clause.marks if m.end == len(before)), None)
    for mark in clause.numbers:
        if mark.number and mark.number.ordinal and mark.end == len(before):
            return int(mark.number.value), mark
    return 1, None


def _places(clause: Clause, word: Mark, number: Mark | None) -> tuple[list[Mark], list[Mark]]:
    """Where the claim puts the extreme, and what it is the extreme of."""
    marks = [*clause.times, *clause.cells]
    if number is None:
        wide = [m for m in marks if m.time and m.time.ends and len(marks) > 1]
        if not wide and len(marks) > 1:
            wide = [m for m in clause.times if any(holds(m, other) for other in clause.times if other is not m)]
        return [m for m in marks if m not in wide], wide
    told = clause.of("seen")
    core = max([word.end, *(s.end for s in clause.series if s.end <= number.start)])
    placed, inside = [], []
    for mark in marks:
        single = bool(mark.cells) or is_row(clause, mark)
        subject = bool(mark.cells) and mark.end <= word.start and not _after_preposition(clause, mark)
        predicate = mark.start >= number.end or mark.time or (core <= mark.start and _after_verb(clause, core, mark))
        said = any(number.end <= word_seen.start < mark.start for word_seen in told)
        if subject or said or (single and predicate):
            placed.append(mark)
        else:
            inside.append(mark)
    return placed, inside


def holds_window(outer: Window, inner: Window) -> bool:
    """Whether a window has all rows of another, as far as their days tell."""
    return outer == ALL_ROWS or bool(outer.conditions) or within(inner, outer) or not (outer.start and outer.end)


def holds(outer: Mark, inner: Mark) -> bool:
    """Whether a named time lies within another."""
    a, b = (mark.time.windows[0] if mark.time else ALL_ROWS for mark in (outer, inner))
    return bool(a.start and a.end and b.start and b.end and a != b and a.start <= b.start and b.end <= a.end)


def is_row(clause: Clause, mark: Mark) -> bool:
    """Whether a time is that of one row."""
    window = mark.time.windows[0] if mark.time else ALL_ROWS
    times = clause.view.times
    if not times or not window.start or not window.end:
        return False
    return window.end <= Times(window.start, window.start, times.period).last_day


def _after_preposition(clause: Clause, mark: Mark) -> bool:
    before = clause.text[: mark.start].rstrip().lower().split()
    while before and before[-1] in ("the", "a", "de", "het"):
        before.pop()
    return bool(before) and before[-1] in (
        "in",
        "for",
        "among",
        "of",
        "voor",
        "van",
        "onder",
        "within",
        "binnen",
        "during",
    )


def _after_verb(clause: Clause, core: int, mark: Mark) -> bool:
    between = clause.text[core : mark.start].lower().split()
    return bool({"be", "was", "is", "were", "werd", "occurred", "came", "viel"} & set(between))
