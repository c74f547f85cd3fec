"""A public set's files in their original form, read strictly: what is not as expected is named with file and place."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import InputError
from ...json_text import JSON_DECODER, explain_json_error
from ...value_messages import describe_type, shorten
from ..message import check_characters

_CURE = "this is not the file that Assay reads; get it again, from the commit that `assay sets --json` names"


class OriginalFile(NamedTuple):
    """One file of a set."""

    path: str
    text: str
    size: int = 0  # its bytes as they came; 0 where it was made of a text
    sha256: str = ""  # their SHA-256; "" where it was made of a text


class OriginalFormError(InputError):
    """A file is not in the form that the reader of its set expects."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{problem}; {_CURE}")
        self.path, self.problem = path, problem


class OriginalValue:
    """A value of a JSON document that knows its place, so that an error can name it.

    Example:
        >>> OriginalValue({"query": 7}, "labels.json").field("query").text()
        Traceback (most recent call last):
        assay.eval_sets.public.original_form.OriginalFormError: labels.json, query: is a number, not a text; \
this is not the file that Assay reads; get it again, from the commit that `assay sets --json` names
    """

    __slots__ = ("file", "place", "value")

    def __init__(self, value: Any, file: str, place: str = "") -> None:
        self.value, self.file, self.place = value, file, place

    def error(self, problem: str) -> OriginalFormError:
        """What is wrong with the value, as an error with its place and the cure."""
        place = f", {shorten(self.place, 200)}" if self.place else ""
        return OriginalFormError(self.file, f"{self.file}{place}: {problem}")

    def has(self, name: str) -> bool:
        """Whether the value is an object with this field, and the field is not null."""
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def field(self, name: str) -> "OriginalValue":
        """A field of an object. Raises `InputError` where the value is none, or has no such field."""
        self._require(dict, "an object")
        if name not in self.value:
            raise self.error(f"has no field `{name}`")
        return OriginalValue(self.value[name], self.file, f"{self.place}.{name}" if self.place else name)

    def fields(self) -> "Iterator[tuple[str, OriginalValue]]":
        """The fields of an object, by name. Raises `InputError` where the value is none."""
        self._require(dict, "an object")
        return ((self._whole(name), self.field(name)) for name in self.value)

    def entries(self) -> "list[OriginalValue]":
        """The entries of a list. Raises `InputError` where the value is none."""
        self._require(list, "a list")
        return [OriginalValue(entry, self.file, f"{self.place}[{i}]") for i, entry in enumerate(self.value)]

    def text(self) -> str:
        """A text that can be written and sent. Raises `InputError` where the value is none."""
        self._require(str, "a text")
        return self._whole(self.value)

    def whole(self) -> Any:
        """The value as it is. Raises `InputError` where a text in it can be neither written nor sent."""
        try:
            if isinstance(self.value, list):
                return [entry.whole() for entry in self.entries()]
            if isinstance(self.value, dict):
                return {name: field.whole() for name, field in self.fields()}
        except RecursionError:
            raise self.error("is nested too deeply") from None
        return self.text() if isinstance(self.value, str) else self.value

    def _require(self, kind: type, name: str) -> None:
        if not isinstance(self.value, kind):
            raise self.error(f"is {describe_type(self.value)}, not {name}")

    def _whole(self, text: str) -> str:
        try:
            return check_characters(text)
        except ValueError as error:
            raise self.error(str(error).partition(";")[0]) from None

    def texts(self) -> list[str]:
        """A list of texts. Raises `InputError` where the value is none."""
        return [entry.text() for entry in self.entries()]

    def number(self) -> float:
        """A number, also one that is written as a text. Raises `InputError` where the value is none."""
        try:
            number = math.nan if isinstance(self.value, bool) else float(self.value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise self.error(f"is {shorten(repr(self.value))}, not a number")
        return number

    def whole_number(self) -> int:
        """A whole number from 0. Raises `InputError` where the value is none."""
        number = self.number()
        if not number.is_integer() or number < 0:
            raise self.error(f"is {number:g}, not a whole number from 0")
        return int(number)

    def is_label(self, *labels: float) -> bool:
        """Whether the value is a number that is one of the labels."""
        try:
            return self.number() in labels
        except InputError:
            return False

    def label(self, *labels: float) -> float:
        """A number that is one of the labels. Raises `InputError` where it is another one."""
        number = self.number()
        if number not in labels:
            raise self.error(f"is {number:g}, not one of {', '.join(f'{label:g}' for label in labels)}")
        return number


def parse_document(file: OriginalFile) -> OriginalValue:
    """Reads a JSON file."""
    try:
        return OriginalValue(JSON_DECODER.decode(file.text), file.path)
    except (ValueError, RecursionError) as error:
        raise OriginalFormError(file.path, f"{file.path}: {explain_json_error(error, file.text)}") from None


def mean(values: Iterable[float]) -> float:
    """The mean, to four decimals.

    Example:
        >>> mean([4, 4, 3])
        3.6667
    """
    listed = list(values)
    return round(sum(listed) / len(listed), 4)


def index_by(entries: Iterable[OriginalValue], name: str) -> dict[str, OriginalValue]:
    """The entries by one of their fields, a text. Raises `InputError` where two have the same."""
    indexed: dict[str, OriginalValue] = {}
    for entry in entries:
        key = entry.field(name).text()
        if key in indexed:
            raise entry.error(f"has the {name} `{shorten(key)}` of an entry before it")
        indexed[key] = entry
    return indexed


def summarise_criteria(
    criteria: Iterable[str], ratings: Callable[[str], Iterable[float]]
) -> dict[str, dict[str, float | list[float]]]:
    """What all raters said, by criterion: the mean and each rating; a criterion without a rating is left out."""
    summary: dict[str, dict[str, float | list[float]]] = {}
    for criterion in criteria:
        if values := list(ratings(criterion)):
            summary[criterion] = {"mean": mean(values), "raters": values}
    return summary
