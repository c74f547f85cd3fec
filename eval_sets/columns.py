"""Which column is which field of a sample: our names, the usual names, and a mapping that the user gives."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..text.wording import count_of, list_first, verb_of
from ..value_messages import describe_mistake, describe_type, quote_word, shorten
from .cell_values import parse_nested_json
from .column_table import (
    ALIASES,
    CASE_KEYS,
    JUDGES,
    NAMES,
    PREFERENCE_NAMES,
    SCORE_NAMES,
    TURN_ALIASES,
    USUAL_NAMES,
    columns_by_usual_name,
    has_other_role,
    is_link,
    is_missing,
    is_total,
    may_hold,
    numbered_contexts,
    rater_of,
    ratings_of_answers,
    usual_name,
)
from .logs.test_runs import promptfoo_cure
from .message import MESSAGE_ALIASES, REASONS
from .message_forms import find_answer, find_messages_key, find_thread, is_question
from .number_rule import NO_RATING, NumberRule
from .rows import Rows
from .sample import Sample

FIELDS = tuple(Sample.model_fields)
REQUIRED = tuple(name for name, field in Sample.model_fields.items() if field.is_required())

TURN_FIELDS = ("conversation", "role", "content", "time", "tool_calls", "tool_call_id", "name")
"""What columns of rows that are messages of conversations can be mapped to, beside the fields of a sample."""

REASON = "reason"
"""What a column of what people wrote of an answer can be mapped to: the metadata keep it as `rating_reasons`."""

OF_RATERS = "rater"
"""What the column that names the rater of a row can be mapped to."""

FOR_COLLEAGUES = "is for colleagues alone"
"""Why a message is left out."""

MAP_OPTIONS = "to map is --map, in Python mapping="


def reason_to_leave_out(values: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Why a row is no answer: it names the columns, sums up others, or asks nothing; empty where it is one.

    A row with an id and the names of our fields is one that `write_set` wrote, which is read as it is.
    """
    if fields.get("messages") or not {"user_input", "response"} <= fields.keys():
        return ""
    if reason := explain_no_item(values, fields):
        return reason
    question, answer = (fields[name] if fields[name] is not None else "" for name in ("user_input", "response"))
    if not isinstance(question, str) or not isinstance(answer, str):
        return ""
    own = values.get("id") if {"user_input", "response"} <= values.keys() else None  # be it NULL or n/a
    if question.strip() or (own.strip() if isinstance(own, str) else not is_missing(own)):
        return ""
    return "has no question" if answer.strip() else "has no question and no answer"


