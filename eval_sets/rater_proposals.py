"""Columns that may hold a rater's ratings, though their names do not say so: those of colleagues."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from statistics import fmean
from typing import Any

from ..shell_words import quote_word
from ..text.wording import list_first
from ..value_messages import shorten
from .column_table import (
    LABELS,
    NAMES,
    PREFERENCES,
    RATING_ALIASES,
    has_other_role,
    is_known_metric,
    is_named_low_good,
    is_of_program,
    low_good_scale,
    rater_of,
    split_remark,
    usual_name,
)
from .number_rule import (
    ColumnCells,
    NumberRule,
    find_number_rule,
    find_rating_scale,
    is_missing,
    is_whole,
    label_of,
    scale_of_header,
    usual_scale,
)

_HIGHEST, _HIGHEST_MARK = 10, 20
ROUNDED = 0.0501
_SAME = 0.0051  # rounded to two decimals
_FEWEST_ROWS, _FEWEST_DIFFERING = 4, 2
_FEWEST_VALUES = 3  # different ones: two may be a flag
_MOST_LABELS, _LONGEST_LABEL = 5, 30
_ODD_SHOWN = 3
_FIRST_WORD, _LAST_WORD = re.compile(r"([^\s_.:-]+)[\s_.:-]+(?=\w)"), re.compile(r"(?<=\w)[\s_.:-]+([^\s_.:-]+)$")
_RATER_WORDS = frozenset(("rater", "human", *NAMES["rater"]))  # which may stand before a rater's own name
_CHOICES = frozenset(PREFERENCES["choice"])  # columns that say which of two answers is better
_ANY_NUMBER = NumberRule()
_MOST_ODD = 0.2  # the share of cells that may hold something else, by a slip: 55 for 5


class RaterSearch:
    """Finds columns of whole numbers on one small scale in rows that nobody rated, to propose them as raters'.

    A column counts where it has three different whole numbers from 0 to 10 and, but for a few slips, nothing else, and
    its name, without a word such as score, neither has another role nor is that of a criterion, a metric, a program or
    a count. Beside one that counts, others count that have two different numbers within the same range.

    Example:
        >>> search = RaterSearch()
        >>> for ann, bob, page in ((1, "5", 3), (3, "3", 1), (5, "", 2)):
        ...     search.add({"Ann": ann, "Bob": bob, "page": page, "note": "x"})
        >>> search.result()
        ['Ann', 'Bob']
        >>> search = RaterSearch()  # what a set from documents says of its questions
        >>> for topic in (0, 1, 2, 3):
        ...     search.add({"topic": topic, "section": topic, "fold": topic})
        >>> search.result()
        []
    """

    def __init__(self) -> None:
        self._labels = defaultdict[str, dict[str, None]](dict)  # of each column, as long as they are few
        self._numbers: dict[str, Counter[int] | None] = {}  # None: the column's name is no rater's
        # how many cells of each column hold something else, and the first ones
        self._odd, self._first_odd = Counter[str](), defaultdict[str, list[str]](list)

    def add(self, cells: Mapping[str, Any], place: str = "") -> None:
        """Looks at the cells of a row that no field takes, by column."""
        for column, cell in cells.items():
            if column not in self._numbers:
                self._numbers[column] = Counter() if may_be_rater(column) else None
            numbers = self._numbers[column]
            if is_missing(cell):
                continue
            if isinstance(cell, str | int) and len(self._labels[column]) <= _MOST_LABELS:
                self._labels[column].setdefault(_short_label(str(cell)))
            if numbers is None:
                continue
            number = _whole_number(cell)
            if number is None:
                self._odd[column] += 1
                if len(self._first_odd[column]) < _ODD_SHOWN:
                    self._first_odd[column].append(f'{place} "{shorten(str(cell), 20)}"')
            else:
                numbers[number] += 1

    def result(self) -> list[str]:
        """The columns, from the rows that were added."""
        columns = {
            column: numbers
            for column, numbers in self._numbers.items()
            if numbers and len(numbers) > 1
            if self._odd[column] <= _MOST_ODD * (numbers.total() + self._odd[column])
        }
        of_scale = [number for values in columns.values() if len(values) >= _FEWEST_VALUES for number in values]
        if not of_scale:
            return []
        low, high = min(of_scale), max(of_scale)
        return [column for column, values in columns.items() if low <= min(values) and max(values) <= high]

    def describe(self) -> str:
        """The columns with what to type, and the cells of them that hold no whole number of a small scale; or ""."""
        columns = self.result()
        if not columns:
            return self._describe_decisions() or self._describe_labels()
        odd = []
        for column in columns:
            if cells := self._first_odd[column]:
                more = self._odd[column] - len(cells)
                odd.append(f"{column} {', '.join(cells)}{f' and {more:,} more' if more else ''}")
        look = f" (first look at what is no whole number from 0 to {_HIGHEST}: {'; '.join(odd)})" if odd else ""
        return f"no column is read as a rating; if these are your team's{look}: {' '.join(type_raters(columns))}"

    def _describe_decisions(self) -> str:
        """Names the columns of yes and no, or 1 and 0, that are ratings by their names or are thumbs; or ""."""
        decisions = {column: labels for column, labels in self._labels.items() if _are_decisions(labels)}
        scored = [column for column in decisions if _without_rating_words(column) != column.strip()]
        typed = type_raters(column for column in scored if may_be_rater(column))
        for column, labels in decisions.items():
            name = column.strip(" ?!")
            words = re.split(r"[\s_]+", name.casefold())  # Correct? yes, and is_correct
            is_judged = words[-1] in LABELS and words[:-1] in ([], ["is"], ["was"]) and not is_known_metric(name)
            is_thumbs = not any(map(str.isalnum, "".join(labels)))
            if not typed and (is_judged or is_thumbs):
                typed = [f"--map {quote_word(f'{column}=rating')}"]
        return f"no column is read as a rating; if these are your team's: {' '.join(typed)}" if typed else ""

    def _describe_labels(self) -> str:
        """Names the first column of three or more labels, some good and some bad, with what to write; or ""."""
        for column, labels in self._labels.items():
            has_both_ends = {LABELS.get(label) for label in labels} >= {0.0, 1.0}
            is_told = usual_name(column) in RATING_ALIASES or rater_of(column)  # as what is no rating, with the cure
            if has_both_ends and _FEWEST_VALUES <= len(labels) <= _MOST_LABELS and not is_told:
                write = f"write numbers from 1 (worst) to {len(labels)} (best) in place of its labels"
                typed = f"--map {quote_word(f'{column}=rating')}"
                listed = list_first(list(labels))
                return f"no column is read as a rating; if {column} is one ({listed}), {write}, and {typed}"
        return ""


class MeanSearch:
    """Finds the column that is the mean of the raters' columns in every row, to one decimal: it is no rater's.

    Example:
        >>> search = MeanSearch()
        >>> for ann, bob, team in ((1, 2, 1.5), (5, 4, 4.5), (3, 3, 3), (2, 5, 3.5)):
        ...     search.add({"ann": ann, "bob": bob, "team": team})
        >>> search.result()
        'team'
    """

    def __init__(self) -> None:
        self._columns: dict[str, int] | None = None  # of those that may be it, in how many rows the others differ
        self._rows = 0

    def add(self, ratings: Mapping[str, float]) -> None:
        """Looks at the ratings of a row, by column."""
        if not ratings:
            return
        if self._columns is None:
            self._columns = dict.fromkeys(ratings, 0)
        self._rows += 1
        for column in list(self._columns):
            others = [rating for name, rating in ratings.items() if name != column]
            if not others and column not in ratings:
                continue
            if not others or abs(ratings.get(column, math.inf) - sum(others) / len(others)) > ROUNDED:
                del self._columns[column]
            else:
                self._columns[column] += len({*others}) > 1

    def result(self) -> str:
        """The column, from the rows that were added; empty where there is none, or too few rows tell it."""
        if self._rows < _FEWEST_ROWS:
            return ""
        return next((column for column, rows in (self._columns or {}).items() if rows >= _FEWEST_DIFFERING), "")


class TotalSearch:
    """Finds columns of general names, such as `score`, that hold no ratings of people beside metrics' columns.

    What people give are labels, or whole and half numbers on a usual scale, and neither the mean of the metrics nor one
    of them once more; nor is there a program as the judge.

    Example:
        >>> search = TotalSearch()
        >>> for faithfulness, bleu in ((0, 1), (1, 1), (0, 0), (1, 0)):
        ...     scores = {"score": (faithfulness + bleu) / 2, "label": faithfulness, "value": 1 + bleu}
        ...     search.add(scores, {"faithfulness": faithfulness, "bleu": bleu}, {})
        >>> search.result()
        {'score': 'it is the mean of faithfulness, bleu', 'label': 'it is faithfulness once more'}
    """

    def __init__(self) -> None:
        self._cells = defaultdict[str, ColumnCells](ColumnCells)
        self._metrics: dict[str, None] = {}
        self._judges = dict[str, bool]()  # whether all cells of each column of judges name programs
        # in how many rows each column has a number beside one of a metric, and which metrics, or their mean, it equals
        self._rows, self._equal = Counter[str](), defaultdict[str, Counter[str]](Counter)

    def add(self, cells: Mapping[str, Any], metrics: Mapping[str, Any], judges: Mapping[str, Any]) -> None:
        """Looks at a row: its cells of general names, those of metrics, and those that say who judged."""
        self._metrics |= dict.fromkeys(metrics)
        for column, cell in judges.items():
            if not is_missing(cell):
                self._judges[column] = self._judges.get(column, True) and is_of_program(str(cell))
        scores = {metric: score for metric, cell in metrics.items() if (score := _score(cell)) is not None}
        equals = {**scores, "": fmean(scores.values())} if scores else {}
        for column, cell in cells.items():
            self._cells[column].add(cell)
            if (number := _score(cell)) is not None and equals:
                self._rows[column] += 1
                self._equal[column].update(name for name, score in equals.items() if abs(number - score) <= _SAME)

    def result(self) -> dict[str, str]:
        """Why columns are no ratings, from the rows that were added; empty where there are no metrics or judges."""
        if judge := next((column for column, is_program in self._judges.items() if is_program), ""):
            return dict.fromkeys(self._cells, f"{judge} names the program that gave it")
        why = {column: self._explain(column, cells) for column, cells in self._cells.items() if self._metrics}
        return {column: reason for column, reason in why.items() if reason}

    def _explain(self, column: str, cells: ColumnCells) -> str:
        values, listed = cells.values(), list_first([*self._metrics])
        if not values or cells.count_unread():
            return ""  # the reading of the values says so
        is_of_halves = is_whole([2 * value for value in values])
        if not cells.rule().labels and not (is_of_halves and usual_scale(values[0], values[-1], whole=True)):
            return f"beside {listed} its numbers are not those of a usual scale, whole or halves"
        if values[0] == values[-1] or self._rows[column] < _FEWEST_ROWS:
            return ""
        same = [name for name, count in self._equal[column].items() if count == self._rows[column]]
        return "" if not same else f"it is {same[0]} once more" if same[0] else f"it is the mean of {listed}"


def _score(cell: object) -> float | None:
    """The number in a cell, also of a label with two values; None where there is none."""
    if isinstance(cell, bool | str) and (label := label_of(cell)) in LABELS:
        return LABELS[label]
    try:
        return _ANY_NUMBER.read(cell)
    except ValueError:
        return None


class MarkSearch:
    """Finds a column of marks, to propose it: `Note` of numbers beside a French answer, which is a remark in English.

    Of German marks it says that the lowest is the best.

    Example:
        >>> search = MarkSearch()
        >>> for mark in ("12", "14,5", "18", "3"):
        ...     search.add({"Question": "Q", "Réponse": "A", "Note": mark})
        >>> search.describe()
        "no column is read as a rating; if these are your team's: --map Note=rating --scale 0-20"
        >>> search = MarkSearch()
        >>> for mark in (1, 2, 4):
        ...     search.add({"Frage": "Q", "Antwort": "A", "Schulnote": mark})
        >>> search.describe().partition(": ")[2]
        'write 7 - x in place of each x, give it another name, and --map that'
    """

    def __init__(self) -> None:
        self._column, self._cells, self._names = "", ColumnCells(), dict[str, None]()

    def add(self, cells: Mapping[str, Any]) -> None:
        """Looks at the cells of a row, by column."""
        if not self._names.keys() >= cells.keys():
            self._names |= dict.fromkeys(cells)
            self._column = self._column or self._find_column()
        if self._column:
            self._cells.add(cells.get(self._column))

    def _find_column(self) -> str:
        if mark := next((column for column in self._names if low_good_scale(column, self._names)), ""):
            return mark
        is_french = any(usual_name(column).casefold().startswith("réponse") for column in self._names)
        return next((column for column in self._names if is_french and usual_name(column) == "note"), "")

    def describe(self) -> str:
        """Says what to type so that the column is read as ratings; empty where there is none."""
        scale = find_rating_scale(self._cells, scale_of_header(self._column))
        if isinstance(scale, str):
            return ""
        low_good = low_good_scale(self._column, self._names)
        if low_good and low_good[0] <= self._cells.values()[0] and self._cells.values()[-1] <= low_good[1]:
            is_good = f"of {self._column} the lowest is good, and high ratings are read as good"
            turned = f"write {sum(low_good):g} - x in place of each x, give it another name, and --map that"
            return f"no column is read as a rating; {is_good}: {turned}"
        of_20 = _HIGHEST < self._cells.values()[-1] <= _HIGHEST_MARK
        typed = quote_word(f"{self._column}=rating")
        scale_of_20 = f" --scale 0-{_HIGHEST_MARK}" if of_20 else ""
        return f"no column is read as a rating; if these are your team's: --map {typed}" + scale_of_20


def propose_raters(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to type so that columns of rows are read as ratings; empty where none may be."""
    search = RaterSearch()
    for row in rows:
        search.add(row)
    return type_raters(search.result())


