"""One value of a row: a number, a list of texts or an object, however the file came to write it."""

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from ..json_text import JSON_DECODER, RepeatedKeyError, explain_json_error
from ..value_messages import describe_type, shorten
from .column_table import is_no_context
from .number_rule import NumberRule

# one text of a list as Python or NumPy prints it; NumPy puts no comma between the items
_QUOTED = r"""'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*\""""
_PRINTED_TEXT = re.compile(rf"\s*({_QUOTED})\s*,?", re.DOTALL)
_ARRAY = re.compile(r"(?:np\.)?array\((\[.*\])(?:,\s*dtype=[^)\]]*)?\)", re.DOTALL)
_DOCUMENT = re.compile(r"\[?\s*(?:\w+\.)*\w*(?:Document|Node|NodeWithScore)\(.*\)\s*\]?", re.DOTALL)
_DOCUMENT_KEYS = (
    *("retrieved_contexts", "contexts", "context", "documents", "docs", "source_documents", "retrieved_documents"),
    *("chunks", "results", "output"),
)
_DOCUMENT_TEXT_KEYS = ("page_content", "document.content", "content", "text", "pageContent", "chunk", "body")
DEEPEST = 100
"""How deep lists and objects may be nested: deeper ones exhaust the stack of whoever reads them."""


def parse_ratings(value: object, rule: NumberRule) -> dict[str, float]:
    """Reads ratings by rater; a rater with null gave none. Raises `ValueError` naming the rater."""
    ratings = parse_structure(value)
    if not isinstance(ratings, dict):
        raise ValueError(
            f'is {describe_type(ratings)}, not an object; write {{"an": 4, "bo": 5}}, one rating per rater'
        )
    parsed = {}
    for rater, rating in ratings.items():
        try:
            parsed[str(rater)] = rule.read(rating)
        except ValueError as error:
            raise ValueError(f"rater {rater}: {error}") from None
    return {rater: rating for rater, rating in parsed.items() if rating is not None}


def parse_texts(value: object) -> object:
    """Reads contexts: a list as it is; a text that is a printed list (JSON, Python or NumPy), or else is one context.

    A document is its text. What is blank, or says that there is nothing, is no context.
    Examples:
        >>> parse_texts('["one", "two"]'), parse_texts("['one' 'two']"), parse_texts("one"), parse_texts("['', nan]")
        (['one', 'two'], ['one', 'two'], ['one'], [])
        >>> parse_texts("[Document(page_content='It is free.', metadata={'page': 1})]"), parse_texts("('a', 'b')")
        (['It is free.'], ['a', 'b'])
    """
    texts = _listed_texts(value) if isinstance(value, str) else value
    if isinstance(texts, Mapping):
        texts = [texts]
    if not isinstance(texts, list | tuple):
        return texts
    return [
        text
        for entry in texts
        for text in (_document_texts(entry) if isinstance(entry, Mapping) else [entry])
        if not (text is None or (isinstance(text, float) and math.isnan(text)))
        and not (isinstance(text, str) and is_no_context(text))
    ]


def _document_texts(document: Mapping[str, Any]) -> list[str]:
    return find_documents(dict(document)) or [json.dumps(to_json_value(dict(document)), ensure_ascii=False)]


def _listed_texts(value: str) -> object:
    text = value.strip()
    if not text:
        return []
    if array := _ARRAY.fullmatch(text):
        text = array[1]
    is_list = text.startswith("[") and text.endswith("]")
    if is_list or (text.startswith("{") and text.endswith("}")):
        with suppress(ValueError, RecursionError):
            parsed = json.loads(text)
            return parsed if isinstance(parsed, list) or find_documents(parsed) else [value]
    if any(name in text for name in ("Document(", "Node(")) and (documents := _printed_documents(text)):
        return documents
    if not is_list:
        if re.match(r"\[\s*\"", text):
            raise ValueError('begins as a list and does not end as one; write ["...", "..."]')
        printed = _literal(text) if text.startswith(("{", "('", '("')) else None
        is_document = isinstance(printed, Mapping) and find_documents(dict(printed))
        return printed if is_document or isinstance(printed, tuple) else [value]
    texts = _printed_texts(text)
    if texts is None:
        listed = _literal(re.sub(r"\bnan\b", "None", text))
        texts = listed if isinstance(listed, list) else None
    if texts is None and re.match(r"\[\s*['\"]", text):
        raise ValueError(f'"{shorten(text)}" is not a list of texts; write ["...", "..."] with \\" for a quote inside')
    return [value] if texts is None else texts


