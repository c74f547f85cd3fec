"""A trace of any tool becomes the values of a sample, and the traces of one session those of a conversation."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ...errors import InputError
from ..cell_values import find_documents, parse_nested_json
from ..message import REASONS, Message, Turn, find_turns
from ..message_forms import find_answer, find_question, find_reference, find_thread, read_forms
from ..message_times import read_time
from ..rows import BadRow, Row, group_rows
from ..thread import ThreadError, read_thread
from .human_ratings import UNUSED, split_reasons

_RATING_FIELDS = ("human_rating", "rating")
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
    beside: Mapping[str, Any] = {}  # columns that are read as those of any row
    unused: Mapping[str, Any] = {}  # what people said and is not used, as `PeopleRatings.unused`


class Step(NamedTuple):
    """What a tool logged of one step of a trace: a span, or an observation."""

    id: str
    parent: str | None  # the id of the step that it is a part of
    kind: str  # `LLM`, `RETRIEVER`, `TOOL` or `AGENT`, in OpenInference's words; of any other step anything
    name: Any
    input: Any  # what it was given: of a tool its arguments
    output: Any  # what it returned: of a retriever the documents; None where nothing is logged
    model: Any = None  # the name of the model that it called
    call_id: Any = None  # the id of the call of a tool; None for that of the step


def read_steps(number: int, place: str, steps: Sequence[Step], rest: Mapping[str, Any], **fields: Any) -> Trace:
    """Reads a trace of its steps, in the order of their times.

    The question is what the root was given and the answer what it returned, or where nothing in that can be recognised
    as such, the last call of a model: of several roots the first that was given something, else an agent under them.
    The model is that of the call that made the answer, else of the last one.
    """
    ids = {step.id for step in steps}
    calls = [step for step in reversed(steps) if step.kind == "LLM"]
    roots = [step for step in steps if step.parent not in ids]
    agents = [step for step in steps if step.kind == "AGENT" and step.output is not None]
    root = next((step for step in (*roots, *agents) if step.input is not None), (*roots, *steps)[0])
    asked = _first_readable([root, *calls], lambda step: step.input, find_question)
    answered = _first_readable([root, *calls], lambda step: step.output, find_answer)
    made = [step for step in calls if step.output is not None and step.output == answered.output]
    model = next((step.model for step in (*made, *calls, root, *steps) if step.model), None)
    return Trace(
        number,
        place,
        input=asked.input,
        output=answered.output,
        retrieved=[step.output for step in steps if step.kind == "RETRIEVER"],
        tools=[
            {"id": step.call_id or step.id, "name": step.name, "arguments": step.input, "output": step.output}
            for step in steps
            if step.kind == "TOOL"
        ],
        models=[(step.input, step.output) for step in reversed(calls)],
        rest=({} if model is None else {"model": str(model)}) | dict(rest),
        span=answered.id,
        **fields,
    )


def _first_readable(steps: Sequence[Step], value: Callable[[Step], Any], find: Callable[[Any], str | None]) -> Step:
    """The first step with a value in which a text is found, else with any value, else the first."""
    logged = [step for step in steps if value(step) is not None]
    return next((step for step in logged if find(value(step)) is not None), (*logged, *steps)[0])


class SessionTrace(NamedTuple):
    """One trace of a session."""

    id: Any  # its id; None for one without
    time: Any  # when it began; None where that is unknown
    thread: Sequence[Message]
    answer: str
    contexts: Sequence[str] = ()  # what was retrieved for the answer
    # the fields of people's ratings: `human_rating` or `rating`, or `ratings` by rater; `rating_reasons`
    rating: Mapping[str, Any] = {}
    reference: str | None = None
    span: str = ""
    question: str = ""
    metadata: Mapping[str, Any] = {}  # what no message has a place for


def build_rows(
    rows: Iterable[Row | BadRow],
    session: Callable[[Mapping[str, Any]], str | None],
    read: Callable[[Row], Trace],
    name: str,
) -> Iterator[Row | BadRow]:
    """Yields one row per session, and per trace of none, of rows that are a trace each."""
    for group in group_rows(rows, session):
        if isinstance(group, BadRow):
            yield group
        else:
            yield from build_row([read(row) for row in group], name)


def build_row(traces: Sequence[Trace], name: str) -> list[Row | BadRow]:
    """Builds the row of the traces of one session: a conversation in the order of their times.

    A session is a conversation, however many traces it has; a trace of none with one question and answer is a sample
    without messages.
    An input or output that is more than the text taken from it stays in `metadata` too.
    """
    rows: list[Row | BadRow] = []
    read: list[tuple[Trace, SessionTrace]] = []
    for trace in traces:
        one = _read(trace, name)
        if isinstance(one, BadRow):
            rows.append(one)
        else:
            read.append((trace, one))
    if len(read) == 1 and len(traces) == 1:
        rows.append(_trace_row(*read[0]))
    elif read:
        rows.append(_session_row(read, name))
    return rows


def _read(trace: Trace, name: str) -> SessionTrace | BadRow:
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
    return SessionTrace(
        trace.id, trace.time, thread, answer, contexts, trace.rating, reference, trace.span, question, metadata
    )


def _trace_row(trace: Trace, part: SessionTrace) -> Row:
    values: dict[str, Any] = {"user_input": part.question, "response": part.answer}
    if part.contexts or not trace.beside:
        values["retrieved_contexts"] = list(part.contexts)
    if trace.id is not None:
        values["id"] = str(trace.id)
    if trace.session is not None:
        values["group"] = str(trace.session)
    if part.reference:
        values["reference"] = part.reference
    if trace.session is not None or [message.role for message in part.thread] != ["user", "assistant"]:
        values["messages"] = with_ratings(part.thread, part.answer, {} if trace.beside else trace.rating)
    rating, reasons = split_reasons(trace.rating)
    if not rating and trace.session_rating:
        rating, of_session = split_reasons(trace.session_rating)
        reasons = of_session | reasons
    own = trace.beside.get("metadata") or {}
    own = own if isinstance(own, Mapping) else {"metadata": own}
    metadata = {**part.metadata, **reasons}
    metadata |= {f"metadata.{name}" if name in metadata else name: held for name, held in own.items()}
    return Row(trace.number, trace.place, values | (dict(trace.beside) or rating) | {"metadata": metadata})


def _session_row(read: list[tuple[Trace, SessionTrace]], name: str) -> Row | BadRow:
    """The conversation of a session; what no message has a place for stands in `metadata.traces`."""
    times = [read_time(None if trace.time is None else str(trace.time)) for trace, _ in read]
    stamps = [time.timestamp() for time in times if time is not None]
    first = min((trace for trace, _ in read), key=lambda trace: trace.number)
    if len(stamps) == len(read):  # else they stay as they stand
        read = [read[place] for place in sorted(range(len(read)), key=stamps.__getitem__)]
    try:
        thread = join_messages([part for _, part in read])
    except ThreadError as error:
        problem = f"session {first.session}: {error}"
        return BadRow(first.number, InputError(f"{name}, {first.place}, {problem}"))
    ids = [{"id": trace.id} if trace.id is not None else {} for trace, _ in read]
    rest = [own | {**trace.beside, **part.metadata} for own, (trace, part) in zip(ids, read, strict=True)]
    rating, reasons = split_reasons(first.session_rating)
    values = {"id": str(first.session), "messages": thread, "metadata": {"traces": rest} | reasons}
    return Row(first.number, first.place, values | rating)


def _find_contexts(value: Mapping[str, Any]) -> list[str]:
    return next((find_documents(value[key]) for key in _CONTEXT_KEYS if key in value), [])


def join_messages(traces: Sequence[SessionTrace]) -> tuple[Message, ...]:
    """Joins the messages of traces, of which one may repeat those of the traces before it.

    Each answer has the `trace_id` and `span_id` of its trace, its contexts, its ratings and its reference; the question
    has the time.
    """
    messages: list[Message] = []
    for trace in traces:
        messages = join_threads(messages, _with_trace(trace))
    return read_thread(messages)


def with_ratings(thread: Sequence[Message], answer: str, ratings: Mapping[str, Any]) -> list[Message]:
    """Returns messages of which the last one with an answer has people's ratings of it."""
    messages = list(thread)
    turn = _find_turn(messages, answer)
    if turn is not None:
        messages[turn.answer] = _changed(messages[turn.answer], _rating_fields(ratings))
    return messages