def explain_no_item(values: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Why a row in any view is of no item: it names the columns, or sums up others; empty where it is of one."""
    first = first_text(values)
    if first.strip() in values:
        cells = {name: cell.strip() for name, cell in values.items() if isinstance(cell, str) and cell.strip()}
        if len(cells) > 1 and all(cell == name for name, cell in cells.items()):  # files were put together
            return "repeats the names of the columns"
    question, answer = (fields.get(name) or "" for name in ("user_input", "response"))
    label = next((text for text in (first, question) if _is_total(text)), "")
    if not label:
        return ""
    others = [cell for cell in (question, answer) if cell != label and not is_missing(cell)]
    is_blank = any(isinstance(cell, str) and not cell.strip() for cell in (question, answer))
    is_sum = (is_total(str(label)) and is_blank) or (others and all(map(_is_number, others)))
    return f"sums up others ({shorten(str(label), 20)})" if is_sum else ""


def _is_total(cell: object) -> bool:
    """Whether a cell names a row that sums up others; `N` does so only here, beside a number."""
    return isinstance(cell, str) and (is_total(cell) or (len(cell) < 9 and cell.strip(" :=").casefold() == "n"))


def _is_number(cell: object) -> bool:
    try:
        return NumberRule().read(cell) is not None
    except ValueError:
        return False


def describe_left_out(places: Sequence[str], reason: str) -> str:
    """Says which rows are left out, and why."""
    verb, _, rest = reason.partition(" ")
    plural = verb_of(len(places), verb, {"has": "have", "is": "are"}.get(verb, verb.removesuffix("s")))
    return f"{count_of(len(places), 'row')} left out that {plural} {rest}: {list_first(list(places), 5)}"


def first_text(values: Mapping[str, Any]) -> str:
    """The first cell of a row that is a text; empty where there is none."""
    return next((cell for cell in values.values() if isinstance(cell, str) and cell.strip()), "")


def may_be_left_out(values: Mapping[str, Any], mapping: Mapping[str, str]) -> bool:
    """Whether a row asks nothing, or begins with the name of a column or of a row of sums: all others are answers."""
    first = first_text(values)
    columns = [theirs for theirs, ours in mapping.items() if ours == "user_input"]
    columns += [column for field, named in _candidates(tuple(values)) if field == "user_input" for _, column in named]
    cells = [first, *map(values.get, columns)]
    return first.strip() in values or any(cell is None or not str(cell).strip() or _is_total(cell) for cell in cells)


def is_no_answer(values: dict[str, Any], mapping: Mapping[str, str]) -> bool:
    """Whether a row is left out of a set; most need not be sorted for that."""
    return may_be_left_out(values, mapping) and bool(reason_to_leave_out(values, sort_row(values, mapping).fields))


def has_list(values: Mapping[str, Any]) -> bool:
    """Whether any value of a row is a list, as messages are."""
    return not {list, tuple}.isdisjoint(map(type, values.values()))


class SortedRow(NamedTuple):
    """A row by field."""

    fields: dict[str, Any]  # the value of each field that the row has
    origins: dict[str, str]  # the column that a field came from, where their names differ
    extras: dict[str, Any]


_OWN_COLUMNS = {"user_input", "question", "response", "answer", "samples"}
_OF_SEVERAL_ROWS = {*CASE_KEYS, *JUDGES, "metric", *NAMES["metric"], "rater", *NAMES["rater"]}
"""The usual names of columns in rows that are messages, scores or ratings, several of one sample."""


def has_own_columns(values: Mapping[str, Any]) -> bool:
    """Whether a row has our columns; a `user_input` that is a list holds the messages of a conversation (Ragas)."""
    own = _OWN_COLUMNS & values.keys()
    is_other = isinstance(values.get("user_input"), list) or isinstance(values.get("response"), Mapping)
    is_call = own == {"response"} and bool(find_thread(values.get("request")))  # of a model, as JSON text
    return bool(own) and not (is_other or is_call)


def is_row_per_sample(opened: Rows, mapping: Mapping[str, str]) -> bool:
    """Whether rows are samples by their columns, one each, and no log."""
    head = opened.head_values()
    return not mapping and has_own_columns(head) and not {*map(usual_name, opened.columns or head)} & _OF_SEVERAL_ROWS


_KNOWN = frozenset((*FIELDS, *USUAL_NAMES, *TURN_FIELDS, *SCORE_NAMES, *PREFERENCE_NAMES))


def known_columns(mapping: Mapping[str, str]) -> frozenset[str]:
    """All column names that mean something, in any view."""
    return _KNOWN.union(mapping)


RATER = "ratings."
"""What a mapping of a rater's column begins with, once it is read."""


def is_rater(ours: str) -> bool:
    """Whether a column is mapped to the ratings of one rater."""
    return ours.startswith(RATER) and ours != RATER


_FIELD_OF = {name.casefold(): field for field, names in ALIASES.items() for name in reversed(names)}


def read_raters(mapping: Mapping[str, str]) -> dict[str, str]:
    """A mapping with each column of one rater's ratings as `ratings.NAME`, and a usual name of a field as the field.

    Such a column is mapped to `rating_NAME`, or with others to one field: each then is a rater named by its column.

    Examples:
        >>> read_raters({"Ann": "rating_Ann", "low": "rating_min"})
        {'Ann': 'ratings.Ann', 'low': 'rating_min'}
        >>> read_raters({"documentatie": "context"})
        {'documentatie': 'retrieved_contexts'}
        >>> read_raters({"Ann": "rating", "Bob": "rating"}), read_raters({"mark": "rating"})
        ({'Ann': 'ratings.Ann', 'Bob': 'ratings.Bob'}, {'mark': 'rating'})
    """
    read = {}
    own_names = {*FIELDS, *TURN_FIELDS}
    for theirs, typed in mapping.items():
        # the other way round, as in user_input=vraag, is a mistake
        is_usual = typed not in own_names and theirs not in own_names
        ours = _FIELD_OF.get(typed.casefold(), typed) if is_usual else typed
        name = "" if ours in FIELDS or not ours.startswith("rating_") else ours.removeprefix("rating_")
        if ours in {"rating", "ratings"} and [*mapping.values()].count(ours) > 1:
            name = rater_of(theirs) or theirs
        read[theirs] = f"{RATER}{name}" if name else ours
    return read


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raises `InputError` when a mapping (their column -> our field) names no field of ours, or one field twice."""
    of_fields = {theirs: ours for theirs, ours in mapping.items() if not is_rater(ours)}
    check_names(of_fields, (*FIELDS, REASON, OF_RATERS), TURN_FIELDS)
    for theirs, ours in mapping.items():
        if others := [other for other, field in mapping.items() if field == ours and other != theirs]:
            raise InputError(f"map {theirs}={ours}: `{others[0]}` is mapped to `{ours}` too; keep one of them")


def check_names(mapping: Mapping[str, str], names: Collection[str], of_messages: Collection[str] = ()) -> None:
    """Raises `InputError` when a mapping (their column -> our name) has none of our names."""
    for theirs, ours in mapping.items():
        if ours not in {*names, *of_messages}:
            similar = nearest_names(ours, [*names, *of_messages])
            hint = f"did you mean {theirs}={similar[0]}? The" if similar else "the"
            turned = f" (it is THEIRS=OURS: write {ours}={theirs})" if theirs in names else ""
            turns = f", and of rows that are messages {quote_names(of_messages)}" if of_messages else ""
            fields = f"{hint} fields are {quote_names(names)}{turns}"
            raise InputError(f"map {theirs}={ours}: no field is called `{ours}`{turned}; {fields}")


def check_one_answer(columns: Iterable[str], rated: Collection[str], name: str, chosen: Collection[str] = ()) -> None:
    """Raises `InputError` where columns that are read as ratings are of several answers, and the user chose none.

    `name` is the file's.
    """
    ratings = {column: answer for column, answer in ratings_of_answers(columns).items() if column in rated}
    if not ratings or not ratings.keys().isdisjoint(chosen):
        return
    answers = ", ".join(dict.fromkeys(ratings.values()))
    raise InputError(
        f"{name}: {', '.join(ratings)} would be read as raters of one answer, and rate those in {answers} by their "
        "names; write one row per answer, with the columns id (of the question), version, question, answer and rating"
    )


def check_columns(columns: Collection[str], mapping: Mapping[str, str], name: str) -> None:
    """Raises `InputError` when a mapped column, or one that every sample needs, is not among the columns."""
    check_mapped(columns, mapping, name)
    if "messages" in {*columns, *mapping.values()}:
        return
    names = {*columns_by_usual_name(columns)}
    missing = [name for name in REQUIRED if not {name, *ALIASES[name]} & names and name not in mapping.values()]
    if missing:
        raise InputError(f"{name}, field {missing[0]}: {explain_missing(missing[0], columns, also=missing[1:])}")


def check_mapped(columns: Collection[str], mapping: Mapping[str, str], name: str) -> None:
    """Raises `InputError` when a mapped column is not among the columns."""
    for theirs, ours in mapping.items():
        if theirs not in columns:
            raise InputError(f"{name}: {_explain_unknown_column(theirs, ours, columns)}")


def _explain_unknown_column(theirs: str, ours: str, columns: Collection[str]) -> str:
    similar = nearest_names(theirs, columns)
    hint = f"did you mean {similar[0]}={ours}? The" if similar else "the"
    return f"map {theirs}={ours}: there is no column `{theirs}`; {hint} columns are {quote_names(columns)}"


def explain_missing(
    field: str, columns: Collection[str], mapping: Mapping[str, str] | None = None, also: Collection[str] = ()
) -> str:
    """Says of a row without a field that it needs what columns there are, and how to name the right one.

    `also` are other fields that are missing too, for which a column is proposed with it.
    """
    for theirs, ours in (mapping or {}).items():
        if ours == field:
            return f"is missing: {_explain_unknown_column(theirs, ours, columns)}"
    by_name = columns_by_usual_name(columns)
    if field in REQUIRED and all({name, *TURN_ALIASES[name]} & by_name.keys() for name in ("role", "content")):
        cure = "rows that are messages need a column conversation_id, or map THEIRS=conversation"
        return f"is missing; {cure} (the columns are {quote_names(columns)}; {MAP_OPTIONS})"
    if cure := promptfoo_cure(columns):
        return f"is missing; {cure}"
    similar = _similar_columns(field, columns)
    cure = f"add it, or map THEIRS={field}"
    if similar:
        others = [
            f" and map {quote_word(f'{near[0]}={other}')}"
            for other in also
            if (near := _similar_columns(other, columns))
        ]
        cure = f"rename `{similar[0]}`, or map {quote_word(f'{similar[0]}={field}')}{''.join(others)}"
    if not any({name, *ALIASES[name]} & by_name.keys() for name in ALIASES):
        cure += "; rows that are messages need columns for conversation, role and content, mapped likewise"
    return f"is missing; {cure} (the columns are {quote_names(columns)}; {MAP_OPTIONS})"


def _similar_columns(field: str, columns: Collection[str]) -> list[str]:
    """The columns that may hold a field by a word in their names, and those whose names are near to its names."""
    free = [column for column in columns if not has_other_role(column, field)]
    free = [column for column in free if field == "reference" or not may_hold(column, "reference")]
    near = (match for name in (field, *ALIASES.get(field, ())) for match in nearest_names(name, free, cutoff=75))
    return list(dict.fromkeys((*(column for column in columns if may_hold(column, field)), *near)))


# the branches of a table's cell, which pydantic names in an error's path
_BRANCHES = {"int", "float", "str", "bool"}
_TABLE = 'a table is {"name": "...", "columns": {"date": ["2026-03-01"], "mbps": [41.2]}, "units": {"mbps": "Mbps"}}'


def explain_validation_error(error: ValidationError) -> tuple[str, str | None]:
    """Explains the first error of a row."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"] if not (first["loc"][0] == "tables" and part in _BRANCHES)]
    field = ".".join(path) or str(first.get("ctx", {}).get("field", "rating_min"))
    if first["type"] == "missing" and len(path) == 1:
        return field, None
    return field, _describe(first, field)


