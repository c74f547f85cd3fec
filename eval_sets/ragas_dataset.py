"""Converts evaluation datasets of Ragas to samples, and samples to a dataset of Ragas (extra `ragas`)."""

import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ..arguments import check_type, wrong_type
from ..errors import InputError
from ..installation import require_extra
from .column_search import SetColumns
from .rows import Repeatable, Row, Rows
from .sample import ACCEPTED_SAMPLES, Sample
from .sample_builder import SampleBuilder
from .validation_message import explain_validation_error

if TYPE_CHECKING:
    from ragas import EvaluationDataset, MultiTurnSample, SingleTurnSample

_SHARED = ("user_input", "response", "reference")


def load_ragas() -> Any:
    """Imports the ragas package, with its telemetry off unless the environment says otherwise (RAGAS_DO_NOT_TRACK).

    Raises `UsageError` when it, or what it imports, is not installed.
    """
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    with require_extra("ragas", "a metric or dataset of Ragas"):
        import ragas
    return ragas


def from_ragas(dataset: "EvaluationDataset", *, language: str | None = None) -> list[Sample]:
    """Converts a Ragas dataset to samples, in its order, with the ids `<the dataset's name, else ragas>-<row>`.

    Fields that only Ragas has (`reference_contexts`, `rubrics`, ...) stand in `metadata`, where `to_ragas` and Ragas's
    metrics find them. A conversation (`MultiTurnSample`) becomes a sample with `messages`, and its
    `reference_tool_calls` become `metadata.expected_actions`. `language` (ISO 639-1) is detected where it is left out.
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


def to_ragas(samples: Iterable[Sample]) -> "EvaluationDataset":
    """Converts samples to a Ragas dataset, one row per sample in their order; a conversation is a `MultiTurnSample`.

    Ragas takes conversations or single answers in one dataset, not both, and no system message in a conversation.
    A Ragas row has no place for ids, languages, tables, ratings and metadata of our own: pair its scores with the
    samples by their order. Raises `InputError` when Ragas refuses a value, `UsageError` when it is not installed.
    """
    check_type("samples", samples, Iterable, ACCEPTED_SAMPLES)
    sample_list = list(samples)
    for index, sample in enumerate(sample_list):
        check_type(f"samples, index {index}", sample, Sample, ACCEPTED_SAMPLES)
    ragas = load_ragas()
    are_conversations = {bool(sample.messages) for sample in sample_list}
    if are_conversations == {True, False}:
        raise InputError("samples: some are conversations and some single answers; make one Ragas dataset of each")
    if are_conversations == {True}:
        return ragas.EvaluationDataset(samples=[_conversation_row(sample) for sample in sample_list])
    rows = [ragas_row(sample) for sample in sample_list]
    if not any(sample.retrieved_contexts for sample in sample_list):  # Ragas tells a set's columns by what is not None
        for row in rows:
            row.retrieved_contexts = None
    return ragas.EvaluationDataset(samples=rows)


def ragas_row(sample: Sample) -> "SingleTurnSample":
    """Converts one sample to a row of a Ragas dataset. Raises as `to_ragas`."""
    row_class = load_ragas().SingleTurnSample
    fields = {name: value for name, value in sample.metadata.items() if name in row_class.model_fields}
    fields |= {name: getattr(sample, name) for name in _SHARED}
    fields["retrieved_contexts"] = list(sample.retrieved_contexts)
    try:
        return row_class(**fields)
    except ValidationError as error:
        field, problem = explain_validation_error(error)
        raise InputError(f"sample {sample.id}, field {field}: Ragas refuses it: {problem or 'is missing'}") from None


def _conversation_row(sample: Sample) -> "MultiTurnSample":
    ragas = load_ragas()
    spoken = import_module("ragas.messages")
    messages: list[Any] = []
    for message in sample.messages:
        if message.role == "user":
            messages.append(spoken.HumanMessage(content=message.text))
        elif message.role == "tool":
            messages.append(spoken.ToolMessage(content=message.text))
        elif message.role == "assistant":
            calls = [
                spoken.ToolCall(name=call.function.name, args=call.function.values or {}) for call in message.tool_calls
            ]
            messages.append(spoken.AIMessage(content=message.text, tool_calls=calls or None))
    fields: dict[str, Any] = {"user_input": messages, "reference": sample.reference}
    fields |= {name: sample.metadata[name] for name in ("rubrics", "reference_topics") if name in sample.metadata}
    actions = sample.metadata.get("expected_actions")
    if isinstance(actions, list):
        fields["reference_tool_calls"] = [
            {"name": action.get("name"), "args": action.get("kwargs", {})}
            for action in actions
            if isinstance(action, dict)
        ]
    try:
        return ragas.MultiTurnSample(**fields)
    except ValidationError as error:
        field, problem = explain_validation_error(error)
        raise InputError(f"sample {sample.id}, field {field}: Ragas refuses it: {problem or 'is missing'}") from None


def _rows(dataset: Any, name: str) -> Iterator[Row]:
    for number, row in enumerate(dataset, start=1):
        if not isinstance(row.user_input, str | None):
            yield Row(number, f"row {number}", row.model_dump(exclude_none=True))
            continue
        for field in ("user_input", "response"):
            if getattr(row, field) is None:
                raise InputError(f"{name}, row {number}, field {field}: is missing; there is nothing to judge without")
        yield Row(number, f"row {number}", row.model_dump(exclude_none=True))
