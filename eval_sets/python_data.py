"""Data that a Python program has already: a DataFrame, a dataset of `datasets` or Ragas, dicts, samples."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import InputError
from ..name_suggestions import quote_names
from ..text.language_detection import detect_language
from ..value_messages import shorten
from .column_table import CONVERSATION_KEYS
from .message_forms import is_thread
from .rows import Repeatable, Row, Rows
from .sample import Sample
from .thread import thread_language

_STEM = "sample"
_MAPPING = "mapping="
_ACCEPTED = (
    "give a path, the name of a set, a DataFrame of pandas or polars, a dataset of `datasets` or Ragas, or a list of "
    "dicts, Samples or conversations (lists of messages)"
)


def ready_samples(data: Any) -> list[Sample] | None:
    """Returns the samples where data consists of them; None where it has rows to be read.

    A sample without an id gets `sample-1` and so on; one without a language gets that of its texts.
    """
    items = list(data) if isinstance(data, list | tuple) else []
    if not items or not all(isinstance(item, Sample) for item in items):
        return None
    samples = [_completed(sample, number) for number, sample in enumerate(items, start=1)]
    places: dict[str, int] = {}
    for place, sample in enumerate(samples):
        first = places.setdefault(sample.id, place)
        if first != place:
            raise InputError(
                f'the list, index {place}, field id: "{shorten(sample.id)}" is the id of index {first} too; give each '
                "sample its own id"
            )
    return samples


def open_data(data: Any) -> Rows:
    """Opens the rows of data."""
    if hasattr(data, "column_names") and isinstance(data, Mapping):
        splits = [str(split) for split in data]
        raise InputError(f'the dataset has the splits {quote_names(splits)}; give one of them: dataset["{splits[0]}"]')
    if isinstance(data, Mapping):
        if data and all(isinstance(column, list | tuple) for column in data.values()):
            raise InputError("the data is a dict of columns; give a DataFrame of it: pandas.DataFrame(data)")
        raise InputError("the data is one dict; put it in a list, one dict per sample")
    if isinstance(data, Sample):
        raise InputError("the data is one Sample; put it in a list: [sample]")
    if hasattr(data, "column_names") and hasattr(data, "with_format"):
        return _dataset_rows(data)
    if hasattr(data, "collect_schema") and not hasattr(data, "iter_rows"):
        raise InputError("the data is a lazy frame, which is not computed yet; give frame.collect()")
    if hasattr(data, "columns"):
        return _frame_rows(data)
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(f"the data is {_type_name(data)}; {_ACCEPTED}")
    items = list(data)
    if is_thread(items) and not any(isinstance(item, Mapping) and {*CONVERSATION_KEYS} & item.keys() for item in items):
        raise InputError("the data is one conversation; put it in a list: [messages]")
    is_of_ragas = any(type(item).__module__.startswith("ragas.") for item in (data, *items[:1]))
    stem = getattr(data, "name", None) or "ragas" if is_of_ragas else _STEM
    name = f"the dataset {stem}" if is_of_ragas else "the list"

    def rows() -> Iterator[Row]:
        for index, item in enumerate(items):
            yield Row(index + 1, f"index {index}", _item_fields(item, f"{name}, index {index}"))

    return Rows(name, stem, Repeatable(rows), map_option=_MAPPING)


def _completed(sample: Sample, number: int) -> Sample:
    changes: dict[str, Any] = {}
    if not sample.id:
        changes["id"] = f"{_STEM}-{number}"
    if sample.language is None:
        is_conversation = bool(sample.messages)
        changes["language"] = (
            thread_language(sample.messages) if is_conversation else detect_language(sample.user_input, sample.response)
        )
    return sample.model_copy(update=changes) if changes else sample


def _item_fields(item: Any, place: str) -> dict[str, Any]:
    if isinstance(item, Sample):
        return item.as_row("python")
    if is_thread(item) or item == []:
        return {"messages": [plain_value(message) for message in item]}
    if isinstance(item, Mapping):
        return {str(name): plain_value(value) for name, value in item.items()}
    if hasattr(item, "model_dump"):  # a pydantic model, such as a test case of another tool
        fields = item.model_dump(exclude_none=True)
    elif dataclasses.is_dataclass(item) and not isinstance(item, type):
        fields = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    else:
        raise InputError(f"{place}: is {_type_name(item)}, and not a dict or a Sample; {_ACCEPTED}")
    return {
        name: plain_value(value) for name, value in fields.items() if value is not None and not name.startswith("_")
    }


def _dataset_rows(dataset: Any) -> Rows:
    def rows() -> Iterator[Row]:
        # a set with a NumPy or Torch format would give arrays where lists are expected
        for index, values in enumerate(dataset.with_format(None)):
            yield Row(index + 1, f"index {index}", {name: plain_value(value) for name, value in values.items()})

    columns = tuple(dataset.column_names) if dataset.column_names else None
    return Rows("the dataset", _STEM, Repeatable(rows), columns, map_option=_MAPPING)


def _frame_rows(data: Any) -> Rows:
    import narwhals as nw

    is_pandas = hasattr(data, "iloc")
    if is_pandas:  # a named index is a column, such as one that names the rows
        levels = [name for name in data.index.names if name is not None and name not in data.columns]
        data = data.reset_index(level=levels) if levels else data
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise InputError(f"the data is {_type_name(data)}; {_ACCEPTED}") from None
    except Exception as error:  # two columns of one name: each library has an error of its own for it
        raise InputError(f"the DataFrame cannot be read: {error}; give each column its own name") from error
    place = "iloc" if is_pandas else "index"

    def rows() -> Iterator[Row]:
        for index, values in enumerate(frame.iter_rows(named=True)):
            fields = {str(name): plain_value(value) for name, value in values.items()}
            yield Row(index + 1, f"{place} {index}", fields)

    columns = tuple(str(name) for name in frame.columns)
    return Rows("the DataFrame", _STEM, Repeatable(rows), columns, map_option=_MAPPING)


def plain_value(value: Any) -> Any:
    """Turns a cell of a DataFrame into a plain Python value: NaN and the like are None, arrays are lists.

    Example:
        >>> plain_value([float("nan"), "a"])
        [None, 'a']
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain_value(item) for name, item in value.items()}
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return plain_value(value.tolist()) if hasattr(value, "tolist") else value


def _type_name(value: Any) -> str:
    return f"an object of type {type(value).__name__}"
