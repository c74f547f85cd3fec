"""Which columns of a row say who prefers which of two versions, and what the words in them mean."""

import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from ..languages.yaml_file import read_yaml
from .cell_values import parse_structure
from .column_table import ALIASES, ID_ALIASES
from .preference import Choice

Form = Literal["words", "outcomes", "ratings"]
"""How a row says which version is better: a word, one column per outcome, or a rating of one against the other."""

_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
_TEXTS = ("question", "user_input", *ALIASES["user_input"])
_BRACKETS = "[]() \t"


class PreferenceCell(NamedTuple):
    """A cell and the column that it stands in, as the file calls it."""

    column: str
    value: Any


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """The lists of the data file, each as one."""
    table = read_yaml(resources.files(__package__).joinpath("preference_columns.yaml"), dict[str, list[Any]])
    flat = {
        key: tuple(name for names in listed for name in (names if isinstance(names, list) else [names]))
        for key, listed in table.items()
    }
    questions = (*ID_ALIASES, *_TEXTS)
    return flat | {"question": tuple(dict.fromkeys((*flat["question"], *questions)))}


def known_preference_columns() -> frozenset[str]:
    """All names of columns that mean something in a file of preferences."""
    return frozenset(name for key, names in _names().items() if not key.startswith("words_") for name in names)


@lru_cache(maxsize=1024)
def _plain(name: str) -> str:
    return _NEITHER_LETTER_NOR_DIGIT.sub("_", name.strip()).strip("_").casefold()


@lru_cache(maxsize=1024)
def choice_of(word: str) -> Choice | None:
    """The choice that a word in a column of preferences means; None of an unknown word.

    Examples:
        >>> choice_of("model_a"), choice_of("B"), choice_of("tie (bothbad)"), choice_of("[[A>>B]]"), choice_of("gpt-4")
        ('first', 'second', 'tie', 'first', None)
    """
    written = word.strip(_BRACKETS).casefold()
    choices: tuple[Choice, ...] = ("first", "second", "tie")
    for choice in choices:
        if {written, _plain(word)} & {*_names()[f"words_{choice}"]}:
            return choice
    return None


class PreferenceRow:
    """A row by the names that its columns have in small letters; keys of `metadata` count as columns too."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._cells: dict[str, PreferenceCell] = {}
        for column, value in values.items():
            self._cells.setdefault(_plain(column), PreferenceCell(column, value))
        for key, value in _metadata(values.get("metadata")).items():
            self._cells.setdefault(_plain(str(key)), PreferenceCell(f"metadata.{key}", value))

    def cell(self, kind: str) -> PreferenceCell | None:
        """The first cell of a kind that is filled; else the first that is there; None without one."""
        cells = [self._cells[name] for name in _names()[kind] if name in self._cells]
        return _first_filled(cells)

    def question_names(self) -> list[tuple[str, str]]:
        """What the row may call its question, each with its column: ids first, then texts."""
        cells = [self._cells[name] for name in _names()["question"] if name in self._cells]
        return [
            (cell.column, f"{cell.value:.15g}" if isinstance(cell.value, float) else str(cell.value).strip())
            for cell in cells
            if is_filled(cell.value) and isinstance(cell.value, str | int | float)
        ]

    def versions(self) -> tuple[PreferenceCell, PreferenceCell] | None:
        """The cells of the two versions that the row compares; None where it names none."""
        for first, second in zip(_names()["first"], _names()["second"], strict=True):
            if first in self._cells and second in self._cells:
                return self._cells[first], self._cells[second]
        return None

    def choice(self) -> PreferenceCell | None:
        """The cell with the word that says which version is better; None without one."""
        has_versions = self.versions() is not None
        names = [name for name in _names()["choice"] if has_versions or name not in _names()["doubtful_choice"]]
        cells = [self._cells[name] for name in names if name in self._cells]
        return _first_filled(cells)

    def choices(self) -> dict[str, PreferenceCell]:
        """The cells with a word of each rater: of one column under no name, of `winner1` and so on by number."""
        if (cell := self.choice()) is not None:
            return {"": cell}
        if self.versions() is None:
            return {}
        pattern = re.compile(rf"(?:{'|'.join(_names()['choice'])})_?(\d{{1,3}})")
        return {match[1]: cell for name, cell in self._cells.items() if (match := pattern.fullmatch(name))}

    def outcomes(self) -> dict[Choice, PreferenceCell]:
        """The cells of the outcomes, where each has a column of its own; empty where they have none."""
        choices: tuple[Choice, ...] = ("first", "second", "tie")
        cells = {choice: cell for choice in choices if (cell := self.cell(f"outcome_{choice}")) is not None}
        return cells if {"first", "second"} <= cells.keys() else {}

    def ratings(self) -> PreferenceCell | None:
        """The cell with ratings of the second answer against the first; None where there are none.

        RagChecker's labels are; a `rating` or `ratings` only beside a second answer and on a scale around 0, since
        one from 1 to 5 is of the answer alone.
        """
        if self.versions() is None:
            return None
        label = self.cell("label")
        if label is not None:
            return label
        lowest, highest = (_number(self._cells.get(name)) for name in ("rating_min", "rating_max"))
        if self.cell("second_answer") is None or lowest is None or highest is None or lowest >= 0 or lowest != -highest:
            return None
        cell = _first_filled([self._cells[name] for name in ("ratings", "rating") if name in self._cells])
        return cell or PreferenceCell("ratings", None)  # nobody has rated this row

    @property
    def form(self) -> Form | None:
        """How the row says which version is better; None where it does not."""
        if self.outcomes():
            return "outcomes"
        # a word alone, beside a rating of the answer, is a remark on that answer
        if self.choices() and (self.versions() or not {"rating", "ratings"} & self._cells.keys()):
            return "words"
        return "ratings" if self.ratings() is not None else None


def is_question_text(column: str) -> bool:
    """Whether a column of questions holds their texts, and not their ids."""
    return _plain(column.removeprefix("metadata.")) in _TEXTS


def is_filled(value: Any) -> bool:
    """Whether a cell holds something: no null, no NaN, no empty text, list or object."""
    if isinstance(value, str):
        return bool(value.strip())
    return value is not None and value not in ([], {}) and not (isinstance(value, float) and math.isnan(value))


def _first_filled(cells: list[PreferenceCell]) -> PreferenceCell | None:
    return next((cell for cell in cells if is_filled(cell.value)), cells[0] if cells else None)


def _metadata(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse_structure(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _number(cell: PreferenceCell | None) -> float | None:
    try:
        return None if cell is None or isinstance(cell.value, bool) else float(cell.value)
    except (TypeError, ValueError):
        return None