def type_raters(columns: Iterable[str]) -> list[str]:
    """The options that make columns those of raters named by them.

    Example:
        >>> type_raters(["Ann", "Jan Smit"])
        ['--map Ann=rating_Ann', "--map 'Jan Smit=rating_Jan Smit'"]
        >>> type_raters(["Score Ann", "Score Bob"])
        ["--map 'Score Ann=rating_Ann'", "--map 'Score Bob=rating_Bob'"]
    """
    return [f"--map {quote_word(f'{column}=rating_{rater}')}" for column, rater in _name_raters(columns).items()]


def _name_raters(columns: Iterable[str]) -> dict[str, str]:
    """The rater of each column: its name without words for a rating, and without those that all begin with.

    A person then has the name that a page or another file gives, too.
    """
    raters = {column: _without_rating_words(column) for column in columns}
    while len(raters) > 1:
        words = [word for rater in raters.values() if (word := _FIRST_WORD.match(rater))]
        rests = [word.string[word.end() :] for word in words]
        if len(words) < len(raters) or len({word[1].casefold() for word in words}) > 1 or any(map(str.isdigit, rests)):
            break  # of colleague 1 and colleague 2 the number alone is no name
        if any(rater_of(f"rating_{rest}") != rest for rest in rests):
            break  # of qa_max the rest would be read as the top of the scale
        raters = dict(zip(raters, rests, strict=True))
    is_told_apart = len({rater.casefold() for rater in raters.values()}) == len(raters)
    return raters if is_told_apart else {column: column for column in raters}


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
    is_other = usual_name(column) in RATING_ALIASES or is_of_program(rater) or is_named_low_good(column)
    is_cell = re.fullmatch(r"[\d\s.,]+", column) is not None  # of a file without names for its columns
    is_choice = split_remark(column.strip().casefold())[0] in _CHOICES
    return (is_name or scale_of_header(column) is not None) and not (is_other or is_cell or is_choice)


def may_be_rater(column: str) -> bool:
    """Whether a column may hold a rater's ratings by its name, and is no criterion's.

    Examples:
        >>> may_be_rater("Ann"), may_be_rater("overall")
        (True, False)
    """
    rater = _without_rating_words(column)
    return may_be_rating(column) and rater_of(f"rating_{rater}") == rater


def _are_decisions(labels: Collection[str]) -> bool:
    """Whether labels are yes and no in some words, or 1 and 0."""
    return {*labels} == {"0", "1"} or bool(find_number_rule(labels).labels)


@lru_cache(maxsize=1024)  # few labels stand in many rows
def _short_label(cell: str) -> str:
    return label_of(cell)[:_LONGEST_LABEL]


def _whole_number(cell: object) -> int | None:
    """The whole number from 0 to 10 that a cell holds; None where it holds anything else."""
    try:
        number = None if isinstance(cell, bool) else _ANY_NUMBER.read(cell)
    except ValueError:
        return None
    return int(number) if number is not None and number.is_integer() and 0 <= number <= _HIGHEST else None
