"""Which tool a file comes from, recognised by its first row."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import InputError
from ...name_suggestions import quote_names
from ...text.wording import list_first
from .. import cell_values
from ..column_table import ROLES, rater_of, usual_name
from ..columns import FIELDS, MAP_OPTIONS, OF_RATERS, TURN_FIELDS, check_mapped, has_own_columns
from ..message_forms import find_answer, find_messages_key, find_reference, find_thread, is_message_like
from ..rows import BadRow, Repeatable, Row, Rows
from .human_ratings import UNUSED, is_number
from .langfuse import is_observation, is_trace, read_observations, read_traces
from .openinference import is_span, read_otlp, read_spans
from .score_rows import find_long_columns, join_long_rows
from .trace_row import Trace, build_rows
from .turn_rows import TurnColumns, TurnReader, find_turn_columns, has_repeated_conversation

_TURN_OF_ITS_OWN = {"messages", "response", "user_input"}
_PAGE_KEYS = ("data", "traces", "spans", "examples", "conversations", "results", "rows", "records", "items")
_THREAD_KEYS = ("thread_id", "session_id", "conversation_id")
_LANGSMITH_KEYS = {"dataset_id", "source_run_id", "reference_example_id", "run_type", "dotted_order", "child_run_ids"}
_LANGSMITH_KEYS |= {"extra", "serialized", "feedback_stats", "parent_run_id"}
_TEXTS = ("user_input", "response")
_MOST_LISTED = 12
# of LangSmith; of Braintrust and Opik; of a log of calls of a model
_SIDES = (("inputs", "outputs"), ("input", "output"), ("request", "response"), ("prompt", "completion"))
_TIME_KEYS = ("start_time", "created_at")


def read_logs(opened: Rows, mapping: Mapping[str, str]) -> Rows:
    """Turns a log or export of a known tool into rows of samples; other rows stay as they are."""
    first = opened.head_values()
    mapped = {*mapping.values()}
    raters = {theirs: ours for theirs, ours in mapping.items() if ours == OF_RATERS}
    check_mapped(opened.columns or first, raters, opened.name)
    names = opened.columns or tuple(first)
    columns = find_turn_columns(names, mapping)
    if mapped & {*TURN_FIELDS}:
        if columns is None:
            raise InputError(
                f"{opened.name}: no rows of messages: they need columns for conversation, role and content, or for "
                "conversation, user_input and response; map those that are missing (the columns are "
                f"{quote_names(names)}; {MAP_OPTIONS})"
            )
        return _read_turns(opened, first, columns, mapping)
    is_own = has_own_columns(first)
    is_message = columns is not None and not columns.is_pair
    if not is_message and (long := find_long_columns(opened, first, mapping)) is not None:
        return join_long_rows(opened, long, mapping)
    if mapped & _TURN_OF_ITS_OWN:
        return opened
    is_pair = columns is not None and columns.is_pair and "id" not in first
    if columns is not None and (
        (is_message and not is_own) or (is_pair and has_repeated_conversation(opened.rows, columns.conversation))
    ):
        return _read_turns(opened, first, columns, mapping)
    parsed = _parse_cells(first) if opened.textual else first
    may_be_log = not opened.textual or _find_tool(parsed) is not None or _items(parsed)[0] is not None
    if is_own or not may_be_log or (mapping and not is_example(parsed)):
        return opened
    return _read_tool(opened, mapping)


def _read_tool(opened: Rows, mapping: Mapping[str, str]) -> Rows:
    """Reads an export of a known tool, which may hold several items in a row."""
    unpacked = Repeatable(lambda: _unpacked(opened))
    first = next((row.values for row in unpacked if isinstance(row, Row)), {})
    tool = _find_tool(first)
    if tool is None:
        return replace(opened, rows=unpacked)
    samples = Repeatable(lambda: tool.read(unpacked, opened.name, mapping))
    read = replace(opened, rows=samples, columns=None, textual=False)
    if not tool.items:
        return replace(read, origins=dict(zip(_TEXTS, _sides(first) or (), strict=False)), finds_scale=True)
    kept: dict[str, None] = {}
    unused = dict[str, list[str]]()

    def rows() -> Iterator[Row | BadRow]:
        for row in samples:
            if isinstance(row, Row):
                metadata: dict[str, Any] = row.values.get("metadata") or {}
                traces = metadata.get("traces")  # of a thread, whose rows were joined; else a field of the user's
                listed = [held for held in traces if isinstance(held, Mapping)] if isinstance(traces, list) else []
                for held in listed or [metadata]:
                    kept.update(dict.fromkeys(held))
                    if UNUSED in held:
                        unused.setdefault(held[UNUSED]["problem"], []).append(row.place)
            yield row

    def notes() -> list[str]:
        beside = f"; kept in the metadata: {list_first(list(kept), _MOST_LISTED)}" if kept else ""
        read = f"{tool.items}: read as questions, answers, documents and calls of tools{beside}"
        not_used = (
            f"what people said is not used: {problem}: {list_first([*dict.fromkeys(places)], 5)}"
            for problem, places in unused.items()
        )
        return [f"{opened.name}: {note}" for note in (read, *not_used)]

    return replace(read, rows=Repeatable(rows), finds_scale=tool.is_item is is_run, late_notes=notes)


def _read_turns(opened: Rows, first: Mapping[str, Any], columns: TurnColumns, mapping: Mapping[str, str]) -> Rows:
    reader = TurnReader(opened, columns, mapping)
    return replace(
        opened,
        rows=Repeatable(reader.rows),
        columns=None,
        textual=False,
        made=frozenset(("id", "messages", *({"rating_min", "rating_max", "ratings"} - first.keys()))),
        origins={ours: theirs for theirs, ours in mapping.items() if ours not in TURN_FIELDS},
        finds_scale=True,
        late_notes=reader.notes,
    )


def _find_tool(values: Mapping[str, Any]) -> "_Tool | None":
    return None if has_own_columns(values) else next((tool for tool in _TOOLS if tool.is_item(values)), None)


def _parse_cells(values: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a CSV or Excel export: an empty one is none, and one with an object or list is that."""
    return {name: None if cell == "" else cell_values.parse_nested_json(cell) for name, cell in values.items()}


