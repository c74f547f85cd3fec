"""A trace of any tool becomes the values of a sample, and the traces of one session those of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import InputError
from ..message import Message
from ..rows import BadRow, Row
from ..thread import ThreadError, read_thread
from .human_ratings import UNUSED, split_reasons
from .message_text import find_answer, find_documents, find_question, find_reference
from .session_messages import SessionTrace, join_messages, order_traces, with_ratings
from .trace_messages import find_thread, join_trace

_CONTEXT_KEYS = ("retrieved_contexts", "contexts", "context", "documents", "source_documents")


class Trace(NamedTuple):
    """What a tool logged of one call of the chatbot."""

    number: int
    place: str
    id: Any
    input: Any
    output: Any
    rest: Mapping[str, Any]  # everything else, for `metadata`
    retrieved: Sequence[Any] = ()
    session: Any = None  # the session or thread that it is part of
    time: Any = None
    tools: Sequence[Mapping[str, Any]] = ()  # calls of tools, each with `id`, `name`, `arguments` and `output`
    models: Sequence[tuple[Any, Any]] = ()  # the messages that each call of a model was given, with its answer
    rating: Mapping[str, Any] = {}
    session_rating: Mapping[str, Any] = {}
    span: str = ""
    reference: str | None = None  # the expected answer; None for that of the input or output
    unused: Mapping[str, Any] = {}  # what people said and is not used, as `PeopleRatings.unused`


class _Read(NamedTuple):
    """A trace with its texts."""

    trace: Trace
    question: str
    answer: str
    contexts: list[str]
    reference: str | None
    metadata: dict[str, Any]
    thread: tuple[Message, ...]


def build_row(traces: Sequence[Trace], name: str) -> list[Row | BadRow]:
    """Builds the row of the traces of one session: a conversation in the order of their times.

    A trace with one question and answer that is alone in its session, or in none, is a sample without messages.
    An input or output that is more than the text taken from it stays in `metadata` too.

    Returns:
        The row, after a bad row for each trace in which no question or answer can be found.
    """
    rows: list[Row | BadRow] = []
    read: list[_Read] = []
    for trace in traces:
        one = _read(trace, name)
        if isinstance(one, BadRow):
            rows.append(one)
        else:
            read.append(one)
    if len(read) == 1 and len(traces) == 1:
        rows.append(_trace_row(read[0]))
    elif read:
        rows.append(_session_row(read, name))
    return rows


def _read(trace: Trace, name: str) -> _Read | BadRow:
    question = find_question(trace.input)
    answer = "" if trace.output is None else find_answer(trace.output)  # of a chatbot that said nothing
    for what, text, side, value in (
        ("question", question, "input", trace.input),
        ("answer", answer, "output", trace.output),
    ):
        if text is None:
            problem = "is empty" if value is None else f"holds no {what} that can be recognised"
            cure = "log the text itself, or messages with role and content"
            return BadRow(trace.number, InputError(f"{name}, {trace.place}, {side}: {problem}; {cure}"))
    contexts = [text for value in trace.retrieved for text in find_documents(value)]
    if not contexts:
        sides = (side for side in (trace.input, trace.output) if isinstance(side, Mapping))
        contexts = [text for side in sides for text in _find_contexts(side)]
    metadata = dict(trace.rest) | ({UNUSED: dict(trace.unused)} if trace.unused else {})
    if trace.input != question:
        metadata["input"] = trace.input
    if trace.output != answer:
        metadata["output"] = trace.output
    reference = trace.reference or find_reference(trace.output) or find_reference(trace.input)
    assert question is not None and answer is not None  # a bad row otherwise
    threads = find_thread(trace.input), find_thread(trace.output)
    messages = join_trace(threads, (question, answer), trace.tools, trace.models)
    try:
        thread = read_thread(messages)
    except ThreadError as error:
        return BadRow(trace.number, InputError(f"{name}, {trace.place}, messages: {error}"))
    return _Read(trace, question, answer, contexts, reference, metadata, thread)


def _trace_row(read: _Read) -> Row:
    trace = read.trace
    values: dict[str, Any] = {
        "user_input": read.question,
        "response": read.answer,
        "retrieved_contexts": read.contexts,
    }
    if trace.id is not None:
        values["id"] = str(trace.id)
    if trace.session is not None:
        values["group"] = str(trace.session)
    if read.reference:
        values["reference"] = read.reference
    if [message.role for message in read.thread] != ["user", "assistant"]:
        values["messages"] = with_ratings(read.thread, read.answer, trace.rating)
    rating, reasons = split_reasons(trace.rating)
    if not rating and trace.session_rating:
        rating, of_session = split_reasons(trace.session_rating)
        reasons = of_session | reasons
    return Row(trace.number, trace.place, values | rating | {"metadata": read.metadata | reasons})


def _session_row(read: list[_Read], name: str) -> Row | BadRow:
    """The conversation of a session; what no message has a place for stands in `metadata.traces`."""
    traces = [
        SessionTrace(
            one.trace.id,
            one.trace.time,
            one.thread,
            one.answer,
            one.contexts,
            one.trace.rating,
            one.reference,
            one.trace.span,
        )
        for one in read
    ]
    order = order_traces(traces)
    first = min((one.trace for one in read), key=lambda trace: trace.number)
    try:
        thread = join_messages([traces[place] for place in order])
    except ThreadError as error:
        problem = f"session {first.session}: {error}"
        return BadRow(first.number, InputError(f"{name}, {first.place}, {problem}"))
    listed = [read[place] for place in order]
    rest = [({"id": one.trace.id} if one.trace.id is not None else {}) | one.metadata for one in listed]
    rating, reasons = split_reasons(first.session_rating)
    values = {"id": str(first.session), "messages": thread, "metadata": {"traces": rest} | reasons}
    return Row(first.number, first.place, values | rating)


def _find_contexts(value: Mapping[str, Any]) -> list[str]:
    return next((find_documents(value[key]) for key in _CONTEXT_KEYS if key in value), [])
