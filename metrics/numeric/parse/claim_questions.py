"""What a judge is asked about a claim: typed questions, their options the claim's own words and the table's names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ....eval_sets.sample import Sample
from ....judges import ChoiceQuestion, Request
from ....prompts import Prompts
from ..compute.computation import StatisticEntry, UnitRule
from ..compute.statistics import STATISTICS
from ..lexicon import lexicon
from ..specification import HEDGES, Direction, Hedge
from ..tables.table import NumericTable
from ..tables.views import View
from .clause import Clause, plain_text, read_clause, splits, without_cause
from .marks import Mark, is_count
from .sentence_reading import Scene

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
        QuestionSlot.SERIES: _series(claim, number),
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


def _series(claim: OpenClaim, number: Mark | None) -> list[str]:
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
