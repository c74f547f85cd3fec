"""Converts evaluation datasets of Ragas to samples."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..arguments import wrong_type
from ..errors import InputError
from .column_search import SetColumns
from .rows import Repeatable, Row, Rows
from .sample import Sample
from .sample_builder import SampleBuilder


def from_ragas(dataset: Any, *, language: str | None = None) -> list[Sample]:
    """Converts a Ragas dataset to samples, in its order, with the ids `<the dataset's name, else ragas>-<row>`.

    Fields that only Ragas has (`reference_contexts`, `rubrics`, ...) stand in `metadata`. A conversation
    (`MultiTurnSample`) becomes a sample with `messages`, and its `reference_tool_calls` become
    `metadata.expected_actions`. `language` (ISO 639-1) is detected where it is left out.
    Raises `InputError` for a row without a message or a response.
    """
    rows = [*dataset] if isinstance(dataset, Iterable) else [None]
    if not all(hasattr(row, "user_input") for row in rows):
        raise wrong_type("dataset", dataset, "a Ragas dataset: EvaluationDataset.from_list(rows)")
    name = getattr(dataset, "name", None)
    builder = SampleBuilder(
        Rows(name or "the Ragas dataset", name or "ragas", Repeatable(lambda: iter(()))), {}, language, SetColumns()
    )
    samples = (builder.sample(row) for row in _rows(rows, builder.source.name))
    return [sample for sample in samples if sample is not None]


def _rows(dataset: Any, name: str) -> Iterator[Row]:
    for number, row in enumerate(dataset, start=1):
        if not isinstance(row.user_input, str | None):
            yield Row(number, f"row {number}", row.model_dump(exclude_none=True))
            continue
        for field in ("user_input", "response"):
            if getattr(row, field) is None:
                raise InputError(f"{name}, row {number}, field {field}: is missing; there is nothing to judge without")
        yield Row(number, f"row {number}", row.model_dump(exclude_none=True))
