"""Turns a judge's answers about a claim's numbers into checks; every word that matters has to be in one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..compute.computation import UnitRule
from ..compute.statistics import STATISTICS, statistics_in
from ..specification import Direction, Hedge, Specification, Statistic, Unverifiable, Window
from ..tables.rows import rows_of
from .checks import is_flow, specify, value_fields
from .claim_questions import THRESHOLD, WAYS, QuestionSlot, same_place, words_of
from .clause import Clause
from .marks import Mark

_S = Statistic
_OF_TWO = frozenset({_S.DIFFERENCE, _S.PERCENT_CHANGE, _S.RATIO, _S.COMPARISON, _S.SHARE, _S.CORRELATION})
_CHANGES = frozenset({_S.DIFFERENCE, _S.PERCENT_CHANGE, _S.RATIO, _S.COMPARISON})
_PLACE_OF = {_S.MAXIMUM: _S.TIME_OF_MAXIMUM, _S.MINIMUM: _S.TIME_OF_MINIMUM}
_MAY_HAVE_PLACE = frozenset({*_PLACE_OF, _S.ANOMALY, _S.CROSSING})
_ENDS = frozenset({_S.RANK, _S.RANGE, _S.ANOMALY})
_EXTREMES = frozenset({*_PLACE_OF, *_PLACE_OF.values()}) | _ENDS
_HAVE_WAY = frozenset({*_OF_TWO, _S.TREND, _S.STREAK, _S.CROSSING})
_SYNONYM = 3  # of the ranks of a name
_WITHOUT_WAY = _EXTREMES | {_S.RATIO, _S.SHARE}
_COUNTS = statistics_in(UnitRule.COUNT)
_BORNE_OUT: Mapping[str, frozenset[Statistic]] = {
    "maximum": frozenset({_S.MAXIMUM, _S.TIME_OF_MAXIMUM}) | _ENDS,
    "minimum": frozenset({_S.MINIMUM, _S.TIME_OF_MINIMUM}) | _ENDS,
    "best": _EXTREMES,
    "worst": _EXTREMES,
    "none": frozenset({_S.NO_ANOMALY}),
    "in_a_row": frozenset({_S.STREAK}),
    **{entry.word: _COUNTS | _OF_TWO | {entry.statistic} for entry in STATISTICS.values() if entry.is_inner},
    **dict.fromkeys(("not", "double", "half", "times_as", "majority"), frozenset()),
    **dict.fromkeys(("undatable_time", "vague_time", "open_time", "same_time"), frozenset()),
}
"""Kinds of words that a reading has to bear out, with the statistics that do; some no judge's reading does."""


class CannotUse(Exception):
    """The judge's reading does not fit the claim or the table; the text is the reason."""


@dataclass(frozen=True)
class JudgedNumber:
    """The judge's answers about one number, or about a claim without one.
        slots: What fills each slot; "" where nothing does.==        slots: The answer to each question; "" for none.

    Attributes:
        number: The number.
        slots: What fills each slot; "" where nothing does.
    """

    number: Mark | None
    slots: Mapping[QuestionSlot, str]


def checks_of(clause: Clause, judged: Sequence[JudgedNumber], begin: int = 0) -> list[list[Specification]]:
    """The checks of a claim against one table, each with its readings; before `begin` the clause only comments.

    Raises:
        CannotUse: The answers do not fit, or leave out a number, a time, a name or a meaningful word of the claim.
    """
    reading = _Reading(
        clause, [one.number for one in judged if one.number and one.slots[QuestionSlot.STATISTIC] == THRESHOLD]
    )
    checks = [
        check
        for one in judged
        if one.slots[QuestionSlot.STATISTIC] not in ("", THRESHOLD)
        for check in reading.checks(one)
    ]
    reading.account([spec for check in checks for spec in check], begin)
    return checks


