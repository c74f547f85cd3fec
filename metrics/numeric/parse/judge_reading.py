"""A claim read by a judge: typed questions in the claim's own words, and the answers as interpretations of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from ....eval_sets.sample import Sample
from ....judges import Answer, Answers, ChoiceQuestion, Judge, Request, Usage
from ....prompts import Prompts
from ....worker_threads import compute_beside
from ..compute.computation import StatisticEntry, UnitRule
from ..compute.statistics import STATISTICS, statistics_in
from ..lexicon import lexicon
from ..names.column_names import SYNONYM
from ..specification import HEDGES, PLACE_OF, Direction, Hedge, Specification, Statistic, Window
from ..tables.table import NumericTable
from ..tables.views import View
from .clause import Clause, has_several, plain_text, read_clause, splits, without_cause
from .construction import (
    RELATIONS,
    Construction,
    ConstructionMatch,
    Interpretation,
    check,
    is_flow,
    specify,
    value_fields,
)
from .marks import Mark, is_count
from .selection import open_marks, without_impossible
from .sentence_reading import PartReading, Scene, read_checks

NOTHING = "none"
NOT_COMPUTABLE = "not_computable"
"""What a number is that no statistic of the table is; a word of its own, because small models repeat `none`."""
THRESHOLD = "threshold"
"""What a number is besides a statistic: the limit of another number of the claim."""
MOST_NUMBERS = 6
WAYS = {Direction.UP: ("up", "higher"), Direction.DOWN: ("down", "lower")}
"""The kinds of words that say which way."""
_MOST_OPTIONS = 40
_MOST_COLUMNS = 40
_LONGEST_COMMENT = 4  # words
_PERCENT = ("%", "pp")


class QuestionSlot(StrEnum):
    """What is asked about a number of a claim; the prompt explains each."""

    STATISTIC = "statistic"
    SERIES = "series"
    WHEN = "when"
    ROW = "row"
    AGAINST = "against"
    DIRECTION = "direction"
    HEDGE = "hedge"


@dataclass(frozen=True)
class OpenClaim:
    """A sentence that a judge reads."""

    sentence: str
    text: str  # what the judge is shown: its signs made plain, without the part that names a cause
    clauses: tuple[Clause, ...]  # the text against each table
    shared: frozenset[str]
    begin: int  # where in the text its claim begins, after a comment ("Not quite - ")

    @property
    def may_be_asked(self) -> bool:
        """Whether there is a table, and the claim has no more numbers than a judge is asked about."""
        return bool(self.clauses) and len(self.numbers) <= MOST_NUMBERS

    @property
    def numbers(self) -> list[Mark]:
        """The numbers that the text states, whatever the table; at most `MOST_NUMBERS` are asked about."""
        first, *rest = [{(mark.start, mark.end): mark for mark in clause.numbers} for clause in self.clauses]
        return [mark for place, mark in first.items() if all(place in other for other in rest)]


@dataclass(frozen=True)
class Subject:
    """What a judge is asked about: one number of a claim, or all of a claim that states none."""

    name: str  # what the ids of its questions begin with: the place of the claim, and its own in it
    number: Mark | None  # the number; None where the claim states none
    # what each slot can be answered with; a slot that cannot be filled is left out
    options: Mapping[QuestionSlot, tuple[str, ...]]

    @property
    def questions(self) -> list[ChoiceQuestion]:
        """The questions; a slot with one option needs none."""
        about = f'"{self.number.text}": ' if self.number else ""
        return [
            ChoiceQuestion(f"{self.name}.{slot}", f"{about}{slot}", dict.fromkeys(options, ""))
            for slot, options in self.options.items()
            if len(options) > 1
        ]


def words_of(mark: Mark) -> str:
    """The words of a time or a cell, without the signs around them."""
    return mark.text.strip(" .,;:!?")


def open_claim(sentence: str, scene: Scene) -> OpenClaim:
    """Makes a sentence ready to be read by a judge."""
    words = lexicon(scene.language)
    text, _ = without_cause(plain_text(sentence, scene.language), words)
    clauses = tuple(read_clause(text, view, scene.language, scene.context) for view in views_shown(scene))
    led, _ = next(splits(text, words), ("", text))
    names_something = any(m.start < len(led) and not m.kinds for clause in clauses for m in clause.marks)
    is_comment = not names_something and len(led.split()) <= _LONGEST_COMMENT
    return OpenClaim(sentence, text, clauses, scene.shared, len(led) if is_comment else 0)


def views_shown(scene: Scene) -> list[View]:
    """One view per table: with rows and columns exchanged where that makes its rows the series."""
    views: list[View] = []
    for view in scene.views:
        if not view.transposed:
            views.append(view)
        elif view.table.times is not None and not view.table.times.duplicated().any():
            views[-1] = view
    return views


def reading_request(sample: Sample, claims: Sequence[OpenClaim], prompts: Prompts) -> Request:
    """What the judge is asked about all open claims of an answer, what all requests share first."""
    tables = {clause.table.name: clause.table for claim in claims for clause in claim.clauses}
    state = {
        "statistics": "\n".join(f"{entry.statistic}: {entry.described}" for entry in STATISTICS.values()),
        "hedges": "\n".join(f"{entry.hedge}: {entry.described}" for entry in HEDGES.values()),
        "tables": "\n".join(map(describe, tables.values())),
        "question": sample.user_input,
        "claims": "\n".join(f"{place}: {' '.join(claim.text.split())}" for place, claim in enumerate(claims, start=1)),
    }
    subjects = [subject for place, claim in enumerate(claims, start=1) for subject in subjects_of(claim, place)]
    questions = [question for subject in subjects for question in subject.questions]
    return Request("numeric", state, questions, sample.language, sample.id, prompts, together=True)


def describe(table: NumericTable) -> str:
    """A table's columns in a line, with units and the times that it reaches over; no values."""
    parts = []
    if table.reach:
        parts.append(f"{table.time_column or 'time'} ({'..'.join(table.reach)})")
    texts = [str(c) for c in table.labels.columns if c != table.time_column and c not in table.columns]
    parts += [f"{name} (text)" for name in texts]
    parts += [f"{name} [{table.units[name]}]" if name in table.units else name for name in table.columns]
    more = len(parts) - _MOST_COLUMNS
    listed = [*parts[:_MOST_COLUMNS], f"and {more} more"] if more > 0 else parts
    return f"{table.name}: {', '.join(listed)}"


