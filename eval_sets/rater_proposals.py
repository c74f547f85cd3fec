"""Columns that may hold a rater's ratings, though their names do not say so: those of colleagues."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..shell_words import quote_word
from ..text.wording import list_first
from .column_table import (
    LABELS,
    NAMES,
    PREFERENCES,
    RATING_ALIASES,
    has_other_role,
    is_known_metric,
    is_of_program,
    rater_of,
    split_remark,
    usual_name,
)
from .number_rule import ColumnCells, is_whole, label_of, scale_of_header

_HIGHEST = 10
_FEWEST_VALUES = 3  # different ones: two may be a flag
_MOST_LABELS = 5  # of a scale in words
_MOST_DIFFERENT = 30  # cells: a column with more is of no small scale
_MOST_ODD = 0.2  # the share of cells that may hold something else, by a slip: 55 for 5
_FIRST_WORD, _LAST_WORD = re.compile(r"([^\s_.:-]+)[\s_.:-]+(?=\w)"), re.compile(r"(?<=\w)[\s_.:-]+([^\s_.:-]+)$")
_RATER_WORDS = frozenset(("rater", "human", *NAMES["rater"]))  # which may stand before a rater's own name
_CHOICES = frozenset(PREFERENCES["choice"])  # columns that say which of two answers is better


class RaterSearch:
    """Finds columns that may be ratings in rows that nobody rated, to propose them.

    Raters' are those of whole numbers from 0 to 10, three different ones, with few other cells, whose names neither
    have another role nor are a criterion's, a metric's, a program's or a count's; beside one of them also those with
    two different numbers within its range. Else a column of yes and no counts that is a rating by its name.

    Example:
        >>> search = RaterSearch()
        >>> for ann, bob, page in ((1, "5", 3), (3, "3", 1), (5, "", 2)):
        ...     search.add({"Ann": ann, "Bob": bob, "page": page, "note": "x"})
        >>> search.result()
        ['Ann', 'Bob']
    """

    def __init__(self) -> None:
        self._cells = defaultdict[str, ColumnCells](ColumnCells)
        self._others = set[str]()  # the columns of texts and of wide numbers

    def add(self, cells: Mapping[str, Any]) -> None:
        """Looks at the cells of a row that no field takes, by column."""
        for column, cell in cells.items():
            if column not in self._others:
                added = self._cells[column]
                added.add(cell)
                if len(added.texts) + len(added.numbers) > _MOST_DIFFERENT:
                    self._others.add(column)
                    del self._cells[column]

    def result(self) -> list[str]:
        """The columns of raters, from the rows that were added."""
        columns = {}
        for column, cells in self._cells.items():
            numbers = [number for number in cells.values() if is_whole([number]) and 0 <= number <= _HIGHEST]
            if may_be_rater(column) and not cells.rule().labels and len(numbers) >= (1 - _MOST_ODD) * cells.size:
                columns[column] = {*numbers}
        of_scale = [number for numbers in columns.values() if len(numbers) >= _FEWEST_VALUES for number in numbers]
        if not of_scale:
            return []
        low, high = min(of_scale), max(of_scale)
        return [
            column
            for column, numbers in columns.items()
            if len(numbers) > 1 and low <= min(numbers) and max(numbers) <= high
        ]

    def describe(self) -> str:
        """Says what to type so that columns are read as ratings; empty where none may be."""
        # a French mark is called as a remark is elsewhere
        marks = [column for column, cells in self._cells.items() if usual_name(column) == "note" and cells.values()]
        typed = type_raters(self.result()) or self._type_decisions()
        typed = typed or [f"--map {quote_word(f'{column}=rating')}" for column in marks[:1]]
        if typed:
            return f"no column is read as a rating; if these are your team's: {' '.join(typed)}"
        for column, cells in self._cells.items():
            labels = list(dict.fromkeys(map(label_of, cells.texts)))
            has_both_ends = {LABELS.get(label) for label in labels} >= {0.0, 1.0}
            is_told = usual_name(column) in RATING_ALIASES or rater_of(column)  # as what is no rating, with the cure
            if has_both_ends and _FEWEST_VALUES <= len(labels) <= _MOST_LABELS and not is_told:
                write = f"write numbers from 1 (worst) to {len(labels)} (best) in place of its labels"
                listed = f"no column is read as a rating; if {column} is one ({list_first(labels)})"
                return f"{listed}, {write}, and --map {quote_word(f'{column}=rating')}"
        return ""

    def _type_decisions(self) -> list[str]:
        """The option for the columns of yes and no, or 1 and 0, that are ratings by their names, or are thumbs."""
        decisions = {
            column: cells
            for column, cells in self._cells.items()
            if cells.rule().labels or ({*cells.values()} == {0, 1} and not cells.count_unread())
        }
        scored = [column for column in decisions if _without_rating_words(column) != column.strip()]
        if typed := type_raters(column for column in scored if may_be_rater(column)):
            return typed
        for column, cells in decisions.items():
            words = re.split(r"[\s_]+", column.strip(" ?!").casefold())  # Correct? yes, and is_correct
            is_judged = words[-1] in LABELS and words[:-1] in ([], ["is"], ["was"])
            is_thumbs = bool(cells.texts) and not any(map(str.isalnum, "".join(cells.texts)))
            if (is_judged and not is_known_metric(words[-1])) or is_thumbs:
                return [f"--map {quote_word(f'{column}=rating')}"]
        return []


def explain_total(cells: ColumnCells, metrics: Iterable[str]) -> str:
    """Why a column of a general name, such as `score`, is no rating beside metrics' columns; empty where it may be one.

    What people give are labels, or whole and half numbers on a scale above 1: others may be a tool's total.
    """
    values, listed = cells.values(), list_first([*metrics])
    is_peoples = is_whole([2 * value for value in values]) and values[-1:] > [1]
    return "" if not listed or not values or cells.rule().labels or is_peoples else f"beside {listed} it may be a total"


def propose_raters(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to type so that columns of rows are read as ratings; empty where none may be."""
    search = RaterSearch()
    for row in rows:
        search.add(row)
    return type_raters(search.result())