def _describe(error: ErrorDetails, field: str) -> str:
    value = error.get("input")
    if field.startswith("tables"):
        message = error["msg"].removeprefix("Value error, ").removeprefix(f"{field}: ")
        return f"{message[0].lower()}{message[1:]}; {_TABLE}"
    if error["type"] == "string_type" and value is None:
        return 'is null or NaN; write the text, or "" if there is none'
    if error["type"] == "string_type" and isinstance(value, list | Mapping):
        return f"is {describe_type(value)} ({shorten(str(value), 60)}), not a text; write the text alone"
    if known := _OF_A_ROW.get(error["type"]):
        return known.format(kind=describe_type(value), value=shorten(str(value)))
    return describe_mistake(error).removeprefix(f"{field}: ")


# what a row says better than the general message
_OF_A_ROW = {
    "tuple_type": 'is {kind}, not a list of texts; write ["...", "..."]',
    "dict_type": 'is {kind}, not an object; write {{"name": "value"}}',
    "finite_number": f"is {{value}}, which is no rating; {NO_RATING}",
    "string_pattern_mismatch": '"{value}" is no ISO 639 code; write nl, en or another code of two or three letters',
    "string_too_short": "is empty; give the sample a name, or leave the field out to have one made",
}


def sort_row(values: dict[str, Any], mapping: Mapping[str, str]) -> SortedRow:
    """Sorts a row's columns by field; a column that a mapping pushes aside stays among the extras.

    Examples:
        >>> row = sort_row({"question": "Why?", "answer": "So.", "page": 3}, {"page": "group"})
        >>> row.fields
        {'group': 3, 'user_input': 'Why?', 'response': 'So.'}
        >>> row.origins
        {'group': 'page', 'user_input': 'question', 'response': 'answer'}
    """
    extras = dict(values)
    fields: dict[str, Any] = {}
    origins: dict[str, str] = {}
    named = [theirs for theirs, ours in mapping.items() if is_rater(ours) or ours == OF_RATERS]
    of_raters = {theirs: extras.pop(theirs) for theirs in named if theirs in values}
    for theirs, ours in mapping.items():
        if theirs in values and theirs not in of_raters:
            fields[ours] = extras.pop(theirs)
            origins[ours] = theirs
    if REASON in origins:
        if REASONS in extras:
            extras[f"metadata.{REASONS}"] = extras.pop(REASONS)
        extras[REASONS], origins[f"metadata.{REASONS}"] = fields.pop(REASON), origins.pop(REASON)
    for field in FIELDS:
        if field in extras and field not in fields:
            fields[field] = extras.pop(field)
    _take_thread(fields, origins, extras)
    for field, candidates in _candidates(tuple(extras)):
        if fields.get(field) is None and field not in origins:
            present = [column for name, column in candidates if column in extras and not is_link(name, extras[column])]
            chosen = next((name for name in present if extras[name] is not None), None)
            if chosen is None and field not in fields:
                chosen = next(iter(present), None)
            if chosen is not None:
                fields[field] = extras.pop(chosen)
                origins[field] = chosen
    _take_numbered_contexts(fields, origins, extras)
    if isinstance(fields.get("response"), list | Mapping) and (text := find_answer(fields["response"])) is not None:
        fields["response"] = text
    if fields.get("messages"):
        _keep_beside_messages(fields, origins, extras, mapping)
    return SortedRow(fields, origins, extras | of_raters)