def subjects_of(claim: OpenClaim, place: int) -> list[Subject]:
    """What the judge is asked about in the claim at a place, in the order of its text."""
    numbers: Sequence[Mark | None] = claim.numbers or [None]
    return [_subject(claim, f"{place}.{own}", number, len(numbers) > 1) for own, number in enumerate(numbers, start=1)]


def _subject(claim: OpenClaim, name: str, number: Mark | None, has_others: bool) -> Subject:
    times = _distinct(words_of(mark) for clause in claim.clauses for mark in clause.times)
    cells = _distinct(words_of(mark) for clause in claim.clauses for mark in clause.cells)
    series = [name for clause in claim.clauses for mark in clause.series for name in mark.series]
    ways = [way for way, kinds in WAYS.items() if any(clause.marks_of(*kinds) for clause in claim.clauses)]
    statistics = [entry.statistic for entry in STATISTICS.values() if _may_be(entry, claim, number, has_others)]
    options: dict[QuestionSlot, Sequence[str]] = {
        QuestionSlot.STATISTIC: [*statistics, *([THRESHOLD] if has_others else []), NOT_COMPUTABLE],
        QuestionSlot.SERIES: _offered_series(claim, number),
        QuestionSlot.WHEN: [*times, NOTHING],
        QuestionSlot.ROW: [*cells, NOTHING],
        QuestionSlot.AGAINST: [*_distinct([*times, *cells, *(series if len(series) > 1 else [])]), NOTHING],
        QuestionSlot.DIRECTION: ways if len(ways) == 1 else [*Direction, NOTHING],
    }
    if number is not None and number.hedge is Hedge.EXACT:
        options[QuestionSlot.HEDGE] = [*HEDGES]
    return Subject(name, number, {slot: tuple(map(str, offered)) for slot, offered in options.items() if offered})


def _may_be(entry: StatisticEntry, claim: OpenClaim, number: Mark | None, has_others: bool) -> bool:
    """Whether a number, by its kind and unit, may be the value (or the threshold) of a statistic."""
    if number is None:
        return not {"value", "threshold"} & set(entry.needs)
    unit, ordinal = number.unit, number.stated.ordinal
    if entry.unit is UnitRule.PERCENT:
        return unit in _PERCENT
    if entry.unit is UnitRule.PLAIN:
        return unit is None and (not ordinal or "place" in entry.needs)
    if entry.unit is UnitRule.COUNT:
        return is_count(number.stated) and not ordinal and (has_others or "threshold" not in entry.needs)
    if entry.unit is UnitRule.NO_VALUE and "threshold" not in entry.needs:
        return False
    in_unit = unit is None or any(c.table.can_be_in(name, unit) for c in claim.clauses for name in c.table.columns)
    return not ordinal and in_unit