def type_raters(columns: Iterable[str]) -> list[str]:
    """The options that make columns those of raters, who are called as the columns without words for a rating.

    Example:
        >>> type_raters(["Ann", "Score Jan Smit"])
        ['--map Ann=rating_Ann', "--map 'Score Jan Smit=rating_Jan Smit'"]
    """
    raters = {column: _without_rating_words(column) for column in columns}
    if len({rater.casefold() for rater in raters.values()}) < len(raters):
        raters = {column: column for column in raters}  # two columns are not one rater's
    return [f"--map {quote_word(f'{column}=rating_{rater}')}" for column, rater in raters.items()]


def _without_rating_words(column: str) -> str:
    name = column.strip()
    while (word := _FIRST_WORD.match(name)) and _is_rating_word(word[1]):
        name = name[word.end() :]
    while (word := _LAST_WORD.search(name)) and _is_rating_word(word[1]):
        name = name[: word.start()]
    return name


def _is_rating_word(word: str) -> bool:
    return word.casefold() in {"rating", *RATING_ALIASES}


@lru_cache(maxsize=1024)
def may_be_rating(column: str) -> bool:
    """Whether a column may hold ratings, by a rater or of a criterion, by its name: it says nothing else.

    Examples:
        >>> may_be_rating("Ann"), may_be_rating("overall"), may_be_rating("human"), may_be_rating("Human feedback")
        (True, True, True, True)
        >>> may_be_rating("question_id"), may_be_rating("turn"), may_be_rating("gpt4"), may_be_rating("3.5")
        (False, False, False, False)
    """
    rater = _without_rating_words(column)
    words = [word for word in re.split(r"[\s_.:-]+", rater) if word.casefold() not in _RATER_WORDS]
    is_name = rater.casefold() == "human" or (bool(words) and not has_other_role(" ".join(words), "rating"))
    is_other = usual_name(column) in RATING_ALIASES or is_of_program(rater)
    is_cell = re.fullmatch(r"[\d\s.,]+", column) is not None  # of a file without names for its columns
    is_choice = split_remark(column.strip().casefold())[0] in _CHOICES
    return (is_name or scale_of_header(column) is not None) and not (is_other or is_cell or is_choice)


def may_be_rater(column: str) -> bool:
    """Whether a column may hold a rater's ratings by its name, and is no criterion's."""
    rater = _without_rating_words(column)
    return may_be_rating(column) and rater_of(f"rating_{rater}") == rater