@lru_cache(maxsize=256)  # the rows of a set have the same columns
def _candidates(columns: tuple[str, ...]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The columns that may be each field, with their usual names, the surest first; fields without one are left out."""
    by_name = columns_by_usual_name(columns)
    listed = (
        (field, [(name, by_name[name]) for name in (field, *names) if by_name.get(name) in columns])
        for field, names in ALIASES.items()
    )
    return [(field, candidates) for field, candidates in listed if candidates]


def _take_numbered_contexts(fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any]) -> None:
    """Joins `context_1`, `context_2` and so on, where no column holds all contexts."""
    if "retrieved_contexts" in fields:
        return
    columns = numbered_contexts(tuple(extras))
    for place, column in enumerate(columns):
        origins["retrieved_contexts" if not place else f"retrieved_contexts[{place}]"] = column
    if columns:
        fields["retrieved_contexts"] = [extras.pop(column) for column in columns]


def _take_thread(fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any]) -> None:
    """Finds the messages of a row, and the id of their conversation, under the names of other tools."""
    if not fields.get("messages"):
        thread = {name: value for name, value in fields.items() if name == "user_input"} | extras
        key = find_messages_key(thread) if has_list(thread) else None
        if key is None:
            return
        fields["messages"] = fields.pop(key) if key in fields else extras.pop(key)
        origins["messages"] = key
    if fields.get("id") in (None, "") and not (by_name := columns_by_usual_name(extras)).keys() & {"id"}:
        column = next(
            (by_name[name] for name in CASE_KEYS if isinstance(extras.get(by_name.get(name, "")), str | int)), None
        )
        if column is not None:
            fields["id"] = extras.pop(column)
            origins["id"] = column
    actions = extras.pop("reference_tool_calls", None)  # of Ragas
    if isinstance(actions, list) and "expected_actions" not in extras:
        extras["expected_actions"] = [_expected_action(action) for action in actions]
        origins["metadata.expected_actions"] = "reference_tool_calls"
    elif actions is not None:
        extras["reference_tool_calls"] = actions


def _keep_beside_messages(
    fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any], mapping: Mapping[str, str]
) -> None:
    """Puts columns back that usually are a field, and beside messages are not: what those hold is the turn under test.

    A question with an answer beside messages is a turn of its own, and an answer beside messages that end with a
    question answers it; a `prompt` alone repeats one of them.
    """
    doubtful: list[str] = [name for name in ("user_input", "response") if name in origins]
    messages = fields["messages"]
    messages = parse_nested_json(messages) if doubtful else messages
    is_asked = isinstance(messages, list | tuple) and bool(messages) and is_question(messages[-1])
    if {"user_input", "response"} <= fields.keys() or (is_asked and "response" in fields):
        doubtful.clear()
    if "retrieved_contexts" in origins and _has_contexts(messages):
        doubtful.append("retrieved_contexts")
    for name in doubtful:
        if origins[name] not in mapping:
            extras[origins.pop(name)] = fields.pop(name)


def _has_contexts(messages: Any) -> bool:
    names = ("retrieved_contexts", *MESSAGE_ALIASES["retrieved_contexts"])
    listed = messages if isinstance(messages, list | tuple) else ()
    return any(isinstance(message, Mapping) and any(message.get(name) for name in names) for message in listed)


def _expected_action(action: Any) -> Any:
    if not isinstance(action, Mapping) or "args" not in action:
        return action
    return {("kwargs" if name == "args" else name): value for name, value in action.items()}
