"""A public set's files in their original form: what is not as expected is told, with the file."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...errors import InputError
from ...json_text import JSON_DECODER, explain_json_error
from ...value_messages import describe_type

_CURE = "this is not the file that Assay reads; get it again, from the commit that `assay sets --json` names"
NOT_IN_FORM = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a reader raises where a document has another form."""


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


def parse_document(file: OriginalFile, kind: type = dict) -> Any:
    """Reads a JSON file that holds an object, or a list."""
    try:
        document = JSON_DECODER.decode(file.text)
    except (ValueError, RecursionError) as error:
        raise OriginalFormError(file.path, f"{file.path}: {explain_json_error(error, file.text)}") from None
    if not isinstance(document, kind):
        wanted = "a list" if kind is list else "an object"
        raise OriginalFormError(file.path, f"{file.path}: is {describe_type(document)}, not {wanted}")
    return document


def label(value: Any, *labels: float) -> float:
    """A number that is one of the labels, also one that is written as a text. Raises `ValueError` for another value."""
    number = math.nan if isinstance(value, bool) else float(value)
    if number not in labels:
        raise ValueError(f"{value} is none of {', '.join(f'{label:g}' for label in labels)}")
    return number


def mean(values: Iterable[float]) -> float:
    """The mean, to four decimals.

    Example:
        >>> mean([4, 4, 3])
        3.6667
    """
    listed = list(values)
    return round(sum(listed) / len(listed), 4)


def summarise_criteria(
    criteria: Iterable[str], ratings: Callable[[str], Iterable[float]]
) -> dict[str, dict[str, float | list[float]]]:
    """What all raters said, by criterion: the mean and each rating; a criterion without a rating is left out."""
    summary: dict[str, dict[str, float | list[float]]] = {}
    for criterion in criteria:
        if values := list(ratings(criterion)):
            summary[criterion] = {"mean": mean(values), "raters": values}
    return summary