def _unpacked(opened: Rows) -> Iterator[Row | BadRow]:
    """The items of a page (`data`), a session (`traces`) or an OTLP document, one row each."""
    count = 0
    for row in opened.rows:
        if isinstance(row, BadRow):
            yield row
            continue
        values = _parse_cells(row.values) if opened.textual else row.values
        items, problems = _items(values) if not (has_own_columns(values) or find_messages_key(values)) else (None, ())
        if problems:
            problem = "; ".join(problems)
            yield BadRow(row.number, InputError(f"{opened.name}, {row.place}: {problem}"))
        if items is None:
            yield row._replace(values=values)
            continue
        for item in items:
            count += 1
            yield Row(count, f"item {count}", item)


def _items(values: Mapping[str, Any]) -> tuple[list[dict[str, Any]] | None, Sequence[str]]:
    """The items of a row that holds several, and what of it cannot be read; None of another row."""
    if "resourceSpans" in values or "resourceLogs" in values:
        return read_otlp(values)
    for key in _PAGE_KEYS:
        content = values.get(key)
        if isinstance(content, Mapping):
            return _items(content)
        if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
            if len(values) > 12 or is_message_like(content[0]):
                continue
            rest = {} if key == "data" else {name: value for name, value in values.items() if name != key}
            return [item | ({f"of_{key}": rest} if rest else {}) for item in content], ()
    return None, ()


def is_example(values: Mapping[str, Any]) -> bool:
    """Whether a row has an object that an application was given, and what it returned."""
    return _sides(values) is not None


