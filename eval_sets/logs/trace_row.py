"""A trace of any tool becomes the values of a sample; what no field has a place for stays in `metadata`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ..rows import BadRow, Row
from .message_text import find_answer, find_documents, find_question, find_reference

_CONTEXT_KEYS = ("retrieved_contexts", "contexts", "context", "documents", "source_documents")


def build_trace_row(
    number: int,
    place: str,
    name: str,
    *,
    trace_id: Any,
    trace_input: Any,
    trace_output: Any,
    retrieved: Sequence[Any],
    group: Any,
    rest: Mapping[str, Any],
    rating: Mapping[str, Any] | None = None,
) -> Row | BadRow:
    """Builds the row of one trace.

    An input or output that is more than the text taken from it stays in `metadata` too.

    Args:
        number: The row's number.
        place: Where the trace stands in the file.
        name: The file's name, for messages.
        trace_id: The trace's id.
        trace_input: What the chatbot was given.
        trace_output: What it returned.
        retrieved: What its retrievers returned.
        group: The session or conversation.
        rest: Everything else, for `metadata`.
        rating: The fields of a person's rating.

    Returns:
        The row; a bad row where no question or answer can be found.
    """
    question, answer = find_question(trace_input), find_answer(trace_output)
    for what, text, side, value in (
        ("question", question, "input", trace_input),
        ("answer", answer, "output", trace_output),
    ):
        if text is None:
            problem = "is empty" if value is None else f"holds no {what} that can be recognised"
            cure = "log the text itself, or messages with role and content; --skip-bad leaves such traces out"
            return BadRow(number, InputError(f"{name}, {place}, {side}: {problem}; {cure}"))
    contexts = [text for value in retrieved for text in find_documents(value)]
    if not contexts:
        sides = (side for side in (trace_input, trace_output) if isinstance(side, Mapping))
        contexts = [text for side in sides for text in _find_contexts(side)]
    values: dict[str, Any] = {"user_input": question, "response": answer, "retrieved_contexts": contexts}
    if trace_id is not None:
        values["id"] = str(trace_id)
    if group is not None:
        values["group"] = str(group)
    if reference := find_reference(trace_output) or find_reference(trace_input):
        values["reference"] = reference
    metadata = dict(rest)
    if trace_input != question:
        metadata["input"] = trace_input
    if trace_output != answer:
        metadata["output"] = trace_output
    return Row(number, place, values | dict(rating or {}) | {"metadata": metadata})


def _find_contexts(value: Mapping[str, Any]) -> list[str]:
    return next((find_documents(value[key]) for key in _CONTEXT_KEYS if key in value), [])