def _printed_texts(text: str) -> list[str] | None:
    items, place, end = [], 1, len(text) - 1
    while match := _PRINTED_TEXT.match(text, place, end):
        items.append(match[1])
        place = match.end()
    if not items or text[place:end].strip():
        return None
    try:
        return [str(ast.literal_eval(item)) for item in items]
    except (ValueError, SyntaxError):
        return None


def _literal(text: str) -> object:
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(text)
    return None


def _printed_documents(text: str) -> list[str]:
    """The texts of documents as LangChain, LlamaIndex and Haystack print them; none where it is no list of them."""
    if not _DOCUMENT.fullmatch(text):
        return []
    found = re.findall(rf"\b(?:page_content|content|text)=({_QUOTED})", text)
    return [str(_literal(quoted)) for quoted in found]


def parse_nested_json(value: Any) -> Any:
    """Parses a text that holds an object or list, in JSON or as Python prints it; returns anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return parse_structure(value)
    return value


def find_documents(value: Any) -> list[str]:
    """Finds the texts of retrieved documents, in order: texts, objects around them, or a list under a known name."""
    return list(_documents(parse_nested_json(value), 0))


def _documents(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _documents(entry, depth + 1)
    elif isinstance(value, Mapping) and depth < 6:
        inner = value.get("document")
        if isinstance(inner, Mapping | str):
            yield from _documents(inner, depth + 1)
            return
        for name in _DOCUMENT_TEXT_KEYS:
            if isinstance(value.get(name), str):
                yield value[name]
                return
        for name in (*_DOCUMENT_KEYS, "kwargs"):
            if isinstance(value.get(name), list | Mapping | str):
                yield from _documents(parse_nested_json(value[name]), depth + 1)
                return


def parse_structure(value: object) -> object:
    """Reads a list or object from JSON or as Python prints it. Raises `ValueError` where a text is neither."""
    if not isinstance(value, str):
        return value
    try:
        return JSON_DECODER.decode(value)
    except RepeatedKeyError as error:  # Python's own notation would take the last one
        raise ValueError(f"{error}; keep one") from None
    except (ValueError, RecursionError) as error:
        cause = explain_json_error(error, value)
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(f'"{shorten(value)}" {cause}; write it as JSON') from None


def to_json_value(value: Any, depth: int = 0) -> Any:
    """Turns a value into one that JSON can hold: NaN is null, a date its ISO text, anything unknown its text.
    Examples:
        >>> to_json_value({"at": date(2026, 3, 1), "value": float("nan")})
        {'at': '2026-03-01', 'value': None}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if depth > DEEPEST:
        raise ValueError(f"is nested more than {DEEPEST} deep; flatten it")
    if isinstance(value, dict):
        return {str(key): to_json_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item, depth + 1) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)


def merge_metadata(metadata: Any, extras: Mapping[str, Any]) -> dict[str, Any]:
    """Merges a row's own metadata with its extra columns.

    Of two with one name the column keeps it; the other is `metadata.<name>`. Metadata that is no object stands under
    `metadata`.
    Examples:
        >>> merge_metadata({"page": 1, "note": "x"}, {"page": 2})
        {'page': 2, 'metadata.page': 1, 'note': 'x'}
    """
    merged = {name: to_json_value(value) for name, value in extras.items()}
    if metadata is None:
        return merged
    for key, value in (metadata if isinstance(metadata, dict) else {"metadata": metadata}).items():
        name = str(key)
        while name in merged:
            name = f"metadata.{name}"
        merged[name] = to_json_value(value)
    return merged


def parse_tables(value: object) -> object:
    """Reads tables as plain JSON values.

    A column or unit that is null is one that another row of a Parquet file has. A text that is no list or object is the
    name of a file.
    """
    if isinstance(value, str) and value.lstrip()[:1] not in ("[", "{"):
        return value.strip()
    tables = to_json_value(parse_structure(value))
    if not isinstance(tables, list):
        return tables
    for table in tables:
        if isinstance(table, dict):
            for part in ("columns", "units"):
                if isinstance(table.get(part), dict):
                    table[part] = {name: content for name, content in table[part].items() if content is not None}
            if table.get("units", {}) is None:
                del table["units"]
    return tables