def _offered_series(claim: OpenClaim, number: Mark | None) -> list[str]:
    """The series that a number may be of: by its unit, unless it may count something."""
    every = [(clause, name) for clause in claim.clauses for name in clause.table.columns]
    stated = number.number if number else None
    if stated is not None and stated.unit is not None and stated.unit not in _PERCENT and not is_count(stated):
        every = [(c, name) for c, name in every if c.table.can_be_in(name, stated.unit)] or every
    return _distinct(name for _, name in every)


def _distinct(texts: Iterable[str]) -> list[str]:
    """The texts without repetitions (case apart), at most as many as a question can offer."""
    folded = {" ".join(text.casefold().split()): text for text in reversed(list(texts))}
    return [text for key, text in reversed(folded.items()) if key not in ("", NOTHING)][:_MOST_OPTIONS]


_S = Statistic
_PLACES = (QuestionSlot.WHEN, QuestionSlot.ROW, QuestionSlot.AGAINST)
_OF_TWO = frozenset({*RELATIONS, _S.SHARE, _S.CORRELATION})
_HAVE_WAY = _OF_TWO | {_S.TREND, _S.STREAK, _S.CROSSING, _S.RANK}
_MAY_HAVE_PLACE = frozenset({*PLACE_OF, *PLACE_OF.values(), _S.ANOMALY, _S.CROSSING, _S.RANK})
_ENDS = frozenset({_S.RANK, _S.RANGE, _S.ANOMALY})
_EXTREMES = frozenset({*PLACE_OF, *PLACE_OF.values()}) | _ENDS
_WITHOUT_WAY = _EXTREMES | {_S.RATIO, _S.SHARE}
_SHOWN_BY: Mapping[str, frozenset[Statistic]] = {
    "maximum": frozenset({_S.MAXIMUM, _S.TIME_OF_MAXIMUM}) | _ENDS,
    "minimum": frozenset({_S.MINIMUM, _S.TIME_OF_MINIMUM}) | _ENDS,
    "best": _EXTREMES,
    "worst": _EXTREMES,
    "none": frozenset({_S.NO_ANOMALY}),
    "in_a_row": frozenset({_S.STREAK}),
    **{
        entry.word: statistics_in(UnitRule.COUNT) | _OF_TWO | {entry.statistic}
        for entry in STATISTICS.values()
        if entry.is_inner
    },
    **dict.fromkeys(("not", "double", "half", "times_as", "majority"), frozenset()),
    **dict.fromkeys(("undatable_time", "vague_time", "open_time", "same_time"), frozenset()),
}
"""The statistics that kinds of words show; of some, which no reading by a judge accounts for, there are none."""


class CannotUse(Exception):
    """The judge's answers do not fit the claim or the table; the text is the reason."""


@dataclass(frozen=True)
class _Judged:
    """The judge's answers about one number, or about a claim without one; "" where nothing fills a slot."""

    number: Mark | None
    answers: Mapping[QuestionSlot, str]

    @property
    def statistic(self) -> str:
        """The statistic that the number is of, or `THRESHOLD`; "" where it is of none."""
        return self.answers[QuestionSlot.STATISTIC]

    def rows(self, clause: Clause, slot: QuestionSlot) -> list[Mark]:
        """The times and cells of a clause with the words that fill a slot; none of a series.

        Raises:
            CannotUse: A time or a row is named that the table does not have.
        """
        text = self.answers.get(slot, "")
        marks = [mark for mark in clause.places if words_of(mark).casefold() == text.casefold()]
        if text and not marks and slot is not QuestionSlot.AGAINST:
            raise CannotUse(f"{text!r} names no time or row of {clause.table.name}")
        return marks


async def read_by_judge(
    sample: Sample, claims: Sequence[OpenClaim], judge: Judge, prompts: Prompts
) -> tuple[list[list[PartReading]], Usage]:
    """The checks of each claim as the judge reads it, all claims in one request.

    The judge only chooses among the claim's own words and the table's names. An answer that does not fit the claim, or
    that leaves out a number, a time, a name or a meaningful word, makes the claim unread.
    """
    asked = [claim for claim in claims if claim.may_be_asked]
    answers = Answers({})
    if asked:
        answers = await judge.decide(await compute_beside(reading_request, sample, asked, prompts))
    readings = iter(await compute_beside(lambda: [_read(claim, n, answers) for n, claim in enumerate(asked, 1)]))
    too_many = f"a judge is asked about at most {MOST_NUMBERS} numbers of a claim"
    read: list[list[PartReading]] = [
        next(readings) if claim.may_be_asked else [PartReading(claim.sentence, reason=too_many)] for claim in claims
    ]
    return read, answers.usage


