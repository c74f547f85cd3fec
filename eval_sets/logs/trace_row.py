"""A trace of any tool becomes the values of a sample; what no field has a place for stays in `metadata`, whole."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ..rows import BadRow, Row
from .message_text import answered, asked, documents, reference


def build_trace_row(
    number: int,
    place: str,
    name: str,
    *,
    identity: Any,
    given: Any,
    came: Any,
    retrieved: Sequence[Any],
    group: Any,
    rest: Mapping[str, Any],
) -> Row | BadRow:
    """The row of one trace. `given` and `came` are its input and output, `retrieved` what its retrievers returned.

    An input or output that is more than the text taken from it stays in `metadata` too.
    """
    question, answer = asked(given), answered(came)
    for what, found, value in (("question", question, given), ("answer", answer, came)):
        if found is None:
            said = "is empty" if value is None else f"holds no {what} that can be told"
            side = "input" if what == "question" else "output"
            cure = "log the text itself, or messages with role and content; --skip-bad leaves such traces out"
            return BadRow(number, InputError(f"{name}, {place}, {side}: {said}; {cure}"))
    contexts = [text for each in retrieved for text in documents(each)]
    if not contexts:
        contexts = [text for side in (given, came) if isinstance(side, Mapping) for text in _named_contexts(side)]
    values: dict[str, Any] = {"user_input": question, "response": answer, "retrieved_contexts": contexts}
    if identity is not None:
        values["id"] = str(identity)
    if group is not None:
        values["group"] = str(group)
    if expected := reference(came) or reference(given):
        values["reference"] = expected
    metadata = dict(rest)
    if given != question:
        metadata["input"] = given
    if came != answer:
        metadata["output"] = came
    return Row(number, place, values | {"metadata": metadata})


def _named_contexts(value: Mapping[str, Any]) -> list[str]:
    for name in ("retrieved_contexts", "contexts", "context", "documents", "source_documents"):
        if name in value:
            return documents(value[name])
    return []
