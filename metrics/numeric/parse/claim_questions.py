"""What a judge is asked about a claim: typed questions, their options the claim's own words and the table's names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ....judges import ChoiceQuestion
from ..compute.computation import StatisticEntry, UnitRule
from ..compute.statistics import STATISTICS
from ..lexicon import lexicon
from ..names.mentions import Names
from ..quantities.tolerance import HEDGES
from ..specification import Direction, Hedge
from ..tables.views import View
from .clause import Clause
from .clause_splitter import plain_text, splits, without_cause
from .marks import Mark, is_count
from .scene import Scene, clause_of

NOTHING = "none"
NOT_COMPUTABLE = "not_computable"
"""What a number is that no statistic of the table is; a word of its own, because small models repeat `none`."""
THRESHOLD = "threshold"
"""What a number is besides a statistic: the limit of another number of the claim."""
MOST_NUMBERS = 6
WAYS = {Direction.UP: ("up", "higher"), Direction.DOWN: ("down", "lower")}
"""The kinds of words that say which way."""
_MOST_OPTIONS = 40
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
    """A sentence that a judge reads.

    Attributes:
        sentence: As the answer has it.
        text: What the judge is shown: its signs made plain, without the part that names a cause.
        clauses: The text against each table.
        begin: Where in the text its claim begins, after a comment ("Not quite - ").
    """

    sentence: str
    text: str
    clauses: tuple[Clause, ...]
    begin: int = 0

    @property
    def numbers(self) -> list[Mark]:
        """The numbers that the text states, whatever the table; at most `MOST_NUMBERS` are asked about."""
        first, *rest = self.clauses
        return [
            mark for mark in first.numbers if all(any(same_place(mark, m) for m in other.numbers) for other in rest)
        ]


@dataclass(frozen=True)
class Subject:
    """What a judge is asked about: one number of a claim, or all of a claim that states none.

    Attributes:
        number: The number; None where the claim states none.
        options: What each slot can be answered with; a slot that cannot be filled is left out.
    """

    number: Mark | None
    options: Mapping[QuestionSlot, tuple[str, ...]]

    def questions(self, name: str) -> list[ChoiceQuestion]:
        """The questions, with ids that begin with a name; a slot with one option needs none."""
        about = f'"{self.number.text}": ' if self.number else ""
        return [
            ChoiceQuestion(f"{name}.{slot}", f"{about}{slot}", dict.fromkeys(options, ""))
            for slot, options in self.options.items()
            if len(options) > 1
        ]


def same_place(one: Mark, other: Mark) -> bool:
    """Whether two marks, of a text against two tables, are the same words."""
    return (one.start, one.end) == (other.start, other.end)


def words_of(mark: Mark) -> str:
    """The words of a time or a cell, without the signs around them."""
    return mark.text.strip(" .,;:!?")


def open_claim(sentence: str, scene: Scene) -> OpenClaim:
    """Makes a sentence ready to be read by a judge."""
    words = lexicon(scene.language)
    text, _ = without_cause(plain_text(sentence, scene.language), words)
    clauses = tuple(clause_of(text, view, names, scene) for view, names in views_shown(scene))
    led, _ = next(splits(text, words), ("", text))
    names_something = any(m.start < len(led) and not m.kinds for clause in clauses for m in clause.marks)
    return OpenClaim(sentence, text, clauses, 0 if names_something or len(led.split()) > _LONGEST_COMMENT else len(led))


def views_shown(scene: Scene) -> list[tuple[View, Names]]:
    """One view per table: with rows and columns exchanged where that makes its rows the series."""
    views: list[tuple[View, Names]] = []
    for view, names in scene.views:
        if not view.transposed:
            views.append((view, names))
        elif view.table.times is not None and not view.table.times.duplicated().any():
            views[-1] = (view, names)
    return views


def subjects_of(claim: OpenClaim) -> list[Subject]:
    """What the judge is asked about in a claim, in the order of its text."""
    numbers = claim.numbers
    return [_subject(claim, number, len(numbers) > 1) for number in numbers] or [_subject(claim, None, False)]


def _subject(claim: OpenClaim, number: Mark | None, has_others: bool) -> Subject:
    times = _distinct(words_of(mark) for clause in claim.clauses for mark in clause.times)
    cells = _distinct(words_of(mark) for clause in claim.clauses for mark in clause.cells)
    named = [name for clause in claim.clauses for mark in clause.series for name in mark.series]
    ways = [way for way, kinds in WAYS.items() if any(clause.marks_of(*kinds) for clause in claim.clauses)]
    statistics = [entry.statistic for entry in STATISTICS.values() if _may_be(entry, claim, number, has_others)]
    options: dict[QuestionSlot, Sequence[str]] = {
        QuestionSlot.STATISTIC: [*statistics, *([THRESHOLD] if has_others else []), NOT_COMPUTABLE],
        QuestionSlot.SERIES: _series(claim, number),
        QuestionSlot.WHEN: [*times, NOTHING],
        QuestionSlot.ROW: [*cells, NOTHING],
        QuestionSlot.AGAINST: [*_distinct([*times, *cells, *(named if len(named) > 1 else [])]), NOTHING],
        QuestionSlot.DIRECTION: ways if len(ways) == 1 else [*Direction, NOTHING],
    }
    if number is not None and number.hedge is Hedge.EXACT:
        options[QuestionSlot.HEDGE] = [*HEDGES]
    return Subject(number, {slot: tuple(map(str, offered)) for slot, offered in options.items() if offered})


def _may_be(entry: StatisticEntry, claim: OpenClaim, number: Mark | None, has_others: bool) -> bool:
    """Whether a number, by its kind and unit, may be the value (or the threshold) of a statistic."""
    if number is None:
        return not {"value", "threshold"} & set(entry.needs)
    assert number.number is not None  # the mark of a number
    unit, ordinal = number.number.unit, number.number.ordinal
    if entry.unit is UnitRule.PERCENT:
        return unit in _PERCENT
    if entry.unit is UnitRule.PLAIN:
        return unit is None and (not ordinal or "place" in entry.needs)
    if entry.unit is UnitRule.COUNT:
        return is_count(number.number) and not ordinal and (has_others or "threshold" not in entry.needs)
    if entry.unit is UnitRule.NO_VALUE and "threshold" not in entry.needs:
        return False
    return not ordinal and (unit is None or any(c.table.can_be_in(n, unit) for c in claim.clauses for n in _columns(c)))


def _series(claim: OpenClaim, number: Mark | None) -> list[str]:
    """The series that a number may be of: by its unit, unless it may count something."""
    every = [(clause, name) for clause in claim.clauses for name in _columns(clause)]
    stated = number.number if number else None
    if stated is not None and stated.unit is not None and stated.unit not in _PERCENT and not is_count(stated):
        every = [(c, name) for c, name in every if c.table.can_be_in(name, stated.unit)] or every
    return _distinct(name for _, name in every)


def _columns(clause: Clause) -> list[str]:
    return list(map(str, clause.table.columns))


def _distinct(texts: Iterable[str]) -> list[str]:
    """The texts without repetitions (case apart), at most as many as a question can offer."""
    folded = {" ".join(text.casefold().split()): text for text in reversed(list(texts))}
    return [text for key, text in reversed(folded.items()) if key not in ("", NOTHING)][:_MOST_OPTIONS]