def _read(claim: OpenClaim, place: int, answers: Mapping[str, Answer]) -> list[PartReading]:
    try:
        judged = [_judged(subject, answers) for subject in subjects_of(claim, place)]
    except CannotUse as problem:
        return [PartReading(claim.sentence, reason=str(problem))]
    if not any(one.statistic for one in judged):
        return [PartReading(claim.sentence, reason="the judge finds nothing in it that can be computed")]
    made, problems = [], []
    for clause in claim.clauses:
        try:
            made.append(_interpretation(clause, judged, claim))
        except CannotUse as problem:
            problems.append(str(problem))
    if not made:
        return [PartReading(claim.sentence, reason=f"the judge's reading cannot be used: {problems[0]}")]
    return [*read_checks(claim.text, made, claim.shared)]


def _judged(subject: Subject, answers: Mapping[str, Answer]) -> _Judged:
    chosen = {}
    for slot, options in subject.options.items():
        option: str | None = options[0]
        if len(options) > 1:
            answer = answers[f"{subject.name}.{slot}"]
            option = answer.option
            if option is None:
                why = "it declined" if answer.declined else answer.problem
                raise CannotUse(f"the judge does not say its {slot}: {why}")
        chosen[slot] = "" if option in (NOTHING, NOT_COMPUTABLE) else str(option)
    return _Judged(subject.number, chosen)


def _interpretation(clause: Clause, judged: Sequence[_Judged], claim: OpenClaim) -> Interpretation:
    """What the answers make of a claim against one table; what is part of a comment before the claim has no meaning.

    Raises:
        CannotUse: The answers do not fit, or leave out a number, a time, a name or a meaningful word of the claim.
    """
    numbers = {(mark.start, mark.end): mark for mark in clause.numbers}
    judged = [replace(one, number=one.number and numbers[one.number.start, one.number.end]) for one in judged]
    of_statistics = [one for one in judged if one.statistic not in ("", THRESHOLD)]
    limits = [one.number for one in judged if one.statistic == THRESHOLD and one.number]
    checks = [check(specs) for one in of_statistics for specs in _specifications(clause, one, limits)]
    if not all(checks):
        raise CannotUse("the times and rows that it names are not one part of the table")
    specs = [spec for tiers in checks for spec in tiers[0]]
    columns = {name for spec in specs for name in (spec.series, spec.compared_with) if name}
    compared = {spec.threshold for spec in specs}
    used = [one.number for one in of_statistics if one.number]
    used += [mark for mark in limits if mark.stated.value in compared]
    used += [mark for mark in clause.series if columns & {*mark.series}]
    used += [mark for one in of_statistics for slot in _PLACES for mark in one.rows(clause, slot)]
    showing, beside = _kinds_of_words(clause, specs)
    words = [m for m in clause.marks_of(*_SHOWN_BY, *showing) if m.kinds & showing or m.start < claim.begin]
    match = ConstructionMatch(clause, {"used": tuple(used)})
    made = Interpretation(Construction("judged", (), beside, lambda _: None), match, tuple(checks), tuple(words))
    left_out = [mark for mark in open_marks(made, frozenset()) if not mark.mention]
    left_out += [mark for mark in clause.marks if _is_named(mark) and mark not in made.accounted_marks]
    if left := sorted(left_out, key=lambda mark: mark.start):
        raise CannotUse(f"it leaves out {', '.join(repr(mark.text) for mark in left[:4])}")
    return without_impossible(made) or made  # the computation says why it is unverifiable


def _is_named(mark: Mark) -> bool:
    """Whether a mark has a row, or the whole name of a series or a synonym: not "a claim" of claims received."""
    names = mark.mention.names if mark.mention else ()
    return bool(mark.cells) or any(name.kind == "series" and name.rank >= SYNONYM for name in names)


def _kinds_of_words(clause: Clause, specs: Sequence[Specification]) -> tuple[set[str], tuple[str, ...]]:
    """The kinds of words that show these checks, and of those beside them that say nothing else."""
    statistics = {spec.statistic for spec in specs}
    ways = {spec.direction for spec in specs if spec.statistic in _HAVE_WAY}
    way_words = {kind for way, kinds in WAYS.items() if way in ways or statistics & _WITHOUT_WAY for kind in kinds}
    head = {kind for kind, shown in _SHOWN_BY.items() if shown & statistics} | way_words
    telling = {*_SHOWN_BY, *(kind for kinds in WAYS.values() for kind in kinds)}
    return head, ("column", *{kind for mark in clause.marks for kind in mark.kinds} - telling)