def _find_turn(thread: Sequence[Message], answer: str) -> Turn | None:
    return next((turn for turn in reversed(find_turns(thread)) if turn.response == answer), None)


def _rating_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    rating = next((fields[name] for name in _RATING_FIELDS if fields.get(name) is not None), None)
    ratings = fields.get("ratings")
    if rating is None and isinstance(ratings, Mapping) and ratings:
        rating = sum(ratings.values()) / len(ratings)
    return {"rating": rating, "ratings": ratings, REASONS: fields.get(REASONS)}


def _with_trace(trace: SessionTrace) -> list[Message]:
    thread = list(trace.thread)
    turn = _find_turn(thread, trace.answer)
    if turn is None:
        return thread
    changes: dict[str, Any] = {
        "retrieved_contexts": thread[turn.answer].retrieved_contexts or tuple(trace.contexts),
        **_rating_fields(trace.rating),
        "reference": trace.reference,
        "trace_id": None if trace.id is None else str(trace.id),
        "span_id": trace.span,
    }
    thread[turn.answer] = _changed(thread[turn.answer], changes)
    if trace.time is not None and not any(message.time for message in thread):
        asked = max(place for place in range(turn.answer) if thread[place].role == "user")
        thread[asked] = _changed(thread[asked], {"time": trace.time})
    return thread


