"""LangSmith: the examples of a dataset, as it exports them."""

from collections.abc import Mapping
from typing import Any

from ..rows import BadRow, Row
from .trace_row import build_trace_row


def is_example(values: Mapping[str, Any]) -> bool:
    """Whether a row is an example: `inputs` and `outputs`."""
    return isinstance(values.get("inputs"), Mapping) and isinstance(values.get("outputs"), Mapping)


def read_example(row: Row, name: str) -> Row | BadRow:
    """Builds the row of an example; its outputs are the answer under test, and a reference where one is named so."""
    values = row.values
    return build_trace_row(
        row.number,
        row.place,
        name,
        trace_id=values.get("id"),
        trace_input=values["inputs"],
        trace_output=values["outputs"],
        retrieved=[],
        group=None,
        rest={key: value for key, value in values.items() if key not in {"id", "inputs", "outputs"}},
    )