class _Reading:
    """The reading of one claim against one table; it remembers which of the claim's words it has used."""

    def __init__(self, clause: Clause, thresholds: Sequence[Mark]) -> None:
        self._clause = clause
        self._thresholds = thresholds
        self._used: list[Mark] = []
        self._columns: set[str] = set()

    def checks(self, judged: JudgedNumber) -> list[list[Specification]]:
        """The checks that one number makes."""
        statistic = Statistic(judged.slots[QuestionSlot.STATISTIC])
        own = [mark for slot in (QuestionSlot.WHEN, QuestionSlot.ROW) for mark in self._marks(judged, slot)]
        against = self._marks(judged, QuestionSlot.AGAINST)
        column = None if against else self._column(judged.slots.get(QuestionSlot.AGAINST, ""))
        against = [mark for mark in against if mark not in own]  # nothing is measured against itself
        series = self._series(judged, statistic)
        fields = self._fields(judged, statistic)
        if statistic in _OF_TWO:
            return [self._of_two(statistic, series, own, against, fields | {"compared_with": column})]
        if column is not None:
            raise CannotUse(f"it measures a {_title(statistic)} against {column!r}")
        if not self._is_place(statistic, own):
            return [specify(statistic, [series], self._windows([*own, *against]), **fields)]
        spots, windows = self._windows(own), self._windows(against)
        when = _PLACE_OF.get(statistic, statistic)
        own_fields = {} if statistic in _PLACE_OF else fields
        placed = [spec for spot in spots for spec in specify(when, [series], windows, **own_fields, place=spot)]
        return [specify(statistic, [series], windows, **fields), placed] if statistic in _PLACE_OF else [placed]

    def account(self, specifications: Sequence[Specification], begin: int) -> None:
        """Raises `CannotUse` where the claim has a word that the reading does not bear out."""
        clause = self._clause
        statistics = {spec.statistic for spec in specifications}
        ways = {spec.direction for spec in specifications if spec.statistic in _HAVE_WAY}
        left = [mark for mark in (*clause.numbers, *clause.times, *clause.cells) if mark not in self._used]
        left += [mark for mark in clause.series if _is_named(mark) and not self._columns & {*mark.series}]
        telling_words = [mark for mark in clause.marks_of(*_BORNE_OUT) if mark.start >= begin]
        left += [mark for mark in telling_words if all(_is_left(kind, statistics) for kind in mark.kinds)]
        if not statistics & _WITHOUT_WAY:
            left += [mark for way, kinds in WAYS.items() if way not in ways for mark in clause.marks_of(*kinds)]
        if left:
            raise CannotUse(f"it leaves out {', '.join(repr(mark.text) for mark in left[:4])}")

    def _fields(self, judged: JudgedNumber, statistic: Statistic) -> dict[str, object]:
        way = judged.slots[QuestionSlot.DIRECTION] if statistic in _HAVE_WAY | {_S.RANK} else ""
        fields: dict[str, object] = {"direction": Direction(way) if way else None}
        number = None if judged.number is None else self._use(judged.number)
        needs = STATISTICS[statistic].needs
        if "threshold" in needs:
            limit = number if "value" not in needs else self._threshold(statistic)
            assert limit is not None and limit.number is not None  # asked only of numbers
            fields |= {"threshold": limit.number.value, "threshold_unit": limit.number.unit}
        if number is not None and ("threshold" not in needs or "value" in needs):
            fields |= value_fields(number)
            if hedge := judged.slots.get(QuestionSlot.HEDGE):
                fields["hedge"] = Hedge(hedge)
        if "direction" in needs and not way:
            raise CannotUse(f"a {_title(statistic)} has no direction")
        return fields

    def _threshold(self, statistic: Statistic) -> Mark:
        if len(self._thresholds) != 1:
            raise CannotUse(f"a {_title(statistic)} has one threshold, not {len(self._thresholds)}")
        return self._use(self._thresholds[0])

    def _of_two(
        self,
        statistic: Statistic,
        series: str | None,
        own: Sequence[Mark],
        against: Sequence[Mark],
        fields: dict[str, object],
    ) -> list[Specification]:
        """One side measured against the other: another time or row of the same, or another series."""
        if "compared_with" in STATISTICS[statistic].needs and fields["compared_with"] is None:
            raise CannotUse(f"a {_title(statistic)} has no second series")
        windows = self._windows(own)
        if series is not None and is_flow(self._clause, series) and not self._clause.marks_of(_S.MEAN):
            fields = fields | {"side_statistic": _S.SUM}
        if not against and fields["compared_with"] is None and statistic in _CHANGES:
            return self._over_time(statistic, series, windows, fields)
        if not against:
            return specify(statistic, [series], windows, **fields)
        if not own and not self._clause.scope:
            windows = [Window(last=1)]  # "880 more than in June": by now
        kept = [mark for mark in own if bool(mark.time) != bool(against[0].time)]
        others = self._windows([*against, *kept])
        return [
            spec for other in others for spec in specify(statistic, [series], windows, **fields, compared_window=other)
        ]

    def _over_time(
        self, statistic: Statistic, series: str | None, windows: Sequence[Window], fields: dict[str, object]
    ) -> list[Specification]:
        """A change that is measured against nothing else: from the first to the last row of its time."""
        if self._clause.view.times is None:
            raise CannotUse(f"it does not say what its {_title(statistic)} is measured against")
        ends = [(replace(window, last=1), fields | {"compared_window": replace(window, first=1)}) for window in windows]
        return [spec for end, side in ends for spec in specify(statistic, [series], [end], **side)]

    def _is_place(self, statistic: Statistic, own: Sequence[Mark]) -> bool:
        """Whether a time or a row is the place of the statistic and not its window: it is a single row."""
        if "place" in STATISTICS[statistic].needs:
            if not own:
                raise CannotUse(f"a {_title(statistic)} has no place")
            return True
        if statistic not in _MAY_HAVE_PLACE or not own:
            return False
        try:
            return all(len(rows_of(self._clause.table, window)) == 1 for window in self._windows(own))
        except Unverifiable:
            return False

    def _windows(self, marks: Sequence[Mark]) -> list[Window]:
        windows = self._clause.windows([m for m in marks if m.time], [m for m in marks if m.cells])
        if not windows:
            raise CannotUse(f"{' and '.join(repr(mark.text) for mark in marks)} are not one part of the table")
        return windows

    def _marks(self, judged: JudgedNumber, slot: QuestionSlot) -> list[Mark]:
        """The marks of the time or the row that fills a slot; none where nothing does, or a series."""
        text = judged.slots.get(slot, "").casefold()
        marks = [m for m in (*self._clause.times, *self._clause.cells) if words_of(m).casefold() == text]
        if text and not marks and slot is not QuestionSlot.AGAINST:
            raise CannotUse(f"{judged.slots[slot]!r} names no time or row of {self._clause.table.name}")
        self._used += marks
        return marks[:1]

    def _series(self, judged: JudgedNumber, statistic: Statistic) -> str | None:
        """The series; None for a count of rows where the claim names no series."""
        name = judged.slots.get(QuestionSlot.SERIES, "")
        if statistic is _S.COUNT and not any(name in mark.series for mark in self._clause.series):
            return None
        if not name:
            raise CannotUse(f"a {_title(statistic)} has no series")
        return self._column(name)

    def _column(self, name: str) -> str | None:
        columns = {str(column).casefold(): str(column) for column in self._clause.table.columns}
        column = columns.get(name.casefold())
        if name and column is None:
            raise CannotUse(f"{name!r} is no series of {self._clause.table.name}")
        self._columns |= {column} if column else set()
        return column

    def _use(self, number: Mark) -> Mark:
        mark = next((mark for mark in self._clause.numbers if same_place(mark, number)), None)
        if mark is None:
            raise CannotUse(f"{number.text!r} is no number beside {self._clause.table.name}")
        self._used.append(mark)
        return mark


def _is_left(kind: str, statistics: set[Statistic]) -> bool:
    """Whether a reading has to bear out a kind of words, and has no statistic that does."""
    return kind in _BORNE_OUT and not _BORNE_OUT[kind] & statistics


def _is_named(series: Mark) -> bool:
    """Whether a mark has the name of a series or a synonym, and not a part of one ("a claim" of claims received)."""
    return series.mention is not None and any(name.rank >= _SYNONYM for name in series.mention.names)


def _title(statistic: Statistic) -> str:
    return statistic.replace("_", " ")