def is_run(values: Mapping[str, Any]) -> bool:
    """Whether a row is an example or a run of LangSmith: it has what nobody else writes beside the two."""
    return is_example(values) and (not _LANGSMITH_KEYS.isdisjoint(values) or _thread(values) is not None)


def _sides(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """The keys of what was given and returned, of which the first is an object or has messages, be it as JSON text;
    None of another row.
    """
    sides = (keys for keys in _SIDES if {*keys} <= values.keys())
    may_be = (keys for keys in sides if isinstance(values[keys[0]], Mapping) or find_thread(values[keys[0]]))
    answered = (keys for keys in may_be if not isinstance(values[keys[1]], list) or find_answer(values[keys[1]]))
    return next((keys for keys in answered if isinstance(values[keys[1]], str | Mapping | list | None)), None)


def read_examples(rows: Iterable[Row | BadRow], name: str, mapping: Mapping[str, str]) -> Iterator[Row | BadRow]:
    """Yields one row per thread, and per example of none.

    The outputs are the answer under test, and a reference where one is named so. What else LangSmith says is kept in
    the metadata; our fields, what the user maps, and what stands in rows of any other file are columns as everywhere.
    """
    return build_rows(rows, _thread, lambda row: _trace(row, mapping), name)


def _thread(values: Mapping[str, Any]) -> str | None:
    """The thread in the metadata; a run's own `session_id` is its project."""
    extra = values.get("extra")
    places = (values.get("metadata"), extra.get("metadata") if isinstance(extra, Mapping) else None)
    threads = (place.get(key) for place in places if isinstance(place, Mapping) for key in _THREAD_KEYS)
    return next((str(thread) for thread in threads if thread), None)


def _trace(row: Row, mapping: Mapping[str, str]) -> Trace:
    values = row.values
    given, returned = _sides(values) or _SIDES[0]
    expected = values.get("expected")
    rest = {key: value for key, value in values.items() if key not in {"id", given, returned}}
    beside = rest
    if is_run(values):  # what it says beside our fields, what the user maps and ratings is LangSmith's own
        names = {*mapping, *FIELDS} - ({"metadata"} - mapping.keys())
        ratings = {key for key in rest if usual_name(key) in ROLES["rating"] or rater_of(key)}
        beside = {key: value for key, value in rest.items() if key in names | ratings}
    rated = (beside[key] for key in beside if mapping.get(key, usual_name(key)) in {"rating", *ROLES["rating"]})
    rating = next((value for value in rated if is_number(value)), None)
    return Trace(
        row.number,
        row.place,
        id=values.get("id"),
        input=values.get(given),
        output=values.get(returned),
        session=_thread(values),
        time=next((values[key] for key in _TIME_KEYS if values.get(key)), None),
        rest={key: value for key, value in rest.items() if key not in beside},
        beside=beside,
        rating={} if rating is None else {"rating": rating},
        reference=expected if isinstance(expected, str) else find_reference(expected),
    )


class _Tool(NamedTuple):
    """A form in which tools log what a chatbot did."""

    is_item: Callable[[Mapping[str, Any]], bool]
    items: str  # what the rows are, for the user; "" of those whose columns are accounted for as those of any row
    read: Callable[[Iterable[Row | BadRow], str, Mapping[str, str]], Iterator[Row | BadRow]]


_TOOLS = (
    _Tool(is_span, "spans of OpenTelemetry or Phoenix, with people's evaluations", lambda *read: read_spans(*read[:2])),
    _Tool(is_observation, "observations of Langfuse, which have no scores", lambda *read: read_observations(*read[:2])),
    _Tool(lambda values: bool(find_messages_key(values)), "", lambda rows, *_: iter(rows)),
    _Tool(is_trace, "traces of Langfuse, with people's scores", lambda *read: read_traces(*read[:2])),
    _Tool(is_run, "runs or examples, as LangSmith has them", read_examples),
    _Tool(is_example, "", read_examples),
)