def _specifications(clause: Clause, judged: _Judged, limits: Sequence[Mark]) -> list[list[Specification]]:
    """The checks that one number makes, each with its readings."""
    statistic = Statistic(judged.statistic)
    needs = STATISTICS[statistic].needs
    own = [mark for slot in (QuestionSlot.WHEN, QuestionSlot.ROW) for mark in judged.rows(clause, slot)[:1]]
    against = judged.rows(clause, QuestionSlot.AGAINST)[:1]
    compared_with = None if against else _column(clause, judged.answers.get(QuestionSlot.AGAINST, ""))
    against = [mark for mark in against if mark not in own]  # nothing is measured against itself
    value = judged.number
    if "threshold" in needs and "value" not in needs:
        limits, value = [value] if value else [], None
    limit = limits[0].number if len(limits) == 1 else None
    way = judged.answers[QuestionSlot.DIRECTION] if statistic in _HAVE_WAY else ""
    stated = {"value": value, "place": own, "direction": way, "threshold": limit, "compared_with": compared_with}
    if missing := [need for need in needs if not stated[need]]:
        raise CannotUse(f"a {_title(statistic)} has no {missing[0].replace('_', ' ')}")

    fields: dict[str, object] = {"direction": Direction(way) if way else None}
    if "threshold" in needs and limit is not None:
        fields |= {"threshold": limit.value, "threshold_unit": limit.unit}
    if value is not None:
        hedge = judged.answers.get(QuestionSlot.HEDGE)
        fields |= value_fields(value) | ({"hedge": Hedge(hedge)} if hedge else {})
    series = _series(clause, judged, statistic)
    if statistic in _OF_TWO:
        fields["compared_with"] = compared_with
        if series is not None and is_flow(clause, series) and not clause.marks_of("mean"):
            fields["side_statistic"] = _S.SUM
        sides = _sides(clause, own, against, over_time=compared_with is None and statistic in RELATIONS)
        return [[s for w, v in sides for s in specify(statistic, [series], [w], compared_window=v, **fields)]]
    if compared_with is not None:
        raise CannotUse(f"it measures a {_title(statistic)} against {compared_with!r}")
    spots = clause.windows(own) if own and statistic in _MAY_HAVE_PLACE else []
    if not spots or ("place" not in needs and any(has_several(clause, spot) for spot in spots)):
        return [specify(statistic, [series], clause.windows([*own, *against]), **fields)]
    windows, when = clause.windows(against), PLACE_OF.get(statistic)
    if when is None:
        return [specify(statistic, [series], windows, **fields, place=spots)]
    placed = specify(when, [series], windows, place=spots)
    return [specify(statistic, [series], windows, **fields), placed]


def _sides(
    clause: Clause, own: list[Mark], against: list[Mark], *, over_time: bool
) -> list[tuple[Window, Window | None]]:
    """What is measured, and another time or row that it is measured against; None where that is another series."""
    windows = clause.windows(own)
    if against:
        if not own and not clause.context.windows:
            windows = [Window(last=1)]  # "880 more than in June": by now
        shared = [mark for mark in own if bool(mark.time) != bool(against[0].time)]
        return [*product(windows, clause.windows([*against, *shared]))]
    if not over_time:
        return [(window, None) for window in windows]
    return [(replace(w, last=1), replace(w, first=1)) for w in windows if clause.view.times is not None]


def _series(clause: Clause, judged: _Judged, statistic: Statistic) -> str | None:
    """The series; None for a count of rows where the claim names no series."""
    name = judged.answers.get(QuestionSlot.SERIES, "")
    if statistic is _S.COUNT and not any(name in mark.series for mark in clause.series):
        return None
    if not name:
        raise CannotUse(f"a {_title(statistic)} has no series")
    return _column(clause, name)


def _column(clause: Clause, name: str) -> str | None:
    """The column of a name in any case; None of the empty name."""
    column = next((column for column in clause.table.columns if column.casefold() == name.casefold()), None)
    if name and column is None:
        raise CannotUse(f"{name!r} is no series of {clause.table.name}")
    return column


def _title(statistic: Statistic) -> str:
    return statistic.replace("_", " ")
