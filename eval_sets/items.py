"""Rated or scored answers as files and runs show them: which of the known ones another source means."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from .column_table import OTHER_ANSWER, is_missing, usual_name
from .conversation import asked_text, opening_question
from .number_rule import Bounds
from .sample import Sample

RATER = "rating"
"""The rater of a rating that names none."""


def as_label(value: Any) -> str:
    """Writes an id or an attribute as text; an empty text where there is none."""
    if is_missing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


@dataclass(frozen=True)
class Item:
    """One rated or scored answer as a file shows it."""

    id: str  # its id; empty where the file has none
    place: str  # where it stands in the file, for messages ("line 17")
    user_input: str = ""  # the question; empty where the file has none
    response: str = ""  # the answer; empty where the file has none
    contexts: tuple[str, ...] = ()  # the retrieved contexts
    values: Mapping[str, Any] = field(default_factory=dict)  # all cells of its row
    reasons: Mapping[str, str] = field(default_factory=dict)  # the reason of each metric's score
    before: str = ""  # what was said before the question, in a conversation
    opening: str = ""  # the first question of a conversation
    version: str = ""  # the version that gave the answer, where its source says it
    # what is the same of answers to one question, where its source says it; else the question's text is
    question: str = ""

    @property
    def asked(self) -> str:
        """The question after what was said before it: with the answer it says which answer this is."""
        return f"{self.before}\n{self.user_input}" if self.before else self.user_input

    @property
    def questions(self) -> set[str]:
        """What another source may have as its question: it, with what was said before it, or the first."""
        return {" ".join(text.split()) for text in (self.user_input, self.asked, self.opening)} - {""}

    def label(self, attribute: str) -> str:
        """The label of an attribute (also under `metadata.`); empty where the file has none."""
        return as_label(self.values.get(attribute)) or as_label(self.values.get(f"metadata.{attribute}"))


def item_of(sample: Sample) -> Item:
    """Makes the item of an answer."""
    return Item(
        sample.id,
        f"sample {sample.id}",
        sample.user_input,
        sample.response,
        sample.retrieved_contexts,
        before=asked_text(sample).removesuffix(sample.user_input).rstrip("\n"),
        opening=opening_question(sample),
    )


@dataclass(frozen=True)
class ScoreSource:
    """The numbers of one source of scores or ratings."""

    name: str  # the file or run, for messages
    items: tuple[Item, ...]
    # metric or rater -> place of the item in `items` -> number; what is missing is left out
    columns: Mapping[str, Mapping[int, float]]
    judges: Mapping[str, str] = field(default_factory=dict)  # the judge that made a column, where one did
    scale: Bounds | None = None  # the scale of ratings, where the source says it
    places: Mapping[float, str] = field(default_factory=dict)  # where each rating stands first
    read_columns: tuple[str, ...] = ()  # the columns of ratings that were read
    offered: tuple[str, ...] = ()  # the metrics that could have been read
    # whether higher is better, by metric, where the source says it
    directions: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the reader should tell the user


class ItemMatcher:
    """Finds which of the items known so far another source means.

    Items match by id where their answers do not differ, else by question and answer; texts match when only white space
    differs. Where the question of an id is that of another item, it is that item.

    Examples:
        >>> matcher = ItemMatcher([Item("a", "row 1", "How?", "So."), Item("b", "row 2", "When?", "Now.")])
        >>> matcher.find(Item("", "line 1", "When?", "Now. "))
        1
        >>> matcher.find(Item("c", "line 2", "Who?", "Me.")) is None
        True
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: list[Item] = []
        self._number_by_id: dict[str, int] = {}
        self._number_by_text: dict[tuple[str, str], int | None] = {}  # None: several items have this text
        self._numbers_by_question: dict[str, list[int]] = {}
        self._listed = 0  # how many items are listed by question: it is seldom asked for
        for item in items:
            self.add(item)

    def add(self, item: Item) -> int:
        """Adds a new item and returns its number."""
        number = len(self.items)
        self.items.append(item)
        if item.id:
            self._number_by_id[item.id] = number
        if any(key := _text_of(item)):
            self._number_by_text[key] = None if key in self._number_by_text else number
        return number

    def find(self, item: Item) -> int | None:
        """Returns the number of the item that is meant; None for a new one."""
        by_id = self._number_by_id.get(item.id) if item.id else None
        asked = _text_of(item)[0]
        if by_id is not None and asked and asked not in self.items[by_id].questions:
            others = self._asking(asked) or [by_id]
            by_id = others[0] if len(others) == 1 else None  # of several, the text says which
        if by_id is not None and not has_other_answer(self.items[by_id], item):
            return by_id
        if (key := _text_of(item)) not in self._number_by_text:
            return by_id
        by_text = self._number_by_text[key]
        if by_text is None:
            raise InputError(
                f"{item.place}: several rated answers have this text ({item.user_input[:60]!r}); give both "
                "files an id column, so that it is clear which one is meant"
            )
        return by_text

    def _asking(self, question: str) -> list[int]:
        for number in range(self._listed, len(self.items)):
            for text in self.items[number].questions:
                self._numbers_by_question.setdefault(text, []).append(number)
        self._listed = len(self.items)
        return self._numbers_by_question.get(question, [])


def has_other_answer(one: Item, other: Item) -> bool:
    """Whether two items with one id hold different answers."""
    return bool(one.response and other.response) and _text_of(one)[1] != _text_of(other)[1]


def _text_of(item: Item) -> tuple[str, str]:
    return " ".join(item.user_input.split()), " ".join(item.response.split())


def version_label(value: object) -> str:
    """The name of a version, as a cell has it: one line; "" for none."""
    return " ".join(str(value).split()) if isinstance(value, bool | int | float | str) else ""


def read_version(values: Mapping[str, Any], column: str) -> str:
    """The version of a row: its cell of a column, else what its metadata have of that name."""
    metadata = values.get("metadata")
    cells = [values.get(column), values.get(f"metadata.{column}")]
    cells += [metadata.get(column)] if isinstance(metadata, Mapping) else []
    return next(filter(None, map(version_label, cells)), "")


def versioned_id(name: str, version: str) -> str:
    """The id of a version's answer to the question of an id that several versions share.

    Example:
        >>> versioned_id("q1", "new"), question_id("q1@new", "new"), question_id("q1@new#2", "new")
        ('q1@new', 'q1', 'q1#2')
    """
    return f"{name}@{version}"


def question_id(name: str, version: str) -> str:
    """What the id of an answer, or of a turn of it, is without its version; see `versioned_id`."""
    conversation, mark, turn = name.partition(f"@{version}#")
    return f"{conversation}#{turn}" if mark else name.removesuffix(f"@{version}")


COMPARES_TWO = (
    "says which of two answers is better, on a scale that begins below 0; write the answers of each version into a "
    "file of its own, and the choices as question and winner (A, B, tie) for assay decide A=FILE B=FILE --ratings FILE"
)


def has_two_answers(values: Mapping[str, Any]) -> bool:
    """Whether a row holds another answer beside its own."""
    return any(usual_name(column) in OTHER_ANSWER and not is_missing(value) for column, value in values.items())