def _changed(message: Message, changes: Mapping[str, Any]) -> Message:
    return Message.model_validate(
        message.model_dump() | {name: value for name, value in changes.items() if value not in (None, "", (), {})}
    )


def join_trace(
    threads: tuple[Sequence[Any], Sequence[Any]],
    texts: tuple[str, str],
    tools: Sequence[Mapping[str, Any]],
    models: Sequence[tuple[Any, Any]],
) -> list[Any]:
    """Joins the messages of one trace: the earlier ones, the question, what tools were called, and the answer."""
    question, answer = texts
    before, after = map(_forms, threads)
    if any(fields["role"] == "user" for fields in after):
        before = []  # the output repeats the whole conversation
    elif not any(fields["role"] == "user" and fields.get("content") == question for fields in before):
        before.append({"role": "user", "content": question})
    if not after or after[-1].get("content") != answer:
        after = [*after, {"role": "assistant", "content": answer}]
    prompts = (_forms(find_thread(prompt)) for prompt, made in reversed(models) if find_answer(made) == answer)
    model: list[dict[str, Any]] = next(prompts, [])
    if not any(fields["role"] == "system" for fields in before + after):
        before = [fields for fields in model if fields["role"] == "system"] + before
    if not any(fields.get("tool_calls") for fields in before + after):
        after = _tool_messages(tools, model) + after
    return before + after


def _forms(messages: Sequence[Any]) -> list[dict[str, Any]]:
    forms = []
    for place, message in enumerate(messages):
        try:
            forms += list(read_forms(message, place))
        except ValueError:
            return []  # of a speaker who is not known: the question and the answer are read without it
    return forms


def _tool_messages(tools: Sequence[Mapping[str, Any]], model: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls of tools of a trace, each with its result."""
    messages: list[dict[str, Any]] = []
    for number, tool in enumerate(tools):
        call_id = str(tool.get("id") or f"tool-{number}")
        function = {"name": str(tool.get("name") or "?")}
        if tool.get("arguments") is not None:
            function["arguments"] = parse_nested_json(tool["arguments"])
        called = {
            "role": "assistant",
            "content": "",
            "tools_called": [{"id": call_id, **function, "output": tool.get("output")}],
        }
        messages += [fields for fields in read_forms(called) if fields["role"] == "tool" or fields.get("tool_calls")]
    if messages:
        return messages
    asked = max((place for place, fields in enumerate(model) if fields["role"] == "user"), default=len(model))
    part = model[asked + 1 :]
    return part if any(fields.get("tool_calls") for fields in part) else []


def join_threads(messages: Sequence[Message], more: Sequence[Message]) -> list[Message]:
    """Joins the messages of a trace with those of the traces before it, which it may repeat.

    Example:
        >>> first = [Message(role="user", content="Hi."), Message(role="assistant", content="Hello.")]
        >>> second = [*first, Message(role="user", content="Is it free?"), Message(role="assistant", content="Yes.")]
        >>> [message.text for message in join_threads(first, second)]
        ['Hi.', 'Hello.', 'Is it free?', 'Yes.']
    """
    rest = more[_end_of_repeated(messages, more) :]
    known = {message.text for message in messages if message.role == "system"}
    policies = [message for message in more if message.role == "system" and message.text not in known]
    spoken_since = [message for message in rest if message.role != "system"]
    return [*messages, *policies, *spoken_since] if known else [*policies, *messages, *spoken_since]


def _end_of_repeated(messages: Sequence[Message], more: Sequence[Message]) -> int:
    """The place in `more` where what it repeats of the messages before has ended; 0 where it repeats none.

    It may repeat the last ones, with or without empty replies; or, where a question is asked again, all before it.
    """
    own = max((place for place, message in enumerate(more) if message.role == "user"), default=0)
    for is_spoken, end in ((lambda message: _has_text(message) or message.is_reply, len(more) - 1), (_has_text, own)):
        spoken = [(message.role, message.text) for message in messages if is_spoken(message)]
        places = [place for place, message in enumerate(more[:end]) if is_spoken(message)]
        repeated = [(more[place].role, more[place].text) for place in places]
        for count in range(min(len(spoken), len(repeated)), 0, -1):
            if spoken[-count:] == repeated[:count]:
                return places[count - 1] + 1
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(spoken, repeated, strict=False)))
    return places[common - 1] + 1 if common > 1 else 0


def _has_text(message: Message) -> bool:
    return message.role in {"user", "assistant"} and bool(message.text.strip())
